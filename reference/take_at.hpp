// SPDX-License-Identifier: Apache-2.0
// The step from a maximum so far to the next, of single elements or of vectors of them: without branches, in
// comparisons that compilers turn into masks. Included with POOLPROOF_CELLS as the attributes that functions
// have there. No include guard.

/// Keeps what is of y or takes what is of x, which comes later in the window, if x displaces y: the first of
/// equal maxima stays, zeros of both signs being equal, and NaNs follow the rule.
template <Nan nan, class V, class Of>
POOLPROOF_CELLS void choose(const V& y, const V& x, Of& of_y, const Of& of_x) {
    if constexpr (nan == Nan::first) {
        const Of most = x <= y ? of_y : of_x;
        of_y = y == y ? most : of_y;
    } else {
        const Of most = x > y ? of_x : of_y;
        const V certain = nan == Nan::last ? x : y;
        of_y = certain == certain ? most : of_x;
    }
}

template <Nan nan, class V> POOLPROOF_CELLS void take(V& y, const V& x) {
    const V before = y;
    choose<nan>(before, x, y, x);
}

/// The same, and their positions.
template <Nan nan, class V, class P> POOLPROOF_CELLS void take(V& y, P& at, const V& x, const P& x_at) {
    choose<nan>(y, x, at, x_at);
    take<nan>(y, x);
}
