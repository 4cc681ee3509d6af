// SPDX-License-Identifier: Apache-2.0
// The maximum and its derivatives: what to do with maxima and winners, however they are found.
#include "reference/apart.hpp"
#include "reference/geometry.hpp"
#include "reference/max_axes.hpp"
#include "reference/max_planes.hpp"
#include "reference/max_slices.hpp"
#include "reference/scatter.hpp"
#include "reference/weave.hpp"
#include "reference/workers.hpp"

#include <optional>

namespace poolproof::reference {

namespace {

bool joint(Ties t) { return t == Ties::all || t == Ties::split; }

template <class Maxima> using AtOf = typename std::remove_reference_t<Maxima>::At;

/// Whether MaxPlanes serves.
template <class T, bool with_winners> bool by_planes(const Pooling& p, const Geometry& g) {
    return !p.positive_zero && !(with_winners && p.ties == Ties::last) && covered_by_planes<T>(g);
}

/// Calls f(maxima), whose block(x, y) reduces one block of slices: to values, or `with_winners` to rows of
/// both, with positions of its type At.
template <class T, bool with_winners, class F>
void with_maxima(const Pooling& p, const Geometry& g, Scratch& scratch, const F& f) {
    if (!by_planes<T, with_winners>(p, g)) {
        MaxAxes<T, with_winners> maxima(p, g, scratch);
        return f(maxima);
    }
    MaxPlanes<T, std::conditional_t<with_winners, Position<T>, void>> maxima(p.nan, g, scratch);
    f(maxima);
    streamed();
}

/// Divides the blocks among threads and calls f(maxima, scratch, begin, end) for each part.
template <class T, bool with_winners, class F>
void over_blocks(const Pooling& p, const Geometry& g, const F& f) {
    in_parallel(p.threads, g.blocks, [&](Index begin, Index end) {
        Scratch scratch;
        with_maxima<T, with_winners>(p, g, scratch, [&](auto& maxima) { f(maxima, scratch, begin, end); });
    });
}

/// The gradient of one block of slices at a time, from maxima that count by themselves. `all` is how many
/// elements the whole gradient has.
template <class T, class Maxima> class Pull {
public:
    Pull(Maxima& maxima, const Geometry& g, Index all, Scratch& scratch)
        : maxima_(maxima), scratch_(scratch), writing_(writing_of(extent_of(all) * sizeof(T))) {
        if (gathers()) return;
        y_ = {scratch.take<T>(g.block_outputs()), scratch.take<At>(g.block_outputs())};
        scatter_.emplace(g, all, scratch);
    }

    void block(const T* x, const T* cotangent, T* dx) {
        if constexpr (requires { maxima_.pulls(); })
            if (gathers()) return maxima_.pull(x, cotangent, dx, writing_, scratch_);
        find(x);
        scatter_->block(y_.at, cotangent, dx);
    }

private:
    using At = typename Maxima::At;

    void find(const T* x) {
        if constexpr (requires { maxima_.finds(); })
            if (maxima_.finds()) return maxima_.find(x, y_.value, y_.at, Writing::near, scratch_);
        maxima_.block(x, y_);
    }

    bool gathers() const {
        if constexpr (requires { maxima_.pulls(); })
            return maxima_.pulls();
        else
            return false;
    }

    Maxima& maxima_;
    Scratch& scratch_;
    Writing writing_;
    Row<T, At> y_{};
    std::optional<Scatter<T>> scatter_;
};

template <class T>
void woven_forward(const Pooling& p, const Geometry& g, std::span<const T> x, std::span<T> y,
                   std::span<Index> indices) {
    over_weaves(p, g, [&](Scratch& scratch, const auto& each) {
        Cloth<T> from(g.inputs, scratch), to(g.outputs, scratch);
        if (indices.empty())
            return with_maxima<T, false>(p, *g.woven, scratch, [&](auto& maxima) {
                each([&](Index first, Index count) {
                    from.of(x, first, count);
                    maxima.block(from.cells, Row<T, void>{to.cells});
                    to.into(y, first, count);
                });
            });
        with_maxima<T, true>(p, *g.woven, scratch, [&](auto& maxima) {
            using At = AtOf<decltype(maxima)>;
            Cloth<At> at(g.outputs, scratch);
            each([&](Index first, Index count) {
                from.of(x, first, count);
                maxima.block(from.cells, Row<T, At>{to.cells, at.cells});
                to.into(y, first, count);
                at.into(indices, first, count);
            });
        });
    });
}

template <class T>
void woven_vjp(const Pooling& p, const Geometry& g, std::span<const T> x, std::span<const T> cotangent,
               std::span<T> dx) {
    over_weaves(p, g, [&](Scratch& scratch, const auto& each) {
        Cloth<T> from(g.inputs, scratch), dy(g.outputs, scratch), to(g.inputs, scratch);
        with_maxima<T, true>(p, *g.woven, scratch, [&](auto& maxima) {
            Pull<T, std::remove_reference_t<decltype(maxima)>> pull(maxima, *g.woven, 0, scratch);
            each([&](Index first, Index count) {
                from.of(x, first, count);
                dy.of(cotangent, first, count);
                pull.block(from.cells, dy.cells, to.cells);
                to.into(dx, first, count);
            });
        });
    });
}

template <class T>
void apart_forward(const Pooling& p, Index blocks, Index in, Index out, std::span<const T> x, std::span<T> y,
                   std::span<Index> indices) {
    in_planes(p, blocks, [&](const Pooling& one, Index begin, Index end, Scratch& scratch) {
        Planes<T> from(in, p.channels, scratch), to(out, p.channels, scratch);
        Planes<Index> at(indices.empty() ? 0 : out, p.channels, scratch);
        for (Index b = begin; b < end; ++b) {
            max_forward<T>(one, from.of(x, b), to.all(), at.all());
            to.into(y, b);
            at.into(indices, b);
        }
    });
}

template <class T>
void apart_vjp(const Pooling& p, Index blocks, Index in, Index out, std::span<const T> x,
               std::span<const T> cotangent, std::span<T> dx) {
    in_planes(p, blocks, [&](const Pooling& one, Index begin, Index end, Scratch& scratch) {
        Planes<T> from(in, p.channels, scratch), dy(out, p.channels, scratch), to(in, p.channels, scratch);
        for (Index b = begin; b < end; ++b) {
            max_vjp<T>(one, from.of(x, b), dy.of(cotangent, b), to.all());
            to.into(dx, b);
        }
    });
}

}  // namespace

template <class T>
void max_forward(const Pooling& p, std::span<const T> x, std::span<T> y, std::span<Index> indices) {
    const Geometry& flat = geometry(p);
    const Geometry& g = indices.empty() ? stacked(flat, Pass::best, sizeof(T)) : flat;
    g.require_inputs(x.size());
    g.require_outputs(y.size());
    if (!indices.empty()) g.require_outputs(indices.size());
    if (few_channels(p)) return apart_forward(p, g.blocks, g.inputs, g.outputs, x, y, indices);
    if (indices.empty() ? by_planes<T, false>(p, flat) && best_of_slices(p, flat, x, y)
                        : by_planes<T, true>(p, flat) && found_in_slices(p, flat, x, y, indices))
        return;
    const Index in = g.block_inputs(), out = g.block_outputs();
    const Writing writing = writing_of(y.size_bytes());
    const bool found =
        !indices.empty() && by_planes<T, true>(p, g) && better_find_phased(g, p.nan, sizeof(T));
    if (!found && better_woven(g, Pass::best, sizeof(T))) return woven_forward(p, g, x, y, indices);
    if (indices.empty())
        over_blocks<T, false>(p, g, [&](auto& maxima, Scratch&, Index begin, Index end) {
            for (Index b = begin; b < end; ++b)
                maxima.block(x.data() + b * in, Row<T, void>{y.data() + b * out}, writing);
        });
    else
        over_blocks<T, true>(p, g, [&](auto& maxima, Scratch& scratch, Index begin, Index end) {
            using At = AtOf<decltype(maxima)>;
            if constexpr (requires { maxima.finds(); })
                if (maxima.finds()) {
                    for (Index b = begin; b < end; ++b)
                        maxima.find(x.data() + b * in, y.data() + b * out, indices.data() + b * out, writing,
                                    scratch);
                    return;
                }
            if constexpr (std::is_same_v<At, Index>) {
                for (Index b = begin; b < end; ++b)
                    maxima.block(x.data() + b * in, Row<T, At>{y.data() + b * out, indices.data() + b * out},
                                 writing);
            } else {
                At* at = scratch.take<At>(out);
                for (Index b = begin; b < end; ++b) {
                    maxima.block(x.data() + b * in, Row<T, At>{y.data() + b * out, at});
                    widen(at, indices.data() + b * out, out);
                }
            }
        });
}

template <class T>
void max_jvp(const Pooling& p, std::span<const T> x, std::span<const T> tangent, std::span<T> dy) {
    const Geometry& g = geometry(p);
    g.require_inputs(x.size());
    g.require_inputs(tangent.size());
    g.require_outputs(dy.size());
    const Index in = g.block_inputs(), out = g.block_outputs();
    if (!joint(p.ties))
        return over_blocks<T, true>(p, g, [&](auto& maxima, Scratch& scratch, Index begin, Index end) {
            using At = AtOf<decltype(maxima)>;
            const Row<T, At> y{scratch.take<T>(out), scratch.take<At>(out)};
            for (Index b = begin; b < end; ++b) {
                maxima.block(x.data() + b * in, y);
                const T* t = tangent.data() + b * in;
                T* to = dy.data() + b * out;
                with_inner(g.cell, [&](auto inner) {
                    for (Index o = 0; o < out; ++o)
                        to[o] = y.at[o] < 0 ? T{0} : t[static_cast<Index>(y.at[o]) * inner + o % inner];
                });
            }
        });
    over_blocks<T, false>(p, g, [&](auto& maxima, Scratch& scratch, Index begin, Index end) {
        Tied tied(p, g);
        T* y = scratch.take<T>(out);
        for (Index b = begin; b < end; ++b) {
            maxima.block(x.data() + b * in, Row<T, void>{y});
            for (Index c = 0; c < g.cell; ++c) {
                const T* t = tangent.data() + b * in + c;
                T* to = dy.data() + b * out + c;
                tied.for_each(x.data() + b * in + c, y + c,
                              [&](Index o, const Box& box, const double* mark, double share) {
                                  double sum = 0;
                                  for_each_row(g, box, [&](Index at, Index count, Index step) {
                                      for (Index j = 0; j < count; ++j)
                                          if (*mark++ != 0)
                                              sum += static_cast<double>(t[(at + j * step) * g.cell]);
                                  });
                                  to[o * g.cell] = static_cast<T>(sum == 0 ? 0 : sum / share);
                              });
            }
        }
    });
}

template <class T>
void max_vjp(const Pooling& p, std::span<const T> x, std::span<const T> cotangent, std::span<T> dx) {
    const Geometry& flat = geometry(p);
    flat.require_inputs(x.size());
    flat.require_outputs(cotangent.size());
    flat.require_inputs(dx.size());
    const bool planes = !joint(p.ties) && by_planes<T, true>(p, flat);
    if (planes && pulled_in_slices(p, flat, x, cotangent, dx)) return;
    const bool phased = planes && better_pull_phased(flat, p.nan, sizeof(T));
    const bool found = planes && !phased && better_add_found(flat, p.nan, sizeof(T));
    const Geometry& g = (phased || found) && flat.tall ? *flat.tall : stacked(flat, Pass::pull, sizeof(T));
    if (few_channels(p)) return apart_vjp(p, g.blocks, g.inputs, g.outputs, x, cotangent, dx);
    const Index in = g.block_inputs(), out = g.block_outputs();
    if (!phased && !found && better_woven(g, Pass::pull, sizeof(T)) && !joint(p.ties))
        return woven_vjp(p, g, x, cotangent, dx);
    if (!joint(p.ties))
        return over_blocks<T, true>(p, g, [&](auto& maxima, Scratch& scratch, Index begin, Index end) {
            Pull<T, std::remove_reference_t<decltype(maxima)>> pull(maxima, g, g.blocks * in, scratch);
            for (Index b = begin; b < end; ++b)
                pull.block(x.data() + b * in, cotangent.data() + b * out, dx.data() + b * in);
        });
    over_blocks<T, false>(p, g, [&](auto& maxima, Scratch& scratch, Index begin, Index end) {
        Tied tied(p, g);
        T* y = scratch.take<T>(out);
        Gradient<T> gradient(in, g.blocks * in, scratch);
        for (Index b = begin; b < end; ++b) {
            maxima.block(x.data() + b * in, Row<T, void>{y});
            double* sums = gradient.zeroed(dx.data() + b * in);
            for (Index c = 0; c < g.cell; ++c)
                tied.for_each(x.data() + b * in + c, y + c,
                              [&](Index o, const Box& box, const double* mark, double share) {
                                  const double part =
                                      static_cast<double>(cotangent[extent_of(b * out + o * g.cell + c)]) /
                                      share;
                                  for_each_row(g, box, [&](Index at, Index count, Index step) {
                                      for (Index j = 0; j < count; ++j)
                                          if (*mark++ != 0) sums[(at + j * step) * g.cell + c] += part;
                                  });
                              });
            gradient.finish(dx.data() + b * in);
        }
    });
}

template <class T>
void max_vjp_at(const Pooling& p, std::span<const Index> indices, std::span<const T> cotangent,
                std::span<T> dx) {
    const Geometry& g = geometry(p);
    g.require_outputs(indices.size());
    g.require_outputs(cotangent.size());
    g.require_inputs(dx.size());
    const Index in = g.block_inputs(), out = g.block_outputs();
    in_parallel(p.threads, g.blocks, [&](Index begin, Index end) {
        Scratch scratch;
        Scatter<T> gradient(g, g.blocks * in, scratch);
        for (Index b = begin; b < end; ++b)
            gradient.block(indices.data() + b * out, cotangent.data() + b * out, dx.data() + b * in);
    });
}

template void max_forward(const Pooling&, std::span<const float>, std::span<float>, std::span<Index>);
template void max_forward(const Pooling&, std::span<const double>, std::span<double>, std::span<Index>);
template void max_jvp(const Pooling&, std::span<const float>, std::span<const float>, std::span<float>);
template void max_jvp(const Pooling&, std::span<const double>, std::span<const double>, std::span<double>);
template void max_vjp(const Pooling&, std::span<const float>, std::span<const float>, std::span<float>);
template void max_vjp(const Pooling&, std::span<const double>, std::span<const double>, std::span<double>);
template void max_vjp_at(const Pooling&, std::span<const Index>, std::span<const float>, std::span<float>);
template void max_vjp_at(const Pooling&, std::span<const Index>, std::span<const double>, std::span<double>);

}  // namespace poolproof::reference
