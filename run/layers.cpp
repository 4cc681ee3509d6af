// SPDX-License-Identifier: Apache-2.0
// Layers as a source of cases, made one at a time: they may be large.
#include <poolproof/run.hpp>

#include <algorithm>
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

/// Whether a list holds it, an empty list being everything.
template <class T> bool listed(const std::vector<T>& list, T one) {
    return list.empty() || std::find(list.begin(), list.end(), one) != list.end();
}

bool wanted(const Request& r, const Case& layer, const Variant& v) {
    return listed(r.ops, layer.op) && listed(r.formats, layer.format) && listed(r.modes, v.mode);
}

/// The layer with values; a rejection for a derivative that its profile or dtype does not have.
Checked<Case> varied(Case layer, const Variant& v, std::uint64_t seed) {
    if (v.mode != Mode::forward) layer.attrs.return_indices = std::nullopt;
    return filled(std::move(layer), v.mode, v.hardness, seed);
}

/// Whether the request leaves a case of some layer; forward every layer has one.
bool any_wanted(const Request& r, const std::vector<Case>& layers) {
    return std::any_of(layers.begin(), layers.end(), [&](const Case& layer) {
        return std::any_of(variants.begin(), variants.end(), [&](const Variant& v) {
            return wanted(r, layer, v) && (v.mode == Mode::forward || varied(layer, v, r.seed));
        });
    });
}

}  // namespace

Checked<Source> layer_cases(std::vector<Case> layers, const Request& request) {
    for (std::size_t k = 0; k < layers.size(); ++k) {
        if (!layers[k].profile) layers[k].profile = request.profile;
        layers[k] = completed(std::move(layers[k]));
        const auto forward = filled(layers[k], Mode::forward, Hardness::ordinary, request.seed);
        if (!forward) {
            Rejection r = forward.rejection();
            r.field = "layers[" + std::to_string(k) + "]." + r.field;
            return r;
        }
    }
    if (!any_wanted(request, layers))
        return Rejection{"layers", "none is left by the options", "choose other ops, modes or dtypes"};
    return Source(
        [layers = std::move(layers), request, at = std::size_t{0}]() mutable -> std::optional<Subject> {
            while (at < layers.size() * variants.size()) {
                const std::size_t k = at / variants.size();
                const Variant& v = variants[at++ % variants.size()];
                if (!wanted(request, layers[k], v)) continue;
                auto c = varied(layers[k], v, request.seed + k);
                if (c)
                    return Subject{"layer " + std::to_string(k) + " (" + v.name + ")", std::move(*c), false};
            }
            return std::nullopt;
        });
}

}  // namespace poolproof
