// SPDX-License-Identifier: Apache-2.0
// Patterns misread or miswritten, special values lost, answers of the wrong form.
#include "backends/faulty/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace poolproof::faulty {

namespace {

using Limits = std::numeric_limits<Number>;

std::function<void(Rules&)> stored(Bits (*store)(Format, Number)) {
    return [store](Rules& r) { r.store = store; };
}

std::function<void(Rules&)> loaded(Number (*load)(Format, Bits)) {
    return [load](Rules& r) { r.load = load; };
}

std::function<void(Rules&)> resulting(Number (*result)(const Site&, Number)) {
    return [result](Rules& r) { r.result = result; };
}

std::function<void(Rules&)> finished(void (*change)(std::string&, Tensor&)) {
    return [change](Rules& r) {
        r.finish = [change](Observation& o) {
            for (auto& [output, tensor] : o.outputs) change(output, tensor);
        };
    };
}

std::function<void(Rules&)> averaged(Number (*sum)(const Site&)) {
    return [sum](Rules& r) { r.sum = sum; };
}

bool floating(Format f) { return !is_integer(f); }

/// The pattern next to a stored one towards zero, unless it is x itself or no number.
Bits towards_zero(Format f, Number x) {
    const Bits b = honest().store(f, x);
    if (!floating(f) || is_nan(f, b) || std::isinf(x)) return b;
    return std::abs(honest().load(f, b)) > std::abs(x) ? b - 1 : b;
}

Bits flushed(Format f, Bits b) {
    const bool subnormal = floating(f) && magnitude(f, b) < Bits{1} << (precision(f) - 1);
    return subnormal ? b & sign_bit(f) : b;
}

Number tiny(Format f) { return honest().load(f, Bits{1} << (precision(f) - 1)); }

}  // namespace

