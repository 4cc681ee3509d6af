# SPDX-License-Identifier: Apache-2.0
"""What was chosen of what `layers`, `limits`, `places` and `mixtures` can make, by some thousands of faults drawn at random: a
trigger of one to three things (a layer, an attribute, a count, a remainder, a mode, a format), and an effect in the windows,
slices, winners, sums, divisors, weights or indices that meet it. Greedily, by faults killed for the first and second time per
byte; each layer is kept for its own sake once under a forward mode or a derivative."""

from __future__ import annotations

MIXTURES = (
    60, 342, 434, 484, 574, 624, 640, 866, 1127, 1162, 1330, 1340, 1512, 1696, 1904, 1950, 2071, 2169, 2251,
    2303, 2330, 2367, 2450, 2677, 2678, 2946, 2957, 3148, 3417, 3737, 3944, 3965, 3987, 4046, 4054, 4326,
    4619, 4666, 4694, 4779, 4923, 5153,
)
LEFT_OUT = set("""
    divisor-1001 divisor-1001-jvp divisor-257 divisor-323 divisor-323-smooth divisor-323-uncounted divisor-4097
    divisor-4097-vjp geometry-ceil-avg-vjp geometry-ceil-max geometry-columns-max geometry-columns-max-vjp
    geometry-ends-max geometry-ends-max-vjp geometry-gap-avg-jvp geometry-gap-ceil-max geometry-gap-ceil-max-jvp
    geometry-gap-max geometry-kernel-12-max geometry-kernel-12-max-jvp geometry-kernel-8-by-2-avg-jvp
    geometry-kernel-8-by-2-max geometry-kernel-9-avg-vjp geometry-kernel-9-max geometry-padded-avg-vjp
    geometry-padded-max geometry-phase-max geometry-phase-max-vjp geometry-rank-3-max geometry-rank-3-max-jvp
    geometry-rank-3-wide-avg-jvp geometry-rank-3-wide-max geometry-rank-4-max geometry-rank-4-max-vjp
    geometry-same-ceil-avg-jvp geometry-same-ceil-max geometry-same-gap-max geometry-same-gap-max-vjp
    geometry-same-wide-max geometry-unequal-avg-jvp geometry-unequal-max
    geometry-valid-max-jvp layer-1d-10-5-avg-vjp layer-1d-2-1-max-jvp layer-1d-2-2-max-jvp
    layer-1d-25-1-12-max-jvp layer-1d-3-1-1-avg-vjp layer-1d-3-1-1-smooth layer-1d-3-1-dilated-smooth
    layer-1d-3-2-1-avg-jvp layer-1d-3-2-ceil-max-jvp layer-1d-3-2-same-avg-jvp layer-1d-3-3-max-vjp
    layer-1d-4-2-1-ceil-avg layer-1d-4-2-1-ceil-max-jvp layer-1d-4-4-avg-jvp layer-1d-5-5-max-jvp
    layer-1d-7-3-3-smooth layer-1d-8-8-max-vjp layer-1d-to-1-max-vjp layer-1d-to-17-avg-jvp
    layer-1d-to-4-avg-vjp layer-1d-to-9-max-jvp layer-2d-1-2-avg-jvp layer-2d-14-14-max-jvp layer-2d-2-1-avg-vjp
    layer-2d-2-2-1-max-vjp layer-2d-2-2-ceil-avg layer-2d-2-2-ceil-max-vjp layer-2d-2-2-dilated-max-vjp
    layer-2d-2-2-same-max-jvp layer-2d-2-2-smooth layer-2d-3-1-1-smooth layer-2d-3-1-dilated-max-whole
    layer-2d-3-1-dilated-smooth layer-2d-3-1-max-vjp layer-2d-3-1-same-avg-jvp layer-2d-3-2-1-ceil-avg-vjp
    layer-2d-3-2-1-smooth-jvp layer-2d-3-2-ceil-smooth layer-2d-3-2-end-max-jvp layer-2d-3-2-same-avg-vjp
    layer-2d-3-2-same-lower-max-vjp layer-2d-3-2-same-smooth layer-2d-3-2-smooth-jvp layer-2d-3-2-valid-avg-vjp
    layer-2d-3-3-1-avg-jvp layer-2d-3-3-1-smooth layer-2d-3-3-avg layer-2d-4-2-1-avg-jvp layer-2d-4-4-max-jvp
    layer-2d-5-2-2-avg-vjp layer-2d-5-2-2-smooth layer-2d-5-3-2-max-jvp layer-2d-5-3-avg-jvp
    layer-2d-7-1-max-vjp layer-2d-7-2-3-avg-vjp layer-2d-7-7-smooth-jvp layer-2d-8-1-max-jvp
    layer-2d-8-8-avg-jvp layer-2d-9-1-4-max-vjp layer-2d-column-max-vjp layer-2d-columns-avg-jvp
    layer-2d-rows-max-whole layer-2d-rows-overlap-max-jvp layer-2d-to-1-1-avg-jvp layer-2d-to-1-7-avg-jvp
    layer-2d-to-2-2-avg-vjp layer-2d-to-3-5-avg-vjp layer-2d-to-4-1-max-vjp layer-2d-to-4-9-max-jvp
    layer-2d-to-5-3-avg-jvp layer-2d-to-6-6-max-jvp layer-2d-to-7-7-max-vjp layer-3d-1-2-2-max-vjp
    layer-3d-1-3-3-max-jvp layer-3d-2-2-ceil-avg-jvp layer-3d-2-2-smooth layer-3d-2-7-7-avg-vjp
    layer-3d-3-1-1-avg-jvp layer-3d-3-1-1-smooth layer-3d-3-2-1-avg-vjp layer-3d-3-2-1-ceil-avg-jvp
    layer-3d-3-2-max-vjp layer-3d-to-1-1-1-max-vjp layer-3d-to-1-3-3-max-jvp layer-3d-to-2-2-2-avg-vjp
    layer-4d-2-1-3-2-max-jvp layer-4d-2-2-max-vjp layer-4d-3-1-1-avg-vjp layer-4d-3-1-1-smooth
    layer-4d-to-2-1-2-3-avg-jvp layer-global-1-19-max-vjp layer-global-14-14-avg-vjp
    layer-global-2-1-2-2-1-3-max-vjp layer-global-2-2-3-2-2-avg-jvp layer-global-2-3-2-3-max-jvp
    layer-global-2-7-7-avg-vjp layer-global-3-4-5-max-vjp layer-global-37-max-jvp layer-global-6-11-max-jvp
    layer-global-64-avg-jvp layer-global-7-7-max-vjp layer-global-8-8-avg-vjp layer-global-9-1-avg-jvp
    override-1 override-1-jvp override-100 override-100-jvp override-2049 override-2049-vjp override-2147483647
    override-2147483647-vjp override-257 override-2d-cotangent override-3 override-32769 override-70001
    override-70001-jvp override-minus-1 override-minus-3 override-minus-3-vjp override-minus-300
    override-minus-300-jvp override-minus-7 override-minus-7-vjp ratio-13-to-13 ratio-14-to-49 ratio-14-to-50
    ratio-21-to-7 ratio-22-to-22 ratio-25-to-25 ratio-30-to-22 ratio-36-to-28 ratio-39-to-33 ratio-42-to-14
    ratio-5-to-55 ratio-50-to-22 ratio-52-to-22 ratio-7-to-49 ratio-8-to-28 slices-20-jvp slices-20-max
    slices-260-max slices-3-7-jvp slices-70-jvp tie-13-13-below tie-13-13-few tie-130-below tie-130-few
    tie-2-2-2-3-below tie-2-2-2-3-few tie-2-2-2-3-vjp tie-2-3-4-below tie-2-3-4-few tie-2-3-4-jvp tie-260-below
    tie-260-few tie-3-11-below tie-3-11-few tie-3-11-jvp tie-3-3-below tie-3-3-few tie-4-4-below tie-4-4-few
    tie-41-below tie-41-few tie-5-5-below tie-5-5-few tie-5-5-vjp tie-70-few tie-8-8-below tie-8-8-few
    tie-8-8-vjp tie-8-below tie-8-few tie-9-9-below tie-padded-cotangent tie-padded-index
    tie-padded-tangent window-100-avg window-100-max window-1030-avg window-1030-max window-12-by-12-f64-jvp
    window-13-by-13-f32 window-13-by-13-f32-jvp window-130-smooth window-130-smooth-jvp window-200-avg
    window-200-max window-2053-avg window-257-avg window-300-avg window-33-smooth window-33-smooth-jvp
    window-34-avg window-34-max window-47-avg window-47-max window-5-by-5-f64 window-5-by-5-f64-jvp
    window-515-avg window-515-max window-6-by-6-f16 window-6-by-6-f16-jvp window-66-smooth-jvp
    window-7-by-7-bf16 window-7-by-7-bf16-jvp
""".split())
