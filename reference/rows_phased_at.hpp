// SPDX-License-Identifier: Apache-2.0
// Rows of windows that begin one stride after the other, reduced a register of them at a time. See
// cells_levels.hpp. No include guard.

/// Winners are told apart by their taps and, for each row further down in their window, so much more.
template <class P> inline constexpr P row_apart = static_cast<P>(Phases<P>::most_kernel);

/// Of a register of windows the best in one row of inputs, and which tap it is. `few` is the kernel if not 0;
/// begin(u) is where the registers of the taps from u strides on begin, `whole` whether those of windows one
/// apart are the windows'.
template <Index few, class T, class P, int... q> struct BestInRow {
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
                    take<Nan::first>(best, at, next, tap);
                }
                tap += 1;
            };
            (one(q), ...);
        }
    }
};

/// In place of how many rows, of which none are shared.
inline constexpr Index any_apart = -1;

/// A row of windows, with `few` taps along rows, if that is not 0, and the phases q. They are over `known`
/// rows, if that is not 0 or any_apart, of which the first `shared` are also those of the row of windows
/// before, as many of the last also of the one after, and none of others.
template <Index few, Index known, Index shared, class T, class P, int... q> struct RowOfWindows {
    static constexpr Index stride = sizeof...(q), width = Register<T>::width;
    static constexpr Index ring = Phases<P>::most_kernel;
    using V = typename Register<T>::Vector;
    using At = typename Register<P>::Vector;
    using Best = BestInRow<few, T, P, q...>;

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

    POOLPROOF_CELLS Index rows() const { return known <= 0 ? count : known; }
    POOLPROOF_CELLS bool begins(Index j) const { return known == 0 ? fresh[j] : j >= shared; }
    POOLPROOF_CELLS bool ends(Index j) const { return known == 0 ? done[j] : j < rows() - shared; }

    /// Where the windows of register v begin.
    POOLPROOF_CELLS Index begin(Index v) const { return v * width * stride - p.before; }

    /// The best of register v of windows, and its tap and `down` for each row above its own. `taps` is what
    /// places them in a register that is `whole`. Rows that are seen again are held, if it `holds` any.
    template <bool whole, bool holds = true>
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
            if (holds && !begins(j)) {
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
                if (holds && !ends(j)) {
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
        return (Is::known == any_apart || count_ == Is::known) && shared_ == Is::shared;
    }

    Index ended = 0;

private:
    const Line& h_;
    Index seen_ = 0;  ///< the end of the row of windows before
    Index count_ = 0, shared_ = 0;
};

/// Calls f with the first of the patterns that the row of windows has, or with one that says nothing.
template <class... Patterns, class F>
POOLPROOF_CELLS void with_pattern(const Overlaps& overlaps, const F& f) {
    if (!((overlaps.are(Patterns()) && (f(Patterns()), true)) || ...)) f(Pattern<0, 0>());
}

using Apart = Pattern<any_apart, 0>;
using Pairs = Pattern<2, 0>;
using Threes = Pattern<3, 0>;
using Linked = Pattern<3, 1>;
using PairsOfNext = Pattern<2, 1>;  // at stride 1
using ThreesOfNext = Pattern<3, 2>;
