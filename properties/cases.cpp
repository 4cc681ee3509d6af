// SPDX-License-Identifier: Apache-2.0
#include "properties/cases.hpp"

#include "oracle/expect/rounding.hpp"
#include "oracle/spec/evaluate.hpp"

#include <poolproof/graph.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

namespace poolproof {

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << write_case(c); }
std::ostream& operator<<(std::ostream& out, const Tensor& t) {
    return out << write_tensor(t, TensorForm::data);
}

namespace laws {

namespace {

/// How often each interesting thing of the running test came up.
std::map<std::string, int, std::less<>>& sightings() {
    static std::map<std::string, int, std::less<>> counts;
    return counts;
}

class Vacuity : public ::testing::EmptyTestEventListener {
    void OnTestStart(const ::testing::TestInfo&) override { sightings().clear(); }
    void OnTestEnd(const ::testing::TestInfo& test) override {
        if (test.result()->Failed() || test.result()->Skipped()) return;
        for (const auto& [what, count] : sightings()) {
            ::testing::Test::RecordProperty(what, count);
            EXPECT_GT(count, 0) << "vacuous: no case of this law had " << what;
        }
    }
};

const bool listening = [] {
    ::testing::UnitTest::GetInstance()->listeners().Append(new Vacuity);
    return true;
}();

std::vector<Index> some_list(std::size_t rank, Index low, Index high) {
    std::vector<Index> r;
    for (std::size_t k = 0; k < rank; ++k) r.push_back(between(low, high));
    return r;
}

void draw_sliding(Attributes& a, const Shape& spatial, const Scope& s) {
    const std::size_t rank = spatial.size();
    const Index widest = rank == 1 ? 4 : rank == 2 ? 3 : 2;
    a.kernel = some_list(rank, 1, widest);
    if (either()) a.stride = some_list(rank, 1, 3);
    if (either()) a.dilation = some_list(rank, 1, 2);
    if (s.padding) {
        if (between(0, 4) == 0) {
            a.auto_pad = one_of(std::vector{AutoPad::valid, AutoPad::same_upper, AutoPad::same_lower});
        } else if (either()) {
            a.pad_begin = some_list(rank, 0, 2);
            if (either()) a.pad_end = some_list(rank, 0, 2);
        }
        a.ceil_mode = either();
        return;
    }
    for (std::size_t k = 0; k < rank; ++k) {
        Index& kernel = (*a.kernel)[k];
        kernel = std::min(kernel, spatial[k]);
        if (a.dilation && (kernel - 1) * (*a.dilation)[k] >= spatial[k]) (*a.dilation)[k] = 1;
    }
}

Attributes some_attributes(Op op, const Shape& spatial, const Scope& s) {
    Attributes a;
    switch (op) {
        case Op::adaptive_avg_pool:
        case Op::adaptive_max_pool:
            a.output_size.emplace();
            for (const Index extent : spatial) a.output_size->push_back(between(1, extent + 1));
            break;
        case Op::global_avg_pool:
        case Op::global_max_pool:
            a.spatial_rank = static_cast<Index>(spatial.size());
            a.keepdims = either();
            break;
        default: draw_sliding(a, spatial, s);
    }
    if (op == Op::avg_pool && s.divisor_rules) {
        a.count_include_pad = either();
        if (between(0, 3) == 0) a.divisor_override = one_of(std::vector<Index>{3, 1, -2, 7});
    }
    if (op == Op::smooth_max_pool)
        a.beta = std::bit_cast<Bits>(one_of(std::vector{1.0, 2.0, 0.5, -1.0, -0.75}));
    return a;
}

Shape some_spatial(const Scope& s) {
    const Index rank = between(s.min_rank, s.max_rank);
    const Index most = s.small ? (rank == 1 ? 7 : rank == 2 ? 3 : 2) : (rank == 1 ? 9 : rank == 2 ? 5 : 3);
    return some_list(static_cast<std::size_t>(rank), 1, most);
}

/// The choices that matter to the laws; the rest is torchlean's.
Choices some_choices(const Scope& s) {
    Choices p;
    p.ties = one_of(s.ties);
    if (!s.padding) return p;
    p.divisor = one_of(std::vector{Divisor::kernel, Divisor::clipped});
    p.ceil_rule = one_of(std::vector{CeilRule::drop_window_in_end_padding, CeilRule::keep});
    p.max_padding = one_of(s.max_padding);
    p.smooth_padding = one_of(std::vector{SmoothPadding::zero, SmoothPadding::ignored});
    return p;
}

Shape joined(Shape leading, const Shape& spatial) {
    leading.insert(leading.end(), spatial.begin(), spatial.end());
    return leading;
}

std::vector<double> some_values(std::size_t count, Spread spread) {
    std::vector<double> r(count);
    if (spread == Spread::distinct) {
        std::iota(r.begin(), r.end(), -static_cast<double>(count / 2));
        for (double& x : r) x = 2 * x + 1;
        auto state = static_cast<std::uint64_t>(between(0, 1'000'000));
        for (std::size_t k = count; k > 1; --k) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            std::swap(r[k - 1], r[(state >> 33) % k]);
        }
        return r;
    }
    for (double& x : r) {
        switch (spread) {
            case Spread::tied: x = static_cast<double>(between(0, 4) - 2); break;
            case Spread::dyadic: x = static_cast<double>(between(-16, 16)) / 4; break;
            default:
                x = std::ldexp(static_cast<double>(between(-(Index{1} << 53), Index{1} << 53)),
                               static_cast<int>(between(-73, -33)));
        }
    }
    return r;
}

}  // namespace

