// SPDX-License-Identifier: Apache-2.0
// The gradient of a maximum by planes whose windows begin one stride after the other along rows. See
// cells_levels.hpp. No include guard.

#include "reference/doubles_at.hpp"
#include "reference/sink_at.hpp"

#include "reference/phases_at.hpp"
#include "reference/take_at.hpp"

/// Winners are told apart by their taps and, for each row further down in their window, so much more.
template <class P> inline constexpr P row_apart = static_cast<P>(Phases<P>::most_kernel);

/// Of a register of windows the best in one row of inputs, and which tap it is. `few` is the kernel if not 0;
/// begin(u) is where the registers of the taps from u strides on begin, `whole` whether those of windows one
/// apart are the windows'.
template <Nan nan, Index few, class T, class P, int... q> struct BestInRow {
    static constexpr Index stride = sizeof...(q), width = Register<T>::width;
    using V = typename Register<T>::Vector;
    using At = typename Register<P>::Vector;

    template <class Begin>
    POOLPROOF_CELLS static void of(Index all, const Begin& begin, const P* places, bool whole, V& best,
                                   At& at) {
        const Index kernel = few == 0 ? all : few;
        At tap{}, place{};
        V next{};
        for (Index t = 0; t < kernel; t += stride, places += stride * width) {
            const T* from = begin(t / stride);
            V cells[stride]{};
            (load_full(from + q * width, cells[q]), ...);
            const auto one = [&](Index i) POOLPROOF_CELLS_LAMBDA {
                if (t + i >= kernel) return;
                if (stride == 1 && whole) {
                    next = cells[0];
                } else {
                    load_full(places + i * width, place);
                    picked(cells[q]..., place, next);
                }
                if (t + i == 0) {
                    best = next;
                    at = tap;
                } else {
                    take<nan>(best, at, next, tap);
                }
                tap += 1;
            };
            (one(q), ...);
        }
    }
};

/// A row of windows, with `few` taps along rows, if that is not 0, and the phases q. They are over `known`
/// rows, if that is not 0, of which the first `shared` are also those of the row of windows before, as many
/// of the last also of the one after, and none of others.
template <Index few, Index known, Index shared, class T, class P, int... q> struct RowOfWindows {
    static constexpr Index stride = sizeof...(q), width = Register<T>::width;
    static constexpr Index ring = Phases<P>::most_kernel;
    using V = typename Register<T>::Vector;
    using At = typename Register<P>::Vector;
    using Best = BestInRow<Nan::first, few, T, P, q...>;

    const Phases<P>& p;
    const Row<T, P> held;  ///< of rows of inputs that are reduced and seen again, of which there is a ring
    const Index first, count;  ///< the rows of inputs,
    const T* x[ring];          ///< where they are,
    Index seen[ring];          ///< by how many rows of windows, if not known,
    bool fresh[ring];          ///< whether this one is the first of those,
    bool done[ring];           ///< and whether it is the last

    POOLPROOF_CELLS RowOfWindows(const Rows<T, P>& r, const Phases<P>& phases, Index o,
                                 const Readable<T>& inputs)
        : p(phases),
          held(r.held),
          first(r.height.windows[extent_of(o)].first),
          count(r.height.windows[extent_of(o)].count) {
        for (Index j = 0; j < rows(); ++j) {
            x[j] = inputs.row(first + j);
            if constexpr (known == 0) {
                const Window& over = r.covers.windows[extent_of(first + j)];
                seen[j] = over.count;
                fresh[j] = over.first == o;
                done[j] = over.first + over.count == o + 1;
            }
        }
    }

    POOLPROOF_CELLS Index rows() const { return known == 0 ? count : known; }
    POOLPROOF_CELLS bool begins(Index j) const { return known == 0 ? fresh[j] : j >= shared; }
    POOLPROOF_CELLS bool ends(Index j) const { return known == 0 ? done[j] : j < known - shared; }

    /// Where the windows of register v begin.
    POOLPROOF_CELLS Index begin(Index v) const { return v * width * stride - p.before; }

    /// The best of register v of windows, and its tap and `down` for each row above its own. `taps` is what
    /// places them in a register that is `whole`.
    template <bool whole>
    POOLPROOF_CELLS void winners(Index v, const P* taps, P down, V& best, At& at) const {
        const typename Phases<P>::Taken& from = p.taken[v];
        V one{};
        At one_at{}, least{}, most{}, below{};
        if (!whole) {
            load_full(from.limits, least);
            load_full(from.limits + width, most);
        }
        for (Index j = 0; j < rows(); ++j) {
            const Row<T, P> kept = held + (((first + j) & (ring - 1)) * p.registers + v) * width;
            if (!begins(j)) {
                load_full(kept.value, one);
                load_full(kept.at, one_at);
            } else {
                if constexpr (whole) {
                    const T* cells = x[j] + begin(v);
                    prefetch(cells, stride * width * Index{sizeof(T)});
                    Best::of(
                        p.kernel, [&](Index u) POOLPROOF_CELLS_LAMBDA { return cells + u * stride; }, taps,
                        true, one, one_at);
                } else {
                    prefetch(x[j] + from.begins[0], stride * width * Index{sizeof(T)});
                    Best::of(
                        p.kernel, [&](Index u) POOLPROOF_CELLS_LAMBDA { return x[j] + from.begins[u]; },
                        from.places, false, one, one_at);
                    one_at = one_at < least ? least : one_at;
                    one_at = one_at > most ? most : one_at;
                }
                if (!ends(j)) {
                    store_full(one, kept.value);
                    store_full(one_at, kept.at);
                }
            }
            if (j == 0) {
                best = one;
                at = one_at;
            } else {
                below += down;
                one_at += below;
                take<Nan::first>(best, at, one, one_at);
            }
        }
    }
};