std::vector<Fault> format_faults() {
    return {
        {"rounds_towards_zero", "Rounds answers towards zero.", "V1", stored(towards_zero)},
        {"bf16_truncated", "Cuts bfloat16 off binary32.", "V1", stored([](Format f, Number x) {
             return f == Format::bf16 ? towards_zero(f, rounded(Format::f32, x)) : honest().store(f, x);
         })},
        {"f64_through_f32", "Computes binary64 from binary32.", "V1", loaded([](Format f, Bits b) {
             const Number x = honest().load(f, b);
             return f == Format::f64 ? rounded(Format::f32, x) : x;
         })},
        {"f64_answer_through_f32", "Rounds binary64 answers to binary32 on the way.", "V1",
         stored([](Format f, Number x) {
             return honest().store(f, f == Format::f64 ? rounded(Format::f32, x) : x);
         })},
        {"f32_through_bf16", "Reads binary32 in bfloat16.", "V1", loaded([](Format f, Bits b) {
             const Number x = honest().load(f, b);
             return f == Format::f32 ? rounded(Format::bf16, x) : x;
         })},
        {"f16_through_bf16", "Reads binary16 in bfloat16.", "V1", loaded([](Format f, Bits b) {
             const Number x = honest().load(f, b);
             return f == Format::f16 ? rounded(Format::bf16, x) : x;
         })},
        {"i64_through_f64", "Reads 64-bit integers as doubles.", "M1", loaded([](Format f, Bits b) {
             const Number x = honest().load(f, b);
             return f == Format::i64 ? static_cast<Number>(static_cast<double>(x)) : x;
         })},
        {"i32_through_f32", "Reads 32-bit integers as floats.", "M1", loaded([](Format f, Bits b) {
             const Number x = honest().load(f, b);
             return f == Format::i32 ? static_cast<Number>(static_cast<float>(x)) : x;
         })},
        {"u8_read_signed", "Reads unsigned bytes as signed.", "M1",
         loaded([](Format f, Bits b) { return honest().load(f == Format::u8 ? Format::i8 : f, b); })},
        {"i8_read_unsigned", "Reads signed bytes as unsigned.", "M1",
         loaded([](Format f, Bits b) { return honest().load(f == Format::i8 ? Format::u8 : f, b); })},
        {"i8_answer_saturates_early", "Holds signed bytes at -127.", "M1", stored([](Format f, Number x) {
             return honest().store(f, f == Format::i8 ? std::max<Number>(x, -127) : x);
         })},
        {"i64_low_half", "Keeps the low half of 64-bit integers.", "M1", loaded([](Format f, Bits b) {
             return honest().load(f == Format::i64 ? Format::i32 : f, f == Format::i64 ? b & 0xffffffff : b);
         })},
        {"subnormals_read_as_zero", "Reads subnormals as 0.", "M1",
         loaded([](Format f, Bits b) { return honest().load(f, flushed(f, b)); })},
        {"subnormals_written_as_zero", "Writes subnormals as 0.", "M1",
         stored([](Format f, Number x) { return flushed(f, honest().store(f, x)); })},
        {"f16_subnormals_lost", "Writes binary16 subnormals as 0.", "M1", stored([](Format f, Number x) {
             return f == Format::f16 ? flushed(f, honest().store(f, x)) : honest().store(f, x);
         })},
        {"overflow_saturates", "Returns the largest finite number where a result overflows.", "V1",
         stored([](Format f, Number x) {
             const Bits b = honest().store(f, x);
             return floating(f) && is_infinite(f, b) && !std::isinf(x) ? b - 1 : b;
         })},
        {"infinity_saturates", "Returns the largest finite number for infinity.", "Inf",
         stored([](Format f, Number x) {
             const Bits b = honest().store(f, x);
             return is_infinite(f, b) ? b - 1 : b;
         })},
        {"f16_tops_out_early", "Takes binary16 past 32768 for infinity.", "M1",
         stored([](Format f, Number x) {
             return honest().store(
                 f, f == Format::f16 && std::abs(x) > 32768 ? std::copysign(Limits::infinity(), x) : x);
         })},
        {"largest_is_infinity", "Takes the largest finite number for infinity.", "M1",
         loaded([](Format f, Bits b) {
             return honest().load(f, floating(f) && magnitude(f, b) == largest_bits(f) ? b + 1 : b);
         })},
        {"nan_read_as_zero", "Reads NaN as 0.", "Nan",
         loaded([](Format f, Bits b) { return is_nan(f, b) ? 0 : honest().load(f, b); })},
        {"nan_written_as_zero", "Writes NaN as 0.", "Nan",
         stored([](Format f, Number x) { return honest().store(f, std::isnan(x) ? 0 : x); })},
        {"nan_becomes_infinity", "Reads NaN as infinity.", "Nan",
         loaded([](Format f, Bits b) { return honest().load(f, is_nan(f, b) ? infinity_bits(f) : b); })},
        {"infinity_becomes_nan", "Reads infinity as NaN.", "Inf", loaded([](Format f, Bits b) {
             return is_infinite(f, b) ? Limits::quiet_NaN() : honest().load(f, b);
         })},
        {"minus_infinity_unsigned", "Reads minus infinity as infinity.", "Inf",
         loaded([](Format f, Bits b) { return honest().load(f, is_infinite(f, b) ? infinity_bits(f) : b); })},
        {"average_skips_nan", "Averages the cells that are not NaN.", "Nan", averaged([](const Site& s) {
             Number total = 0;
             for (const Number x : s.values()) total += std::isnan(x) ? 0 : x;
             return total;
         })},
        {"average_skips_infinity", "Leaves infinities out of a sum.", "Inf", averaged([](const Site& s) {
             Number total = 0;
             for (const Number x : s.values()) total += std::isinf(x) ? 0 : x;
             return total;
         })},
        {"average_of_infinities_zero", "Takes the average of opposite infinities for 0.", "Inf",
         resulting([](const Site& s, Number y) {
             const Values v = s.values();
             const bool any_nan = std::any_of(v.begin(), v.end(), [](Number x) { return std::isnan(x); });
             return s.pool.reduction == Reduction::average && std::isnan(y) && !any_nan && s.parts() > 0 ? 0
                                                                                                         : y;
         })},
        {"average_infinity_sign", "Keeps the sign of an infinity under a negative divisor.", "Inf",
         resulting([](const Site& s, Number y) {
             const bool turned = s.pool.divisor_override && *s.pool.divisor_override < 0 && std::isinf(y);
             return turned ? -y : y;
         })},
        {"sum_overflows_in_f16", "Lets a binary16 sum overflow before it is divided.", "V1",
         averaged([](const Site& s) {
             const Number total = honest().sum(s);
             return s.format == Format::f16 && std::abs(total) > 65519
                        ? std::copysign(Limits::infinity(), total)
                        : total;
         })},
        {"tiny_results_lost", "Takes averages below four times the smallest normal number for 0.", "V1",
         resulting([](const Site& s, Number y) {
             return floating(s.format) && std::abs(y) < 4 * tiny(s.format) ? 0 : y;
         })},
        {"last_value_unwritten", "Leaves the last value of an answer at zero.", "M1",
         finished([](std::string&, Tensor& t) {
             if (t.size() > 0) t.set(t.size() - 1, 0);
         })},
        {"first_value_unwritten", "Leaves the first value of an answer at zero.", "M1",
         finished([](std::string&, Tensor& t) {
             if (t.size() > 0) t.set(0, 0);
         })},
        {"values_past_256_unwritten", "Leaves values past the 256th at zero.", "M1",
         finished([](std::string&, Tensor& t) {
             for (Index k = 256; k < t.size(); ++k) t.set(k, 0);
         })},
        {"unit_axes_lost", "Drops a leading axis of size 1 from the answer's shape.", "WOut",
         finished([](std::string&, Tensor& t) {
             if (t.shape.size() > 1 && t.shape.front() == 1) t.shape.erase(t.shape.begin());
         })},
        {"rank_zero_widened", "Answers a value without axes as a list of one.", "WOut",
         finished([](std::string&, Tensor& t) {
             if (t.shape.empty()) t.shape = {1};
         })},
        {"empty_batch_padded", "Answers an empty batch with one slice of zeros.", "WOut",
         finished([](std::string&, Tensor& t) {
             Shape filled = t.shape;
             for (Index& n : filled) n = std::max<Index>(n, 1);
             if (t.size() == 0) t = Tensor(t.format, filled);
         })},
        {"index_in_i32", "Returns indices as 32-bit integers.", "MIdx",
         finished([](std::string& output, Tensor& t) {
             if (output != "indices" || t.format != Format::i64) return;
             Tensor narrow(Format::i32, t.shape);
             for (Index k = 0; k < t.size(); ++k) narrow.set(k, t[k] & 0xffffffff);
             t = std::move(narrow);
         })},
    };
}

}  // namespace poolproof::faulty
