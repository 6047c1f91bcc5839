// SPDX-License-Identifier: Apache-2.0
#include "core/loop/words.h"

#include <algorithm>
#include <iterator>

#include "core/base/names.h"
#include "core/loop/expr.h"

namespace tern::loop {
namespace {

// Words of the grammar that are in no table; intrinsics, folds and types are in theirs.
constexpr std::string_view kExpressionWords[] = {
    "vscale", "true", "false", "select", "ramp", "broadcast", "whilelt", "cast", "reinterpret"};

constexpr std::string_view kStatementWords[] = {"inf",    "nan", "let",     "var",      "for",
                                                "while",  "if",  "else",    "allocate", "where",
                                                "primfn", "te",  "compute", "schedule", "relaxed"};

template <class List>
bool IsAmong(std::string_view name, const List& words) {
  return std::find(std::begin(words), std::end(words), name) != std::end(words);
}

bool IsIntrinsic(std::string_view name) {
  for (const IntrinsicInfo& info : AllIntrinsics()) {
    if (info.text == name) return true;
  }
  return false;
}

}  // namespace

bool IsName(std::string_view text) {
  const auto part = [](char c) { return IsNameChar(c) || c == '.'; };
  return !text.empty() && IsNameStart(text[0]) && std::all_of(text.begin(), text.end(), part);
}

// A type's name has a number of bits, but for one; asked first, because the error that says what
// types there are costs more than the rest of parsing a name.
bool IsTypeName(std::string_view name) {
  const bool may_be = name == "bool" || name.find_first_of("0123456789") != std::string_view::npos;
  return may_be && DataType::Parse(name).ok();
}

bool IsExpressionWord(std::string_view name) {
  return IsIntrinsic(name) || FindFold(name) != nullptr || IsAmong(name, kExpressionWords) ||
         name.starts_with("reduce_") || IsTypeName(name);
}

bool IsReservedName(std::string_view name) {
  return IsExpressionWord(name) || IsAmong(name, kStatementWords);
}

}  // namespace tern::loop