/// What RowOfWindows is to know of rows.
template <Index rows, Index both> struct Pattern { static constexpr Index known = rows, shared = both; };

/// How rows of windows overlap, from the first to the last.
class Overlaps {
public:
    POOLPROOF_CELLS explicit Overlaps(const Line& height) : h_(height) {}

    /// Goes on to row o, of which the inputs' rows before `ended` are not those of a later one.
    POOLPROOF_CELLS void go(Index o) {
        const Window& w = h_.windows[extent_of(o)];
        const Index past = w.first + w.count, before = std::max<Index>(0, seen_ - w.first);
        ended = o + 1 < h_.out() ? std::min(past, h_.windows[extent_of(o + 1)].first) : past;
        count_ = w.count;
        shared_ = before == past - ended ? before : -1;
        seen_ = past;
    }

    template <class Is> POOLPROOF_CELLS bool are(Is /*pattern*/) const {
        return count_ == Is::known && shared_ == Is::shared;
    }

    Index ended = 0;

private:
    const Line& h_;
    Index seen_ = 0;  ///< the end of the row of windows before
    Index count_ = 0, shared_ = 0;
};

/// What one row of windows adds to the gradient: a register of them is reduced, and its cotangents given to
/// their winners, before the next. Inputs that later rows of windows see too wait in `pending`. An input may
/// be in `reach` windows next to each other.
template <int reach, Index few, Index known, Index shared, class T, class P, int... q>
struct Pulled : RowOfWindows<few, known, shared, T, P, q...> {
    using Base = RowOfWindows<few, known, shared, T, P, q...>;
    using Base::begin, Base::begins, Base::ends, Base::rows;
    using Base::first, Base::p, Base::ring, Base::seen, Base::stride, Base::width;
    using typename Base::At;
    using typename Base::V;

    double* const pending;
    const T* const dy;
    T* const dx;  ///< of row `first`

    POOLPROOF_CELLS Pulled(const PullPhased<T, P>& g, const Phases<P>& phases, Index o,
                           const Readable<T>& inputs, const Readable<T>& cotangents, T* to)
        : Base(g.rows, phases, o, inputs), pending(g.pending), dy(cotangents.row(o)), dx(to) {}

    /// Whether inputs of row j that are in so many windows of a row are summed in double though they are not
    /// doubles: of two the sum is the same.
    POOLPROOF_CELLS bool widened(Index j, int each) const {
        if (sizeof(T) == sizeof(double)) return false;
        return each * (known == 0 ? seen[j] : begins(j) && ends(j) ? 1 : 2) > 2;
    }

    /// Of a register of windows.
    struct Winners {
        At at{};
        V dy{};
    };

