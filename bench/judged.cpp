// SPDX-License-Identifier: Apache-2.0
// Whole layers judged in this process, block by block: LibTorch's answer where LibTorch is, else the
// reference's, and averages pushed to the ends of what is permitted. A judgment's cost is compared with
// LibTorch's own time for the layer.
#include "bench/layers.hpp"
#include "bench/random.hpp"

#include <poolproof/backend.hpp>
#include <poolproof/verdict.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace poolproof::bench {

namespace {

/// Whose answer is judged.
enum class Answer { given, perturbed, exact };

struct Task {
    std::string name;
    Layer layer;
    Mode mode;  ///< also jvp, which no layer has
    Answer answer = Answer::given;
};

/// "judge/avg_pool/f64/k3s2p1", with what tells it from a forward pass on the default size.
std::string name_of(const Layer& l, Mode mode, const char* more) {
    std::string s = l.name();
    const std::string forward = "/" + std::string(name(l.mode)) + "/";
    s.replace(s.find(forward), forward.size(),
              mode == Mode::forward ? "/" : "/" + std::string(name(mode)) + "/");
    return "judge/" + s + more;
}

Tensor as_format(Tensor t, Format f) {
    if (f == Format::f64) return t;
    Tensor r(f, t.shape);
    for (Index i = 0; i < t.size(); ++i)
        r.set(i, std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(t[i]))));
    return r;
}

Case filled_case(const Task& task) {
    Case c = task.layer.as_case();
    c.mode = task.mode;
    if (task.mode != Mode::forward) c.attrs.return_indices.reset();
    c.input = as_format(random_tensor(task.layer.shape), c.format);
    if (task.mode == Mode::jvp) c.tangent = as_format(random_tensor(task.layer.shape), c.format);
    if (task.mode == Mode::vjp) c.cotangent = as_format(random_tensor(task.layer.output_shape()), c.format);
    if (task.answer == Answer::exact) c.policy.accumulate = Accumulate::exact;
    return c;
}

const Rival* who_answers() {
    const auto& all = rivals();
    const auto at = std::find_if(all.begin(), all.end(), [](const Rival& r) { return bool(r.answer); });
    return at == all.end() ? nullptr : &*at;
}

/// Every value moved to a random place in its range, as an implementation would that errs as much as it may.
void perturb(const Plan& plan, const Case& c, Tensor& answer) {
    const Index slices = slice_count(plan, c);
    const Tensor random = random_tensor(answer.shape);
    for (Index k = 0; k < slices; ++k) {
        const Expected sets = expect(plan, c, {k, 1});
        Index at = sets.outputs.front().first;
        for (const Permitted& p : sets.outputs.front().values) {
            const double share = std::bit_cast<double>(random[at]) / 8 + 0.5;
            const Index low = ordinal(c.format, p.lowest), high = ordinal(c.format, p.highest);
            const Index chosen = low + static_cast<Index>(share * static_cast<double>(high - low));
            if (p.range && chosen != 0 && (low < 0) == (high < 0))
                answer.set(at, chosen > 0 ? static_cast<Bits>(chosen)
                                          : sign_bit(c.format) | static_cast<Bits>(-1 - chosen));
            ++at;
        }
    }
}

Observation answered(const Task& task, const Plan& plan, const Case& c) {
    const Rival* const rival = who_answers();
    Case asked = c;
    asked.policy = {};
    Observation o =
        rival != nullptr ? rival->answer(asked) : std::move(*find_backend("reference"))->run(asked);
    if (task.answer != Answer::given && o.kind == Observation::Kind::answered)
        perturb(plan, c, o.outputs.front().second);
    return o;
}

/// A figure of this process's memory, in bytes; 0 where there is none.
double memory(const char* field) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (double kib = 0; word == field && status >> kib) return kib * 1024;
    return 0;
}

double bytes_of(const Case& c, const Observation& o) {
    std::size_t n = c.input.data.size() + (c.tangent ? c.tangent->data.size() : 0) +
                    (c.cotangent ? c.cotangent->data.size() : 0);
    for (const auto& [name, tensor] : o.outputs) n += tensor.data.size();
    return static_cast<double>(n);
}

