// SPDX-License-Identifier: Apache-2.0
// Vectors: cases with their answers as files that outlive this program. docs/decisions/0007 says why they are
// as they are, vectors/README.md how to read them without this library.
#pragma once

#include <poolproof/run.hpp>

#include <filesystem>

namespace poolproof {

/// Raised with a change to docs/SPEC.md that changes an answer; `vectors/frozen-N.txt` is the set of revision
/// N.
inline constexpr int spec_revision = 1;

enum class Level : std::uint8_t {
    required,     ///< follows from the documents the specification is made of
    recommended,  ///< an extension with the meaning that frameworks give it
    informative,  ///< rests on a convention, or on a policy that the case names
};
inline constexpr std::array<std::string_view, 3> level_names{"required", "recommended", "informative"};
constexpr std::string_view name(Level l) { return level_names[static_cast<std::size_t>(l)]; }

/// The permitted answers in one format.
struct StoredAnswer {
    Format format = Format::f64;
    Expected expected;
};

/// One case with its answer, under all the profiles and in all the formats that it names.
struct Vector {
    std::string id;
    std::string hash;  ///< of the content: everything from `profiles` on
    Level level = Level::required;
    std::string clause;
    std::vector<std::string> flags;
    std::string note;
    bool smoke = false;

    std::vector<std::string> profiles;
    std::vector<Format> formats;
    std::string question;               ///< the case as JSON, without dtype and profile
    std::string exact;                  ///< as JSON; empty where the case must be rejected
    std::vector<StoredAnswer> answers;  ///< one for each format; none where the case must be rejected
    std::string rejected;               ///< the field that is wrong, where the case must be rejected

    bool must_be_rejected() const { return answers.empty(); }
};

struct VectorFile {
    std::string op, theme;
    std::vector<Vector> vectors;  ///< by id

    std::string name() const { return op + "." + theme + ".json"; }
};

/// What a flag says of a vector that has it: the kind of bug it shows, and public reports of it, or why there
/// is none.
struct FlagNote {
    std::string name, shows;
    std::vector<std::string> reports{};
    std::string no_report{};
};

/// A vector that is no longer what it was when it was frozen, and why: its hash, or its level. An empty `now`
/// is a vector that was removed.
struct VectorChange {
    std::string id, was, now, why;
};

/// What a revision requires of a vector.
struct FrozenVector {
    std::string id, hash;
    Level level = Level::required;
};

/// The folder of vectors as a whole.
struct VectorBase {
    std::vector<VectorFile> files;  ///< by name
    std::vector<FlagNote> flags;
    std::vector<VectorChange> changes;
    std::vector<FrozenVector> frozen;  ///< by id

    const Vector* find(std::string_view id) const;
    std::size_t count() const;
};

/// Where the vectors are: `vectors` beside the program or above it, or `share/poolproof/vectors` beside its
/// folder. Nothing if they are not there.
std::optional<std::filesystem::path> vector_folder();

/// Reads a file strictly: form, canonical writing, hashes, counts, order. A rejection's field says which
/// file, which vector and which field. No answer is computed.
Checked<VectorFile> read_vector_file(const std::string& file_name, std::string_view text);
Checked<VectorBase> read_vectors(const std::filesystem::path& folder);

/// The one form of a file; `read_vector_file` accepts no other.
std::string write_vector_file(const VectorFile& file);
std::optional<Rejection> write_vectors(const VectorBase& base, const std::filesystem::path& folder);

/// Writes the set of this revision: every vector's id, hash and level. What was frozen before may only have
/// changed, or gone, with a note of why.
std::optional<Rejection> freeze_vectors(const VectorBase& base, const std::filesystem::path& folder);

/// One vector as the text that stands in its file.
std::string vector_text(const Vector& v);

/// The SHA-256, in hex, of {"profiles":..,"dtypes":..,"case":..,..} without spaces.
std::string content_hash(const Vector& v);

/// The case in one format, under one profile. Requires one of the vector's formats.
Case instance(const Vector& v, Format f, const std::string& profile);

/// A line of JSON such as {"id":..,"theme":..,"clause":..,"flags":[..],"note":..,"case":{..}} as a vector,
/// its answers computed: in every format that holds its values, or in `dtypes`; under every profile that
/// agrees with the first one that can answer, or under `profiles`. `rejected: true` asks for a case that must
/// be rejected. `change` says why an old vector of that id is replaced.
struct Draft {
    std::string theme;
    Vector vector;
    std::string change;
};
Checked<Draft> read_draft(std::string_view line);

/// What a case that was found is called as a vector. What is left empty is made out of the case and of what
/// is said about it: a name for its failure, `found`, the flags that it shows, its own profile and all that
/// agree with it, every dtype of its kind that holds it.
struct Promotion {
    std::string id{}, theme{}, clause{}, note{}, change{};
    std::optional<Level> level{};
    std::vector<std::string> flags{};  ///< besides those that it shows
    std::vector<std::string> profiles{};
    std::vector<Format> formats{};