    template <bool whole> POOLPROOF_CELLS void winners(Index v, const P* taps, Winners& w) const {
        V best{};
        Base::template winners<whole>(v, taps, row_apart<P>, best, w.at);
        prefetch(dy + v * width, width * Index{sizeof(T)});
        load_full(dy + v * width, w.dy);
    }

    /// Of the windows, so many before those, what inputs of phase `phase` get of row j.
    template <int u> POOLPROOF_CELLS void won(const Winners& before, const Winners& now, P tap, V& to) const {
        constexpr std::make_integer_sequence<int, static_cast<int>(width)> lanes;
        At at = now.at;
        V c = now.dy;
        if constexpr (u > 0) {
            later<u>(before.at, now.at, at, lanes);
            later<u>(before.dy, now.dy, c, lanes);
        }
        to = at == tap ? c : V{};
    }

    /// How many of those an input of the phase may really have.
    static constexpr int reach_of(int phase) {
        return few == 0 ? reach
                        : (static_cast<int>(few) - phase + static_cast<int>(stride) - 1) /
                              static_cast<int>(stride);
    }

    template <int phase, int... u>
    POOLPROOF_CELLS void sum(Index j, Index v, const Winners& before, const Winners& now, V& to,
                             std::integer_sequence<int, u...> /*windows*/) const {
        constexpr int most = sizeof...(u);
        if constexpr (most == 0) {
            to = V{};
            return;
        }
        V terms[most + 1]{};
        (won<u>(before, now, static_cast<P>(j * row_apart<P> + phase + u * stride), terms[u]), ...);
        double* waits = pending + ((((first + j) & (ring - 1)) * p.joints + v) * stride + phase) * width;
        // From +0 on and from the first window to the last, as elsewhere.
        if (!widened(j, most)) {
            T* own = reinterpret_cast<T*>(waits);
            to = V{};
            if (!begins(j)) load_full(own, to);
            ((to += terms[most - 1 - u]), ...);
            if (!ends(j)) store_full(to, own);
            return;
        }
        Doubles low{}, high{}, wide{};
        if (!begins(j)) {
            load_full(waits, low);
            load_full(waits + doubles, high);
        }
        const auto add = [&](const V& term) POOLPROOF_CELLS_LAMBDA {
            widen_half<0>(term, wide);
            low += wide;
            widen_half<1>(term, wide);
            high += wide;
        };
        (add(terms[most - 1 - u]), ...);
        if (ends(j)) return narrow_both(low, high, to);
        store_full(low, waits);
        store_full(high, waits + doubles);
    }

    /// The inputs of register v of each phase.
    template <bool whole>
    POOLPROOF_CELLS void pull(Index v, const Winners& before, const Winners& now,
                              const At (&places)[stride]) const {
        const Index from = whole ? begin(v) : std::max<Index>(begin(v), 0);
        T* to = dx + from;
        for (Index j = 0; j < rows(); ++j, to += p.extent) {
            V parts[stride]{}, out{};
            (sum<q>(j, v, before, now, parts[q], std::make_integer_sequence<int, reach_of(q)>()), ...);
            if (!ends(j)) continue;
            const auto put = [&](Index k, const At& place) POOLPROOF_CELLS_LAMBDA {
                if constexpr (stride == 1 && whole)
                    out = parts[0];
                else
                    picked(parts[q]..., place, out);
                if constexpr (whole)
                    store_full(out, to + k * width);
                else
                    store_first(out, p.extent - from - k * width, to + k * width);
            };
            (put(q, places[q]), ...);
        }
    }

    POOLPROOF_CELLS void places_of(const P* joined, At (&places)[stride]) const {
        (load_full(joined + q * width, places[q]), ...);
    }

    POOLPROOF_CELLS void cut(Index v, Winners& before) const {
        Winners now{};
        At places[stride];
        places_of(v == 0 ? p.first_joined : p.joined, places);
        if (v < p.registers)
            winners<false>(v, nullptr, now);
        else
            now.at += Phases<P>::nowhere;
        pull<false>(v, before, now, places);
        before = now;
    }

