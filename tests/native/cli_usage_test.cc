// SPDX-License-Identifier: Apache-2.0
// K3: what the command line says of words that are one slip of the keys away from a verb or an
// option. The verbs and options are those that it describes itself.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/base/strings.h"
#include "native/cli/report.h"
#include "native/cli/tool.h"

namespace tern::cli::cli_usage_test {
namespace {

// A letter left out, doubled, replaced, or swapped with its neighbour, at every place; what letter
// comes in its place is drawn anew for each place.
std::set<std::string> Slips(std::string_view name, std::mt19937* random) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz-0ABCXYZ";
  constexpr int kDrawn = 4;
  const std::string text(name);
  const auto letter = [&] { return std::string(1, kLetters[(*random)() % kLetters.size()]); };
  std::set<std::string> slips;
  for (size_t i = 0; i <= text.size(); ++i) {
    const std::string head = text.substr(0, i), tail = text.substr(i);
    for (int drawn = 0; drawn < kDrawn; ++drawn) {
      slips.insert(head + letter() + tail);
      if (!tail.empty()) slips.insert(head + letter() + tail.substr(1));
    }
    if (!tail.empty()) slips.insert(head + tail.substr(1));
    if (!tail.empty()) slips.insert(head + tail[0] + tail);
    if (tail.size() > 1) slips.insert(head + tail[1] + tail[0] + tail.substr(2));
  }
  return slips;
}

// The known names at the least distance from a word.
std::vector<std::string> Nearest(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::string> nearest;
  int best = 1;
  for (const std::string& name : known) {
    const int distance = EditDistance(word, name);
    if (distance > best) continue;
    if (distance < best) nearest.clear();
    best = distance;
    nearest.push_back(name);
  }
  return nearest;
}

std::vector<std::string> NamesOf(const VerbText& verb) {
  std::vector<std::string> names;
  for (const OptionText& option : verb.options) {
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// What the tool says of a line: its error with its notes, or nothing where the line can be done.
std::string Said(Tool* tool, const std::vector<std::string>& words) {
  const Result<Request> request = tool->Read(words);
  if (request.ok()) return "";
  std::string said(request.status().message());
  for (const std::string& note : request.status().notes()) StrAppend(&said, "\n", note);
  return said;
}

class CliUsage : public ::testing::Test {
 protected:
  // A word that is not known and has one nearest name gets that name; one that has several, one
  // of these. How many had one.
  int ExpectSuggestion(const std::vector<std::string>& before, const std::string& word,
                       const std::vector<std::string>& known, std::string_view kind) {
    const std::vector<std::string> nearest = Nearest(word, known);
    std::vector<std::string> line = before;
    line.push_back(word);
    const std::string said = Said(&tool_, line);
    EXPECT_TRUE(said.starts_with(StrCat("unknown ", kind, " '", word, "'"))) << said;
    const bool any = std::any_of(nearest.begin(), nearest.end(), [&](const std::string& name) {
      return said.find(StrCat("did you mean '", name, "'?")) != std::string::npos;
    });
    // All short options are as near to a wrong letter, so none is named.
    const bool may_be_silent = nearest.size() > 1 && word.size() == 2;
    EXPECT_TRUE(any || may_be_silent)
        << StrJoin(line, " ") << " is near to " << StrJoin(nearest, ", ") << "\n"
        << said;
    return nearest.size() == 1 && any ? 1 : 0;
  }

  // What the parser takes as an option and is none that it knows: a word with a dash that is no
  // number, and whose letter is not that of a short option, which would have the rest as its value.
  static bool IsUnknownOption(const std::string& word, const std::vector<std::string>& known) {
    const auto has = [&](const std::string& name) {
      return std::find(known.begin(), known.end(), name) != known.end();
    };
    return word.size() > 1 && word[0] == '-' && word != "--" && !has(word) &&
           !(word[1] >= '0' && word[1] <= '9') && (word[1] == '-' || !has(word.substr(0, 2)));
  }

  // Each slip of each option of a verb, or of the tool before a verb.
  void ExpectOptions(const std::vector<std::string>& line, const std::vector<std::string>& known) {
    for (const std::string& name : known) {
      int suggested = 0;
      for (const std::string& word : Slips(name, &random_)) {
        if (IsUnknownOption(word, known))
          suggested += ExpectSuggestion(line, word, known, "option");
      }
      if (name.size() > 2) {
        EXPECT_GT(suggested, 10) << name;
      }
    }
  }

  Tool tool_;
  std::mt19937 random_{1};
};

TEST_F(CliUsage, EverySlipInAnOptionIsToldTheOption) {
  const ToolText text = tool_.Describe();
  ASSERT_GT(text.verbs.size(), 20u);
  for (const VerbText& verb : text.verbs) {
    std::vector<std::string> known = NamesOf(verb);
    const std::vector<std::string> everywhere = NamesOf(text.tool);
    known.insert(known.end(), everywhere.begin(), everywhere.end());
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    ExpectOptions({verb.name}, known);
  }
}

TEST_F(CliUsage, EverySlipInAVerbIsToldTheVerb) {
  const ToolText text = tool_.Describe();
  std::vector<std::string> verbs;
  for (const VerbText& verb : text.verbs) verbs.push_back(verb.name);
  for (const std::string& name : verbs) {
    int suggested = 0;
    for (const std::string& word : Slips(name, &random_)) {
      if (word[0] == '-' || text.Find(word) != nullptr) continue;
      suggested += ExpectSuggestion({}, word, verbs, "command");
    }
    EXPECT_GT(suggested, 10) << name;
  }
}

TEST_F(CliUsage, TheWordIsFoundWhereverItStands) {
  const auto said = [&](const std::vector<std::string>& words) { return Said(&tool_, words); };
  EXPECT_EQ(
      said({"run", "a.tern", "--max-stps=5"}),
      "unknown option '--max-stps'\nhelp: did you mean '--max-steps'?\nhelp: tern run --help");
  EXPECT_EQ(said({"run", "--max-stps", "5", "a.tern"}), said({"run", "a.tern", "--max-stps=5"}));
  EXPECT_EQ(said({"--threads", "2", "rnu", "a.tern"}),
            "unknown command 'rnu'\nhelp: did you mean 'run'?\nhelp: tern --help");
  EXPECT_EQ(said({"--thraeds", "2", "run", "a.tern"}),
            "unknown option '--thraeds'\nhelp: did you mean '--threads'?\nhelp: tern run --help");
  // A dash lost, and one too many.
  EXPECT_NE(said({"run", "-max-steps", "5", "a.tern"}).find("'--max-steps'?"), std::string::npos);
  EXPECT_NE(said({"run", "---max-steps", "5", "a.tern"}).find("'--max-steps'?"), std::string::npos);
}

TEST_F(CliUsage, WhatIsNearToNothingGetsNoSuggestion) {
  for (const char* word : {"--zzzzzzzz", "-x", "-3"}) {
    const std::string said = Said(&tool_, {"run", "a.tern", word});
    EXPECT_EQ(said, StrCat("unknown option '", word, "'\nhelp: tern run --help"));
  }
  EXPECT_EQ(Said(&tool_, {"q"}), "unknown command 'q'\nhelp: tern --help");
}

TEST_F(CliUsage, AValueThatIsWrongIsNoUnknownOption) {
  const std::string said = Said(&tool_, {"--format", "jsn", "run", "a.tern"});
  EXPECT_EQ(said,
            "--format: expected text, json or jsonl, got 'jsn'\nhelp: did you mean 'json'?\n"
            "help: tern run --help");
  EXPECT_EQ(Said(&tool_, {}), "no verb is given\nhelp: tern --help");
}

// Every choice of every option, with a letter lost.
TEST_F(CliUsage, EverySlipInAChoiceIsToldTheChoice) {
  const ToolText text = tool_.Describe();
  int found = 0;
  for (const VerbText& verb : text.verbs) {
    std::vector<OptionText> options = verb.options;
    options.insert(options.end(), text.tool.options.begin(), text.tool.options.end());
    for (const OptionText& option : options) {
      for (const std::string& choice : option.choices) {
        const std::string slip = choice.substr(0, choice.size() - 1);
        if (option.positional || slip.size() < 3 ||
            std::count(option.choices.begin(), option.choices.end(), slip) > 0)
          continue;
        const std::string name = option.names.back();
        const std::string said = Said(&tool_, {verb.name, StrCat(name, "=", slip)});
        EXPECT_TRUE(said.starts_with(StrCat(name, ": expected "))) << said;
        EXPECT_NE(said.find(StrCat(", got '", slip, "'\n")), std::string::npos) << said;
        EXPECT_NE(said.find("did you mean '"), std::string::npos) << said;
        ++found;
      }
    }
  }
  EXPECT_GT(found, 100);
}

TEST_F(CliUsage, WhatIsExpectedAndWhatCameIsSaid) {
  const struct {
    std::vector<std::string> words;
    std::string said;
  } kCases[] = {
      {{"run"},
       "tern run lacks its argument program\nprogram: an executable, .tasm text, a program (.tn) "
       "or an ONNX model; - for standard input\nusage: tern run program [OPTIONS]"},
      {{"diff", "a.tern"},
       "tern diff lacks its argument b\nb: another of the same kind\n"
       "usage: tern diff a b [OPTIONS]"},
      {{"asm", "a.tasm"},
       "tern asm lacks its option --out\n-o, --out: the executable\n"
       "usage: tern asm text [OPTIONS]"},
      {{"completion", "bsh"},
       "shell: expected bash, zsh or fish, got 'bsh'\nhelp: did you mean 'bash'?"},
      {{"completion", "powershell"}, "shell: expected bash, zsh or fish, got 'powershell'"},
      {{"check", "a.tn", "--fix=x"}, "--fix: expected apply or dry-run, got 'x'"},
      {{"run", "a.tn", "--kernels", ""},
       "--kernels: expected auto, operators, interpreter or compiled, got ''"},
      {{"run", "a.tn", "--threads", "many"},
       "--threads: expected a number from 0 to 1024, got 'many'"},
      {{"play", "--port", "65536"}, "--port: expected a number from 0 to 65535, got '65536'"},
      {{"run", "a.tn", "--max-memory", "12XB"},
       "--max-memory: expected bytes, such as 1000 or 64MiB, of at least 0; got '12XB'"},
      {{"run", "a.tn", "--max-memory", "1.2k"},
       "--max-memory: expected bytes, such as 1000 or 64MiB, of at least 0; got '1.2k'"},
      {{"run", "a.tn", "--max-memory", ""},
       "--max-memory: expected bytes, such as 1000 or 64MiB, of at least 0; got ''"},
      {{"run", "a.tn", "--dim"}, "--dim: expected a value behind it, got none"},
      {{"trace", "a", "--list", "1"}, "--list: expected at least 2 values, got 1"},
      {{"trace", "a", "--list", "1", "x"}, "--list: expected a whole number, got '1,x'"},
      {{"info", "--threads", "1", "--threads", "2"}, "--threads: expected at most 1 value, got 2"},
      {{"info", "-q", "-v"},
       "--quiet and --verbose cannot be given together: leave one of them out"},
      {{"lower", "a.tloop", "--n", "1"},
       "--n means something with --count only: add that, or leave it out"},
  };
  for (const auto& [words, said] : kCases)
    EXPECT_EQ(Said(&tool_, words), StrCat(said, "\nhelp: tern ", words[0], " --help"));
}

TEST_F(CliUsage, SizesMayHaveAnyOfTheUnits) {
  for (const char* size : {"0", "7", "1k", "64MiB", "15gb", "2 Ti", "3B", "1E"})
    EXPECT_EQ(Said(&tool_, {"run", "a.tn", "--max-memory", size}), "") << size;
  for (const char* size : {"-1", "k", "1.5gb", "1kk", "1bi", "1 k b", "0x10", "1e3", "inf"})
    EXPECT_NE(Said(&tool_, {"run", "a.tn", "--max-memory", size}), "") << size;
}

TEST_F(CliUsage, AWordTooManyIsToldWhereItMayGo) {
  EXPECT_EQ(
      Said(&tool_, {"run", "a.onnx", "x.npy"}),
      "there is no place for 'x.npy' behind tern run\nhelp: values for parameters are given by "
      "-i, files as -i @x.npy\nhelp: tern run --help");
  EXPECT_EQ(Said(&tool_, {"explain", "E0203", "E0204", "--format", "json"}),
            "there is no place for 'E0204' behind tern explain\nhelp: tern explain --help");
  // An option that is wrong is told first.
  EXPECT_NE(Said(&tool_, {"run", "a.onnx", "x.npy", "--fil"}).find("'--fill'?"), std::string::npos);
}

// K6: exit code 70 is for our own bugs, which no input can bring about here.
TEST(CliBugs, AFailedCheckEndsWithAReport) {
  const GlobalOptions globals;
  const auto fail = [&] {
    ReportBugs({"run", "a b.tern", "-i", "x='1'"}, &globals);
    TERN_CHECK(globals.quiet);
  };
  EXPECT_EXIT(fail(), ::testing::ExitedWithCode(kExitInternal),
              "^error\\[E0901\\]: internal error: check failed: globals.quiet \n"
              R"(   = command: tern run 'a b.tern' -i 'x='\\''1'\\'''
   = version: tern [0-9.]+
   = help: please report this with the command and its input files
$)");
}

TEST(CliBugs, AnInternalErrorOfTheLibraryHasTheCommandToo) {
  const GlobalOptions globals;
  const auto fail = [&] {
    ReportBugs({"info"}, &globals);
    _exit(Report(Status(StatusCode::kInternal, "broken"), globals));
  };
  EXPECT_EXIT(fail(), ::testing::ExitedWithCode(kExitInternal), "broken\n   = command: tern info");
}

TEST(CliBugs, ThePlaceIsForThoseWhoAskForIt) {
  GlobalOptions globals;
  globals.verbose = true;
  globals.format = "json";
  const auto fail = [&] {
    ReportBugs({"info"}, &globals);
    TERN_CHECK(!globals.verbose);
  };
  EXPECT_EXIT(fail(), ::testing::ExitedWithCode(kExitInternal),
              R"(^\{"schema":1,"code":"E0901".*place: [^"]*cli_usage_test.cc:[0-9]+)");
}

}  // namespace
}  // namespace tern::cli::cli_usage_test
