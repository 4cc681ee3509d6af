// SPDX-License-Identifier: Apache-2.0
// The poolproof program: finds the command, reads its options, runs it.
#include "cli/command.hpp"
#include "cli/limits.hpp"
#include "cli/measuring.hpp"
#include "cli/output.hpp"
#include "cli/request.hpp"

#include <poolproof/backend.hpp>
#include <poolproof/plan.hpp>
#include <poolproof/text.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>

namespace poolproof::cli {

const std::vector<Command>& commands() {
    static const std::vector<Command> table{
        {"check", "judge backends on generated cases and the vectors", "",
         "Judges each backend on generated cases and the vectors against the oracle, and shows the first "
         "failures. A case is "
         "a pure\n"
         "function of the seed, the generator's version and its number.",
         with_limits(with_request(
             {{"--backend", "B",
               "reference, torch, plugin:FILE, cmd:COMMAND or faulty:NAME (default reference); may be "
               "repeated",
               true},
              {"--layers", "FILE",
               "judge these layers, a JSON list of shapes and attributes, in place of generated cases"},
              {"--vectors", "WHICH",
               "which vectors besides: all, valid (without those to be rejected), smoke or none (default "
               "valid)"},
              {"--report", "DIR", "write the log of the run, and the failing cases, into this folder"},
              {"--json", "FILE", "write the log of the run: a header, one line per failure, a footer"}})),
         run_check},
        {"cases", "write generated cases to files", "--out DIR",
         "Writes cases for an implementation that cannot be called: DIR/cases.jsonl, a case per line, and "
         "with\n"
         "--format npy also each tensor as DIR/N.NAME.npy, where N is the line, from 0, in six digits. Put "
         "the\n"
         "answers into a folder as N.y.npy, N.dy.npy, N.dx.npy and N.indices.npy, or as lines in "
         "answers.jsonl,\n"
         "and judge them: poolproof judge --answers FOLDER < DIR/cases.jsonl",
         with_request({{"--out", "DIR", "where to; made if it is not there"},
                       {"--format", "F", "jsonl or npy (default jsonl)"}}),
         run_cases},
        {"fuzz", "search for failures, shrink and sort them", "",
         "Judges generated cases for a time or a number of them; shrinks what fails, and sorts it so that "
         "one "
         "fault is one\n"
         "entry, named after the known fault that it is like. Each entry is a case file that 'replay' takes, "
         "in "
         "the folder\n"
         "of --report; else in poolproof-fuzz, or where that holds another run in poolproof-fuzz-2, .. With\n"
         "--report, a run goes on where the last one stopped.",
         with_limits(with_request(
             {{"--backend", "B",
               "reference, torch, plugin:FILE, cmd:COMMAND or faulty:NAME (default reference)"},
              {"--for", "TIME", "how long: 500ms, 60s, 10m, 2h"},
              {"--laws", "",
               "also ask what 'poolproof laws' asks: a question for every 16 cases, made of them"},
              {"--report", "DIR", "the folder for the log and the case files; it is taken up again"},
              {"--features", "",
               "only list the features of cases, and their pairs, the invalid ones with the reason"}},
             "how many in all (default 100000, or what --for allows)")),
         run_fuzz},
        {"laws", "hold the answers to related cases against each other", "",
         "Asks cases that have to do with each other, made from generated ones: again, in other company, "
         "scaled, padded by\n"
         "hand, with axes swapped, a derivative in both directions. Every answer is judged by itself, and "
         "then the law:\n"
         "bit by bit where only one pattern is permitted, by a proved bound for adjointness.",
         with_limits(with_request(
             {{"--backend", "B",
               "reference, torch, plugin:FILE, cmd:COMMAND or faulty:NAME (default reference)"},
              {"--law", "NAME", "only this law; may be repeated", true},
              {"--first", "N", "the number of the case to begin at (default 0)"},
              {"--json", "FILE", "write the log: a header, a line per failure and per law, a footer"},
              {"--list", "", "list the laws"}},
             "how many questions (default 10000)")),
         run_laws},
        {"replay", "judge the cases of a file", "FILE",
         "Judges every case of a file as it stands, each asked twice. A file holds one case per line; lines "
         "with a \"type\"\n"
         "say something about the case before them and are passed over.",
         with_limits({{"--backend", "B",
                       "reference, torch, plugin:FILE, cmd:COMMAND or faulty:NAME (default reference)"}}),
         run_replay},
        {"reduce", "shrink the failing cases of a file", "FILE",
         "Shrinks each case that fails to the smallest one that still fails by the same clause, and prints "
         "it "
         "with a line\n"
         "about it, as a case file. Exits 0 if one was reduced, 4 if none fails.",
         with_limits({{"--backend", "B",
                       "reference, torch, plugin:FILE, cmd:COMMAND or faulty:NAME (default reference)"},
                      {"--evaluations", "N", "how often the backend may be asked (default 10000)"}}),
         run_reduce},
        {"judge",
         "judge stored answers",
         "--answers FILE < CASES",
         "Reads one case per line, and one answer per line from FILE (the adapter protocol's reply; no id\n"
         "needed), and prints one verdict per line. FILE may be a folder as 'poolproof cases --help' "
         "describes it.",
         {{"--answers", "FILE", "the answers, line by line, or a folder of them"}},
         run_judge},
        {"backends", "the backends there are", "",
         "Lists each backend with its version and profile, after a smoke test.",
         with_limits(
             {{"--backend", "B", "this one too, such as cmd:COMMAND or plugin:FILE; may be repeated", true},
              {"--faulty", "", "also the deliberate liars, with their vices"}}),
         run_backends},
        {"adapter", "whether a program keeps to the adapter protocol", "check",
         "Takes an adapter through the protocol, from its greeting to the end of its input: each step that "
         "is wrong\n"
         "with what was sent, what came and what was expected.",
         with_limits({{"--backend", "B", "the adapter, as cmd:COMMAND"}}), run_adapter},
        {"oracle",
         "exact answers to cases",
         "< CASES",
         "Reads one case per line and prints one line each: the exact result as fractions, or two fractions "
         "around each\n"
         "value where it is irrational. A rejected case gives {\"rejected\": why}.",
         {{"--bits", "N", "enclose irrational values to 2^-N of their size (default 100)"}},
         run_oracle},
        {"expect",
         "the bit patterns that an answer may show",
         "< CASES",
         "Reads one case per line and prints the permitted set of every output value: hex floats of the "
         "case's dtype.",
         {},
         run_expect},
        {"explain",
         "a clause of the specification",
         "[CLAUSE]..",
         "Prints the clauses of docs/SPEC.md by label, as in 'poolproof explain MTie'; without a label, "
         "lists them all.",
         {},
         run_explain},
        {"vectors", "judge by stored vectors, and keep them", "ACTION",
         "ACTION is one of\n"
         "  run           judge backends by the stored answers alone\n"
         "  list          one line per vector\n"
         "  show SLUG     one vector as it stands in its file\n"
         "  lint          compute everything again; form, hashes, clauses, flags, frozen sets\n"
         "  strength      which liars the vectors kill, as a table\n"
         "  export        write them as --format c, npz, pytest or onnx into --out DIR\n"
         "  add FILE      put drafts, and cases that reduce, fuzz or check wrote, into the files: one per "
         "line, "
         "the form\n"
         "                is in vectors/README.md\n"
         "  select        print drafts of generated cases that tell something new\n"
         "  smoke         mark the few that kill as much as all\n"
         "  freeze        note every hash as that of this revision of the specification",
         with_limits(
             {{"--dir", "DIR", "the folder of vectors (default: beside the program)"},
              {"--backend", "B", "as for check (default reference); may be repeated", true},
              {"--profile", "P",
               "only vectors that hold under it, or 'all' (default: the backend's own; all of list, and of "
               "the reference without --answers)"},
              {"--op", "OP", "only this op; may be repeated", true},
              {"--mode", "MODE", "only forward, jvp or vjp; may be repeated", true},
              {"--dtype", "DTYPE", "only this dtype; may be repeated", true},
              {"--level", "LEVEL", "only required, recommended or informative; may be repeated", true},
              {"--smoke", "", "only the smoke set"},
              {"--answers", "FILE",
               "of run: write the answers under one profile, for judges that read the files alone"},
              {"--id", "SLUG", "of add, for a case: its name (default: of what failed)"},
              {"--theme", "WORD", "of add, for a case: the file it goes into (default found)"},
              {"--clause", "CLAUSE", "of add, for a case: what decides it (default: as the file says)"},
              {"--flag", "FLAG", "of add, for a case: besides those that it shows; may be repeated", true},
              {"--note", "TEXT", "of add, for a case: what it shows (default: as the file says)"},
              {"--change", "TEXT", "of add, for a case: why an old vector of that id is replaced"},
              {"--format", "FORM", "of export: c, npz, pytest or onnx"},
              {"--out", "DIR", "of export: where to write"},
              {"--seed", "N", "of select: which cases to look at (default 1)"},
              {"--cases", "N", "of select: how many under each profile (default 2000)"},
              {"--most", "N", "of select: how many drafts at most (default 1000)"}}),
         run_vectors},
        {"bench", "measure the reference and its rivals, the judge, whole runs, the oracle", "",
         "Times every row in one process, all rows in turn, and prints the least time of each row's "
         "repetitions.\n"
         "Where LibTorch is, it is a rival, and so is oneDNN where it is installed. A figure is of this "
         "machine and\n"
         "this minute; nothing is judged but for its time. Exits 1 if --compare finds a ratio worse by more "
         "than 15 %\n"
         "in two measurements.",
         bench_options(), run_bench},
        {"mutants",
         "every gate against every deliberate liar",
         "",
         "Runs the vectors and the generated cases of 'check' against every liar of backends/faulty, each "
         "under its own\n"
         "profile, until it is caught, and the laws against those that survive both; shrinks the case that "
         "caught it, and\n"
         "lets the explainer name the fault. Exits 1 if a liar survives.",
         {{"--cases", "N", "how many cases a liar may survive (default 10000)"},
          {"--seed", "N", "which cases (default 1)"},
          {"--vectors", "WHICH", "all or none (default all)"},
          {"--only", "NAME", "only this liar; may be repeated", true},
          {"--out", "FILE", "write the kill matrix as Markdown, as docs/STRENGTH.md is"}},
         run_mutants},
    };
    return table;
}

namespace {

void print_help() {
    std::printf(
        "poolproof says whether a pooling operator computes what it must, bit pattern by bit pattern.\n\n"
        "usage: poolproof COMMAND [OPTIONS]\n\ncommands:\n");
    for (const Command& c : commands())
        std::printf("  %-10s %s\n", std::string(c.name).c_str(), std::string(c.summary).c_str());
    std::printf("  %-10s %s\n", "test", "the project's own test suite");
    std::printf(
        "\n'poolproof COMMAND --help' tells more, 'poolproof --version' which version this is.\n"
        "Exit codes: 0 as expected, 1 deviations, 2 bad input or "
        "usage,\n"
        "4 nothing judged, 5 incomplete, 6 backend trouble, 7 the check is not to be trusted, 70 a defect of "
        "ours.\n");
}

void print_help(const Command& c) {
    std::printf("usage: poolproof %s%s %s\n\n%s\n", std::string(c.name).c_str(),
                c.options.empty() ? "" : " [OPTIONS]", std::string(c.operands).c_str(),
                std::string(c.about).c_str());
    if (!c.options.empty()) std::printf("\noptions:\n");
    for (const Option& o : c.options) {
        const std::string left = std::string(o.name) + (o.value.empty() ? "" : " " + std::string(o.value));
        std::printf("  %-18s %s\n", left.c_str(), std::string(o.help).c_str());
    }
}

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

int run(const std::vector<std::string>& words) {
    if (words.empty() || asks_for_help(words.front()) || words.front() == "help") {
        print_help();
        return words.empty() ? Exit::bad_input : Exit::ok;
    }
    if (words.front() == "--version") {
        if (words.size() > 1) return refuse({words[1], "is not expected here", "write '--version' alone"});
        std::printf("poolproof " POOLPROOF_VERSION "\n");
        return Exit::ok;
    }
    const auto& all = commands();
    const auto command =
        std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name == words.front(); });
    if (command == all.end())
        return refuse({words.front(), "is not a command",
                       remedy(words.front(), names_of(all), "'poolproof --help' lists those there are")});
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    if (std::any_of(rest.begin(), rest.end(), asks_for_help)) {
        print_help(*command);
        return Exit::ok;
    }
    const auto arguments = parse_options(command->options, rest);
    if (!arguments) return refuse(arguments.rejection());
    return command->run(*arguments);
}

}  // namespace
}  // namespace poolproof::cli

int main(int argc, char** argv) {
    try {
        poolproof::cli::hold_standard_streams();
        poolproof::adopt_orphans();
        const int code = poolproof::cli::run(std::vector<std::string>(argv + 1, argv + argc));
        return poolproof::cli::with_outputs_checked(code);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "poolproof: a defect of our own: %s\n", e.what());
        return poolproof::cli::Exit::defect;
    }
}
