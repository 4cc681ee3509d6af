// SPDX-License-Identifier: Apache-2.0
// The reference: every pooling operation with its two derivatives in double and in float, written
// independently of the oracle. It decides nothing: sizes and policies come resolved. Exact for max; rounded,
// by double arithmetic, elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace poolproof::reference {

using Index = std::int64_t;

/// One spatial axis. With `bins`, window i of `out` covers ⌊i·extent/out⌋ to ⌈(i+1)·extent/out⌉ (adaptive
/// pooling, and global pooling as a single bin) and the fields after it are not read. Otherwise window i has
/// `kernel` taps, `dilation` apart, from i·stride - pad_begin on; windows may hang over the end, and `out`
/// says how many there are. Kernel, stride and dilation are at least 1, the rest at least 0, and all below
/// 2^31.
struct Axis {
    Index extent = 1, out = 1;
    bool bins = false;
    Index kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;

    bool operator==(const Axis&) const = default;
};

/// Which taps of a window exist: all of the kernel's, those inside the padded input, or those on the input
/// itself. A tap that exists beside the input is padding: it adds one to the divisor of an average, exp 0 to
/// a smooth maximum, and takes part in a maximum as +0 in its place.
enum class Taps : std::uint8_t { kernel, clipped, real };

/// Which of equal maxima counts, for the index (`all`, `split`: the first) and for derivatives: one of them,
/// each of them wholly, or each with an equal share. +0 and -0 are equal unless `positive_zero`.
enum class Ties : std::uint8_t { first, last, all, split };

/// Whether a NaN is the maximum of its window (and which, for the index), or is passed over. A window of NaNs
/// alone is NaN in any case.
enum class Nan : std::uint8_t { first, last, ignore };

/// The value of a window without taps: 0; the reduction's identity (NaN for an average); the lowest finite
/// value; NaN. Identity and lowest are those of the minimum for a smooth maximum with negative beta. Its
/// derivatives are 0 and its index is -1. An average is empty only under `Taps::real` and without a divisor
/// of its own; otherwise it is 0.
enum class Empty : std::uint8_t { zero, identity, lowest, nan };

/// What the sums of averages and of their derivatives are formed in: double, or the format of the elements,
/// which for float is faster, rounds each addition and may overflow. (Some geometries go by double anyway.)
enum class Sums : std::uint8_t { wide, own };

/// Where the elements of a slice lie: beside each other, or beside those of the other channels, as in (n,
/// axes.., c), where slice n * channels + c has every channels-th element.
enum class Layout : std::uint8_t { planes, channels_last };

/// What to compute, apart from the reduction. Tensors are row-major, contiguous: `slices` independent blocks
/// of axes[0].extent x .. on the input's side, of axes[0].out x .. on the output's. One to eight axes.
struct Pooling {
    std::vector<Axis> axes;
    Index slices = 1;
    Taps taps = Taps::real;
    std::optional<Index> divisor = {};  ///< of averages, in place of the number of taps; not 0
    Ties ties = Ties::first;
    Nan nan = Nan::first;
    bool positive_zero = false;  ///< +0 is greater than -0; otherwise the first of equal zeros is the maximum
    Empty empty = Empty::zero;
    Sums sums = Sums::wide;
    Layout layout = Layout::planes;
    Index channels = 1;  ///< under `channels_last`; at least 1, and divides `slices`
    int threads = 1;     ///< among which the slices are divided; the results do not depend on it
};

// Every function below is instantiated for float and double. Outputs are overwritten and must not overlap
// inputs. Throws std::invalid_argument where a size does not fit or a field is outside its range, before
// anything is written; std::bad_alloc where scratch memory (a few times one slice of input or output, and
// what lies between them when axes are reduced one by one) cannot be had; the thread keeps it for later
// calls. Sums are formed in double unless `sums` says otherwise, wide kernels cost no more than the input
// cells they cover. Derivatives where a window, its tangent or its cotangent holds infinities or NaN are
// unspecified values.

/// The maximum of each window. `indices`, if not empty, receives row-major positions in the input slice, or
/// -1 where padding won or the window is empty.
template <class T>
void max_forward(const Pooling& p, std::span<const T> x, std::span<T> y, std::span<Index> indices = {});

/// The tangent at the winner; the sum (`all`) or mean (`split`) of the tangents of tied winners.
template <class T>
void max_jvp(const Pooling& p, std::span<const T> x, std::span<const T> tangent, std::span<T> dy);

template <class T>
void max_vjp(const Pooling& p, std::span<const T> x, std::span<const T> cotangent, std::span<T> dx);

/// The same from the indices of a forward pass, for ties `first` and `last`. An index of -1 takes its
/// gradient with it; one that is neither that nor the position of an input makes it throw when its slice is
/// reached, after others are written. Of `p`, only the sizes are read.
template <class T>
void max_vjp_at(const Pooling& p, std::span<const Index> indices, std::span<const T> cotangent,
                std::span<T> dx);

/// The sum of each window over its number of taps, or over `divisor`.
template <class T> void average_forward(const Pooling& p, std::span<const T> x, std::span<T> y);
template <class T> void average_jvp(const Pooling& p, std::span<const T> tangent, std::span<T> dy);
template <class T> void average_vjp(const Pooling& p, std::span<const T> cotangent, std::span<T> dx);

/// log(sum of exp(beta·x)) / beta over each window, for finite beta other than 0, on the extended reals: any
/// NaN gives NaN; for beta > 0, +inf gives +inf and -inf adds nothing, -inf alone gives -inf; mirrored for
/// beta < 0. Nothing overflows on the way unless the result does.
template <class T> void smooth_max_forward(const Pooling& p, T beta, std::span<const T> x, std::span<T> y);

template <class T>
void smooth_max_jvp(const Pooling& p, T beta, std::span<const T> x, std::span<const T> tangent,
                    std::span<T> dy);

template <class T>
void smooth_max_vjp(const Pooling& p, T beta, std::span<const T> x, std::span<const T> cotangent,
                    std::span<T> dx);

}  // namespace poolproof::reference
