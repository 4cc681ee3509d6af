// SPDX-License-Identifier: Apache-2.0
// The certified sets of a smooth maximum over one layer of real size, slice by slice, as a judge goes through
// it: what a window costs, how many values the quick exponentials left, and a copy of the input beside it.
#include "bench/random.hpp"
#include "bench/trial.hpp"

#include <poolproof/expected.hpp>

namespace poolproof::bench {

namespace {

Case layer(Mode mode, Accumulate kept) {
    Case c;
    c.op = Op::smooth_max_pool;
    c.attrs.kernel = {3, 3};
    c.attrs.stride = {2, 2};
    c.attrs.beta = std::bit_cast<Bits>(10.0);
    c.policy.accumulate = c.policy.accumulate_gradient = kept;
    c.input = random_tensor({8, 64, 112, 112});
    const Shape out = plan(c)->output().shape;
    c.mode = mode;
    if (mode == Mode::jvp) c.tangent = random_tensor(c.input.shape);
    if (mode == Mode::vjp) c.cotangent = random_tensor(out);
    return c;
}

Trial certified_layer(Mode mode, Accumulate kept) {
    struct Layer {
        Case c;
        Plan settled;
        std::vector<std::uint8_t> copy;
        Stages stages;
    };
    Case c = layer(mode, kept);
    const auto of = std::make_shared<Layer>(Layer{c, *plan(c), c.input.data, {}});
    const auto windows = static_cast<double>(size(of->settled.output().shape));
    return {{[of] {
                 of->stages = {};
                 for (Index k = 0; k < slice_count(of->settled, of->c); ++k)
                     keep(expect(of->settled, of->c, {k, 1}, &of->stages));
             },
             [of] {
                 std::copy(of->c.input.data.begin(), of->c.input.data.end(), of->copy.begin());
                 keep(of->copy);
             }},
            [of, windows](const auto& seconds) {
                const Stages& s = of->stages;
                const auto values = static_cast<double>(s.certified + s.exact);
                return Figures{{"ns_per_window", 1e9 * seconds[0] / windows},
                               {"refined_per_million", 1e6 * static_cast<double>(s.refined) / values},
                               {"exact_per_million", 1e6 * static_cast<double>(s.exact) / values},
                               {"copy_ms", 1e3 * seconds[1]},
                               {"times_copy", seconds[0] / seconds[1]}};
            }};
}

}  // namespace

void add_smooth(std::vector<Measure>& to) {
    for (const Mode mode : {Mode::forward, Mode::jvp, Mode::vjp})
        for (const Accumulate kept : {Accumulate::any, Accumulate::exact})
            to.push_back({"certified/smooth_max_pool/" + std::string(name(mode)) + "/f64/k3s2" +
                              (kept == Accumulate::exact ? "/exact" : ""),
                          [=] { return certified_layer(mode, kept); }});
}

}  // namespace poolproof::bench
