// SPDX-License-Identifier: Apache-2.0
// A verdict in words: which value, its bits, hex float and decimal, what is permitted the same way, the exact
// value, and how much of the permitted error was used.
#include <poolproof/text.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace poolproof {

namespace {

std::string bits_of(Format f, Bits b) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%0*llx", width(f) / 4, static_cast<unsigned long long>(b));
    return text;
}

/// Every format's values are doubles or integers, so this is the value itself, to 17 digits.
std::string decimal(Format f, Bits b) {
    if (is_integer(f)) return hex_float(f, b);
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", std::strtod(hex_float(f, b).c_str(), nullptr));
    return text;
}

std::string coordinates(const Shape& shape, Index position) {
    std::string s;
    for (std::size_t k = shape.size(); k-- > 0;) {
        s = std::to_string(position % shape[k]) + (s.empty() ? "" : ",") + s;
        position /= shape[k];
    }
    return "[" + s + "]";
}

/// Everything there is to say of one value that is not permitted.
struct Account {
    std::string where, got, permitted, exact, share;
};

std::string pattern(Format f, Bits b) {
    return hex_float(f, b) + " (" + decimal(f, b) + ", " + bits_of(f, b) + ")";
}

std::string permitted_text(const ExpectedOutput& output, std::size_t i) {
    std::string s;
    const auto add = [&](const std::string& one) { s += (s.empty() ? "" : " or ") + one; };
    if (!output.positions.empty()) {
        if (!output.positions[i]) return "any index";
        for (const Index p : *output.positions[i]) add(std::to_string(p));
        return s;
    }
    const Permitted& p = output.values[i];
    const Format f = output.format;
    if (p.range)
        add(p.lowest == p.highest ? pattern(f, p.lowest)
                                  : pattern(f, p.lowest) + " to " + pattern(f, p.highest));
    if (p.nan) add("nan");
    if (p.infinity) add("inf");
    if (p.minus_infinity) add("-inf");
    return s;
}

std::string exact_text(const ExactValue& e) {
    if (!e.special.empty()) return e.special;
    return e.lower == e.upper ? e.lower : "between " + e.lower + " and " + e.upper;
}

const ExpectedOutput& output_of(const Expected& e, const std::string& name) {
    return *std::find_if(e.outputs.begin(), e.outputs.end(),
                         [&](const ExpectedOutput& o) { return o.name == name; });
}

/// Requires the output that the value stands in, as a whole or from `first` on.
Account account(const Deviation& d, const ExpectedOutput& output,
                const std::function<ExactValue(Index)>& truth_at) {
    const auto i = static_cast<std::size_t>(d.position - output.first);
    Account a;
    a.where = d.output + coordinates(output.shape, d.position);
    a.got = pattern(output.format, d.got);
    a.permitted = permitted_text(output, i);
    if (!output.positions.empty()) return a;
    const ExactValue truth = truth_at(d.position);
    a.exact = exact_text(truth);
    if (const auto share = used_share(output.values[i], truth, output.format, d.got))
        a.share = std::to_string(*share) + "%";
    return a;
}

/// Looks at the slice of the value alone: a whole layer is no more work than that.
Account account(const Deviation& d, const Plan& plan, const Case& c) {
    const Index slices = slice_count(plan, c);
    const Index each = size(output_of(expect(plan, c, {0, 0}), d.output).shape) / slices;
    const Slices own{d.position / each, 1};
    return account(d, output_of(expect(plan, c, own), d.output),
                   [&](Index position) { return exact_at(plan, c, position); });
}

std::string field(const char* name, const std::string& value) {
    return value.empty() ? "" : std::string(",\"") + name + "\":" + json_string(value);
}

std::string head(const Verdict& v) {
    return "{\"outcome\":" + json_string(name(v.outcome)) + field("clause", v.clause) + field("why", v.why);
}

}  // namespace

std::string verdict_line(const Verdict& v) { return head(v) + "}"; }

std::string verdict_line(const Verdict& v, const Plan& plan, const Case& c) {
    std::string s = head(v);
    if (!v.first_deviations.empty()) {
        const Account a = account(v.first_deviations.front(), plan, c);
        s += field("where", a.where) + field("got", a.got) + field("permitted", a.permitted) +
             field("exact", a.exact) + field("share", a.share);
    }
    return s + ",\"values\":{\"conforming\":" + std::to_string(v.tally.conforming) +
           ",\"open\":" + std::to_string(v.tally.open) + ",\"vacuous\":" + std::to_string(v.tally.vacuous) +
           ",\"deviating\":" + std::to_string(v.tally.deviating) + "}}";
}

std::string verdict_text(const Verdict& v) {
    return std::string(name(v.outcome)) + (v.clause.empty() ? "" : " [" + v.clause + "]") +
           (v.why.empty() ? "" : ": " + v.why) + "\n";
}

namespace {

/// The verdict's line, and below it everything of its first deviation.
std::string with_account(const Verdict& v, const Account& a) {
    std::string s = verdict_text(v);
    const auto line = [&](const char* label, const std::string& value) {
        if (!value.empty()) s += std::string("  ") + label + value + "\n";
    };
    line("at         ",
         a.where + (v.tally.deviating > 1 ? " and " + std::to_string(v.tally.deviating - 1) + " more" : ""));
    line("got        ", a.got);
    line("permitted  ", a.permitted);
    line("exact      ", a.exact);
    line("error used ", a.share);
    return s;
}

}  // namespace

std::string verdict_text(const Verdict& v, const Plan& plan, const Case& c) {
    return v.first_deviations.empty() ? verdict_text(v)
                                      : with_account(v, account(v.first_deviations.front(), plan, c));
}

std::string verdict_text(const Verdict& v, const Expected& expected,
                         const std::function<ExactValue(Index)>& truth_at) {
    if (v.first_deviations.empty()) return verdict_text(v);
    const Deviation& d = v.first_deviations.front();
    return with_account(v, account(d, output_of(expected, d.output), truth_at));
}

}  // namespace poolproof
