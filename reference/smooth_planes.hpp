// SPDX-License-Identifier: Apache-2.0
// The smooth maximum with one exponential for each input, where all are of moderate size: what a window needs
// is then a sum, as for an average. A block where they are not, or not all finite, is left to others.
#pragma once

#include "reference/average_planes.hpp"
#include "reference/smooth_kernels.hpp"

namespace poolproof::reference {

/// Whether SmoothPlanes can be used for some blocks.
bool covered_by_smooth_planes(const Geometry& g);

template <class T> class SmoothPlanes {
public:
    SmoothPlanes(const Geometry& g, double beta, Scratch& scratch)
        : kernels_(smooth_kernels<T>()), g_(g), beta_(beta), sums_of_(Pass::spread, Index{1}, g, scratch) {
        exps_ = scratch.take<double>(g.block_inputs());
        terms_ = scratch.take<double>(g.block_inputs());
        sums_ = scratch.take<double>(g.block_outputs());
        shares_ = scratch.take<double>(g.block_outputs());
        if (g.any_padding) padding_ = scratch.take<double>(g.outputs);
        Index o = 0;
        if (g.any_padding)
            for_each_window(g, [&](const Box& box) {
                double taps = 1, real = 1;
                for (std::size_t k = 0; k < g.lines.size(); ++k) {
                    taps *= static_cast<double>(box[k]->taps());
                    real *= static_cast<double>(box[k]->count);
                }
                padding_[o++] = taps - real;
            });
    }

    /// Calls redo(output) where a logarithm near 0 has lost what was beside the largest term. The functions
    /// give whether they could do the block, of which they have written nothing otherwise.
    template <class F> bool forward(const T* x, T* y, const F& redo) {
        if (!sums(x, 690)) return false;
        constexpr Index chunk = 64;
        for (Index o = 0; o < g_.block_outputs(); o += chunk) {
            const Index n = std::min(chunk, g_.block_outputs() - o);
            bool near_one = false;
            kernels_.logs(sums_ + o, beta_, y + o, n, near_one);
            for (Index i = o; near_one && i < o + n; ++i)
                if (0.5 < sums_[i] && sums_[i] < 2) redo(i);
        }
        return true;
    }

    bool jvp(const T* x, const T* tangent, T* dy) {
        if (!moderate(tangent, g_.block_inputs()) || !sums(x, 40)) return false;
        for (Index i = 0; i < g_.block_inputs(); ++i) terms_[i] = exps_[i] * static_cast<double>(tangent[i]);
        summed(terms_, shares_);
        for (Index o = 0; o < g_.block_outputs(); ++o) dy[o] = static_cast<T>(shares_[o] / sums_[o]);
        return true;
    }

    bool vjp(const T* x, const T* cotangent, T* dx) {
        if (g_.covers.empty() || !moderate(cotangent, g_.block_outputs()) || !sums(x, 40)) return false;
        for (Index o = 0; o < g_.block_outputs(); ++o)
            shares_[o] = static_cast<double>(cotangent[o]) / sums_[o];
        sums_of_.vjp({shares_, extent_of(g_.block_outputs())}, {terms_, extent_of(g_.block_inputs())}, 0, 1);
        for (Index i = 0; i < g_.block_inputs(); ++i) dx[i] = static_cast<T>(exps_[i] * terms_[i]);
        return true;
    }

private:
    void summed(const double* x, double* y) {
        sums_of_.forward({x, extent_of(g_.block_inputs())}, {y, extent_of(g_.block_outputs())}, 0, 1);
    }

    bool sums(const T* x, double limit) {
        bool within = false;
        kernels_.exps(x, beta_, limit, exps_, g_.block_inputs(), within);
        if (!within) return false;
        summed(exps_, sums_);
        for (Index o = 0; padding_ && o < g_.block_outputs(); ++o) sums_[o] += padding_[o / g_.cell];
        return true;
    }

    /// Whether no product of v with an exponential or a sum leaves the normal range, if v is not 0.
    static bool moderate(const T* v, Index n) {
        bool all = true;
        for (Index i = 0; i < n; ++i) {
            const double size = std::abs(static_cast<double>(v[i]));
            all = all & ((size == 0) | ((size > 1e-200) & (size < 1e200)));
        }
        return all;
    }

    const SmoothKernels<T> kernels_;
    const Geometry& g_;
    const double beta_;
    AveragePlanes<double, double> sums_of_;
    double *exps_, *terms_, *sums_, *shares_, *padding_ = nullptr;
};

}  // namespace poolproof::reference
