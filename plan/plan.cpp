// SPDX-License-Identifier: Apache-2.0
// Settles a case: defaults, sizes [WOut], policies, and every rejection that the common rules and the profile
// call for.
#include <poolproof/plan.hpp>

#include "plan/profile.hpp"

#include <algorithm>

namespace poolproof {

namespace {

bool is_max(Op op) { return op == Op::max_pool || op == Op::adaptive_max_pool || op == Op::global_max_pool; }
bool is_global(Op op) { return op == Op::global_avg_pool || op == Op::global_max_pool; }
bool is_adaptive(Op op) { return op == Op::adaptive_avg_pool || op == Op::adaptive_max_pool; }

Reduction reduction(Op op) {
    if (op == Op::smooth_max_pool) return Reduction::smooth_max;
    return is_max(op) ? Reduction::max : Reduction::average;
}

std::string shown(const std::vector<Index>& list) {
    std::string s = "[";
    for (const Index n : list) s += (s.size() > 1 ? "," : "") + std::to_string(n);
    return s + "]";
}

/// `f32`, or `one of max_pool, avg_pool`.
std::string one_of(const std::vector<std::string>& names) {
    std::string s = names.size() > 1 ? "one of " : "";
    for (std::size_t k = 0; k < names.size(); ++k) s += (k > 0 ? ", " : "") + names[k];
    return s;
}

/// Collects the first rejection and stops the rest.
using Problem = std::optional<Rejection>;

Index ceil_div(Index a, Index b) { return a / b + (a % b != 0 && a > 0 ? 1 : 0); }
Index floor_div(Index a, Index b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); }

/// Settles one pooling node over an input shape.
class NodeSettler {
public:
    NodeSettler(Op op, const Attributes& attrs, const Profile& profile, const Choices& given, Format format,
                std::string path)
        : op_(op), attrs_(attrs), profile_(profile), format_(format), path_(std::move(path)) {
        choices_ = profile.base;
        if (is_global(op)) choices_ = overlaid(choices_, profile.global);
        if (!is_integer(format) && width(format) == 16) choices_ = overlaid(choices_, profile.sixteen_bit);
        choices_ = overlaid(choices_, given);
    }

    Checked<NodePlan> settle(const Shape& input) {
        pool_.reduction = reduction(op_);
        if (auto p = within_profile()) return *p;
        if (auto p = axes(input)) return *p;
        if (auto p = averages_and_sharpness()) return *p;
        if (auto p = index_output()) return *p;
        pool_.policy = policy();
        auto node = shaped(input);
        if (!node) return node;
        if (auto p = policies_govern(*node->pool)) return *p;
        return node;
    }

    /// The choices with every gap closed; a gap is never read, since what it governs was rejected.
    Policy policy() const {
        Policy r;
        const auto take = [](auto& to, const auto& from) {
            if (from) to = *from;
        };
        take(r.ties, choices_.ties);
        take(r.nan, choices_.nan);
        take(r.nan_index, choices_.nan_index);
        take(r.signed_zero, choices_.signed_zero);
        take(r.max_padding, choices_.max_padding);
        take(r.smooth_padding, choices_.smooth_padding);
        take(r.divisor, choices_.divisor);
        take(r.ceil_rule, choices_.ceil_rule);
        take(r.empty_window, choices_.empty_window);
        take(r.oversized_kernel, choices_.oversized_kernel);
        take(r.padding_limit, choices_.padding_limit);
        take(r.accumulate, choices_.accumulate);
        take(r.integer_mean, choices_.integer_mean);
        take(r.accumulate_gradient, choices_.accumulate_gradient);
        take(r.elementary_ulp, choices_.elementary_ulp);
        take(r.deterministic, choices_.deterministic);
        take(r.intermediate_overflow, choices_.intermediate_overflow);
        take(r.subnormals, choices_.subnormals);
        return r;
    }

private:
    Rejection rejected(const std::string& field, std::string reason, std::string remedy) const {
        return {path_ + field, std::move(reason), std::move(remedy)};
    }

