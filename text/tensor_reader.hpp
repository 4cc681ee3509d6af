// SPDX-License-Identifier: Apache-2.0
// Tensors and their elements out of JSON; cases and protocol replies share it.
#pragma once

#include "text/fields.hpp"

#include <poolproof/tensor.hpp>

namespace poolproof::text {

/// Whether a tensor must have the dtype it is read for, or that one is only its default.
enum class Dtype : std::uint8_t { of_case, own };

/// A tensor with `data` or `bits`, or, where the reading has a body, `at` and `size` in it; nothing is
/// allocated before its size is sane and its data fill it. Under `own` it may name any dtype and hold fields
/// that nobody knows. A rejection leaves an empty tensor.
Tensor tensor_at(const Json& json, const std::string& path, Format format, Reading& reading,
                 Dtype dtype = Dtype::of_case);

/// The number of elements of a shape within the limits.
std::optional<Index> checked_size(const std::string& path, const Shape& shape, Reading& reading);

/// `[2,3]`.
std::string shown(const Shape& shape);

/// One number: a string held exactly, or a JSON number rounded once. Whether it is finite is for the caller
/// to see; a rejection suggests nothing else.
std::optional<Bits> number_at(const Json& value, const std::string& path, Format format, Reading& reading);

}  // namespace poolproof::text
