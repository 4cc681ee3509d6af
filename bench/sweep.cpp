// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep.hpp"

#include <random>

namespace poolproof::bench {

namespace {

constexpr Index most_cells = Index{1} << 21;

/// Choices by remainders: distributions of the library differ from one to the next.
class Draw {
public:
    explicit Draw(std::uint64_t seed) : random_(seed) {}
    Index below(Index n) { return static_cast<Index>(random_() % static_cast<std::uint64_t>(n)); }
    Index of(std::initializer_list<Index> list) {
        return list.begin()[below(static_cast<Index>(list.size()))];
    }

private:
    std::mt19937_64 random_;
};

Layer drawn(Draw& draw) {
    Layer l;
    l.op = draw.below(2) == 0 ? Op::max_pool : Op::avg_pool;
    l.format = draw.below(3) == 0 ? Format::f64 : Format::f32;
    const bool three = draw.below(8) == 0, square = draw.below(4) != 0;
    const std::size_t rank = three ? 3 : 2;
    const Index first =
        three ? draw.of({8, 16, 24}) : draw.of({7, 14, 28, 32, 56, 63, 64, 112, 128, 150, 224});
    l.shape = {draw.of({1, 1, 2, 4, 8}), draw.of({3, 16, 24, 32, 64, 96, 128, 192, 256, 512})};
    for (std::size_t k = 0; k < rank; ++k)
        l.shape.push_back(square || k == 0 ? first : std::max<Index>(first / 2 + draw.below(first), 7));
    for (std::size_t k = 0; k < rank; ++k) {
        const bool repeat = square && k > 0;
        const Index kernel = repeat ? l.kernel[0] : draw.of({2, 2, 2, 3, 3, 3, 3, 4, 5, 7});
        const Index stride = repeat ? l.stride[0] : draw.of({1, 2, 2, 2, 3, kernel});
        l.kernel.push_back(kernel);
        l.stride.push_back(stride);
        l.padding.push_back(repeat ? l.padding[0] : draw.below(kernel / 2 + 1));
    }
    while (size(l.shape) > most_cells) {
        Index& larger = l.shape[0] > 1 ? l.shape[0] : l.shape[1];
        larger = larger / 2;
    }
    return l;
}

}  // namespace

std::vector<Layer> sweep_layers(std::size_t count, std::uint64_t seed) {
    Draw draw(seed);
    std::vector<Layer> r;
    for (std::size_t k = 0; k < count; ++k) {
        Layer l = drawn(draw);
        r.push_back(l);
        if (l.rank() == 3) continue;  // a rival's backward is not called there
        l.mode = Mode::vjp;
        r.push_back(std::move(l));
    }
    return r;
}

}  // namespace poolproof::bench