    Rejection outside(const std::string& field, const std::string& what, const std::string& policy) const {
        return rejected(
            field,
            what + " is outside profile '" + profile_.name + "', which does not decide '" + policy + "'",
            "choose another profile, or name a value in policy." + policy);
    }

    Problem within_profile() const {
        const auto listed = [](const std::vector<std::string>& list, std::string_view one) {
            return list.empty() || std::find(list.begin(), list.end(), one) != list.end();
        };
        if (!listed(profile_.ops, name(op_)))
            return rejected("op", std::string(name(op_)) + " is outside profile '" + profile_.name + "'",
                            "use " + one_of(profile_.ops) + ", or another profile");
        const auto& a = attrs_;
        const bool dilated =
            a.dilation && std::any_of(a.dilation->begin(), a.dilation->end(), [](Index d) { return d != 1; });
        const std::vector<Index> no_pads(a.pad_end ? a.pad_end->size() : 0, 0);
        const bool unequal = a.pad_end && *a.pad_end != a.pad_begin.value_or(no_pads);
        struct Use {
            std::string_view attribute;
            bool is_used;
            std::string value;
        };
        const Use uses[] = {
            {"dilation", dilated, dilated ? shown(*a.dilation) : ""},
            {"pad_end", unequal,
             unequal ? shown(*a.pad_end) + " beside pad_begin " + shown(a.pad_begin.value_or(no_pads)) : ""},
            {"auto_pad", a.auto_pad.has_value(),
             a.auto_pad ? std::string(auto_pad_names[static_cast<std::size_t>(*a.auto_pad)]) : ""},
            {"ceil_mode", a.ceil_mode.value_or(false), "true"},
            {"count_include_pad", !a.count_include_pad.value_or(true), "false"},
            {"divisor_override", a.divisor_override.has_value(),
             std::to_string(a.divisor_override.value_or(0))},
        };
        for (const auto& [attribute, is_used, value] : uses)
            if (is_used && !listed(profile_.attributes, attribute))
                return rejected("attrs." + std::string(attribute),
                                "is " + value + ", which is outside profile '" + profile_.name + "'",
                                "leave it out, or choose another profile");
        if (op_ == Op::smooth_max_pool && !choices_.smooth_padding)
            return outside("op", "smooth_max_pool", "smooth_padding");
        if (is_integer(format_) && pool_.reduction == Reduction::average && !choices_.integer_mean)
            return outside("dtype", "an integer mean", "integer_mean");
        return std::nullopt;
    }

    Problem axes(const Shape& input) {
        if (is_global(op_)) return global_axes(input);
        const bool adaptive = is_adaptive(op_);
        const std::string field = adaptive ? "attrs.output_size" : "attrs.kernel";
        const auto& sizes = adaptive ? attrs_.output_size : attrs_.kernel;
        if (!sizes)
            return rejected(field, "is required for " + std::string(name(op_)),
                            "give one number per spatial axis");
        if (sizes->empty()) return rejected(field, "is empty", "give one number per spatial axis");
        if (auto p = fits(field, sizes->size(), input)) return p;
        return adaptive ? adaptive_axes(*sizes, input) : sliding_axes(input);
    }

    /// Checks the spatial rank, and that no spatial axis is empty.
    Problem fits(const std::string& field, std::size_t rank, const Shape& input) {
        if (rank > input.size())
            return rejected(field,
                            "has rank " + std::to_string(rank) + ", but the input's shape " + shown(input) +
                                " has only " + std::to_string(input.size()) + " axes",
                            "give at most one number per axis of the input");
        const auto& ranks = profile_.spatial_ranks;
        if (!ranks.empty() && std::find(ranks.begin(), ranks.end(), static_cast<Index>(rank)) == ranks.end())
            return rejected(
                field, "spatial rank " + std::to_string(rank) + " is outside profile '" + profile_.name + "'",
                "use one of " + shown(ranks));
        leading_ = input.size() - rank;
        if (profile_.leading_axes && *profile_.leading_axes != static_cast<Index>(leading_))
            return rejected("input.shape",
                            "has " + std::to_string(leading_) + " leading axes, but profile '" +
                                profile_.name + "' has exactly " + std::to_string(*profile_.leading_axes),
                            "reshape the input to [batch, channels, spatial axes..]");
        for (std::size_t k = leading_; k < input.size(); ++k) {
            if (input[k] == 0)
                return rejected("input.shape[" + std::to_string(k) + "]",
                                "is 0, but a spatial axis must hold a cell",
                                "only leading axes may be empty");
            Axis a;
            a.extent = input[k];
            pool_.axes.push_back(a);
        }
        return std::nullopt;
    }

