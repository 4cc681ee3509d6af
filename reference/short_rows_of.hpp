// SPDX-License-Identifier: Apache-2.0
// Definitions for short_rows.hpp. Each source file instantiates them for one type.
#pragma once

#include "reference/cells.hpp"
#include "reference/divide.hpp"
#include "reference/short_rows.hpp"

#include <limits>
#include <utility>

namespace poolproof::reference {

namespace cells {

#define POOLPROOF_CELLS_SOURCE "reference/short_rows_at.hpp"
#include "reference/cells_levels.hpp"

}  // namespace cells

template <class T, class P> void mean_short(const MeanShort<T, P>& m) {
    (level() == Level::avx512 ? cells::avx512::mean_short<T, P> : cells::avx2::mean_short<T, P>)(m);
}

template <class T, class P> void max_short(const MaxShort<T, P>& m) {
    (level() == Level::avx512 ? cells::avx512::max_short<T, P> : cells::avx2::max_short<T, P>)(m);
}

template <class T, class P> void find_short(const MaxShort<T, P>& m) {
    (level() == Level::avx512 ? cells::avx512::find_short<T, P> : cells::avx2::find_short<T, P>)(m);
}

template <class T, class P> void spread_short(const SpreadShort<T, P>& s) {
    (level() == Level::avx512 ? cells::avx512::spread_short<T, P> : cells::avx2::spread_short<T, P>)(s);
}

}  // namespace poolproof::reference
