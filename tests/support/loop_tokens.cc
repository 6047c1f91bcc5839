// SPDX-License-Identifier: Apache-2.0
#include "tests/support/loop_tokens.h"

#include <algorithm>
#include <random>
#include <vector>

#include "core/base/strings.h"

namespace tern::support {
namespace {

constexpr const char* kPairs[] = {"->", "<<", ">>", "<=", ">=", "==", "!=", "+="};
constexpr const char* kWords[] = {"vectorized", "vectorize_scalable",
                                  "unrolled",   "parallel",
                                  "vector",     "epilogue",
                                  "if",         "else",
                                  "for",        "while",
                                  "let",        "var",
                                  "allocate",   "in",
                                  "out",        "inout",
                                  "int8",       "int32",
                                  "int64",      "uint8",
                                  "float16",    "float32",
                                  "float64",    "bool",
                                  "vscale",     "ramp",
                                  "where",      "broadcast",
                                  "whilelt",    "reduce_sum",
                                  "sum",        "min",
                                  "max",        "select",
                                  "cast",       "predicated",
                                  "cleanup",    "mad",
                                  "exp",        "relaxed",
                                  "schedule",   "compute_at",
                                  "split",      "fuse",
                                  "reorder",    "tile",
                                  "unroll",     "-",
                                  "0",          "1",
                                  "2",          "7",
                                  "1.5",        "9223372036854775807"};

bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}
bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    if (text.substr(i, 2) == "//") {
      while (i < text.size() && text[i] != '\n') ++i;
      continue;
    }
    if (IsSpace(text[i])) {
      ++i;
      continue;
    }
    while (i < text.size() && IsWordChar(text[i])) ++i;
    if (i == begin) {
      const bool pair = std::any_of(std::begin(kPairs), std::end(kPairs), [&](const char* known) {
        return text.substr(begin, 2) == known;
      });
      i += pair ? 2 : 1;
    }
    words.emplace_back(text.substr(begin, i - begin));
  }
  return words;
}

// What may stand for what: names, numbers, signs.
int KindOf(const std::string& word) {
  const char c = word[0];
  return c >= '0' && c <= '9' ? 1 : IsWordChar(c) ? 0 : 2;
}

// Another word, mostly one that may stand in its place.
std::string OtherThan(const std::string& word, const std::vector<std::string>& words,
                      std::mt19937_64* random) {
  std::string other = word;
  for (int tries = 0; tries < 40; ++tries) {
    const uint64_t pick = (*random)();
    other = pick % 4 != 0 ? words[pick / 4 % words.size()]
                          : std::string(kWords[pick / 4 % std::size(kWords)]);
    if (other != word && (KindOf(other) == KindOf(word) || pick / 512 % 8 == 0)) break;
  }
  return other;
}

void MutateOnce(std::vector<std::string>* words, std::mt19937_64* random) {
  const auto any = [&] { return static_cast<size_t>((*random)() % words->size()); };
  const auto at = [&](size_t i) { return words->begin() + static_cast<ptrdiff_t>(i); };
  const size_t here = any(), there = any();
  switch ((*random)() % 8) {
    case 0: words->erase(at(here)); return;
    case 1: std::swap((*words)[here], (*words)[there]); return;
    case 2: {
      const size_t end = std::min(words->size(), here + 1 + static_cast<size_t>((*random)() % 8));
      const std::vector<std::string> copy(at(here), at(end));
      words->insert(at(there), copy.begin(), copy.end());
      return;
    }
    default: (*words)[here] = OtherThan((*words)[here], *words, random);
  }
}

}  // namespace

std::string MutateLoopText(std::string_view text, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> words = WordsOf(text);
  for (uint64_t times = 1 + random() % 3; times > 0 && !words.empty(); --times)
    MutateOnce(&words, &random);
  return StrJoin(words, " ");
}

}  // namespace tern::support
