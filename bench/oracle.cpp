// SPDX-License-Identifier: Apache-2.0
// Small cases through the stages of a check: the spec alone in each scalar that can compute the op, the
// permitted sets against the exact values alone (which `exact` hands out as text), the judge, the generator.
// Plans are made beforehand and cost nothing here.
#include "backends/values.hpp"
#include "bench/random.hpp"
#include "bench/trial.hpp"
#include "oracle/scalar/dyadic.hpp"
#include "oracle/scalar/extended.hpp"
#include "oracle/spec/evaluate.hpp"

#include <poolproof/backend.hpp>
#include <poolproof/generate.hpp>
#include <poolproof/verdict.hpp>

namespace poolproof::bench {

namespace {

constexpr std::array pooling_ops{Op::max_pool,          Op::avg_pool,          Op::smooth_max_pool,
                                 Op::adaptive_avg_pool, Op::adaptive_max_pool, Op::global_avg_pool,
                                 Op::global_max_pool};
constexpr std::array modes{Mode::forward, Mode::jvp, Mode::vjp};

/// The two geometries that alternate: k2 and k3s2p1, or bins that divide the input and bins that overlap.
Attributes attributes(Op op, bool second) {
    Attributes a;
    switch (op) {
        case Op::adaptive_avg_pool:
        case Op::adaptive_max_pool:
            a.output_size = second ? std::vector<Index>{3, 3} : std::vector<Index>{4, 4};
            break;
        case Op::global_avg_pool:
        case Op::global_max_pool: a.spatial_rank = 2; break;
        case Op::smooth_max_pool: a.beta = std::bit_cast<Bits>(1.0); [[fallthrough]];
        default:
            a.kernel = {2, 2};
            if (!second) break;
            a.kernel = {3, 3};
            a.stride = {2, 2};
            a.pad_begin = {1, 1};
    }
    return a;
}

struct Settled {
    Case c;
    Plan plan;
};

/// What one call goes through: distinct inputs [2,3,8,8], the geometries in turn.
struct Cases {
    std::vector<Settled> all;
    Index windows = 0;

    Cases(Op op, Mode mode) {
        for (int k = 0; k < 4; ++k) {
            Case c;
            c.op = op;
            c.attrs = attributes(op, k % 2 == 1);
            c.input = random_tensor({2, 3, 8, 8});
            const Shape out = plan(c)->output().shape;
            c.mode = mode;
            if (mode == Mode::jvp) c.tangent = random_tensor(c.input.shape);
            if (mode == Mode::vjp) c.cotangent = random_tensor(out);
            windows += size(out);
            all.push_back({c, *plan(c)});
        }
    }

