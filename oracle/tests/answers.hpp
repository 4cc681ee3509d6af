// SPDX-License-Identifier: Apache-2.0
// Cases as short text and the oracle's answers as shorter text, so that a test reads as a line of arithmetic.
#pragma once

#include "oracle/scalar/rational.hpp"

#include <poolproof/expected.hpp>
#include <poolproof/text.hpp>

#include <stdexcept>
#include <string>

namespace poolproof {

inline std::string shown(const Shape& shape) {
    std::string s = "[";
    for (const Index n : shape) s += (s.size() > 1 ? "," : "") + std::to_string(n);
    return s + "]";
}

/// A rational as it is; an irrational number cut off after 20 decimals, as in `0.69314718055994530941..`.
inline std::string shown(const ExactValue& v) {
    if (!v.special.empty()) return v.special;
    if (v.lower == v.upper) return v.lower;
    const auto digits = [](const std::string& end) {
        return floor_of(abs(Rational(end)) * Rational(pow(Integer(10), 20))).str();
    };
    std::string s = digits(v.lower);
    if (s != digits(v.upper)) return "an enclosure that is too wide";
    s.insert(0, s.size() < 21 ? 21 - s.size() : 0, '0');
    s.insert(s.size() - 20, ".");
    return (v.lower[0] == '-' ? "-" : "") + s + "..";
}

/// `0 2` where both may be reported, `?` where no clause decides.
inline std::string shown(const PermittedIndices& positions) {
    if (!positions) return "?";
    std::string s;
    for (const Index i : *positions) s += (s.empty() ? "" : "/") + std::to_string(i);
    return s;
}

/// `LOW..HIGH` and what is permitted beside.
inline std::string shown(Format f, const Permitted& p) {
    std::string s = p.range ? hex_float(f, p.lowest) + ".." + hex_float(f, p.highest) : "no range";
    for (const auto& [flag, word] : {std::pair{p.nan, " nan"},
                                     {p.infinity, " inf"},
                                     {p.minus_infinity, " -inf"},
                                     {p.open, " open"},
                                     {p.vacuous, " vacuous"}})
        if (flag) s += word;
    return s;
}

inline Case case_of(const std::string& json) {
    auto c = read_case(json);
    if (!c) throw std::invalid_argument(message(c.rejection()) + " in " + json);
    return *c;
}

/// Shape and values, as in `[2] 1 7/3`, then `at 0 2` for indices; or `rejected FIELD`.
inline std::string answer(const Case& c) {
    const auto settled = plan(c);
    if (!settled) return "rejected " + settled.rejection().field;
    const Exact e = exact(*settled, c);
    std::string s = shown(e.shape);
    for (const auto& v : e.values) s += " " + shown(v);
    if (!e.index_shape) return s;
    s += " at" + (*e.index_shape == e.shape ? "" : " " + shown(*e.index_shape));
    for (const auto& i : e.indices) s += " " + shown(i);
    return s;
}

/// What is permitted at each position of every output: `LOW` or `LOW..HIGH`, `nan`, `inf`, `-inf`, joined by
/// `|`, or `open`.
inline std::string permitted(const Case& c) {
    const auto settled = plan(c);
    if (!settled) return "rejected " + settled.rejection().field;
    std::string s;
    const auto next = [&](const std::string& one) { s += (s.empty() ? "" : " ") + one; };
    for (const ExpectedOutput& o : expect(*settled, c).outputs) {
        for (const Permitted& p : o.values) {
            std::string one;
            const auto add = [&](bool allowed, const std::string& what) {
                if (allowed) one += (one.empty() ? "" : "|") + what;
            };
            const std::string low = p.range ? hex_float(o.format, p.lowest) : "";
            add(p.range && p.lowest == p.highest, low);
            add(p.range && p.lowest != p.highest, low + ".." + hex_float(o.format, p.highest));
            add(p.nan, "nan");
            add(p.infinity, "inf");
            add(p.minus_infinity, "-inf");
            add(p.open, "open");
            next(one);
        }
        for (const auto& i : o.positions) next("at " + shown(i));
    }
    return s;
}

/// One op over one input, asked in each mode. `attrs`, `data` and the directions are the insides of JSON
/// brackets; `rest` holds further fields of the case.
struct Question {
    std::string op, attrs, shape, data;
    std::string rest = {};

    std::string text(const std::string& further) const {
        return "{\"op\":\"" + op + "\",\"attrs\":{" + attrs + "},\"input\":{\"shape\":[" + shape +
               "],\"data\":[" + data + "]}" + (rest.empty() ? "" : "," + rest) + further + "}";
    }
    Case in_forward() const { return case_of(text("")); }
    Case in_jvp(const std::string& tangent) const {
        return case_of(
            text(R"(,"mode":"jvp","tangent":{"shape":[)" + shape + "],\"data\":[" + tangent + "]}"));
    }
    Case in_vjp(const std::string& cotangent) const {
        const auto settled = plan(in_forward());
        if (!settled) throw std::invalid_argument(message(settled.rejection()));
        return case_of(text(R"(,"mode":"vjp","cotangent":{"shape":)" + shown(settled->output().shape) +
                            ",\"data\":[" + cotangent + "]}"));
    }

    std::string forward() const { return answer(in_forward()); }
    std::string jvp(const std::string& tangent) const { return answer(in_jvp(tangent)); }
    std::string vjp(const std::string& cotangent) const { return answer(in_vjp(cotangent)); }
};

}  // namespace poolproof
