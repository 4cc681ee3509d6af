// SPDX-License-Identifier: Apache-2.0
// `poolproof cases`: generated cases as files, for chips and simulators that cannot be called.
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/request.hpp"

#include <poolproof/run.hpp>
#include <poolproof/text.hpp>

#include <cstdio>

namespace poolproof::cli {

namespace {

std::optional<Rejection> write_tensors(const std::string& folder, std::size_t line, const Case& c) {
    const auto write = [&](const char* name, const Tensor& t) {
        return write_file("--out", numbered(folder, line, name), write_npy(t));
    };
    if (auto p = write("input", c.input)) return p;
    if (c.tangent)
        if (auto p = write("tangent", *c.tangent)) return p;
    return c.cotangent ? write("cotangent", *c.cotangent) : std::nullopt;
}

}  // namespace

int run_cases(const Arguments& a) {
    if (!a.positional.empty())
        return refuse({a.positional.front(), "is not expected here", "name a folder with --out"});
    const auto folder = a.value("--out");
    if (!folder) return refuse({"--out", "is missing", "name the folder to write to"});
    const std::string format = a.value("--format").value_or("jsonl");
    if (format != "jsonl" && format != "npy")
        return refuse({"--format", "'" + format + "' is not known", "write jsonl or npy"});
    Request request;
    Index count = default_cases;
    if (const auto p = read_request(a, request)) return refuse(*p);
    if (const auto p = read_count(a, count)) return refuse(*p);
    const Declaration anyone;
    if (!request.profile) request.profile = anyone.profile;
    const auto source = generated_cases(request, anyone, 0, static_cast<std::uint64_t>(count));
    if (!source) return refuse(source.rejection());
    if (const auto p = make_folder("--out", *folder)) return refuse(*p);
    std::string lines;
    std::size_t line = 0;
    for (auto s = (*source)(); s; s = (*source)(), ++line) {
        lines += write_case(s->c) + "\n";
        if (format == "npy")
            if (const auto p = write_tensors(*folder, line, s->c)) return refuse(*p);
    }
    if (const auto p = write_file("--out", *folder + "/cases.jsonl", lines)) return refuse(*p);
    std::printf("%zu cases in %s/cases.jsonl\n", line, folder->c_str());
    return Exit::ok;
}

}  // namespace poolproof::cli
