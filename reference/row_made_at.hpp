// SPDX-License-Identifier: Apache-2.0
// A row that is made a register at a time; see cells_levels.hpp. No include guard.

/// One of as many registers as there are k, or of any if there are none. Calls make(k, register) for each and
/// puts them in `count` rows from y on.
template <class T, int... k> struct RowMade {
    static constexpr Index width = Register<T>::width, known = sizeof...(k);
    using V = typename Register<T>::Vector;

    const Index extent;
    const Index last = extent - (known - 1) * width;  ///< of the last

    template <class Make> POOLPROOF_CELLS void put(T* y, Index count, const Make& make) const {
        if constexpr (known > 0) {
            V made[known]{};
            (make(k, made[k]), ...);
            for (Index a = 0; a < count; ++a, y += extent)
                (store_first(made[k], k + 1 < known ? width : last, y + k * width), ...);
        } else {
            V made{};
            Index i = 0;
            for (; (i + 1) * width <= extent; ++i, y += width) {
                make(i, made);
                for (Index a = 0; a < count; ++a) store_full(made, y + a * extent);
            }
            if (i * width == extent) return;
            make(i, made);
            for (Index a = 0; a < count; ++a) store_first(made, extent - i * width, y + a * extent);
        }
    }
};
