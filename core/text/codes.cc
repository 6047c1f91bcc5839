// SPDX-License-Identifier: Apache-2.0
#include "core/text/codes.h"

#include <algorithm>
#include <iterator>

namespace tern::text {
namespace {

constexpr std::string_view kCodeNames[] = {
#define TERN_CODE(code, title, explanation) code,
#include "core/text/codes.def"
#undef TERN_CODE
};

}  // namespace

bool SameCode(std::string_view known, std::string_view code) {
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; };
  return std::equal(known.begin(), known.end(), code.begin(), code.end(),
                    [&](char a, char b) { return a == upper(b); });
}

bool IsCode(std::string_view code) {
  return std::any_of(std::begin(kCodeNames), std::end(kCodeNames),
                     [&](std::string_view known) { return SameCode(known, code); });
}

}  // namespace tern::text