    Problem global_axes(const Shape& input) {
        const auto rank = attrs_.spatial_rank;
        if (!rank)
            return rejected("attrs.spatial_rank", "is required for " + std::string(name(op_)),
                            "give the number of trailing axes to reduce");
        if (*rank < 1) return rejected("attrs.spatial_rank", "is " + std::to_string(*rank), "use at least 1");
        if (auto p = fits("attrs.spatial_rank", static_cast<std::size_t>(*rank), input)) return p;
        for (Axis& a : pool_.axes) a.bins = true;
        return std::nullopt;
    }

    Problem adaptive_axes(const std::vector<Index>& sizes, const Shape&) {
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            const Index least = profile_.empty_output ? 0 : 1;
            if (sizes[k] < least)
                return rejected("attrs.output_size[" + std::to_string(k) + "]",
                                "is " + std::to_string(sizes[k]), "use at least " + std::to_string(least));
            pool_.axes[k].bins = true;
            pool_.axes[k].out = sizes[k];
        }
        return std::nullopt;
    }

    Problem per_axis(const char* field, const std::optional<std::vector<Index>>& list, Index least) const {
        if (!list) return std::nullopt;
        const std::string path = std::string("attrs.") + field;
        if (list->size() != pool_.axes.size())
            return rejected(path,
                            "has " + std::to_string(list->size()) + " entries " + shown(*list) +
                                ", but kernel has " + std::to_string(pool_.axes.size()),
                            "give one number per spatial axis");
        for (std::size_t k = 0; k < list->size(); ++k)
            if ((*list)[k] < least)
                return rejected(path + "[" + std::to_string(k) + "]", "is " + std::to_string((*list)[k]),
                                "use at least " + std::to_string(least));
        return std::nullopt;
    }

    Problem sliding_axes(const Shape&) {
        const auto& a = attrs_;
        if (a.auto_pad && (a.pad_begin || a.pad_end))
            return rejected("attrs.auto_pad", "stands beside explicit pads",
                            "give either auto_pad or pad_begin and pad_end");
        for (auto p : {per_axis("kernel", a.kernel, 1), per_axis("stride", a.stride, 1),
                       per_axis("dilation", a.dilation, 1), per_axis("pad_begin", a.pad_begin, 0),
                       per_axis("pad_end", a.pad_end, 0)})
            if (p) return p;
        const auto at = [](const std::optional<std::vector<Index>>& list, std::size_t k, Index otherwise) {
            return list ? (*list)[k] : otherwise;
        };
        for (std::size_t k = 0; k < pool_.axes.size(); ++k) {
            Axis& x = pool_.axes[k];
            x.kernel = (*a.kernel)[k];
            x.stride = at(a.stride, k, x.kernel);
            x.dilation = at(a.dilation, k, 1);
            x.pad_begin = at(a.pad_begin, k, 0);
            x.pad_end = at(a.pad_end, k, x.pad_begin);
            if (auto p = settle_axis(x, "[" + std::to_string(k) + "]")) return p;
        }
        return std::nullopt;
    }

