// SPDX-License-Identifier: Apache-2.0
// The bounds of windows, and how many taps they hold.
#include "reference/geometry.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace poolproof::reference {

void require(bool held, const char* what) {
    if (!held) throw std::invalid_argument(std::string("poolproof::reference: ") + what);
}

namespace {

constexpr Index limit = Index{1} << 31;

Index product(Index a, Index b) {
    require(b == 0 || a <= std::numeric_limits<Index>::max() / b, "the tensors are too large");
    return a * b;
}

void validate(const Pooling& p) {
    require(!p.axes.empty() && p.axes.size() <= max_axes, "the number of axes must be 1 to 8");
    require(p.slices >= 0, "the number of slices must not be negative");
    require(p.layout == Layout::planes || (p.channels >= 1 && p.slices % p.channels == 0),
            "the number of channels must be at least 1 and divide the number of slices");
    for (const Axis& a : p.axes) {
        for (const Index n : {a.extent, a.out, a.pad_begin, a.pad_end})
            require(n >= 0 && n < limit, "extent, out and padding must be 0 to 2^31 - 1");
        for (const Index n : {a.kernel, a.stride, a.dilation})
            require(n >= 1 && n < limit, "kernel, stride and dilation must be 1 to 2^31 - 1");
    }
}

Window bin(const Axis& a, Index o) {
    const Index first = o * a.extent / a.out;
    const Index end = ((o + 1) * a.extent + a.out - 1) / a.out;
    return {first, end - first, 0, 0};
}

Window sliding(const Axis& a, Taps taps, Index o) {
    const Index start = o * a.stride - a.pad_begin;
    const auto taps_below = [&](Index position) {
        return position <= start ? 0 : std::min(a.kernel, (position - start - 1) / a.dilation + 1);
    };
    const Index before = taps_below(0), inside = taps_below(a.extent);
    const Index existing = taps == Taps::clipped ? taps_below(a.extent + a.pad_end) : a.kernel;
    Window w{start + before * a.dilation, inside - before, before, existing - inside};
    if (w.count == 0) w = {0, 0, existing, 0};
    if (taps == Taps::real) w.before = w.after = 0;
    return w;
}

/// Finds the windows that are alike.
void settle_interior(Line& l) {
    l.least = l.windows.empty() ? 0 : l.windows[0].count;
    for (const Window& w : l.windows) {
        l.kernel = std::max(l.kernel, w.count);
        l.least = std::min(l.least, w.count);
    }
    const auto full = [&](Index o) { return o < l.out() && l.windows[extent_of(o)].count == l.kernel; };
    const auto first = [&](Index o) { return l.windows[extent_of(o)].first; };
    while (l.begin < l.out() && !full(l.begin)) ++l.begin;
    l.end = std::min(l.begin + 1, l.out());
    if (!full(l.end) || first(l.end) <= first(l.begin)) return;
    l.stride = first(l.end) - first(l.begin);
    while (full(l.end) && first(l.end) - first(l.end - 1) == l.stride) ++l.end;
}

Line line(const Axis& a, Taps taps) {
    Line l;
    l.extent = a.extent;
    l.step = a.bins ? 1 : a.dilation;
    l.windows.reserve(extent_of(a.out));
    for (Index o = 0; o < a.out; ++o) l.windows.push_back(a.bins ? bin(a, o) : sliding(a, taps, o));
    settle_interior(l);
    return l;
}

template <class Count>
void append_counts(const Geometry& g, Count count, Product prefix, std::size_t axis,
                   std::vector<double>& to) {
    for (const Window& w : g.lines[axis].windows) {
        const Product n = prefix.times(count(w));
        if (axis + 1 == g.lines.size())
            to.push_back(n.high);
        else
            append_counts(g, count, n, axis + 1, to);
    }
}

template <class Count> std::vector<double> counts(const Geometry& g, Count count) {
    std::vector<double> all;
    all.reserve(extent_of(g.outputs));
    append_counts(g, count, {}, 0, all);
    return all;
}

/// Whether windows leave no rest, so that as many more are those of as many more cells: bins always do.
bool tiles(const Axis& a) {
    if (a.bins) return true;
    return a.pad_begin == 0 && a.pad_end == 0 && a.dilation == 1 && a.kernel <= a.stride &&
           a.extent == a.out * a.stride;
}

/// How many planes make one that is still small, and part of all: 1 if they do not.
Index stacked(const Pooling& p, const Geometry& g) {
    constexpr Index most_inputs = Index{1} << 13;
    const Line& l = g.lines.back();
    if (p.layout != Layout::planes || g.inputs == 0 || l.kernel < 2 || l.stride > 3 || g.whole) return 1;
    if (!std::all_of(p.axes.begin(), p.axes.end(), tiles)) return 1;
    Index n = std::max<Index>(1, std::min(p.slices, most_inputs / g.inputs));
    while (p.slices % n != 0) --n;
    return n;
}

/// Whether there are planes to fill most strands, whose cells stay in a cache.
bool weavable(const Geometry& g) {
    constexpr Index most_inputs = Index{1} << 16;
    return g.lines.size() > 1 && g.blocks >= strands / 2 && g.inputs <= most_inputs &&
           g.outputs <= most_inputs;
}

}  // namespace

