// SPDX-License-Identifier: Apache-2.0
#include "vectorbase/export.hpp"

#include "text/write.hpp"

#include <poolproof/text.hpp>

namespace poolproof::vectorbase {

namespace {

constexpr const char* declarations =
    "/* Vectors of poolproof, written by `poolproof vectors export --format c`. Values are bit patterns of "
    "the\n"
    "   vector's dtype, zero-extended; integers in two's complement of their own width. */\n"
    "#ifndef POOLPROOF_VECTORS_H\n#define POOLPROOF_VECTORS_H\n#include <stddef.h>\n#include <stdint.h>\n"
    R"(
enum { POOLPROOF_RANGE = 1, POOLPROOF_NAN = 2, POOLPROOF_INF = 4, POOLPROOF_MINUS_INF = 8, POOLPROOF_OPEN = 16 };

typedef struct {
    const char *id, *op, *mode, *dtype;
    const char *policy;          /* what the case settles otherwise than its profile, as JSON; or null */
    int rejected;                /* the case must be refused; everything after `input` is empty then */
    int rank, spatial_rank;      /* of the input; the last axes are spatial */
    const int64_t *shape;
    const uint64_t *input, *direction; /* the tangent or cotangent, or null */
    /* per spatial axis; of adaptive and global ops all but `bins` are 0 */
    const int64_t *kernel, *stride, *pad_begin, *pad_end, *dilation, *out;
    int bins, count_padding, ties;      /* 0 first, 1 last, 2 all, 3 split */
    int64_t divisor_override;    /* 0: none */
    uint64_t beta;
    size_t values;               /* of the output, row-major */
    const uint64_t *lowest, *highest;
    const unsigned char *permitted; /* a sum of POOLPROOF_RANGE and so on */
} poolproof_vector;

)";

template <class Range, class Value> std::string numbers(const Range& r, Value value) {
    std::string s = "{";
    for (const auto& x : r) s += (s.size() > 1 ? "," : "") + value(x);
    return s.size() > 1 ? s + "}" : "{0}";
}

std::string hex(Bits b) {
    std::string s;
    do s.insert(s.begin(), "0123456789abcdef"[b & 15]);
    while ((b >>= 4) != 0);
    return "0x" + s + "u";
}

std::string patterns(const Tensor& t) {
    std::vector<Bits> all;
    for (Index i = 0; i < t.size(); ++i) all.push_back(t[i]);
    return numbers(all, hex);
}

/// One vector's arrays and its entry in the table.
class Writer {
public:
    Writer(std::string& arrays, std::string& table, std::size_t number)
        : arrays_(arrays), table_(table), prefix_("pp" + std::to_string(number) + "_") {}

    void write(const VectorInstance& one, const Plan* plan) {
        const Tensor* t = direction(one.c);
        std::string entry =
            "    {" + json_string(one.vector->id) + ",\"" + std::string(name(one.c.op)) + "\",\"" +
            std::string(name(one.c.mode)) + "\",\"" + std::string(name(one.format)) + "\"," +
            (one.c.policy == Choices{} ? "0" : json_string(text::policy_text(one.c.policy))) + "," +
            (plan == nullptr ? "1," : "0,") + std::to_string(one.c.input.shape.size()) + ",";
        const std::string input = array("int64_t", "s", numbers(one.c.input.shape, number)) + "," +
                                  array("uint64_t", "x", patterns(one.c.input)) + "," +
                                  (t != nullptr ? array("uint64_t", "d", patterns(*t)) : "0");
        if (plan == nullptr) {
            table_ += entry + "0," + input + ",0,0,0,0,0,0,0,0,0,0,0,0,0,0,0},\n";
            return;
        }
        const PoolPlan& p = *plan->nodes.front().pool;
        entry += std::to_string(p.axes.size()) + "," + input;
        for (const auto& [letter, member] :
             {std::pair("k", &Axis::kernel), std::pair("t", &Axis::stride), std::pair("b", &Axis::pad_begin),
              std::pair("e", &Axis::pad_end), std::pair("l", &Axis::dilation), std::pair("o", &Axis::out)})
            entry += "," + array("int64_t", letter,
                                 numbers(p.axes, [m = member](const Axis& a) { return number(a.*m); }));
        const ExpectedOutput& y = one.expected->outputs.front();
        entry +=
            std::string(",") + (p.axes.front().bins ? "1," : "0,") + (p.count_padding ? "1," : "0,") +
            std::to_string(static_cast<int>(p.policy.ties)) + "," + number(p.divisor_override.value_or(0)) +
            "," + hex(p.beta) + "," + std::to_string(y.values.size()) + "," +
            array("uint64_t", "lo", numbers(y.values, [](const Permitted& v) { return hex(v.lowest); })) +
            "," +
            array("uint64_t", "hi", numbers(y.values, [](const Permitted& v) { return hex(v.highest); })) +
            "," +
            array("unsigned char", "p",
                  numbers(y.values, [](const Permitted& v) { return std::to_string(marks(v)); }));
        table_ += entry + "},\n";
    }

private:
    static std::string number(Index i) { return std::to_string(i); }

    std::string array(const char* type, const std::string& suffix, const std::string& values) {
        arrays_ += std::string("static const ") + type + " " + prefix_ + suffix + "[] = " + values + ";\n";
        return prefix_ + suffix;
    }

    std::string &arrays_, &table_;
    std::string prefix_;
};

}  // namespace

Exported export_c(const std::vector<VectorInstance>& all, const std::filesystem::path& out) {
    std::string arrays, table;
    std::size_t n = 0;
    for (const VectorInstance& one : all) {
        if (one.c.op == Op::graph) continue;
        const auto settled = plan(one.c);
        Writer(arrays, table, n++).write(one, settled ? &*settled : nullptr);
    }
    const std::string text = declarations + arrays +
                             "static const poolproof_vector poolproof_vectors[] = {\n" + table +
                             "};\nenum { poolproof_vector_count = " + std::to_string(n) + " };\n#endif\n";
    if (auto r = write_file(out / "poolproof_vectors.h", text)) return *r;
    return n;
}

}  // namespace poolproof::vectorbase
