// SPDX-License-Identifier: Apache-2.0
// string_concat, string_split and regex_match.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/base/utf8.h"
#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/broadcast.h"
#include "core/kernels/bind/regex.h"
#include "core/object/containers/adt.h"
#include "core/ops/math_rules.h"

namespace tern::kernels::bind {

Result<Any> StringConcat(const ops::NoAttrs&, Call& call) {
  const Tensor *a = call.Input(0, kString), *b = call.Input(1, kString);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::BroadcastShape(ExtentsOf(*a), ExtentsOf(*b), &out));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kString, out));
  if (y->element_count() == 0) return Any(std::move(y));
  const Broadcast broadcast(out, {a, b});
  const int last = broadcast.rank - 1;
  int64_t to = 0;
  ForEachRow(broadcast, [&](const int64_t* at) {
    for (int64_t i = 0; i < broadcast.inner(); ++i) {
      const std::string_view left = a->string_at(at[0] + i * broadcast.strides[0][last]);
      const std::string_view right = b->string_at(at[1] + i * broadcast.strides[1][last]);
      y->set_string(to++, StrCat(left, right));
    }
  });
  return Any(std::move(y));
}

// --- string_split

namespace {

// ASCII's alone: what other writing has between words is text here.
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// At every delimiter; parts may be empty.
std::vector<std::string_view> CutAt(std::string_view text, std::string_view delimiter,
                                    int64_t most) {
  std::vector<std::string_view> parts;
  // What is behind the last cut that is allowed stays whole.
  while (most < 0 || static_cast<int64_t>(parts.size()) < most) {
    const size_t found = text.find(delimiter);
    if (found == std::string_view::npos) break;
    parts.push_back(text.substr(0, found));
    text.remove_prefix(found + delimiter.size());
  }
  parts.push_back(text);
  return parts;
}

// Between runs of white space; no part is empty, and a text of nothing else has no parts.
std::vector<std::string_view> CutAtSpaces(std::string_view text, int64_t most) {
  std::vector<std::string_view> parts;
  while (true) {
    while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
    if (text.empty()) return parts;
    if (most >= 0 && static_cast<int64_t>(parts.size()) == most) break;
    const auto end = std::find_if(text.begin(), text.end(), IsSpace);
    const auto size = static_cast<size_t>(end - text.begin());
    parts.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  parts.push_back(text);
  return parts;
}

// What the pattern describes, each as long as possible and the first one first, or what is between.
Status CutByPattern(const Regex& regex, std::string_view text, const ops::StringSplitAttrs& attrs,
                    Call& call, std::vector<std::string_view>* parts) {
  const auto take = [&](std::string_view part) {
    // In characters and not in bytes: bytes that begin with the bits 10 continue one.
    const auto count =
        std::count_if(part.begin(), part.end(), [](char c) { return (c & 0xC0) != 0x80; });
    if (count >= attrs.least) parts->push_back(part);
  };
  // Separators leave what is between them, a last part included; descriptions leave what they
  // match.
  const bool between = attrs.at == ops::SplitAt::kPatterns;
  size_t begin = 0;
  for (size_t at = 0; at < text.size() && !call.IsStopped();) {
    size_t seen = at;
    const size_t end = regex.LongestAt(text, at, &seen);
    TERN_TRY(call.Charge(regex.WorkOf(seen - at)));
    // A match of nothing would not advance, so it is none.
    if (end == text.npos || end == at) {
      DecodeUtf8(text, &at);
      continue;
    }
    take(between ? text.substr(begin, at - begin) : text.substr(at, end - at));
    at = begin = end;
  }
  if (between) take(text.substr(begin));
  return OkStatus();
}

// By one pattern after the other.
Status CutByPatterns(const std::vector<Regex>& patterns, std::string_view text,
                     const ops::StringSplitAttrs& attrs, Call& call,
                     std::vector<std::string_view>* parts) {
  *parts = {text};
  for (const Regex& regex : patterns) {
    std::vector<std::string_view> smaller;
    for (const std::string_view part : *parts)
      TERN_TRY(CutByPattern(regex, part, attrs, call, &smaller));
    *parts = std::move(smaller);
  }
  return OkStatus();
}

}  // namespace

Result<Any> StringSplit(const ops::StringSplitAttrs& attrs, Call& call) {
  const Tensor *x = call.Input(0, kString), *delimiter = call.Input(1, kString);
  TERN_TRY(call.TakeStatus());
  // The result has one axis more.
  TERN_TRY(ops::CheckRank("x", x->rank(), 0, ops::kMaxDims - 1));
  const bool is_text = attrs.at == ops::SplitAt::kText;
  const int64_t count = delimiter->element_count();
  if (attrs.at == ops::SplitAt::kPatterns ? count < 1 : count != 1)
    return WrongTensor(call, 1, *delimiter, "one text");
  const std::string_view cut = delimiter->string_at(0);
  std::vector<Regex> patterns;
  for (int64_t i = 0; i < count && !is_text; ++i) {
    TERN_TRY_ASSIGN(Regex regex, Regex::Compile(delimiter->string_at(i)));
    patterns.push_back(std::move(regex));
  }
  // Parts are views into x, which the call keeps until y has its copies.
  std::vector<std::vector<std::string_view>> parts;
  int64_t columns = 0;
  TERN_TRY_ASSIGN(TensorPtr counts, call.New(kI64, ExtentsOf(*x)));
  for (int64_t i = 0; i < x->element_count(); ++i) {
    const std::string_view text = x->string_at(i);
    TERN_TRY(call.Charge(static_cast<int64_t>(text.size())));
    parts.emplace_back();
    if (!is_text)
      TERN_TRY(CutByPatterns(patterns, text, attrs, call, &parts.back()));
    else
      parts.back() = cut.empty() ? CutAtSpaces(text, attrs.most) : CutAt(text, cut, attrs.most);
    counts->data_as<int64_t>()[i] = static_cast<int64_t>(parts.back().size());
    columns = std::max(columns, counts->data_as<int64_t>()[i]);
  }
  Extents out = ExtentsOf(*x);
  out.push_back(columns);
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kString, out));
  int64_t to = 0;
  for (const std::vector<std::string_view>& row : parts) {
    // Shorter rows are filled up with the empty text.
    for (int64_t i = 0; i < columns; ++i) {
      const auto at = static_cast<size_t>(i);
      y->set_string(to++, at < row.size() ? row[at] : std::string_view());
    }
  }
  return Any(Adt::Tuple({AnyView(y), AnyView(counts)}));
}

Result<Any> RegexMatch(const ops::NoAttrs&, Call& call) {
  const Tensor *x = call.Input(0, kString), *pattern = call.Input(1, kString);
  TERN_TRY(call.TakeStatus());
  if (pattern->element_count() != 1) return WrongTensor(call, 1, *pattern, "one text");
  TERN_TRY_ASSIGN(const Regex regex, Regex::Compile(pattern->string_at(0)));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kBool, ExtentsOf(*x)));
  for (int64_t i = 0; i < x->element_count() && !call.IsStopped(); ++i) {
    const std::string_view text = x->string_at(i);
    // The work is known before it is done: the matcher follows all states at once and never goes
    // back.
    TERN_TRY(call.Charge(regex.WorkOf(text.size())));
    y->data_as<bool>()[i] = regex.MatchesWhole(text);
  }
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