    Figures figures(double seconds) const {
        return {{"cases_per_s", static_cast<double>(all.size()) / seconds},
                {"us_per_window", 1e6 * seconds / static_cast<double>(windows)}};
    }
};

template <class Each> Trial over_cases(Op op, Mode mode, Each each) {
    const auto cases = std::make_shared<const Cases>(op, mode);
    return {{[=] {
                for (const Settled& s : cases->all) keep(each(s));
            }},
            [=](const auto& seconds) { return cases->figures(seconds[0]); }};
}

template <class S> constexpr bool computes(Op op) {
    switch (op) {
        case Op::max_pool:
        case Op::adaptive_max_pool:
        case Op::global_max_pool: return Ordered<S>;
        case Op::smooth_max_pool: return Analytic<S>;
        default: return Field<S>;
    }
}

template <class S> S read(Format f, Bits b) {
    if constexpr (std::same_as<S, double>)
        return backends::widened(f, b);
    else if constexpr (std::same_as<S, Dyadic>)
        return dyadic_value(f, b);
    else
        return S(rational_value(f, b));
}

template <class S>
void add_spec(std::vector<Measure>& to, const std::string& path, const char* scalar, Op op, Mode mode) {
    if (computes<S>(op))
        to.push_back({"oracle/" + path + scalar, [=] {
                          return over_cases(op, mode, [](const Settled& s) {
                              return spec::evaluate<S>(s.plan, s.c, read<S>);
                          });
                      }});
}

Trial permitted_sets(Op op, Mode mode) {
    const auto cases = std::make_shared<const Cases>(op, mode);
    return {{[=] {
                 for (const auto& [c, plan] : cases->all) keep(expect(plan, c));
             },
             [=] {
                 for (const auto& [c, plan] : cases->all) keep(exact(plan, c));
             }},
            [=](const auto& seconds) {
                Figures f = cases->figures(seconds[0]);
                f.emplace_back("exact_us_per_window", cases->figures(seconds[1])[1].second);
                f.emplace_back("times_exact", seconds[0] / seconds[1]);
                return f;
            }};
}

/// The certified sets against the exact ones, and a whole judgment on them.
Trial certified_sets(Op op, Mode mode) {
    const auto cases = std::make_shared<const Cases>(op, mode);
    const auto answers = std::make_shared<std::vector<Observation>>();
    const auto reference = std::move(*find_backend("reference"));
    for (const auto& [c, plan] : cases->all) answers->push_back(reference->run(c));
    return {{[=] {
                 for (const auto& [c, plan] : cases->all) keep(expect(plan, c, {0, slice_count(plan, c)}));
             },
             [=] {
                 for (const auto& [c, plan] : cases->all) keep(expect(plan, c));
             },
             [=] {
                 for (std::size_t k = 0; k < answers->size(); ++k)
                     keep(judge_case(cases->all[k].plan, cases->all[k].c, (*answers)[k]));
             }},
            [=](const auto& seconds) {
                Figures f = cases->figures(seconds[0]);
                f.emplace_back("exact_us_per_window", cases->figures(seconds[1])[1].second);
                f.emplace_back("times_exact", seconds[0] / seconds[1]);
                f.emplace_back("judged_cases_per_s", cases->figures(seconds[2])[0].second);
                return f;
            }};
}

Trial judgments(Op op, Mode mode) {
    const Cases cases(op, mode);
    const auto reference = std::move(*find_backend("reference"));
    std::vector<std::pair<Expected, Observation>> answered;
    for (const auto& [c, plan] : cases.all) answered.emplace_back(expect(plan, c), reference->run(c));
    return {{[=] {
                for (const auto& [expected, observation] : answered) keep(judge(expected, observation));
            }},
            [=](const auto& seconds) { return cases.figures(seconds[0]); }};
}

Trial generated_cases(const std::vector<Op>& ops) {
    constexpr std::uint64_t count = 256;
    Request request;
    request.ops = ops;
    return {
        {[make = *generator(request)] {
            for (std::uint64_t k = 0; k < count; ++k) keep(make(k));
        }},
        [](const auto& seconds) {
            return Figures{{"cases_per_s", count / seconds[0]}, {"us_per_case", 1e6 * seconds[0] / count}};
        }};
}

/// Calls `add(path, op, mode)` for every op and mode, with "op/mode/".
template <class Add> void for_each_path(Add add) {
    for (const Op op : pooling_ops)
        for (const Mode mode : modes)
            add(std::string(name(op)) + "/" + std::string(name(mode)) + "/", op, mode);
}

}  // namespace

void add_oracle(std::vector<Measure>& to) {
    for_each_path([&](const std::string& path, Op op, Mode mode) {
        add_spec<Dyadic>(to, path, "Dyadic", op, mode);
        add_spec<Rational>(to, path, "Rational", op, mode);
        add_spec<Real>(to, path, "Real", op, mode);
        add_spec<Interval>(to, path, "Interval", op, mode);
        add_spec<double>(to, path, "double", op, mode);
    });
    for_each_path([&](const std::string& path, Op op, Mode mode) {
        to.push_back({"expect/" + path + "f64", [=] { return permitted_sets(op, mode); }});
    });
    for_each_path([&](const std::string& path, Op op, Mode mode) {
        to.push_back({"certified/" + path + "f64", [=] { return certified_sets(op, mode); }});
    });
    add_smooth(to);
    for_each_path([&](const std::string& path, Op op, Mode mode) {
        to.push_back({"verdict/" + path + "f64", [=] { return judgments(op, mode); }});
    });
    to.push_back({"generate/any", [] { return generated_cases({}); }});
    for (const Op op : pooling_ops)
        to.push_back({"generate/" + std::string(name(op)), [=] { return generated_cases({op}); }});
    to.push_back({"generate/graph", [] { return generated_cases({Op::graph}); }});
}

}  // namespace poolproof::bench
