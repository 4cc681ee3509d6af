// SPDX-License-Identifier: Apache-2.0
// NumPy's formats: .npy arrays in an uncompressed zip.
#include "text/write.hpp"
#include "vectorbase/export.hpp"

#include <poolproof/text.hpp>

#include <array>

namespace poolproof::vectorbase {

namespace {

template <class T> void append(std::string& out, T value) {
    for (std::size_t k = 0; k < sizeof value; ++k) out += static_cast<char>(value >> (8 * k) & 0xff);
}

std::uint32_t crc32(const std::string& bytes) {
    std::uint32_t crc = ~std::uint32_t{0};
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320U : 0);
    }
    return ~crc;
}

/// A zip archive whose members are stored as they are.
class Zip {
public:
    void add(const std::string& member, const std::string& bytes) {
        std::string entry;
        append<std::uint16_t>(entry, 20);          // version needed
        append<std::uint16_t>(entry, 0);           // flags
        append<std::uint16_t>(entry, 0);           // stored
        append<std::uint32_t>(entry, 0x00210000);  // 1980-01-01: no clock in files
        append<std::uint32_t>(entry, crc32(bytes));
        append(entry, static_cast<std::uint32_t>(bytes.size()));
        append(entry, static_cast<std::uint32_t>(bytes.size()));
        append(entry, static_cast<std::uint16_t>(member.size()));
        append<std::uint16_t>(entry, 0);  // extra
        append<std::uint32_t>(directory_, 0x02014b50);
        append<std::uint16_t>(directory_, 20);
        directory_ += entry;
        append<std::uint16_t>(directory_, 0);  // comment
        append<std::uint16_t>(directory_, 0);  // disk
        append<std::uint16_t>(directory_, 0);  // attributes
        append<std::uint32_t>(directory_, 0);
        append(directory_, static_cast<std::uint32_t>(out_.size()));
        directory_ += member;
        append<std::uint32_t>(out_, 0x04034b50);
        out_ += entry + member + bytes;
        ++members_;
    }

    std::string finished() const {
        std::string end = out_ + directory_;
        append<std::uint32_t>(end, 0x06054b50);
        append<std::uint32_t>(end, 0);
        append(end, members_);
        append(end, members_);
        append(end, static_cast<std::uint32_t>(directory_.size()));
        append(end, static_cast<std::uint32_t>(out_.size()));
        append<std::uint16_t>(end, 0);
        return end;
    }

    bool full() const { return members_ > 65000 || out_.size() > std::size_t{1} << 31; }

private:
    std::string out_, directory_;
    std::uint16_t members_ = 0;
};

std::string npy(const Tensor& t, const char* type) {
    std::string shape = "(";
    for (const Index n : t.shape) shape += std::to_string(n) + ",";
    std::string head =
        std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': " + shape + "), }";
    head.resize((10 + head.size() + 1 + 63) / 64 * 64 - 11, ' ');
    head += '\n';
    std::string out = "\x93NUMPY";
    out += '\1';
    out += '\0';
    append(out, static_cast<std::uint16_t>(head.size()));
    return out + head + std::string(reinterpret_cast<const char*>(t.data.data()), t.data.size());
}

const char* numpy_type(Format f) {
    constexpr std::array<const char*, 8> names{"<f8", "<f4", "<f2", "<u2", "|i1", "|u1", "<i4", "<i8"};
    return names[static_cast<std::size_t>(f)];
}

Tensor ends(const ExpectedOutput& o, Bits Permitted::*end) {
    Tensor t(o.format, o.shape);
    for (std::size_t k = 0; k < o.values.size(); ++k) t.set(static_cast<Index>(k), o.values[k].*end);
    return t;
}

Tensor permitted(const ExpectedOutput& o) {
    Tensor t(Format::u8, o.shape);
    for (std::size_t k = 0; k < o.values.size(); ++k)
        t.set(static_cast<Index>(k), static_cast<Bits>(marks(o.values[k])));
    return t;
}

std::string flag_list(const std::vector<std::string>& flags) { return text::list(flags, json_string); }

}  // namespace