/// The most memory that is in use while the case is judged, its tensors included, over the tensors' own.
double memory_over_tensors(const Plan& plan, const Case& c, const Observation& o) {
    std::ofstream("/proc/self/clear_refs") << "5";
    const double before = memory("VmRSS:");
    keep(judge_case(plan, c, o));
    const double grown = std::max(memory("VmHWM:") - before, 0.0);
    return (bytes_of(c, o) + grown) / bytes_of(c, o);
}

Trial judged(const Task& task) {
    const auto c = std::make_shared<const Case>(filled_case(task));
    const auto settled = std::make_shared<const Plan>(*plan(*c));
    const auto o = std::make_shared<const Observation>(answered(task, *settled, *c));
    Stages stages;
    const Verdict v = judge_case(*settled, *c, *o, &stages);
    if (v.outcome != Outcome::conforms)
        throw std::runtime_error(task.name + ": the answer does not conform: " + v.clause + " " + v.why +
                                 o->why);
    const double windows = static_cast<double>(size(task.layer.output_shape()));
    const double times = memory_over_tensors(*settled, *c, *o);
    Trial t;
    t.works.push_back([=] { keep(judge_case(*settled, *c, *o)); });
    Layer layer = task.layer;
    layer.mode = task.mode;
    layer.indices = false;
    const bool timed = task.mode != Mode::jvp && !rivals().empty();
    if (Work work = timed ? rivals().front().prepare(layer, Inputs::of(layer), {}) : Work())
        t.works.push_back(std::move(work));
    t.figures = [=](const auto& seconds) {
        Figures f{{"judge_ms", 1e3 * seconds[0]}};
        if (seconds.size() > 1) {
            f.emplace_back("torch_ms", 1e3 * seconds[1]);
            f.emplace_back("share", seconds[0] / seconds[1]);
        }
        f.emplace_back("ns_per_window", 1e9 * seconds[0] / windows);
        f.emplace_back("memory_over_tensors", times);
        f.emplace_back("screened", static_cast<double>(stages.screened));
        f.emplace_back("certified", static_cast<double>(stages.certified));
        f.emplace_back("exact", static_cast<double>(stages.exact));
        return f;
    };
    return t;
}

Layer layer_of(Op op, Format f, Shape shape, Index k, Index s, Index p) {
    return {op, Mode::forward, f, std::move(shape), {k, k}, {s, s}, {p, p}, {}, false};
}

}  // namespace

void add_judged(std::vector<Measure>& to) {
    std::vector<Task> tasks;
    const auto add = [&](const Layer& l, Mode mode, Answer answer, const char* more) {
        tasks.push_back({name_of(l, mode, more), l, mode, answer});
    };
    for (const Format f : {Format::f64, Format::f32}) {
        const Layer maximum = layer_of(Op::max_pool, f, default_shape, 3, 2, 1),
                    average = layer_of(Op::avg_pool, f, default_shape, 3, 2, 1),
                    halves = layer_of(Op::avg_pool, f, default_shape, 2, 2, 0);
        add(maximum, Mode::forward, Answer::given, "");
        add(maximum, Mode::vjp, Answer::given, "");
        for (const Layer& l : {average, halves}) {
            add(l, Mode::forward, Answer::given, "");
            add(l, Mode::forward, Answer::perturbed, "_perturbed");
            add(l, Mode::forward, Answer::exact, "_correctly_rounded");
        }
        add(average, Mode::vjp, Answer::given, "");
    }
    const Layer smooth = layer_of(Op::smooth_max_pool, Format::f64, {1, 2, 40, 40}, 3, 2, 0);
    for (const Mode mode : {Mode::forward, Mode::jvp, Mode::vjp}) add(smooth, mode, Answer::given, "");
    for (const Task& task : tasks) to.push_back({task.name, [=] { return judged(task); }});
}

}  // namespace poolproof::bench
