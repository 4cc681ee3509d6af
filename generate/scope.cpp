// SPDX-License-Identifier: Apache-2.0
#include "generate/scope.hpp"

#include "generate/patterns.hpp"

#include <algorithm>
#include <stdexcept>

namespace poolproof {

namespace generate {

Attributes plain_attributes(Op op, Format format, Index rank) {
    const std::vector<Index> ones(static_cast<std::size_t>(rank), 1);
    Attributes a;
    if (is_sliding(op))
        a.kernel = ones;
    else if (is_adaptive(op))
        a.output_size = ones;
    else
        a.spatial_rank = rank;
    if (op == Op::smooth_max_pool) a.beta = integer_bits(format, 1);
    return a;
}

Case plain_case(const Request& request, Op op, Mode mode, Format format, Shape input, Index rank) {
    Case c;
    c.op = op;
    c.mode = mode;
    c.format = format;
    c.profile = request.profile;
    c.policy = request.policy;
    // Integer formats have no beta; it is the plan that refuses them.
    const Format of_beta = is_integer(format) ? Format::f64 : format;
    if (op == Op::graph)
        c.nodes.push_back({Op::max_pool, plain_attributes(Op::max_pool, of_beta, rank), {-1}});
    else
        c.attrs = plain_attributes(op, of_beta, rank);
    c.input = Tensor(format, std::move(input));
    return c;
}

namespace {

template <class T> bool listed(const std::vector<T>& list, T one) {
    return list.empty() || std::find(list.begin(), list.end(), one) != list.end();
}

Shape unit_shape(Index axes, Index extent = 1) { return Shape(static_cast<std::size_t>(axes), extent); }

/// Calls `visit(op, mode, format)` for all of them.
template <class Visit> void for_each_kind(const Visit& visit) {
    for (std::size_t op = 0; op < drawn_ops; ++op)
        for (std::size_t mode = 0; mode < mode_names.size(); ++mode)
            for (std::size_t format = 0; format < format_names.size(); ++format)
                visit(static_cast<Op>(op), static_cast<Mode>(mode), static_cast<Format>(format));
}

void find_allowed(Scope& s, Index leading, Index rank) {
    for_each_kind([&](Op op, Mode mode, Format format) {
        const Case c = plain_case(s.request, op, mode, format, unit_shape(leading + rank), rank);
        if (!plan(c)) return;
        const unsigned bit = 1U << static_cast<unsigned>(format);
        s.allowed[at(op)][static_cast<std::size_t>(mode)] |= bit;
        if (listed(s.request.ops, op) && listed(s.request.modes, mode) && listed(s.request.formats, format))
            s.requested[at(op)][static_cast<std::size_t>(mode)] |= bit;
    });
}

bool any(const FormatTable& table) {
    return std::any_of(table.begin(), table.end(),
                       [](const auto& modes) { return modes[0] | modes[1] | modes[2]; });
}

/// Some format that the profile allows the op forward.
std::optional<Format> format_of(const Scope& s, Op op) {
    for (std::size_t f = 0; f < format_names.size(); ++f)
        if ((s.allowed[at(op)][0] >> f & 1U) != 0) return static_cast<Format>(f);
    return std::nullopt;
}

void find_attributes(Scope& s) {
    const auto [leading, rank] = s.ranks.front();
    const auto asked = [&, lead = leading, dims = rank](Op op, auto change) {
        const auto format = format_of(s, op);
        if (!format) return false;
        Case c = plain_case(s.request, op, Mode::forward, *format, unit_shape(lead + dims, 7), dims);
        if (c.attrs.kernel) c.attrs.kernel->assign(c.attrs.kernel->size(), 3);
        change(c.attrs);
        return static_cast<bool>(plan(c));
    };
    const auto all = [dims = rank](Index n) { return std::vector<Index>(static_cast<std::size_t>(dims), n); };
    for (std::size_t k = 0; k < s.sliding.size(); ++k) {
        const Op op = static_cast<Op>(k);
        Scope::Sliding& x = s.sliding[k];
        x.padding = asked(op, [&](Attributes& a) { a.pad_begin = all(1); });
        x.wide_padding = asked(op, [&](Attributes& a) { a.pad_begin = all(2); });
        x.auto_pad = asked(op, [&](Attributes& a) { a.auto_pad = AutoPad::same_lower; });
        x.dilation = asked(op, [&](Attributes& a) { a.dilation = all(2); });
        x.ceil = asked(op, [&](Attributes& a) { a.ceil_mode = true; });
        x.oversized = asked(op, [&](Attributes& a) { a.kernel = all(8); });
        x.oversized_by_ceil = asked(op, [&](Attributes& a) {
            a.kernel = all(8);
            a.ceil_mode = true;
        });
        x.uncounted = op == Op::avg_pool && asked(op, [&](Attributes& a) { a.count_include_pad = false; });
        x.divisor_override = op == Op::avg_pool && asked(op, [&](Attributes& a) { a.divisor_override = 5; });
    }
    s.empty_output = asked(Op::adaptive_max_pool, [&](Attributes& a) { a.output_size = all(0); });
    for (const auto& [l, r] : s.ranks) {
        const auto format = format_of(s, Op::max_pool);
        if (r != 2 || !format) continue;
        Case c = plain_case(s.request, Op::max_pool, Mode::forward, *format, unit_shape(l + r), r);
        c.attrs.return_indices = true;
        c.attrs.index_form = IndexForm::row_column;
        s.row_column = s.row_column || static_cast<bool>(plan(c));
    }
}

}  // namespace
}  // namespace generate

Checked<Generator> generator(Request request) {
    using namespace generate;
    auto s = std::make_shared<Scope>();
    s->request = std::move(request);
    const auto& names = profile_names();
    const std::string profile = s->request.profile.value_or("torchlean");
    if (std::find(names.begin(), names.end(), profile) == names.end()) {
        std::string known;
        for (const auto& n : names) known += (known.empty() ? "" : ", ") + n;
        return Rejection{"profile", "'" + profile + "' is not known", "use one of " + known};
    }
    for (Index leading = 0; leading <= most_leading; ++leading)
        for (Index rank = 1; rank <= most_spatial; ++rank) {
            if (!listed(s->request.spatial_ranks, rank)) continue;
            if (!any(s->requested)) find_allowed(*s, leading, rank);
            bool fits = false;
            for_each_kind([&](Op op, Mode mode, Format format) {
                const bool wanted =
                    (s->requested[at(op)][static_cast<std::size_t>(mode)] >> static_cast<unsigned>(format) &
                     1U) != 0;
                if (fits || !wanted) return;
                fits = s->valid(plain_case(s->request, op, mode, format, unit_shape(leading + rank), rank));
            });
            if (fits) s->ranks.emplace_back(leading, rank);
        }
    if (s->ranks.empty())
        return Rejection{"request", "asks for nothing that profile '" + profile + "' decides",
                         "choose other ops, modes, formats or ranks, or another profile"};
    find_attributes(*s);
    return Generator(std::move(s));
}

const Request& Generator::request() const { return scope_->request; }

Case generated(const Request& request, std::uint64_t index) {
    const auto g = generator(request);
    if (!g) throw std::logic_error("generated: " + message(g.rejection()));
    return (*g)(index);
}

}  // namespace poolproof
