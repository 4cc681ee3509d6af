// SPDX-License-Identifier: Apache-2.0
// `poolproof judge`: stored answers against the oracle. Line k of the answers is the reply to case k.
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/lines.hpp"
#include "cli/output.hpp"

#include <poolproof/text.hpp>

#include <filesystem>
#include <memory>

namespace poolproof::cli {

namespace {

struct Count {
    Index judged = 0, bad = 0, not_cases = 0;
};

Observation broke(std::string why) {
    Observation o;
    o.kind = Observation::Kind::broke;
    o.why = std::move(why);
    return o;
}

Observation read(const Lines::Line& line, const std::vector<AskedOutput>& asked) {
    auto o = line.too_long
                 ? Checked<Observation>(Rejection{"json", "the line is over 1 GiB", "send smaller tensors"})
                 : read_answer(line.text, asked);
    return o ? std::move(*o) : broke("malformed: " + message(o.rejection()));
}

/// Stored answers in the order of the cases: lines of a file, or array files in a folder.
class Answers {
public:
    static Checked<Answers> open(const std::string& path) {
        Answers a;
        const bool folder = std::filesystem::is_directory(path);
        const std::string file = folder ? path + "/answers.jsonl" : path;
        if (folder && !std::filesystem::exists(file)) {
            a.folder_ = path;
            return a;
        }
        a.file_.reset(std::fopen(file.c_str(), "rb"));
        if (!a.file_)
            return Rejection{"--answers", "'" + file + "' cannot be read",
                             "name a file or folder that exists"};
        a.lines_.emplace(a.file_.get(), Lines::Blank::kept);
        return a;
    }

    /// The answer to the next case, which asks for these outputs.
    Observation next(const std::vector<AskedOutput>& asked) {
        if (lines_) {
            const auto line = lines_->next();
            return line ? read(*line, asked) : broke("there is no answer to this case");
        }
        return from_arrays(at_++, asked);
    }

    /// Whether there are more than were asked for.
    bool more() { return lines_ && lines_->next(); }

    /// Why not all of them were read, if so.
    std::optional<Rejection> unread() const { return lines_ ? lines_->unread("--answers") : std::nullopt; }

private:
    struct Close {
        void operator()(std::FILE* f) const { std::fclose(f); }
    };

    Observation from_arrays(std::size_t line, const std::vector<AskedOutput>& asked) const {
        Observation o;
        for (const auto& [output, format] : asked) {
            const std::string name(output);
            const auto bytes = file_bytes(numbered(folder_, line, name));
            if (!bytes) continue;
            auto t = read_npy(*bytes, format);
            if (!t)
                return broke("malformed: " + numbered(folder_, line, name) + ": " + message(t.rejection()));
            o.outputs.emplace_back(name, std::move(*t));
        }
        return o.outputs.empty()
                   ? broke("there is no " + numbered(folder_, line, std::string(asked.front().name)))
                   : o;
    }

    std::string folder_;
    std::unique_ptr<std::FILE, Close> file_;
    std::optional<Lines> lines_;
    std::size_t at_ = 0;
};

std::string judged(const Checked<Case>& c, const Observation& o, Count& count) {
    const auto settled = c ? plan(*c) : Checked<Plan>(c.rejection());
    const Verdict v = settled ? judge_case(*settled, *c, o) : judge_rejection(o);
    count.bad += v.outcome >= Outcome::deviates ? 1 : 0;
    count.judged += v.outcome == Outcome::conforms || v.outcome >= Outcome::deviates ? 1 : 0;
    return settled ? verdict_line(v, *settled, *c) : verdict_line(v);
}

}  // namespace

int run_judge(const Arguments& a) {
    if (!a.positional.empty())
        return refuse({a.positional.front(), "is not expected here", "name the answers with --answers"});
    const auto path = a.value("--answers");
    if (!path) return refuse({"--answers", "is missing", "name the file of answers, one line per case"});
    auto answers = Answers::open(*path);
    if (!answers) return refuse(answers.rejection());

    Lines cases(stdin);
    Count count;
    while (const auto line = cases.next()) {
        const auto c =
            line->too_long
                ? Checked<Case>(Rejection{"json", "the line is over 1 GiB", "send smaller tensors"})
                : read_case(line->text);
        const Observation answer = answers->next(asked_outputs(c ? *c : Case{}));
        std::string text;
        if (!c && c.rejection().field == "json") {
            ++count.not_cases;
            std::fprintf(stderr, "poolproof: line %zu is not a case: %s\n", line->number,
                         message(c.rejection()).c_str());
            text = write_rejection(c.rejection());
        } else {
            text = judged(c, answer, count);
        }
        print_line(text);
    }
    if (const auto p = cases.unread("standard input")) return refuse(*p);
    if (answers->more()) {
        std::fprintf(stderr, "poolproof: --answers has more lines than there are cases\n");
        ++count.not_cases;
    }
    if (const auto p = answers->unread()) return refuse(*p);
    if (count.not_cases > 0) return Exit::bad_input;
    if (count.bad > 0) return Exit::deviates;
    return count.judged > 0 ? Exit::ok : Exit::nothing_judged;
}

}  // namespace poolproof::cli
