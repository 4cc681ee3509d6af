// SPDX-License-Identifier: Apache-2.0
// Cases and answers as text: the JSON of the contract, read strictly and written canonically.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/expected.hpp>
#include <poolproof/observation.hpp>
#include <poolproof/rejection.hpp>
#include <poolproof/verdict.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace poolproof {

/// Reads one case. Strict: an unknown field, a wrong type, a duplicate key, a wrong length, an absurd shape,
/// nesting past 32 levels or trailing text is a rejection that names the field, and no tensor is allocated
/// before its size is known to be sane and to match its data.
Checked<Case> read_case(std::string_view json);

/// Reads a list of layers (docs/schema/layers.schema.json): cases whose input has a shape and no values.
Checked<std::vector<Case>> read_layers(std::string_view json);

/// An output that an answer to a case has, and its dtype where it names none.
struct AskedOutput {
    std::string_view name;
    Format format;
};

/// What a case asks for: its values in its dtype, and with indices their positions in i64, or in the form
/// `row_column` a mask in its dtype.
std::vector<AskedOutput> asked_outputs(const Case& c);

/// Reads a backend's reply to a case that asks for these; other outputs are passed over, whatever they hold.
/// What is not a reply at all is a rejection.
Checked<Observation> read_answer(std::string_view json, const std::vector<AskedOutput>& asked);

enum class TensorForm { data, bits };

/// One line without a newline; `read_case` gives the same case back.
std::string write_case(const Case& c, TensorForm form = TensorForm::data);

/// A tensor as JSON, its format always written.
std::string write_tensor(const Tensor& t, TensorForm form);

/// A tensor as a NumPy array file, and back; bf16 is its bit patterns as u2. Only version 1.0, C order and
/// the given format are read.
std::string write_npy(const Tensor& t);
Checked<Tensor> read_npy(std::string_view bytes, Format format);

/// A pattern as a C99 hexadecimal float, `inf`, `-inf`, `nan`, or an integer in decimal.
std::string hex_float(Format f, Bits b);

/// The pattern of a JSON number, rounded once to the format, ties to even; nothing if it overflows, or is
/// fractional or out of range for an integer format. `text` must be a JSON number.
std::optional<Bits> rounded_number(Format f, std::string_view text);

/// The pattern of a hexadecimal float, `inf`, `-inf`, `nan` (or, for integer formats, a decimal integer);
/// nothing if it is none of these or the format cannot hold it exactly.
std::optional<Bits> exact_number(Format f, std::string_view text);

/// The string as a JSON string, quotes included; bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view s);

/// The text without power over a terminal: control characters but newlines and tabs become \xNN.
std::string printable(std::string_view text);
/// The name most like `word`, if one is like it at all.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> names);

/// What to write in place of a word that is none of these: the name most like it, or else, where that is
/// short, all of them, or else where they are listed.
std::string remedy(std::string_view word, std::span<const std::string_view> names, std::string_view list);

/// The names of things that have one, as long as these stay where they are.
template <class Things> std::vector<std::string_view> names_of(const Things& things) {
    std::vector<std::string_view> names;
    names.reserve(things.size());
    for (const auto& t : things) names.emplace_back(t.name);
    return names;
}

/// The answers of the `oracle` and `expect` commands, one line each, and the line for a rejection.
std::string write_exact(const Exact& e);
std::string write_expected(const Expected& e);
std::string write_rejection(const Rejection& r);

/// A verdict as one JSON object: which value, its bits, hex float and decimal, what is permitted the same
/// way, the exact value, and how much of the permitted error was used.
std::string verdict_line(const Verdict& v, const Plan& plan, const Case& c);
/// The same for a case that must be rejected, or one that could not be judged at all.
std::string verdict_line(const Verdict& v);

/// One line for people, and several lines, the first value that deviates among them.
std::string verdict_text(const Verdict& v);
std::string verdict_text(const Verdict& v, const Plan& plan, const Case& c);
/// The same by sets that are at hand whole; `truth_at` gives the exact value at a position.
std::string verdict_text(const Verdict& v, const Expected& expected,
                         const std::function<ExactValue(Index)>& truth_at);

}  // namespace poolproof