    POOLPROOF_CELLS void row() const {
        Winners before{};
        before.at += Phases<P>::nowhere;
        for (Index v = 0; v < p.inner; ++v) cut(v, before);
        if (p.inner < p.past_inner) {
            const P* taps = p.taken[p.inner].places;
            At places[stride];
            places_of(p.joined, places);
            for (Index v = p.inner; v < p.past_inner; ++v) {
                Winners now{};
                winners<true>(v, taps, now);
                pull<true>(v, before, now, places);
                before = now;
            }
        }
        for (Index v = p.past_inner; v < p.joints; ++v) cut(v, before);
    }
};

template <int reach, Index few, class T, class P, int... q, class... Patterns>
POOLPROOF_CELLS void pull_by_phases(const PullPhased<T, P>& g, std::integer_sequence<int, q...> /*phases*/,
                                    Patterns... /*of which rows may be*/) {
    constexpr Index width = Register<T>::width;
    const Phases<P> p = g.rows.phases;  // which nothing that is written can be part of
    const Line& h = g.rows.height;
    const Readable<T> inputs(g.rows.x, h.extent, p.extent, p.stride * width, g.rows.spare);
    const Readable<T> cotangents(g.dy, h.out(), p.out, p.registers * width, g.spare_dy);
    Sink<T> sink(g.dx, p.extent, g.stream, h.kernel);
    Overlaps overlaps(h);
    Index done = 0;  // rows
    const auto zeros = [&](Index past) POOLPROOF_CELLS_LAMBDA {
        for (; done < past; ++done) std::fill_n(sink.next(), p.extent, T{0});
    };
    for (Index o = 0; o < h.out(); ++o) {
        const Index first = h.windows[extent_of(o)].first;
        zeros(first);
        overlaps.go(o);
        T* dx = sink.next(overlaps.ended - done) - (done - first) * p.extent;
        done = overlaps.ended;
        [[maybe_unused]] const auto as = [&](auto pattern) POOLPROOF_CELLS_LAMBDA {
            using Is = decltype(pattern);
            if (!overlaps.are(pattern)) return false;
            Pulled<reach, few, Is::known, Is::shared, T, P, q...>(g, p, o, inputs, cotangents, dx).row();
            return true;
        };
        if (!(as(Patterns()) || ...))
            Pulled<reach, few, 0, 0, T, P, q...>(g, p, o, inputs, cotangents, dx).row();
    }
    zeros(h.extent);
    sink.finish();
}

/// For windows that are `phased`.
template <class T, class P> POOLPROOF_CELLS_KERNEL void pull_phased(const PullPhased<T, P>& g) {
    constexpr std::make_integer_sequence<int, 1> one;
    constexpr std::make_integer_sequence<int, 2> two;
    constexpr std::make_integer_sequence<int, 3> three;
    constexpr std::make_integer_sequence<int, 4> four;
    constexpr Pattern<2, 0> pairs;
    constexpr Pattern<3, 0> threes;
    constexpr Pattern<3, 1> linked;
    const Index kernel = g.rows.phases.kernel, stride = g.rows.phases.stride;
    const bool apart = kernel <= stride;
    switch (stride) {
        case 1: return pull_by_phases<2, 2>(g, one);
        case 2:
            return kernel == 2   ? pull_by_phases<1, 2>(g, two, pairs, linked)
                   : kernel == 3 ? pull_by_phases<2, 3>(g, two, pairs, linked)
                   : apart       ? pull_by_phases<1, 0>(g, two)
                                 : pull_by_phases<2, 0>(g, two);
        case 3:
            return kernel == 3 ? pull_by_phases<1, 3>(g, three, pairs, threes)
                   : apart     ? pull_by_phases<1, 0>(g, three, pairs)
                               : pull_by_phases<2, 0>(g, three);
        default: return pull_by_phases<1, 0>(g, four);
    }
}

#include "reference/mean_phased_at.hpp"
#include "reference/spread_few_at.hpp"
/// Half of a register of positions as those of the interface.
template <class P> POOLPROOF_CELLS void store_positions(const P& at, Index n, Index* to) {
    if constexpr (sizeof(at[0]) == sizeof(Index)) {
        store_first(at, n, to);
    } else {
        constexpr Index half = Register<Index>::width;
        Few<std::int32_t>::Vector some[2];
        std::memcpy(some, &at, sizeof(some));
        for (Index k = 0; k < 2; ++k)
            store_first(__builtin_convertvector(some[k], Register<Index>::Vector), n - k * half,
                        to + k * half);
    }
}

