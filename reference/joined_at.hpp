// SPDX-License-Identifier: Apache-2.0
// What a register is in all; see cells_levels.hpp. No include guard.

/// Every lane becomes what join(v, others) makes of all, the lower half of them with the upper, and so on.
template <class V, class Join, int... i>
POOLPROOF_CELLS void join_lanes(V& v, const Join& join, std::integer_sequence<int, i...> /*lanes*/) {
    constexpr int lanes = sizeof...(i);
    V other{};
    if constexpr (lanes > 8) {
        other = __builtin_shufflevector(v, v, (i ^ 8)...);
        join(v, other);
    }
    if constexpr (lanes > 4) {
        other = __builtin_shufflevector(v, v, (i ^ 4)...);
        join(v, other);
    }
    if constexpr (lanes > 2) {
        other = __builtin_shufflevector(v, v, (i ^ 2)...);
        join(v, other);
    }
    other = __builtin_shufflevector(v, v, (i ^ 1)...);
    join(v, other);
}

template <class V, class Join> POOLPROOF_CELLS void join_lanes(V& v, const Join& join) {
    join_lanes(v, join, std::make_integer_sequence<int, static_cast<int>(sizeof(v) / sizeof(v[0]))>());
}
