// SPDX-License-Identifier: Apache-2.0
// Long ways from one number to another, for many: one register alone would wait for itself. See
// cells_levels.hpp. No include guard.

using Words = Lanes<std::uint64_t, sizeof(Doubles)>::Vector;

/// So many registers of x.
template <Index some, class F, class X, class Y> POOLPROOF_CELLS void together(F& f, const X* x, Y* y) {
    Doubles v[some];
    prefetch(x, some * doubles * Index{sizeof(X)});
    for (Index i = 0; i < some; ++i) load(x + i * doubles, v[i]);
    f.of(v);
    for (Index i = 0; i < some; ++i) store(v[i], y + i * doubles);
}

/// y[i] = f(x[i]) for n elements: `f.of` has some registers replaced. What fills the last is f.filler.
template <class F, class X, class Y> POOLPROOF_CELLS void each(F& f, const X* x, Y* y, Index n) {
    constexpr Index most = POOLPROOF_CELLS_BYTES == 64 ? 8 : 4;  // of which there are enough
    Index i = 0;
    for (; i + most * doubles <= n; i += most * doubles) together<most>(f, x + i, y + i);
    if (most > 4 && i + 4 * doubles <= n) {
        together<4>(f, x + i, y + i);
        i += 4 * doubles;
    }
    if (i + 2 * doubles <= n) {
        together<2>(f, x + i, y + i);
        i += 2 * doubles;
    }
    if (i + doubles <= n) {
        together<1>(f, x + i, y + i);
        i += doubles;
    }
    if (i == n) return;
    X last[doubles];
    Y made[doubles];
    std::fill_n(last, doubles, F::filler);
    std::copy(x + i, x + n, last);
    together<1>(f, last, made);
    std::copy_n(made, n - i, y + i);
}
