// SPDX-License-Identifier: Apache-2.0
// The reference on a layer of [8,64,112,112], on one thread and into memory that is in use already, against a
// copy of the layer's input.
#include "bench/trial.hpp"

#include <poolproof/reference.hpp>

#include <cstring>
#include <random>

namespace poolproof::bench {

namespace {

using reference::Pooling;
using reference::Taps;

constexpr reference::Index slices = 512, extent = 112, out = 56;

struct Geometry {
    const char* name;
    reference::Index kernel, stride, padding;
};

constexpr Geometry geometries[] = {{"k3s2p1", 3, 2, 1}, {"k2s2", 2, 2, 0}};

Pooling pooling(const Geometry& g, Taps taps) {
    Pooling p;
    p.axes.assign(2, {extent, out, false, g.kernel, g.stride, 1, g.padding, g.padding});
    p.slices = slices;
    p.taps = taps;
    return p;
}

/// Uniform in [-4, 4), of 32 random bits.
template <class T> std::vector<T> random_values(reference::Index size) {
    std::mt19937 random(1);
    std::vector<T> r(static_cast<std::size_t>(size));
    for (T& x : r) x = static_cast<T>(random()) * T(0x1p-29) - T(4);
    return r;
}

/// The tensors that all rows of a format share; made when the first of them is wanted.
template <class T> struct Layer {
    std::vector<T> x = random_values<T>(slices * extent * extent), dx = x;
    std::vector<T> dy = random_values<T>(slices * out * out), y = dy;

    static Layer& shared() {
        static Layer layer;
        return layer;
    }
};

template <class T> struct Function {
    const char* path;
    Taps taps;
    void (*run)(const Pooling&, Layer<T>&);
};

template <class T>
constexpr Function<T> functions[] = {
    {"max_pool/forward", Taps::real,
     [](const Pooling& p, Layer<T>& l) { reference::max_forward<T>(p, l.x, l.y); }},
    {"max_pool/vjp", Taps::real,
     [](const Pooling& p, Layer<T>& l) { reference::max_vjp<T>(p, l.x, l.dy, l.dx); }},
    {"avg_pool/forward", Taps::kernel,
     [](const Pooling& p, Layer<T>& l) { reference::average_forward<T>(p, l.x, l.y); }},
    {"avg_pool/vjp", Taps::kernel,
     [](const Pooling& p, Layer<T>& l) { reference::average_vjp<T>(p, l.dy, l.dx); }},
    {"smooth_max_pool/forward", Taps::kernel,
     [](const Pooling& p, Layer<T>& l) { reference::smooth_max_forward<T>(p, T(1), l.x, l.y); }},
    {"smooth_max_pool/vjp", Taps::kernel,
     [](const Pooling& p, Layer<T>& l) { reference::smooth_max_vjp<T>(p, T(1), l.x, l.dy, l.dx); }},
};

template <class T> Trial against_copy(const Function<T>& f, const Geometry& g) {
    Layer<T>& layer = Layer<T>::shared();
    return {{[&layer, f, p = pooling(g, f.taps)] { f.run(p, layer); },
             [&layer] {
                 std::memcpy(layer.dx.data(), layer.x.data(), layer.x.size() * sizeof(T));
                 keep(layer.dx);
             }},
            [](const auto& seconds) {
                return Figures{{"reference_ms", 1e3 * seconds[0]},
                               {"memcpy_ms", 1e3 * seconds[1]},
                               {"ratio", seconds[0] / seconds[1]}};
            }};
}

template <class T> void add_format(std::vector<Measure>& to, const std::string& format) {
    for (const Function<T>& f : functions<T>)
        for (const Geometry& g : geometries)
            to.push_back({std::string("reference/") + f.path + "/" + format + "/" + g.name,
                          [=] { return against_copy(f, g); }});
}

}  // namespace

void add_reference(std::vector<Measure>& to) {
    add_format<double>(to, "f64");
    add_format<float>(to, "f32");
}

}  // namespace poolproof::bench