void seen(std::string_view what, bool here) {
    auto& counts = sightings();
    auto at = counts.find(what);
    if (at == counts.end()) at = counts.emplace(what, 0).first;
    at->second += here ? 1 : 0;
}

Index between(Index low, Index high) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Index>(low, high + 1));
}
bool either() { return between(0, 1) == 1; }

Tensor tensor(Shape shape, const std::vector<double>& values) {
    Tensor t(Format::f64, std::move(shape));
    for (std::size_t k = 0; k < values.size(); ++k)
        t.set(static_cast<Index>(k), std::bit_cast<Bits>(values[k]));
    return t;
}

Tensor constant(Shape shape, double value) {
    const auto count = static_cast<std::size_t>(size(shape));
    return tensor(std::move(shape), std::vector<double>(count, value));
}

Tensor some_tensor(const Shape& shape, Spread spread) {
    return *rc::gen::exec(
        [=] { return tensor(shape, some_values(static_cast<std::size_t>(size(shape)), spread)); });
}

Case some_case(const Scope& scope) {
    return *rc::gen::exec([=] {
        Case c;
        c.op = one_of(scope.ops);
        const Shape spatial = some_spatial(scope);
        const Shape leading = some_list(static_cast<std::size_t>(between(scope.leading, 2)), 1, 2);
        c.attrs = some_attributes(c.op, spatial, scope);
        c.policy = some_choices(scope);
        const Shape shape = joined(leading, spatial);
        c.input = tensor(shape, some_values(static_cast<std::size_t>(size(shape)), scope.spread));
        return c;
    });
}