    /// Pads and output size of one axis [WOut], [WSame], [WCeil], [WOver], [WPad].
    Problem settle_axis(Axis& x, const std::string& at) {
        const Index reach = x.dilation * (x.kernel - 1) + 1;
        const bool same = attrs_.auto_pad && *attrs_.auto_pad != AutoPad::valid;
        if (same) {
            x.out = ceil_div(x.extent, x.stride);
            const Index total = std::max<Index>((x.out - 1) * x.stride + reach - x.extent, 0);
            x.pad_begin = *attrs_.auto_pad == AutoPad::same_upper ? total / 2 : total - total / 2;
            x.pad_end = total - x.pad_begin;
        }
        const auto limit = choices_.padding_limit.value_or(PaddingLimit::none);
        for (const Index pad : {x.pad_begin, x.pad_end}) {
            if (limit == PaddingLimit::zero && pad > 0)
                return rejected("attrs.pad_begin" + at,
                                "padding of " + std::to_string(pad) + " is refused by padding_limit 'zero'",
                                "use no padding, or another padding_limit");
            if (limit == PaddingLimit::half_kernel && 2 * pad > x.kernel)
                return rejected("attrs.pad_begin" + at,
                                "padding of " + std::to_string(pad) + " is more than half the kernel of " +
                                    std::to_string(x.kernel),
                                "use at most half the kernel, or another padding_limit");
        }
        if (pool_.reduction == Reduction::max && (x.pad_begin > 0 || x.pad_end > 0) && !choices_.max_padding)
            return outside("attrs.pad_begin" + at, "padding of a maximum", "max_padding");
        if (same) return std::nullopt;

        Index room = x.extent + x.pad_begin + x.pad_end - reach;
        const bool ceil = attrs_.ceil_mode.value_or(false);
        if (ceil && !choices_.ceil_rule) return outside("attrs.ceil_mode", "true", "ceil_rule");
        const auto oversized = choices_.oversized_kernel.value_or(OversizedKernel::reject);
        const auto too_wide = [&] {
            return rejected(
                "attrs.kernel" + at,
                "spans " + std::to_string(reach) + " cells of the " +
                    std::to_string(x.extent + x.pad_begin + x.pad_end) + " of the padded input",
                "use a smaller kernel or dilation, more padding, or another oversized_kernel policy");
        };
        if (room < 0 && oversized == OversizedKernel::reject) return too_wide();
        if (room < 0 && oversized == OversizedKernel::one_window) room = 0;
        x.out = (ceil ? ceil_div(room, x.stride) : floor_div(room, x.stride)) + 1;
        if (ceil && *choices_.ceil_rule == CeilRule::drop_window_in_end_padding &&
            (x.out - 1) * x.stride >= x.extent + x.pad_begin)
            --x.out;
        if (x.out < 1) return too_wide();
        return std::nullopt;
    }

    Problem averages_and_sharpness() {
        pool_.count_padding = attrs_.count_include_pad.value_or(true);
        pool_.divisor_override = attrs_.divisor_override;
        if (pool_.divisor_override == 0)
            return rejected("attrs.divisor_override", "is 0", "use any other whole number");
        if (pool_.reduction != Reduction::smooth_max) return std::nullopt;
        if (is_integer(format_))
            return rejected("dtype",
                            "is " + std::string(name(format_)) + ", but smooth_max_pool has no integer form",
                            "use a floating dtype");
        if (!attrs_.beta)
            return rejected("attrs.beta", "is required for smooth_max_pool",
                            "give a finite number that is not 0");
        pool_.beta = *attrs_.beta;
        if (is_zero(format_, pool_.beta) || is_nan(format_, pool_.beta) || is_infinite(format_, pool_.beta))
            return rejected("attrs.beta", "is 0 or not finite", "give a finite number that is not 0");
        return std::nullopt;
    }

    Problem index_output() {
        pool_.return_indices = attrs_.return_indices.value_or(false);
        pool_.index_form = attrs_.index_form.value_or(IndexForm::flat);
        if (pool_.index_form == IndexForm::flat) return std::nullopt;
        if (!profile_.row_column)
            return rejected("attrs.index_form", "'row_column' is outside profile '" + profile_.name + "'",
                            "use 'flat', or profile 'tiny_pool'");
        if (pool_.axes.size() != 2)
            return rejected(
                "attrs.index_form",
                "'row_column' is for two spatial axes, here are " + std::to_string(pool_.axes.size()),
                "use 'flat'");
        return std::nullopt;
    }

