// SPDX-License-Identifier: Apache-2.0
// Plainer values: zeros, ones, small integers in the same order, numbers of few bits; a plainer format.
#include "search/attempts.hpp"

#include <poolproof/text.hpp>

#include <algorithm>

namespace poolproof::search {

namespace {

enum class Which : std::uint8_t { input, tangent, cotangent };

Tensor* tensor(Case& c, Which w) {
    if (w == Which::input) return &c.input;
    auto& t = w == Which::tangent ? c.tangent : c.cotangent;
    return t ? &*t : nullptr;
}

/// Requires a number that the format holds.
Bits whole(Format f, Index n) { return *rounded_number(f, std::to_string(n)); }

/// Tries the tensor with some values replaced.
template <class Change> bool changed(Attempts& a, Which w, const Change& change) {
    Case candidate = a.current();
    Tensor& t = *tensor(candidate, w);
    for (Index i = 0; i < t.size(); ++i) t.set(i, change(i, t[i]));
    return a.take(std::move(candidate));
}

bool ordered(Format f, Bits b) { return !is_nan(f, b) && !is_infinite(f, b); }

/// Small integers that stand to each other, and to 0, as the finite values do.
void rank_values(Attempts& a, Which w) {
    Case now = a.current();
    const Tensor& t = *tensor(now, w);
    const Format f = t.format;
    std::vector<Index> places;  // on the number line, both zeros on one
    const auto place = [&](Bits b) { return is_zero(f, b) ? 0 : ordinal(f, b); };
    for (Index i = 0; i < t.size(); ++i)
        if (ordered(f, t[i])) places.push_back(place(t[i]));
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    if (places.size() > 100) return;
    for (const bool signs : {false, true}) {
        const auto zero = signs ? std::lower_bound(places.begin(), places.end(), 0) - places.begin() : 0;
        const bool has_zero = std::binary_search(places.begin(), places.end(), 0);
        changed(a, w, [&](Index, Bits b) {
            if (!ordered(f, b) || is_zero(f, b)) return b;
            Index rank = std::lower_bound(places.begin(), places.end(), place(b)) - places.begin() - zero;
            if (signs && rank >= 0 && !has_zero) ++rank;
            return is_signed(f) || rank >= 0 ? whole(f, rank) : b;
        });
    }
}

/// Simpler patterns to try for one of them, the simplest first.
std::vector<Bits> plainer(Format f, Bits b) {
    std::vector<Bits> r;
    for (const Index n : {0, 1, 2, 3, -1, -2, 4, 5})
        if (n >= 0 || is_signed(f)) r.push_back(whole(f, n));
    if (!is_integer(f)) {
        r.push_back(sign_bit(f));
        r.push_back(quiet_nan_bits(f));
        r.push_back(infinity_bits(f));
        const int fraction = precision(f) - 1;
        for (const int kept : {0, 2, fraction / 2}) {
            const Bits gone = (Bits{1} << (fraction - std::min(kept, fraction))) - 1;
            if (ordered(f, b)) r.push_back(b & ~gone);
        }
        if (ordered(f, b)) r.push_back(magnitude(f, b));
    } else {
        const Index n = integer_value(f, b);
        for (const Index to : {n / 2, n - n % 10, n > 0 ? n - 1 : n + 1}) r.push_back(whole(f, to));
    }
    std::erase_if(r, [&](Bits x) { return value_complexity(f, x) >= value_complexity(f, b); });
    std::stable_sort(r.begin(), r.end(),
                     [&](Bits x, Bits y) { return value_complexity(f, x) < value_complexity(f, y); });
    return r;
}

/// Runs of ever fewer elements to one value at once.
void flatten(Attempts& a, Which w, Index n) {
    Case now = a.current();
    const Tensor& t = *tensor(now, w);
    const Bits to = whole(t.format, n);
    for (Index count = t.size(); count > 0; count /= 2)
        for (Index from = 0; from < t.size() && !a.spent(); from += count)
            changed(a, w, [&](Index i, Bits b) {
                const bool simpler = value_complexity(t.format, to) < value_complexity(t.format, b);
                return i >= from && i < from + count && simpler ? to : b;
            });
}

void simplify_one(Attempts& a, Which w, Index i) {
    for (bool simpler = true; simpler && !a.spent();) {
        Case now = a.current();
        const Tensor& t = *tensor(now, w);
        simpler = false;
        for (const Bits to : plainer(t.format, t[i]))
            if (!simpler) simpler = changed(a, w, [&](Index k, Bits b) { return k == i ? to : b; });
    }
}

/// One element as another one is.
void merge(Attempts& a, Which w) {
    Case now = a.current();
    const Index n = tensor(now, w)->size();
    for (Index i = 0; i < n && n <= 16; ++i)
        for (Index k = 0; k < n && !a.spent(); ++k) {
            Case current = a.current();
            const Bits to = (*tensor(current, w))[k];
            changed(a, w, [&](Index at, Bits b) { return at == i ? to : b; });
        }
}

/// The tensor in another format, if that holds every value of it.
bool convert(Tensor& t, Format to) {
    Tensor r(to, t.shape);
    for (Index i = 0; i < t.size(); ++i) {
        const std::string text = hex_float(t.format, t[i]);
        const bool widens = is_integer(t.format) && !is_integer(to);
        const auto b = widens ? rounded_number(to, text) : exact_number(to, text);
        if (!b || (widens && exact_number(t.format, hex_float(to, *b)) != t[i])) return false;
        r.set(i, *b);
    }
    t = std::move(r);
    return true;
}

bool convert(std::optional<Bits>& beta, Format from, Format to) {
    if (!beta) return true;
    beta = exact_number(to, hex_float(from, *beta));
    return beta.has_value();
}

std::optional<Case> converted(Case c, Format to) {
    const bool smooth = c.attrs.beta || std::any_of(c.nodes.begin(), c.nodes.end(),
                                                    [](const Node& n) { return n.attrs.beta.has_value(); });
    if (smooth && is_integer(to)) return std::nullopt;
    for (const Which w : {Which::input, Which::tangent, Which::cotangent})
        if (Tensor* t = tensor(c, w); t != nullptr && !convert(*t, to)) return std::nullopt;
    if (!convert(c.attrs.beta, c.format, to)) return std::nullopt;
    for (Node& n : c.nodes)
        if (!convert(n.attrs.beta, c.format, to)) return std::nullopt;
    c.format = to;
    return c;
}

}  // namespace

void simplify_values(Attempts& a) {
    for (const Which w : {Which::cotangent, Which::tangent, Which::input}) {
        Case now = a.current();
        const Tensor* t = tensor(now, w);
        if (t == nullptr) continue;
        flatten(a, w, 0);
        flatten(a, w, 1);
        rank_values(a, w);
        for (Index i = 0; i < t->size() && !a.spent(); ++i) simplify_one(a, w, i);
        merge(a, w);
    }
}

void simplify_format(Attempts& a) {
    for (const Format f : {Format::f64, Format::f32, Format::f16, Format::i32, Format::i64, Format::i8})
        if (auto candidate = converted(a.current(), f)) a.take(std::move(*candidate));
}

}  // namespace poolproof::search
