// SPDX-License-Identifier: Apache-2.0
// The step from a maximum so far to the next, of single elements or of vectors of them: without branches, in
// comparisons that compilers turn into masks. Included with POOLPROOF_CELLS as the attributes that functions
// have there. No include guard.

/// Replaces y by x where x comes later in the window and displaces it: the first of equal maxima stays, zeros
/// of both signs being equal, and NaNs follow the rule.
template <Nan nan, class V> POOLPROOF_CELLS void take(V& y, const V& x) {
    if constexpr (nan == Nan::first) {
        const V most = x <= y ? y : x;
        y = y == y ? most : y;
    } else {
        const V most = x > y ? x : y;
        const V certain = nan == Nan::last ? x : y;
        y = certain == certain ? most : x;
    }
}

/// The same, and their positions.
template <Nan nan, class V, class P> POOLPROOF_CELLS void take(V& y, P& at, const V& x, const P& x_at) {
    if constexpr (nan == Nan::first) {
        const P most_at = x <= y ? at : x_at;
        at = y == y ? most_at : at;
    } else {
        const P most_at = x > y ? x_at : at;
        const V certain = nan == Nan::last ? x : y;
        at = certain == certain ? most_at : x_at;
    }
    take<nan>(y, x);
}
