// SPDX-License-Identifier: Apache-2.0
// The set of a revision: what stands in frozen-N.txt, what has become of it since, and writing it anew.
#include "vectorbase/frozen.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace poolproof {

namespace vectorbase {

namespace {

/// Whether noted changes lead from one state of a vector to another. A state is a hash or a level; an empty
/// one is a vector that was removed.
bool explained(const VectorBase& base, const std::string& id, std::string state, std::string_view now) {
    for (const VectorChange& c : base.changes)
        if (c.id == id && c.was == state && !c.why.empty()) state = c.now;
    return state == now;
}

Rejection unexplained(const std::string& id, std::string reason) {
    return {"vectors: " + id, std::move(reason),
            "note why in changes.json; `poolproof vectors add` does with a draft's `change`"};
}

}  // namespace

std::vector<Rejection> unexplained_changes(const VectorBase& base) {
    std::vector<Rejection> r;
    for (const FrozenVector& f : base.frozen) {
        const Vector* v = base.find(f.id);
        const std::string_view hash = v != nullptr ? std::string_view(v->hash) : "";
        if (!explained(base, f.id, f.hash, hash))
            r.push_back(unexplained(
                f.id, v != nullptr ? "has changed since it was frozen" : "is gone though frozen"));
        else if (v != nullptr && !explained(base, f.id, std::string(name(f.level)), name(v->level)))
            r.push_back(unexplained(f.id, "was frozen as " + std::string(name(f.level)) + " and is " +
                                              std::string(name(v->level))));
    }
    return r;
}

Checked<std::vector<FrozenVector>> read_frozen(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::vector<FrozenVector> r;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string id, hash, level, more;
        words >> id >> hash >> level;
        const auto known = std::find(level_names.begin(), level_names.end(), level);
        if (known == level_names.end() || words >> more)
            return Rejection{file.filename().string() + ": line " + std::to_string(r.size() + 1),
                             "is no id, hash and level", "restore it"};
        r.push_back({id, hash, static_cast<Level>(known - level_names.begin())});
    }
    return r;
}

std::string frozen_text(const VectorBase& base) {
    std::vector<std::string> lines;
    for (const VectorFile& f : base.files)
        for (const Vector& v : f.vectors)
            lines.push_back(v.id + " " + v.hash + " " + std::string(name(v.level)) + "\n");
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const std::string& line : lines) all += line;
    return all;
}

}  // namespace vectorbase

}  // namespace poolproof
