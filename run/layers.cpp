// SPDX-License-Identifier: Apache-2.0
// Layers as a source of cases, made one at a time: they may be large.
#include <poolproof/run.hpp>

#include <array>

namespace poolproof {

namespace {

struct Variant {
    Mode mode;
    Hardness hardness;
    const char* name;
};
constexpr std::array<Variant, 7> variants{{
    {Mode::forward, Hardness::ordinary, "forward, ordinary values"},
    {Mode::forward, Hardness::hard, "forward, hard values"},
    {Mode::forward, Hardness::special, "forward, NaN and infinities"},
    {Mode::jvp, Hardness::ordinary, "jvp, ordinary values"},
    {Mode::jvp, Hardness::hard, "jvp, hard values"},
    {Mode::vjp, Hardness::ordinary, "vjp, ordinary values"},
    {Mode::vjp, Hardness::hard, "vjp, hard values"},
}};

}  // namespace

Checked<Source> layer_cases(std::vector<Case> layers, const std::string& profile, std::uint64_t seed) {
    for (std::size_t k = 0; k < layers.size(); ++k) {
        if (!layers[k].profile) layers[k].profile = profile;
        layers[k] = completed(std::move(layers[k]));
        const auto forward = filled(layers[k], Mode::forward, Hardness::ordinary, seed);
        if (!forward) {
            Rejection r = forward.rejection();
            r.field = "layers[" + std::to_string(k) + "]." + r.field;
            return r;
        }
    }
    return Source([layers = std::move(layers), seed,
                   at = std::size_t{0}]() mutable -> std::optional<Subject> {
        for (; at < layers.size() * variants.size(); ++at) {
            const Case& layer = layers[at / variants.size()];
            const Variant& v = variants[at % variants.size()];
            Case asked = layer;
            if (v.mode != Mode::forward) asked.attrs.return_indices = std::nullopt;
            auto c = filled(std::move(asked), v.mode, v.hardness, seed + at / variants.size());
            if (!c) continue;  // a derivative that its profile or dtype does not have
            const std::string label = "layer " + std::to_string(at / variants.size()) + " (" + v.name + ")";
            ++at;
            return Subject{label, std::move(*c), false};
        }
        return std::nullopt;
    });
}

}  // namespace poolproof