    friend bool operator==(const Promotion&, const Promotion&) = default;
};

/// A draft as it stands, or a case as `reduce`, `fuzz` and `check --report` write it; `about` is the line
/// about the case, or empty. An id that is made is free in the base.
Checked<Draft> read_draft_or_case(const VectorBase& base, std::string_view line, const std::string& about,
                                  const Promotion& as);

/// Puts a vector into its file. A new content or level under an old id needs a reason; an unknown clause or
/// flag, and the content of another vector, are refused.
std::optional<Rejection> add_vector(VectorBase& base, Draft draft);

/// Everything that is wrong: answers that the oracle does not give, a reference that deviates, unknown
/// clauses and flags, one content twice, frozen vectors that changed without a note.
std::vector<Rejection> lint_vectors(const VectorBase& base);

/// Which vectors are meant; an empty list is everything.
struct VectorFilter {
    std::vector<Op> ops{};
    std::vector<Mode> modes{};
    std::vector<Format> formats{};
    std::vector<Level> levels{};
    std::string profile = "torchlean";
    bool smoke = false;
    bool rejections = true;  ///< those whose case must be rejected, too
};

/// A vector in one format.
struct VectorInstance {
    const Vector* vector;
    Format format;
    Case c;
    const Expected* expected;  ///< null for a case that must be rejected
};

/// Whether a vector is meant, in some of its formats; an empty profile is any.
bool meets(const VectorFilter& filter, const Vector& v);

/// The vectors under the filter's profile, in each of their formats, by file and id.
std::vector<VectorInstance> instances(const VectorBase& base, const VectorFilter& filter);

/// Whether a backend settles every question as the case does: by its profile and what it declares beside it.
/// `obeys` says of a backend that it follows whatever policy a case names. A case that it does not cover is
/// not told apart by policies: it suits, and counts as not covered.
bool suits(const Declaration& declaration, const std::string& profile, const Case& c, bool obeys);

/// The vectors as cases to be judged by the oracle, labelled `vector SLUG`. `base` must outlive the source.
Source vector_cases(const VectorBase& base, const VectorFilter& filter, const Declaration& declaration,
                    bool obeys);

/// The stored exact value at a position of the answer. Requires a vector that need not be rejected.
ExactValue exact_value(const Vector& v, Index position);

/// Judges a backend by the stored answers alone. A deviation that no other clause explains is by the
/// vector's.
Totals judge_by_vectors(Backend& backend, const std::vector<VectorInstance>& all,
                        const std::function<bool(const Judged&)>& visit);

/// Which liars a vector tells from the truth, each under the liar's own profile: positions in `liars()`.
std::vector<std::size_t> kills(const Vector& v);

/// Marks few vectors that kill every liar that all of them kill, found greedily. Returns the liars that
/// survive them all.
std::vector<std::string> mark_smoke(VectorBase& base);

/// Drafts out of generated cases, as lines: each kills a liar in an op, mode or format, or shows a feature
/// there, that neither the base nor an earlier one does. The same arguments give the same lines.
std::vector<std::string> selected_drafts(const VectorBase& base, std::uint64_t seed, std::uint64_t cases,
                                         std::size_t most);

/// Writes vectors for those who do not read JSON: `c`, `npz`, `pytest` or `onnx`. Returns how many instances.
Checked<std::size_t> export_vectors(const VectorBase& base, const VectorFilter& filter,
                                    const std::string& form, const std::filesystem::path& out);

}  // namespace poolproof
