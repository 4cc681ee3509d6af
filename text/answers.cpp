// SPDX-License-Identifier: Apache-2.0
// The answers of `oracle` and `expect` as JSON lines.
#include "text/json.hpp"
#include "text/write.hpp"

#include <poolproof/text.hpp>

#include <algorithm>

namespace poolproof {
namespace {

using text::joined;
using text::list;

std::string position(Index i) { return std::to_string(i); }

std::string exact_positions(const PermittedIndices& p) {
    if (!p) return "\"open\"";
    return p->size() == 1 ? position(p->front()) : list(*p, position);
}

std::string permitted_positions(const PermittedIndices& p) { return p ? list(*p, position) : "[\"open\"]"; }

std::string further(const Permitted& p) {
    std::vector<std::string_view> names;
    if (p.open) names.push_back("open");
    if (p.nan && !p.open) names.push_back("nan");
    if (p.infinity && !p.open) names.push_back("inf");
    if (p.minus_infinity && !p.open) names.push_back("-inf");
    return list(names, json_string);
}

std::string output(const ExpectedOutput& o) {
    const std::string shape = "{\"shape\":" + list(o.shape, position);
    if (o.name == "indices") return shape + ",\"any_of\":" + list(o.positions, permitted_positions) + "}";
    const auto end = [&o](Bits Permitted::*side) {
        return list(o.values, [&o, side](const Permitted& p) {
            return p.range && !p.open ? text::element(o.format, p.*side) : std::string("null");
        });
    };
    return shape + ",\"lowest\":" + end(&Permitted::lowest) + ",\"highest\":" + end(&Permitted::highest) +
           ",\"also\":" + list(o.values, further) +
           (o.joint ? ",\"joint\":" + json_string(o.joint->kind) : "") + "}";
}

}  // namespace

std::string json_string(std::string_view s) {
    std::string out = "\"";
    for (std::size_t i = 0; i < s.size();) {
        const std::size_t n = text::utf8_length(s.substr(i, 4));
        const char c = s[i];
        if (n == 0) {
            out += "\xEF\xBF\xBD";
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (n == 1 && static_cast<unsigned char>(c) < 0x20) {
            out += "\\u00";
            out += "01"[c >> 4];
            out += "0123456789abcdef"[c & 15];
        } else {
            out += s.substr(i, n);
        }
        i += std::max<std::size_t>(n, 1);
    }
    return out + '"';
}

std::string write_exact(const Exact& e) {
    const auto side = [&e](std::string ExactValue::*end) {
        return list(e.values, [end](const ExactValue& v) {
            return json_string(v.special.empty() ? v.*end : v.special);
        });
    };
    const bool rational = std::all_of(e.values.begin(), e.values.end(), [](const ExactValue& v) {
        return !v.special.empty() || v.lower == v.upper;
    });
    std::string out = "{\"shape\":" + list(e.shape, position);
    if (rational) {
        out += ",\"exact\":" + side(&ExactValue::lower);
    } else {
        out += ",\"lower\":" + side(&ExactValue::lower) + ",\"upper\":" + side(&ExactValue::upper);
    }
    if (e.index_shape) out += ",\"indices\":" + list(e.indices, exact_positions);
    return out + "}";
}

std::string write_expected(const Expected& e) {
    return "{\"outputs\":{" +
           joined(e.outputs, [](const ExpectedOutput& o) { return json_string(o.name) + ":" + output(o); }) +
           "}}";
}

std::string write_rejection(const Rejection& r) { return "{\"rejected\":" + json_string(message(r)) + "}"; }

}  // namespace poolproof