Exported export_npz(const std::vector<VectorInstance>& all, const std::filesystem::path& out) {
    Zip zip;
    std::string index;
    for (const VectorInstance& one : all) {
        const std::string key = one.vector->id + "." + std::string(name(one.format));
        text::ObjectWriter entry;
        entry.add_string("key", key);
        entry.add_string("id", one.vector->id);
        entry.add_string("dtype", name(one.format));
        entry.add_string("level", name(one.vector->level));
        entry.add_string("clause", one.vector->clause);
        entry.add("flags", flag_list(one.vector->flags));
        entry.add("rejected", one.expected == nullptr ? "true" : "false");
        entry.add("case", one.vector->question);
        zip.add(key + ".input.npy", npy(one.c.input, numpy_type(one.format)));
        if (const Tensor* t = direction(one.c))
            zip.add(key + ".direction.npy", npy(*t, numpy_type(one.format)));
        if (one.expected != nullptr) {
            const ExpectedOutput& y = one.expected->outputs.front();
            zip.add(key + ".lowest.npy", npy(ends(y, &Permitted::lowest), numpy_type(one.format)));
            zip.add(key + ".highest.npy", npy(ends(y, &Permitted::highest), numpy_type(one.format)));
            zip.add(key + ".permitted.npy", npy(permitted(y), "|u1"));
            for (const ExpectedOutput& o : one.expected->outputs)
                if (o.name == "indices")
                    entry.add("any_of", text::list(o.positions, [](const PermittedIndices& p) {
                                  return p ? text::list(*p, [](Index i) { return std::to_string(i); })
                                           : std::string("[\"open\"]");
                              }));
        }
        if (zip.full())
            return Rejection{"export", "is too large for one .npz", "choose with --op, --mode or --dtype"};
        index += (index.empty() ? "" : ",\n") + entry.text();
    }
    if (auto r = write_file(out / "vectors.npz", zip.finished())) return *r;
    if (auto r = write_file(out / "vectors.json", "[\n" + index + "\n]\n")) return *r;
    return all.size();
}

namespace {

constexpr const char* pytest_module =
    R"PY("""Vectors of poolproof as pytest parameters: @pytest.mark.parametrize("vector", poolproof_vectors.parameters())."""

import json
from pathlib import Path

import numpy
import pytest

HERE = Path(__file__).resolve().parent
ARRAYS = numpy.load(HERE / "vectors.npz")
RANGE, NAN, INF, MINUS_INF, OPEN = 1, 2, 4, 8, 16


class Vector:
    """One vector in one dtype; `input`, `direction` (tangent or cotangent) and the permitted answer are arrays."""

    def __init__(self, entry):
        self.id, self.dtype, self.case, self.rejected = entry["id"], entry["dtype"], entry["case"], entry["rejected"]
        self.level, self.clause, self.flags, self.key = entry["level"], entry["clause"], entry["flags"], entry["key"]

    def array(self, name):
        return ARRAYS[f"{self.key}.{name}"] if f"{self.key}.{name}" in ARRAYS else None

    @property
    def input(self):
        return self.array("input")

    @property
    def direction(self):
        return self.array("direction")

    def wrong(self, answer):
        """The positions, row-major, at which an answer is not permitted; bfloat16 is not judged here."""
        lowest, highest, permitted = (self.array(name) for name in ("lowest", "highest", "permitted"))
        assert answer.shape == lowest.shape and answer.dtype == lowest.dtype, (answer.shape, lowest.shape)
        found = []
        for k, (y, low, high, may) in enumerate(zip(answer.flat, lowest.flat, highest.flat, permitted.flat)):
            if numpy.isnan(y):
                right = may & NAN
            elif numpy.isinf(y):
                right = may & (INF if y > 0 else MINUS_INF)
            else:  # -0 lies just below +0
                key = lambda x: (x, not numpy.signbit(x))
                right = may & RANGE and key(low) <= key(y) <= key(high)
            if not right and not may & OPEN:
                found.append(k)
        return found


def parameters(select=lambda vector: True):
    with open(HERE / "vectors.json", encoding="utf-8") as file:
        vectors = [Vector(entry) for entry in json.load(file)]
    return [pytest.param(vector, id=vector.key) for vector in vectors if select(vector)]
)PY";

}  // namespace

Exported export_pytest(const std::vector<VectorInstance>& all, const std::filesystem::path& out) {
    if (auto r = write_file(out / "poolproof_vectors.py", pytest_module)) return *r;
    return export_npz(all, out);
}

}  // namespace poolproof::vectorbase