    /// Whether some window of a sliding axis sees no real cell; or, `padded`, lies past the padded input.
    static bool has_gap(const Axis& a, bool padded) {
        if (a.bins || a.out == 0) return false;
        if (padded) return (a.out - 1) * a.stride - a.pad_begin >= a.extent + a.pad_end;
        for (Index out = 0; out < a.out; ++out) {
            const Index start = out * a.stride - a.pad_begin;
            const Index first = start >= 0 ? start : start + ceil_div(-start, a.dilation) * a.dilation;
            if (first >= a.extent || first > start + (a.kernel - 1) * a.dilation) return true;
        }
        return false;
    }

    /// Whether padding is among what a window of this kind combines.
    static bool takes_padding(const PoolPlan& p) {
        switch (p.reduction) {
            case Reduction::max: return p.policy.max_padding == MaxPadding::zero;
            case Reduction::average: return p.count_padding;
            case Reduction::smooth_max: break;
        }
        return p.policy.smooth_padding == SmoothPadding::zero;
    }

    /// Windows that combine nothing, where `empty_window` refuses them or is not decided [WEmpty].
    Problem policies_govern(const PoolPlan& pool) const {
        const bool undecided = !choices_.empty_window;
        if (!undecided && pool.policy.empty_window != EmptyWindow::reject) return std::nullopt;
        const bool padded = takes_padding(pool);
        if (pool.divisor_override || (padded && pool.policy.divisor == Divisor::kernel)) return std::nullopt;
        for (const Axis& a : pool.axes) {
            if (!has_gap(a, padded)) continue;
            if (undecided) return outside("attrs.kernel", "a window without a real cell", "empty_window");
            return rejected("attrs.kernel",
                            "leaves a window without a real cell, which empty_window 'reject' refuses",
                            "use less padding or dilation, or another empty_window policy");
        }
        return std::nullopt;
    }

    Checked<NodePlan> shaped(const Shape& input) {
        NodePlan n;
        n.shape.assign(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(leading_));
        n.leading = size(n.shape);
        for (const Axis& a : pool_.axes)
            if (!is_global(op_) || attrs_.keepdims.value_or(true)) n.shape.push_back(a.out);
        const Index factor = pool_.index_form == IndexForm::row_column ? 2 : 1;
        if (!valid_size(n.shape) || size(n.shape) * factor > max_elements)
            return rejected("attrs",
                            "the output's shape " + shown(n.shape) + " has more than " +
                                std::to_string(max_elements) + " elements",
                            "use larger strides, less padding or a smaller output_size");
        n.pool = std::move(pool_);
        return n;
    }

    Op op_;
    const Attributes& attrs_;
    const Profile& profile_;
    Choices choices_;
    Format format_;
    std::string path_;
    std::size_t leading_ = 0;
    PoolPlan pool_;
};

Checked<const Profile*> profile_of(const std::string& name) {
    if (const Profile* p = find_profile(name)) return p;
    std::string known;
    for (const auto& n : profile_names()) known += (known.empty() ? "" : ", ") + n;
    return Rejection{"profile", "'" + name + "' is not known", "use one of " + known};
}

Checked<NodePlan> settle_add(const Node& node, const std::vector<const Shape*>& inputs,
                             const std::string& path) {
    if (*inputs[0] != *inputs[1])
        return Rejection{path + "inputs", "have shapes " + shown(*inputs[0]) + " and " + shown(*inputs[1]),
                         "add two values of equal shapes"};
    NodePlan n;
    n.inputs = node.inputs;
    n.shape = *inputs[0];
    return n;
}

