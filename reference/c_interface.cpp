// SPDX-License-Identifier: Apache-2.0
#include "reference/geometry.hpp"

#include <poolproof/reference.h>

#include <new>
#include <stdexcept>
#include <string>

namespace {

using namespace poolproof::reference;

thread_local std::string error;

Index or_one(std::int64_t n) { return n == 0 ? 1 : n; }

template <class E> E choice(int value, std::initializer_list<E> of, const char* what) {
    require(value >= 0 && static_cast<std::size_t>(value) < of.size(), what);
    return of.begin()[value];
}

/// Kept by the thread, so that its memory is.
const Pooling& pooling(const poolproof_pooling* c) {
    thread_local Pooling p;
    if (c == nullptr || c->axes == nullptr)
        throw std::invalid_argument("the pooling and its axes must not be null");
    require(c->rank >= 1 && static_cast<std::size_t>(c->rank) <= max_axes, "the rank must be 1 to 8");
    p.axes.clear();
    for (const poolproof_axis* a = c->axes; a != c->axes + c->rank; ++a)
        p.axes.push_back({a->extent, a->out, a->bins != 0, or_one(a->kernel), or_one(a->stride),
                          or_one(a->dilation), a->pad_begin, a->pad_end});
    p.slices = c->slices;
    p.taps = choice(c->taps, {Taps::real, Taps::clipped, Taps::kernel}, "no such taps");
    p.divisor.reset();
    if (c->divisor != 0) p.divisor = c->divisor;
    p.ties = choice(c->ties, {Ties::first, Ties::last, Ties::all, Ties::split}, "no such ties");
    p.nan = choice(c->nan, {Nan::first, Nan::last, Nan::ignore}, "no such rule for NaN");
    p.positive_zero = c->positive_zero != 0;
    p.empty = choice(c->empty, {Empty::zero, Empty::identity, Empty::lowest, Empty::nan},
                     "no such value of empty windows");
    p.sums = c->own_sums != 0 ? Sums::own : Sums::wide;
    p.layout = c->channels == 0 ? Layout::planes : Layout::channels_last;
    p.channels = or_one(c->channels);
    p.threads = c->threads == 0 ? 1 : c->threads;
    return p;
}

/// Calls f(p, inputs, outputs), the latter making spans of the pooling's size from pointers.
template <class F> poolproof_code call(const poolproof_pooling* c, const F& f) noexcept {
    try {
        const Pooling& p = pooling(c);
        const Geometry& g = geometry(p);
        const auto sized = [](Index n) {
            return [n = extent_of(n)](auto* at) {
                require(at != nullptr || n == 0, "a tensor must not be null");
                return std::span(at, n);
            };
        };
        f(p, sized(g.blocks * g.block_inputs()), sized(g.blocks * g.block_outputs()));
        return POOLPROOF_DONE;
    } catch (const std::bad_alloc&) {
        error.clear();
        return POOLPROOF_NO_MEMORY;
    } catch (const std::exception& e) {
        try {
            error = e.what();
        } catch (const std::bad_alloc&) { error.clear(); }
        return POOLPROOF_REFUSED;
    }
}

}  // namespace

const char* poolproof_reference_error() { return error.empty() ? "no memory" : error.c_str(); }

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define POOLPROOF_DEFINE(format, T)                                                                          \
    poolproof_code poolproof_max_forward_##format(const poolproof_pooling* c, const T* x, T* y,              \
                                                  std::int64_t* indices) {                                   \
        return call(c, [&](const Pooling& p, auto in, auto out) {                                            \
            max_forward<T>(p, in(x), out(y), indices ? out(indices) : std::span<Index>());                   \
        });                                                                                                  \
    }                                                                                                        \
    poolproof_code poolproof_max_jvp_##format(const poolproof_pooling* c, const T* x, const T* t, T* dy) {   \
        return call(c, [&](const Pooling& p, auto in, auto out) { max_jvp<T>(p, in(x), in(t), out(dy)); });  \
    }                                                                                                        \
    poolproof_code poolproof_max_vjp_##format(const poolproof_pooling* c, const T* x, const T* g, T* dx) {   \
        return call(c, [&](const Pooling& p, auto in, auto out) { max_vjp<T>(p, in(x), out(g), in(dx)); });  \
    }                                                                                                        \
    poolproof_code poolproof_max_vjp_at_##format(const poolproof_pooling* c, const std::int64_t* indices,    \
                                                 const T* g, T* dx) {                                        \
        return call(c, [&](const Pooling& p, auto in, auto out) {                                            \
            max_vjp_at<T>(p, out(indices), out(g), in(dx));                                                  \
        });                                                                                                  \
    }                                                                                                        \
    poolproof_code poolproof_average_forward_##format(const poolproof_pooling* c, const T* x, T* y) {        \
        return call(c, [&](const Pooling& p, auto in, auto out) { average_forward<T>(p, in(x), out(y)); });  \
    }                                                                                                        \
    poolproof_code poolproof_average_jvp_##format(const poolproof_pooling* c, const T* t, T* dy) {           \
        return call(c, [&](const Pooling& p, auto in, auto out) { average_jvp<T>(p, in(t), out(dy)); });     \
    }                                                                                                        \
    poolproof_code poolproof_average_vjp_##format(const poolproof_pooling* c, const T* g, T* dx) {           \
        return call(c, [&](const Pooling& p, auto in, auto out) { average_vjp<T>(p, out(g), in(dx)); });     \
    }                                                                                                        \
    poolproof_code poolproof_smooth_max_forward_##format(const poolproof_pooling* c, T beta, const T* x,     \
                                                         T* y) {                                             \
        return call(                                                                                         \
            c, [&](const Pooling& p, auto in, auto out) { smooth_max_forward<T>(p, beta, in(x), out(y)); }); \
    }                                                                                                        \
    poolproof_code poolproof_smooth_max_jvp_##format(const poolproof_pooling* c, T beta, const T* x,         \
                                                     const T* t, T* dy) {                                    \
        return call(c, [&](const Pooling& p, auto in, auto out) {                                            \
            smooth_max_jvp<T>(p, beta, in(x), in(t), out(dy));                                               \
        });                                                                                                  \
    }                                                                                                        \
    poolproof_code poolproof_smooth_max_vjp_##format(const poolproof_pooling* c, T beta, const T* x,         \
                                                     const T* g, T* dx) {                                    \
        return call(c, [&](const Pooling& p, auto in, auto out) {                                            \
            smooth_max_vjp<T>(p, beta, in(x), out(g), in(dx));                                               \
        });                                                                                                  \
    }

// NOLINTEND(bugprone-macro-parentheses)

POOLPROOF_DEFINE(f64, double)
POOLPROOF_DEFINE(f32, float)
