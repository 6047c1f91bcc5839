// SPDX-License-Identifier: Apache-2.0
// Making text of 7, 8 and 32 bytes, as a String and as an Any, beside std::string; and words split
// into characters.
#include <string>

#include "core/object/strings/string.h"
#include "core/object/strings/unicode_split.h"
#include "tools/bench/objects/benches.h"

namespace tern::bench {
namespace {

// The text comes from memory that the compiler knows nothing of.
template <typename Text>
Loop MakeLoop(std::string_view text) {
  return [text](int64_t n) {
    while (n-- > 0) {
      std::string_view source = text;
      Keep(source);
      Text made(source);
      Keep(made);
    }
  };
}

void CreateRows(Bench* bench) {
  static const std::string text(32, 't');
  constexpr struct {
    size_t size;
    double target;
    std::optional<double> target_any;  // of 8 bytes on, an object
  } kRows[] = {{7, 2, 2}, {8, 2, {}}, {32, 10, 10}};
  for (const auto& row : kRows) {
    const std::string_view part = std::string_view(text).substr(0, row.size);
    bench->Compare({.name = "make a String of " + std::to_string(row.size) + " bytes",
                    .rival_name = "std::string",
                    .target = row.target},
                   MakeLoop<String>(part), MakeLoop<std::string>(part));
  }
  for (const auto& row : kRows) {
    const std::string_view part = std::string_view(text).substr(0, row.size);
    bench->Compare({.name = "make an Any of " + std::to_string(row.size) + " bytes of text",
                    .rival_name = "std::string",
                    .target = row.target_any},
                   MakeLoop<Any>(part), MakeLoop<std::string>(part));
  }
}

void SplitRows(Bench* bench) {
  static const UCS4String word = [] {
    std::u32string text;
    for (char32_t i = 0; i < 1000; ++i) text += U'a' + i;
    return UCS4String(std::u32string_view(text));
  }();
  bench->Compare(
      {.name = "unicode_split, per character",
       .rival_name = "vector<u32string>",
       .items_per_iteration = 1000},
      [](int64_t n) {
        while (n-- > 0) {
          List<UCS4String> characters = UnicodeSplit(word);
          Keep(characters);
        }
      },
      [](int64_t n) {
        while (n-- > 0) {
          std::vector<std::u32string> characters;
          characters.reserve(word.size());
          for (const char32_t c : word.view()) characters.emplace_back(1, c);
          Keep(characters);
        }
      });
  bench->Compare({.name = "unicode_split_any, per character", .items_per_iteration = 1000},
                 [](int64_t n) {
                   const Any any(word);
                   while (n-- > 0) {
                     Result<Any> characters = UnicodeSplitAny(any);
                     Keep(characters);
                   }
                 });
}

}  // namespace

void StringRows(Bench* bench) {
  CreateRows(bench);
  SplitRows(bench);
}

}  // namespace tern::bench
