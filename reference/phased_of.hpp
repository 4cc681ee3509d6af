// SPDX-License-Identifier: Apache-2.0
// Definitions for phased.hpp. Each source file instantiates them for one type.
#pragma once

#include "reference/cells.hpp"
#include "reference/divide.hpp"
#include "reference/phased.hpp"

#include <utility>

namespace poolproof::reference {

namespace cells {

#define POOLPROOF_CELLS_SOURCE "reference/phased_at.hpp"
#include "reference/cells_levels.hpp"

}  // namespace cells

template <class T, class P> void pull_phased(const PullPhased<T, P>& p) {
    (level() == Level::avx512 ? cells::avx512::pull_phased<T, P> : cells::avx2::pull_phased<T, P>)(p);
}

template <class T, class P, class At> void find_phased(const FindPhased<T, P, At>& f) {
    (level() == Level::avx512 ? cells::avx512::find_phased<T, P, At> : cells::avx2::find_phased<T, P, At>)(f);
}

template <class T, class P> void max_phased(const MaxPhased<T, P>& m) {
    (level() == Level::avx512 ? cells::avx512::max_phased<T, P> : cells::avx2::max_phased<T, P>)(m);
}

template <class T, class P> void mean_phased(const MeanPhased<T, P>& m) {
    (level() == Level::avx512 ? cells::avx512::mean_phased<T, P> : cells::avx2::mean_phased<T, P>)(m);
}

template <class T> void spread_phased(const SpreadPhased<T>& s) {
    (level() == Level::avx512 ? cells::avx512::spread_phased<T> : cells::avx2::spread_phased<T>)(s);
}

}  // namespace poolproof::reference