Case some_graph(const Scope& scope, bool dyadic) {
    return *rc::gen::exec([=] {
        Case c;
        c.op = Op::graph;
        c.policy = some_choices(scope);
        const Shape spatial = some_spatial(scope);
        const Shape shape = joined(some_list(static_cast<std::size_t>(between(0, 1)), 1, 2), spatial);
        const std::size_t leading = shape.size() - spatial.size();
        GraphBuilder g(Format::f64, shape, "torchlean", c.policy);
        std::vector<Var> values{g.input()};
        const Index count = between(2, 4);
        for (Index k = 0; k < count; ++k) {
            const Index recent = std::min<Index>(2, static_cast<Index>(values.size()));
            const Var x = values[values.size() - static_cast<std::size_t>(between(1, recent))];
            Node n;
            n.inputs = {x.node};
            std::vector<Var> alike;
            for (const Var v : values)
                if (g.shape(v) == g.shape(x)) alike.push_back(v);
            if (between(0, 2) == 0) {
                n.op = Op::add;
                n.inputs.push_back(one_of(alike).node);
            } else {
                n.op = one_of(scope.ops);
                const Shape here(g.shape(x).begin() + static_cast<std::ptrdiff_t>(leading), g.shape(x).end());
                n.attrs = some_attributes(n.op, here, scope);
                if (n.attrs.spatial_rank) n.attrs.keepdims = true;
                if (dyadic && n.op == Op::avg_pool) {
                    n.attrs.count_include_pad = true;
                    n.attrs.divisor_override = one_of(std::vector<Index>{4, 2, -1});
                }
            }
            const auto var = g.node(std::move(n));
            if (!var) throw std::logic_error(message(var.rejection()));
            values.push_back(*var);
        }
        c.nodes = g.nodes();
        c.input = tensor(shape, some_values(static_cast<std::size_t>(size(shape)), scope.spread));
        return c;
    });
}

Case as_jvp(Case c, Tensor tangent) {
    c.mode = Mode::jvp;
    c.tangent = std::move(tangent);
    c.cotangent.reset();
    return c;
}

Case as_vjp(Case c, Tensor cotangent) {
    c.mode = Mode::vjp;
    c.cotangent = std::move(cotangent);
    c.tangent.reset();
    return c;
}

Plan settled(const Case& c) {
    auto p = plan(c);
    if (!p) throw std::logic_error("rejected: " + message(p.rejection()) + " in " + write_case(c));
    return std::move(*p);
}

Shape output_shape(const Case& c) { return settled(c).output().shape; }
const PoolPlan& pool_of(const Plan& p) { return *p.output().pool; }

template <> std::vector<Extended<Dyadic>> evaluated(const Case& c) {
    return spec::evaluate<Dyadic>(settled(c), c, dyadic_value).values;
}
template <> std::vector<Extended<Rational>> evaluated(const Case& c) {
    return spec::evaluate<Rational>(settled(c), c, rational_value).values;
}
template <> std::vector<Extended<Interval>> evaluated(const Case& c) {
    return spec::evaluate<Interval>(settled(c), c,
                                    [](Format f, Bits b) { return Interval(rational_value(f, b)); })
        .values;
}
template <> std::vector<Extended<Real>> evaluated(const Case& c) {
    return spec::evaluate<Real>(settled(c), c, [](Format f, Bits b) { return Real(rational_value(f, b)); })
        .values;
}

template <class S> std::vector<S> finite(const Case& c) {
    std::vector<S> r;
    for (auto& v : evaluated<S>(c)) {
        if (!v.is_finite()) throw std::logic_error("a value is not finite in " + write_case(c));
        r.push_back(std::move(v.value));
    }
    return r;
}
template std::vector<Dyadic> finite(const Case&);
template std::vector<Rational> finite(const Case&);
template std::vector<Interval> finite(const Case&);
template std::vector<Real> finite(const Case&);

std::vector<PermittedIndices> indices(Case c) {
    c.attrs.return_indices = true;
    return spec::evaluate<Dyadic>(settled(c), c, dyadic_value).indices;
}

bool equal(const std::vector<Real>& a, const std::vector<Real>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Real& x, const Real& y) { return compare(x, y) == 0; });
}

std::vector<Rational> numbers(const Tensor& t) {
    std::vector<Rational> r;
    for (Index k = 0; k < t.size(); ++k) r.push_back(rational_value(t.format, t[k]));
    return r;
}

