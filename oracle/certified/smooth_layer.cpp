// SPDX-License-Identifier: Apache-2.0
#include "oracle/certified/smooth_layer.hpp"

namespace poolproof::certified {

namespace {

Permitted between(double lowest, double highest) {
    return Permitted::between(std::bit_cast<Bits>(lowest), std::bit_cast<Bits>(highest));
}

}  // namespace

SmoothLayer::SmoothLayer(const Block& b, const SmoothPlan& plan, SmoothMemory& memory)
    : b_(b),
      plan_(plan),
      shares_(memory.shares),
      tangents_(memory.tangents),
      columns_(memory.columns),
      gradients_(memory.gradients) {
    const Axis& last = b.pool.axes.back();
    const Index answers = b.slices.count * (b.plan.mode == Mode::vjp ? b.walk.cells : b.walk.outs);
    const bool few = b.wanted != nullptr && static_cast<Index>(b.wanted->size()) * 16 < answers;
    if (few || last.bins || b.walk.outs == 0 || !SmoothConstants::suits(plan)) return;
    extent_ = last.extent;
    stride_ = std::min(last.stride, extent_);
    each_ = (extent_ + stride_ - 1) / stride_;
    places_ = static_cast<std::size_t>(b.walk.cells / extent_ * stride_ * each_);
    const auto& inner = b.walk.inner;
    const auto full = [&](const Walk::Inner& i) { return i.counts.count == last.kernel; };
    while (begin_ < inner.size() && !full(inner[begin_])) ++begin_;
    while (begin_ + count_ < inner.size() && full(inner[begin_ + count_])) ++count_;
    usable_ = count_ > 0 && (stride_ == last.stride || count_ == 1);
    if (!usable_) return;
    const Walk::Inner& first = inner[begin_];
    for (Index j = 0; j < first.counts.count; ++j)
        columns_seen_.push_back(column_place(first.first + j * first.step));
}

std::size_t SmoothLayer::column_place(Index column) const {
    return static_cast<std::size_t>(column % stride_ * each_ + column / stride_);
}

void SmoothLayer::lay_out(const double* in, std::vector<double>& to) const {
    const Index rows = b_.walk.cells / extent_;
    double* out = to.data();
    for (Index r = 0; r < rows; ++r, in += extent_)
        for (Index phase = 0; phase < stride_; ++phase, out += each_) {
            const Index n = (extent_ - phase + stride_ - 1) / stride_;
            if (stride_ == 2)
                for (Index k = 0; k < n; ++k) out[k] = in[phase + 2 * k];
            else
                for (Index k = 0; k < n; ++k) out[k] = in[phase + stride_ * k];
            for (Index k = n; k < each_; ++k) out[k] = 0;
        }
}

bool SmoothLayer::row(const Walk::Outer& o) {
    const Walk::Inner& first = b_.walk.inner[begin_];
    const auto n = static_cast<std::size_t>(b_.walk.taps(o, first));
    if (!has_columns(n) || padded_cells(b_, o, first) > 0) return false;
    taps_.clear();
    for (std::size_t r = 0; r < o.rows; ++r) {
        const Index row = b_.walk.row_starts[o.first_row + r] / extent_;
        for (const std::size_t column : columns_seen_)
            taps_.push_back(static_cast<std::size_t>(row * stride_ * each_) + column);
    }
    return true;
}

const SmoothConstants& SmoothLayer::constants(std::size_t taps) {
    if (!constants_ || constants_->taps != static_cast<double>(taps))
        constants_.emplace(plan_, static_cast<int>(taps));
    return *constants_;
}

void SmoothLayer::push(Index k, const std::vector<double>& x, const std::vector<double>& t,
                       std::vector<std::uint8_t>& settled) {
    settled.assign(static_cast<std::size_t>(b_.walk.outs), 0);
    tried_ = false;
    if (!usable_) return;
    const bool forward = b_.plan.mode == Mode::forward;
    shares_.resize(places_);
    lay_out(x.data(), shares_.x);
    if (!shares_.fill(plan_.beta, !forward)) return;
    if (!forward) {
        tangents_.resize(places_);
        lay_out(t.data(), tangents_.whole);
        if (!tangents_.fill()) return;
    }
    columns_.resize(count_);
    tried_ = count_ == b_.walk.inner.size();
    std::size_t out = begin_;
    for (const Walk::Outer& o : b_.walk.outer) {
        const bool together = row(o);
        tried_ &= together;
        if (together) {
            const SmoothConstants& c = constants(taps_.size());
            sum_windows(shares_, forward ? nullptr : &tangents_, taps_, count_, plan_.beta, columns_);
            (forward ? find_values : find_tangents)(c, count_, columns_);
            Permitted* to = b_.values.data() + k * b_.walk.outs + static_cast<Index>(out);
            std::uint8_t* flags = settled.data() + out;
            const double *lowest = columns_.lowest.data(), *highest = columns_.highest.data(),
                         *sure = columns_.sure.data();
            for (std::size_t i = 0; i < count_; ++i) {
                if (sure[i] > 0) to[i] = between(lowest[i], highest[i]);
                flags[i] = sure[i] > 0 ? 1 : 0;
            }
        }
        out += b_.walk.inner.size();
    }
}

bool SmoothLayer::lay_slice_out(const double* x, const double* t) {
    if (!usable_) return false;
    shares_.resize(places_);
    lay_out(x, shares_.x);
    columns_.resize(count_);
    if (t == nullptr) return shares_.fill_plainly(plan_.beta);
    tangents_.resize(places_);
    lay_out(t, tangents_.whole);
    return shares_.fill(plan_.beta, true) && tangents_.fill();
}

template <class Compare>
void SmoothLayer::screen_windows(bool suits, const double* y, std::vector<Index>& doubtful, Compare compare) {
    std::size_t out = 0;
    for (const Walk::Outer& o : b_.walk.outer) {
        const std::size_t begin = suits && row(o) ? begin_ : b_.walk.inner.size();
        const std::size_t end = begin == b_.walk.inner.size() ? begin : begin + count_;
        if (begin < end) compare(constants(taps_.size()), y + out + begin);
        for (std::size_t i = 0; i < b_.walk.inner.size(); ++i)
            if (i < begin || i >= end || !(columns_.sure[i - begin] > 0))
                doubtful.push_back(static_cast<Index>(out + i));
        out += b_.walk.inner.size();
    }
}

void SmoothLayer::screen_values(const double* x, const double* y, std::vector<Index>& doubtful) {
    std::optional<bool> in_pairs;
    screen_windows(lay_slice_out(x, nullptr), y, doubtful,
                   [&](const SmoothConstants& c, const double* answers) {
                       if (all_near(c, shares_, taps_, count_, answers, columns_)) return;
                       if (!in_pairs) in_pairs = shares_.fill(plan_.beta, false);
                       if (*in_pairs) compare_values(c, shares_, taps_, count_, answers, columns_);
                   });
}

void SmoothLayer::screen_tangents(const double* x, const double* t, const double* y,
                                  std::vector<Index>& doubtful) {
    screen_windows(lay_slice_out(x, t), y, doubtful, [&](const SmoothConstants& c, const double* answers) {
        compare_tangents(c, shares_, tangents_, taps_, count_, answers, columns_);
    });
}

bool SmoothLayer::send(const double* x, const double* g, bool bare, std::vector<std::uint8_t>& settled,
                       Sent& sent) {
    settled.assign(static_cast<std::size_t>(b_.walk.cells), 0);
    tried_ = false;
    if (!usable_) return false;
    for (Index out = 0; out < b_.walk.outs; ++out) {
        const double size = std::fabs(g[out]);
        if (!(size < most_tangent) || (size < least_tangent && size != 0)) return false;
        sent.largest = std::max(sent.largest, size);
    }
    shares_.resize(places_);
    lay_out(x, shares_.x);
    if (!shares_.fill(plan_.beta, true)) return false;
    columns_.resize(count_);
    gradients_.clear(places_);
    settled.assign(settled.size(), 1);
    tried_ = count_ == b_.walk.inner.size();
    const double* from = g + begin_;
    for (const Walk::Outer& o : b_.walk.outer) {
        const bool together = row(o);
        tried_ &= together;
        if (together) {
            const SmoothConstants& c = constants(taps_.size());
            (bare ? sum_bare_windows : sum_windows)(shares_, nullptr, taps_, count_, plan_.beta, columns_);
            (bare ? send_bare_cotangents : send_cotangents)(c, count_, from, columns_, taps_, gradients_);
            sent.most = std::max(sent.most, taps_.size());
        }
        for (std::size_t i = 0; i < b_.walk.inner.size(); ++i)
            if (!together || i < begin_ || i >= begin_ + count_)
                b_.walk.for_each_tap(o, b_.walk.inner[i],
                                     [&](Index tap) { settled[static_cast<std::size_t>(tap)] = 0; });
        from += b_.walk.inner.size();
    }
    return true;
}

void SmoothLayer::screen_gradients(const double* x, const double* g, const double* y,
                                   std::vector<Index>& doubtful) {
    Sent sent;
    if (!send(x, g, true, settled_, sent)) {
        for (Index cell = 0; cell < b_.walk.cells; ++cell) doubtful.push_back(cell);
        return;
    }
    lay_out(y, gradients_.answers);
    compare_gradients(constants(sent.most), shares_, sent.largest, gradients_.answers.data(), gradients_);
    const double *sure = gradients_.sure.data(), *terms = gradients_.count.data();
    for (Index row = 0; row < b_.walk.cells;
         row += extent_, sure += stride_ * each_, terms += stride_ * each_)
        for (Index column = 0; column < extent_; ++column) {
            const Index cell = row + column;
            const std::size_t at = column_place(column);
            if (settled_[static_cast<std::size_t>(cell)] != 0 &&
                (sure[at] > 0 || (terms[at] == 0 && y[cell] == 0)))
                continue;
            doubtful.push_back(cell);
        }
}

void SmoothLayer::pull(Index k, const std::vector<double>& x, const std::vector<double>& g,
                       std::vector<std::uint8_t>& settled) {
    Sent sent;
    if (!send(x.data(), g.data(), false, settled, sent)) return;
    find_gradients(constants(sent.most), shares_, sent.largest, gradients_);
    Permitted* to = b_.values.data() + k * b_.walk.cells;
    std::uint8_t* flags = settled.data();
    const double *lowest = gradients_.lowest.data(), *highest = gradients_.highest.data(),
                 *sure = gradients_.sure.data(), *terms = gradients_.count.data();
    for (Index row = 0; row < b_.walk.cells; row += extent_)
        for (Index phase = 0; phase < stride_;
             ++phase, lowest += each_, highest += each_, sure += each_, terms += each_) {
            Index i = 0;
            for (Index cell = row + phase; cell < row + extent_; cell += stride_, ++i) {
                if (flags[cell] == 0) continue;
                if (sure[i] > 0)
                    to[cell] = between(lowest[i], highest[i]);
                else if (terms[i] > 0)
                    flags[cell] = 0;
                else
                    to[cell] = between(-0.0, 0.0);
            }
        }
}

}  // namespace poolproof::certified