/// A row of windows and their winners' positions.
template <Index few, Index known, Index shared, class T, class P, int... q>
struct Found : RowOfWindows<few, known, shared, T, P, q...> {
    using Base = RowOfWindows<few, known, shared, T, P, q...>;
    using Base::begin, Base::first, Base::p, Base::stride, Base::width;
    using typename Base::At;
    using typename Base::V;

    POOLPROOF_CELLS Found(const Rows<T, P>& r, const Phases<P>& phases, Index o, const Readable<T>& inputs)
        : Base(r, phases, o, inputs) {}

    template <bool whole>
    POOLPROOF_CELLS void put(Index v, const P* taps, const At& lanes, T* y, Index* at) const {
        V best{};
        At winner{};
        Base::template winners<whole>(v, taps, static_cast<P>(p.extent), best, winner);
        winner += lanes;
        winner += static_cast<P>(first * p.extent + begin(v));
        const Index n = whole ? width : p.out - v * width;
        store_first(best, n, y + v * width);
        store_positions(winner, n, at + v * width);
    }

    POOLPROOF_CELLS void row(T* y, Index* at) const {
        At lanes{};
        for (Index i = 0; i < width; ++i) lanes[i] = static_cast<P>(i * stride);
        const P* taps = p.inner < p.past_inner ? p.taken[p.inner].places : nullptr;
        for (Index v = 0; v < p.inner; ++v) put<false>(v, nullptr, lanes, y, at);
        for (Index v = p.inner; v < p.past_inner; ++v) put<true>(v, taps, lanes, y, at);
        for (Index v = p.past_inner; v < p.registers; ++v) put<false>(v, nullptr, lanes, y, at);
    }
};

template <Index few, class T, class P, int... q, class... Patterns>
POOLPROOF_CELLS void find_by_phases(const FindPhased<T, P>& f, std::integer_sequence<int, q...> /*phases*/,
                                    Patterns... /*of which rows may be*/) {
    const Phases<P> p = f.rows.phases;  // which nothing that is written can be part of
    const Line& h = f.rows.height;
    const Readable<T> inputs(f.rows.x, h.extent, p.extent, p.stride * Register<T>::width, f.rows.spare);
    Sink<T> values(f.y, p.out, f.stream);
    Sink<Index> positions(f.indices, p.out, f.stream);
    Overlaps overlaps(h);
    for (Index o = 0; o < h.out(); ++o) {
        overlaps.go(o);
        T* y = values.next();
        Index* at = positions.next();
        [[maybe_unused]] const auto as = [&](auto pattern) POOLPROOF_CELLS_LAMBDA {
            using Is = decltype(pattern);
            if (!overlaps.are(pattern)) return false;
            Found<few, Is::known, Is::shared, T, P, q...>(f.rows, p, o, inputs).row(y, at);
            return true;
        };
        if (!(as(Patterns()) || ...)) Found<few, 0, 0, T, P, q...>(f.rows, p, o, inputs).row(y, at);
    }
    values.finish();
    positions.finish();
}

/// For windows that are `phased`.
template <class T, class P> POOLPROOF_CELLS_KERNEL void find_phased(const FindPhased<T, P>& f) {
    constexpr std::make_integer_sequence<int, 1> one;
    constexpr std::make_integer_sequence<int, 2> two;
    constexpr std::make_integer_sequence<int, 3> three;
    constexpr std::make_integer_sequence<int, 4> four;
    constexpr Pattern<2, 0> pairs;
    constexpr Pattern<3, 0> threes;
    constexpr Pattern<3, 1> linked;
    const Index kernel = f.rows.phases.kernel;
    switch (f.rows.phases.stride) {
        case 1: return find_by_phases<0>(f, one);
        case 2:
            return kernel == 2   ? find_by_phases<2>(f, two, pairs)
                   : kernel == 3 ? find_by_phases<3>(f, two, linked)
                                 : find_by_phases<0>(f, two);
        case 3: return kernel == 3 ? find_by_phases<3>(f, three, threes) : find_by_phases<0>(f, three);
        default: return find_by_phases<0>(f, four);
    }
}

#include "reference/spread_phased_at.hpp"
