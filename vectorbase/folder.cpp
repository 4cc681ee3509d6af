// SPDX-License-Identifier: Apache-2.0
// The folder of vectors: finding, reading and writing it as a whole.
#include "vectorbase/form.hpp"
#include "vectorbase/frozen.hpp"

#include <poolproof/text.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace poolproof {

namespace fs = std::filesystem;
using text::Fields;
using text::Json;
using text::ObjectWriter;
using text::Reading;

namespace {

const std::string frozen_name = "frozen-" + std::to_string(spec_revision) + ".txt";

Checked<std::string> contents(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return Rejection{file.string(), "cannot be read", "check that it is there"};
    return std::string(std::istreambuf_iterator<char>(in), {});
}

std::optional<Rejection> put(const fs::path& file, const std::string& text) {
    if (const auto old = contents(file); old && *old == text) return std::nullopt;
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) return Rejection{file.string(), "cannot be written", "check the folder's rights and space"};
    return std::nullopt;
}

/// A file that holds a list of objects.
template <class Item> std::optional<Rejection> read_list(const fs::path& file, const char* list, Item item) {
    const auto text = contents(file);
    if (!text) return text.rejection();
    const auto document = text::parse(*text);
    if (!document) return Rejection{file.filename().string(), document.rejection().reason, "mend the JSON"};
    Reading reading;
    Fields fields(document->root, file.filename().string() + ": file", reading);
    if (const Json* all = fields.required(list, "write the list"))
        for (const Json& one : all->items()) {
            Fields of_item(one, file.filename().string() + ": " + list, reading);
            item(of_item, reading);
            of_item.close();
        }
    fields.close();
    return reading.rejection;
}

std::optional<Rejection> read_flags(const fs::path& file, VectorBase& base) {
    return read_list(file, "flags", [&](Fields& f, Reading& reading) {
        FlagNote note{f.string("name").value_or(""), f.string("shows").value_or("")};
        note.no_report = f.string("no_report").value_or("");
        if (const Json* reports = f.required("reports", "list public links; [] if none is known"))
            note.reports = vectorbase::strings_at(*reports, f.path("reports"), reading);
        base.flags.push_back(std::move(note));
    });
}

std::optional<Rejection> read_changes(const fs::path& file, VectorBase& base) {
    return read_list(file, "changes", [&](Fields& f, Reading&) {
        base.changes.push_back({f.string("id").value_or(""), f.string("was").value_or(""),
                                f.string("now").value_or(""), f.string("why").value_or("")});
    });
}

std::string changes_text(const std::vector<VectorChange>& changes) {
    const auto one = [](const VectorChange& c) {
        ObjectWriter out;
        out.add_string("id", c.id);
        out.add_string("was", c.was);
        out.add_string("now", c.now);
        out.add_string("why", c.why);
        return "\n" + out.text();
    };
    return "{\"changes\":" + text::list(changes, one) + "}\n";
}

/// Files of vectors have two dots: OP.THEME.json.
bool holds_vectors(const fs::path& p) { return p.extension() == ".json" && p.stem().has_extension(); }

}  // namespace

const Vector* VectorBase::find(std::string_view id) const {
    for (const VectorFile& f : files) {
        const auto v = std::lower_bound(f.vectors.begin(), f.vectors.end(), id,
                                        [](const Vector& a, std::string_view b) { return a.id < b; });
        if (v != f.vectors.end() && v->id == id) return &*v;
    }
    return nullptr;
}

std::size_t VectorBase::count() const {
    std::size_t n = 0;
    for (const VectorFile& f : files) n += f.vectors.size();
    return n;
}

std::optional<fs::path> vector_folder() {
    std::error_code error;
    const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const fs::path& p :
         {here / "vectors", here / "../vectors", here / "../../vectors", here / "../share/poolproof/vectors"})
        if (fs::exists(p / "flags.json", error)) return p.lexically_normal();
    return std::nullopt;
}

Checked<VectorBase> read_vectors(const fs::path& folder) {
    VectorBase base;
    std::error_code error;
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (holds_vectors(entry.path())) paths.push_back(entry.path());
    if (error)
        return Rejection{folder.string(), "cannot be read: " + error.message(), "name a folder of vectors"};
    std::sort(paths.begin(), paths.end());
    for (const fs::path& p : paths) {
        const auto text = contents(p);
        if (!text) return text.rejection();
        auto file = read_vector_file(p.filename().string(), *text);
        if (!file) return file.rejection();
        base.files.push_back(std::move(*file));
    }
    if (auto r = read_flags(folder / "flags.json", base)) return *r;
    if (auto r = read_changes(folder / "changes.json", base)) return *r;
    auto frozen = vectorbase::read_frozen(folder / frozen_name);
    if (!frozen) return frozen.rejection();
    base.frozen = std::move(*frozen);
    return base;
}

std::optional<Rejection> write_vectors(const VectorBase& base, const fs::path& folder) {
    for (const VectorFile& f : base.files)
        if (auto r = put(folder / f.name(), write_vector_file(f))) return r;
    return put(folder / "changes.json", changes_text(base.changes));
}

std::optional<Rejection> freeze_vectors(const VectorBase& base, const fs::path& folder) {
    const auto changes = vectorbase::unexplained_changes(base);
    if (!changes.empty()) return changes.front();
    return put(folder / frozen_name, vectorbase::frozen_text(base));
}

}  // namespace poolproof
