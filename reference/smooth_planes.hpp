// SPDX-License-Identifier: Apache-2.0
// The smooth maximum with one exponential for each input, where all are of moderate size: what a window needs
// is then a sum, as for an average. Blocks where they are not, or not all finite, are left to others.
#pragma once

#include "reference/average_planes.hpp"
#include "reference/smooth_kernels.hpp"

namespace poolproof::reference {

/// Whether SmoothPlanes can be used for some blocks.
bool covered_by_smooth_planes(const Geometry& g);

/// The functions are for `n` blocks, up to `at_once`, and give whether they could do them: whether they could
/// do each. Otherwise what they have written is to be overwritten.
template <class T> class SmoothPlanes {
    static constexpr Index some_inputs = 4096;  // which a near cache holds, and their exponentials

public:
    const Index at_once;

    /// `vjp` is for Pass::spread only.
    SmoothPlanes(Pass pass, const Geometry& g, double beta, Scratch& scratch)
        : at_once(std::max<Index>(1, std::min(some_inputs / g.block_inputs(), g.blocks))),
          kernels_(smooth_kernels<T>()),
          g_(g),
          beta_(beta),
          sums_of_(Pass::mean, Index{1}, g, scratch) {
        if (pass == Pass::spread) spreads_.emplace(Pass::spread, Index{1}, g, scratch);
        exps_ = scratch.take<double>(at_once * g.block_inputs());
        terms_ = scratch.take<double>(at_once * g.block_inputs());
        sums_ = scratch.take<double>(at_once * g.block_outputs());
        shares_ = scratch.take<double>(at_once * g.block_outputs());
        if (!g.any_padding) return;
        padding_ = scratch.take<double>(g.block_outputs());
        double* next = padding_;
        for_each_window(g, [&](const Box& box) {
            double taps = 1, real = 1;
            for (std::size_t k = 0; k < g.lines.size(); ++k) {
                taps *= static_cast<double>(box[k]->taps());
                real *= static_cast<double>(box[k]->count);
            }
            next = std::fill_n(next, g.cell, taps - real);
        });
    }

    /// Calls redo(output) where a logarithm near 0 has lost what was beside the largest term.
    template <class F> bool forward(const T* x, T* y, Index n, const F& redo) {
        constexpr double limit = 690;
        constexpr Index some = 64;
        const Index outputs = n * g_.block_outputs();
        if (!sums(x, n, limit, y, outputs)) return false;
        for (Index o = 0; o < outputs; o += some) {
            const Index end = std::min(outputs, o + some);
            bool any = false;
            kernels_.logs(sums_ + o, beta_, y + o, end - o, any);
            for (Index i = o; any && i < end; ++i)
                if (near_one(sums_[i])) redo(i);
        }
        return true;
    }

    bool jvp(const T* x, const T* tangent, T* dy, Index n) {
        const Index inputs = n * g_.block_inputs(), outputs = n * g_.block_outputs();
        if (!moderate(tangent, inputs) || !sums(x, n, most_weighed, dy, outputs)) return false;
        for (Index i = 0; i < inputs; ++i) terms_[i] = exps_[i] * static_cast<double>(tangent[i]);
        summed(terms_, shares_, n);
        for (Index o = 0; o < outputs; ++o) dy[o] = static_cast<T>(shares_[o] / sums_[o]);
        return true;
    }

    bool vjp(const T* x, const T* cotangent, T* dx, Index n) {
        const Index inputs = n * g_.block_inputs(), outputs = n * g_.block_outputs();
        if (g_.covers.empty() || !moderate(cotangent, outputs)) return false;
        if (!sums(x, n, most_weighed, dx, inputs)) return false;
        for (Index o = 0; o < outputs; ++o) shares_[o] = static_cast<double>(cotangent[o]) / sums_[o];
        spreads_->vjp({shares_, extent_of(outputs)}, {terms_, extent_of(inputs)}, 0, n);
        for (Index i = 0; i < inputs; ++i) dx[i] = static_cast<T>(exps_[i] * terms_[i]);
        return true;
    }

private:
    void summed(const double* x, double* y, Index n) {
        sums_of_.forward({x, extent_of(n * g_.block_inputs())}, {y, extent_of(n * g_.block_outputs())}, 0, n);
    }

    /// Asks meanwhile for m elements from y on.
    bool sums(const T* x, Index n, double limit, const T* y, Index m) {
        constexpr Index some = 512;
        const Index inputs = n * g_.block_inputs(), each = m * some / inputs * Index{sizeof(T)};
        auto asked = reinterpret_cast<std::uintptr_t>(y);
        for (Index i = 0; i < inputs; i += some, asked += extent_of(each)) {
            bool within = false;
            kernels_.exps(x + i, beta_, limit, exps_ + i, std::min(some, inputs - i), within);
            if (!within) return false;
            prefetch_at(asked, each);
        }
        summed(exps_, sums_, n);
        const Index outputs = g_.block_outputs();
        for (double* s = sums_; padding_ != nullptr && s < sums_ + n * outputs; s += outputs)
            for (Index o = 0; o < outputs; ++o) s[o] += padding_[o];
        return true;
    }

    /// Of exponents whose exponentials are weights: those are within 1e100 of 1.
    static constexpr double most_weighed = 230;

    /// Whether no product of v with an exponential or a sum leaves the normal range, if v is not 0.
    static bool moderate(const T* v, Index n) {
        bool all = true;
        for (Index i = 0; i < n; ++i) {
            const double size = std::abs(static_cast<double>(v[i]));
            all = all & ((size == 0) | ((size > 1e-100) & (size < 1e100)));
        }
        return all;
    }

    const SmoothKernels<T> kernels_;
    const Geometry& g_;
    const double beta_;
    AveragePlanes<double, double> sums_of_;
    std::optional<AveragePlanes<double, double>> spreads_;
    double *exps_, *terms_, *sums_, *shares_, *padding_ = nullptr;
};

}  // namespace poolproof::reference