Index cut_off(const Line& l) {
    if (l.step != 1 || l.begin == l.end) return -1;
    const Index before = l.begin * l.stride - l.windows[extent_of(l.begin)].first;
    for (Index o = 0; o < l.out(); ++o) {
        const Window& w = l.windows[extent_of(o)];
        const Index first = o * l.stride - before;
        if (w.first != std::max<Index>(0, first) || w.first + w.count != std::min(l.extent, first + l.kernel))
            return -1;
    }
    return before;
}

const Line& no_axis() {
    static const Line unit = [] {
        Line l;
        l.windows = {{0, 1}};
        l.kernel = l.least = l.end = 1;
        return l;
    }();
    return unit;
}

Line transposed(const Line& l) {
    Line t;
    t.extent = l.out();
    t.windows.resize(extent_of(l.extent));
    std::vector<Index> begun(extent_of(l.extent + 1)), ended = begun;
    Index first = 0;  // not empty
    while (first < l.out() && l.windows[extent_of(first)].count == 0) ++first;
    for (const Window& w : l.windows)
        if (w.count > 0) {
            ++begun[extent_of(w.first)];
            ++ended[extent_of(w.first + w.count)];
        }
    Index past = first;
    for (std::size_t i = 0; i < t.windows.size(); ++i) {
        past += begun[i];
        first += ended[i];
        t.windows[i] = {first, past - first};
    }
    settle_interior(t);
    return t;
}

Geometry::Geometry(const Pooling& p) {
    validate(p);
    if (p.layout == Layout::channels_last) cell = p.channels;
    blocks = p.slices / cell;
    for (const Axis& a : p.axes) {
        inputs = product(inputs, a.extent);
        outputs = product(outputs, a.out);
    }
    product(p.slices, inputs);
    product(p.slices, outputs);
    for (const Axis& a : p.axes) {
        Line& l = lines.emplace_back(line(a, p.taps));
        for (const Window& w : l.windows) {
            any_empty = any_empty || w.taps() == 0;
            any_padding = any_padding || w.taps() > w.count;
        }
        fullest = product(fullest, l.kernel);
    }
    whole = cell == 1 && std::all_of(lines.begin(), lines.end(), [](const Line& l) {
                return l.out() == 1 && l.step == 1 && l.least == l.extent;
            });
    for (std::size_t k = 1; k < lines.size(); ++k)
        lines[k].outer = product(lines[k - 1].outer, lines[k - 1].extent);
    lines.back().inner = cell;
    for (std::size_t k = lines.size() - 1; k > 0; --k) {
        lines[k - 1].inner = product(lines[k].inner, p.axes[k].out);
        between = std::max(between, product(lines[k].outer, lines[k - 1].inner));
    }
    if (std::all_of(lines.begin(), lines.end(), [](const Line& l) { return l.step == 1; }))
        for (const Line& l : lines) covers.push_back(transposed(l));
    if (const Index n = stacked(p, *this); n > 1) {
        Pooling one = p;
        one.slices /= n;
        one.axes[0].extent *= n;
        one.axes[0].out *= n;
        auto made = std::make_shared<Geometry>(one);
        made->woven = nullptr;
        tall = std::move(made);
    }
    if (p.layout == Layout::planes && weavable(*this)) {
        Pooling one = p;
        one.layout = Layout::channels_last;
        one.slices = one.channels = strands;
        woven = std::make_shared<const Geometry>(one);
    }
}

void Geometry::require_inputs(std::size_t n) const {
    require(n == extent_of(blocks * cell * inputs),
            "an input-sized tensor does not have slices x extents elements");
}

void Geometry::require_outputs(std::size_t n) const {
    require(n == extent_of(blocks * cell * outputs),
            "an output-sized tensor does not have slices x outs elements");
}

namespace {

/// What a geometry depends on.
struct Sizes {
    std::vector<Axis> axes;
    Index slices, channels;
    Taps taps;

    bool of(const Pooling& p) const {
        return axes == p.axes && slices == p.slices && taps == p.taps &&
               channels == (p.layout == Layout::planes ? 0 : p.channels);
    }
};

struct Known {
    Sizes sizes;
    Geometry geometry;
};

constexpr std::size_t most_known = 8;

}  // namespace

const Geometry& geometry(const Pooling& p) {
    require(p.divisor != 0, "the divisor must not be 0");
    require(p.threads >= 1, "the number of threads must be at least 1");
    thread_local std::vector<Known> known;
    thread_local std::size_t oldest = 0;
    for (const Known& k : known)
        if (k.sizes.of(p)) return k.geometry;
    Known fresh{{p.axes, p.slices, p.layout == Layout::planes ? 0 : p.channels, p.taps}, Geometry(p)};
    if (known.size() < most_known) return known.emplace_back(std::move(fresh)).geometry;
    oldest = (oldest + 1) % most_known;
    return (known[oldest] = std::move(fresh)).geometry;
}

Product Product::times(Index factor) const {
    const auto f = static_cast<double>(factor);
    const double p = high * f;
    if (p < 0x1p53) return {p, 0};
    const double error = std::fma(high, f, -p) + low * f;
    const double sum = p + error;
    return {sum, error - (sum - p)};
}

std::vector<double> tap_counts(const Geometry& g) {
    return counts(g, [](const Window& w) { return w.taps(); });
}

std::vector<double> real_counts(const Geometry& g) {
    return counts(g, [](const Window& w) { return w.count; });
}

}  // namespace poolproof::reference