Tensor tensor(Shape shape, const std::vector<Rational>& values) {
    Tensor t(Format::f64, std::move(shape));
    for (std::size_t k = 0; k < values.size(); ++k) {
        const Bits b = nearest(Format::f64, values[k]);
        if (rational_value(Format::f64, b) != values[k])
            throw std::logic_error("not a double: " + text(values[k]));
        t.set(static_cast<Index>(k), b);
    }
    return t;
}

std::vector<SlowWindow> slow_windows(const Case& c) {
    const Plan plan = settled(c);
    const auto& axes = pool_of(plan).axes;
    const auto steps = [](std::vector<Index>& at, const auto& most) {
        for (std::size_t k = at.size(); k-- > 0;) {
            if (++at[k] < most(k)) return true;
            at[k] = 0;
        }
        return false;
    };
    std::vector<SlowWindow> one_slice;
    std::vector<Index> out(axes.size(), 0);
    do {
        SlowWindow w;
        std::vector<Index> tap(axes.size(), 0);
        // A bin [out / bins, (out + 1) / bins) of the axis takes each cell that it overlaps.
        const auto in_bin = [&](std::size_t k, Index cell) {
            return (cell + 1) * axes[k].out > out[k] * axes[k].extent &&
                   cell * axes[k].out < (out[k] + 1) * axes[k].extent;
        };
        do {
            bool is_tap = true, real = true, clipped = true;
            Index flat = 0;
            for (std::size_t k = 0; k < axes.size(); ++k) {
                const Axis& a = axes[k];
                const Index cell = a.bins ? tap[k] : out[k] * a.stride + tap[k] * a.dilation - a.pad_begin;
                is_tap = is_tap && (!a.bins || in_bin(k, cell));
                real = real && cell >= 0 && cell < a.extent;
                clipped = clipped && cell >= -a.pad_begin && cell < a.extent + a.pad_end;
                flat = flat * a.extent + cell;
            }
            if (!is_tap) continue;
            ++w.span;
            w.clipped += clipped ? 1 : 0;
            if (real) w.cells.push_back(flat);
        } while (steps(tap, [&](std::size_t k) { return axes[k].bins ? axes[k].extent : axes[k].kernel; }));
        one_slice.push_back(std::move(w));
    } while (steps(out, [&](std::size_t k) { return axes[k].out; }));

    Index slice_cells = 1;
    for (const Axis& a : axes) slice_cells *= a.extent;
    std::vector<SlowWindow> r;
    for (Index slice = 0; slice < plan.output().leading; ++slice)
        for (SlowWindow w : one_slice) {
            for (Index& cell : w.cells) cell += slice * slice_cells;
            r.push_back(std::move(w));
        }
    return r;
}

bool has_tie(const Case& c) {
    const auto x = numbers(c.input);
    const auto windows = slow_windows(c);
    return std::any_of(windows.begin(), windows.end(), [&](const SlowWindow& w) {
        std::vector<Rational> xs;
        for (const Index cell : w.cells) xs.push_back(x[static_cast<std::size_t>(cell)]);
        std::sort(xs.begin(), xs.end());
        return xs.size() > 1 && xs.back() == xs[xs.size() - 2];
    });
}

bool has_padding(const Case& c) {
    const auto windows = slow_windows(c);
    return std::any_of(windows.begin(), windows.end(),
                       [](const SlowWindow& w) { return w.span > static_cast<Index>(w.cells.size()); });
}

bool has_overlap(const Case& c) {
    std::set<Index> cells;
    for (const SlowWindow& w : slow_windows(c))
        for (const Index cell : w.cells)
            if (!cells.insert(cell).second) return true;
    return false;
}

bool has_empty_window(const Case& c) {
    const auto windows = slow_windows(c);
    return std::any_of(windows.begin(), windows.end(), [](const SlowWindow& w) { return w.cells.empty(); });
}

}  // namespace laws
}  // namespace poolproof