Checked<std::vector<NodePlan>> settle_nodes(const std::vector<Node>& nodes, Format format, const Shape& input,
                                            const Profile& profile, const Choices& choices,
                                            const std::string& list) {
    std::vector<NodePlan> plans;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        const Node& node = nodes[k];
        const std::string path = list + "[" + std::to_string(k) + "].";
        if (node.op == Op::graph)
            return Rejection{path + "op", "is graph, but a graph cannot be a node of a graph",
                             "write its nodes in its place"};
        std::vector<const Shape*> inputs;
        const std::size_t wanted = node.op == Op::add ? 2 : 1;
        if (node.inputs.size() != wanted)
            return Rejection{path + "inputs", "has " + std::to_string(node.inputs.size()) + " entries",
                             "give " + std::to_string(wanted)};
        for (const Index i : node.inputs) {
            if (i < -1 || i >= static_cast<Index>(k))
                return Rejection{path + (wanted == 1 ? "input" : "inputs"), "is " + std::to_string(i),
                                 "use the index of an earlier node, or -1 for the graph's input"};
            inputs.push_back(i < 0 ? &input : &plans[static_cast<std::size_t>(i)].shape);
        }
        auto settled =
            node.op == Op::add
                ? settle_add(node, inputs, path)
                : NodeSettler(node.op, node.attrs, profile, choices, format, path).settle(*inputs[0]);
        if (!settled) return settled.rejection();
        settled->inputs = node.inputs;
        plans.push_back(std::move(*settled));
    }
    return plans;
}

/// What the profile says of the case as a whole.
Problem within_profile(const Case& c, const Profile& profile) {
    const auto within = [&](const char* field, const std::vector<std::string>& list, std::string_view one) {
        if (list.empty() || std::find(list.begin(), list.end(), one) != list.end()) return Problem();
        return Problem(Rejection{field,
                                 "'" + std::string(one) + "' is outside profile '" + profile.name + "'",
                                 "use " + one_of(list) + ", or another profile"});
    };
    for (auto p : {within("op", profile.ops, name(c.op)), within("mode", profile.modes, name(c.mode)),
                   within("dtype", profile.formats, name(c.format))})
        if (p) return p;
    return std::nullopt;
}

Problem common_rules(const Case& c) {
    if (c.op == Op::add)
        return Rejection{"op", "is add, which is a node of a graph alone",
                         "write a graph with one node 'add'"};
    if (is_integer(c.format) && c.mode != Mode::forward)
        return Rejection{"mode",
                         "is " + std::string(name(c.mode)) + ", but " + std::string(name(c.format)) +
                             " has no derivatives",
                         "use mode forward, or a floating dtype"};
    if (is_integer(c.format) && c.op == Op::graph)
        return Rejection{"dtype",
                         "is " + std::string(name(c.format)) + ", but graphs are for floating dtypes",
                         "use a floating dtype"};
    if (c.mode != Mode::forward && c.attrs.return_indices.value_or(false))
        return Rejection{"attrs.return_indices", "is true in mode " + std::string(name(c.mode)),
                         "ask for indices in mode forward"};
    if (c.op == Op::graph && c.nodes.empty())
        return Rejection{"attrs.nodes", "is empty", "give at least one node"};
    return std::nullopt;
}

}  // namespace

Checked<std::vector<NodePlan>> plan_nodes(const std::vector<Node>& nodes, Format format, const Shape& input,
                                          const std::string& profile, const Choices& choices) {
    const auto found = profile_of(profile);
    if (!found) return found.rejection();
    return settle_nodes(nodes, format, input, **found, choices, "nodes");
}

Checked<Plan> plan(const Case& c) {
    const auto profile = profile_of(c.profile.value_or("torchlean"));
    if (!profile) return profile.rejection();
    if (auto p = common_rules(c)) return *p;
    if (auto p = within_profile(c, **profile)) return *p;

    Plan r;
    r.mode = c.mode;
    r.format = c.format;
    NodeSettler whole(c.op, c.attrs, **profile, c.policy, c.format, "");
    r.policy = whole.policy();
    if (c.op == Op::graph) {
        auto nodes = settle_nodes(c.nodes, c.format, c.input.shape, **profile, c.policy, "attrs.nodes");
        if (!nodes) return nodes.rejection();
        r.nodes = std::move(*nodes);
    } else {
        auto node = whole.settle(c.input.shape);
        if (!node) return node.rejection();
        node->inputs = {-1};
        r.nodes.push_back(std::move(*node));
    }
    if (c.cotangent && c.cotangent->shape != r.output().shape)
        return Rejection{
            "cotangent.shape",
            "is " + shown(c.cotangent->shape) + ", but the output's is " + shown(r.output().shape),
            "use the output's shape"};
    return r;
}

}  // namespace poolproof
