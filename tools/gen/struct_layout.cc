// SPDX-License-Identifier: Apache-2.0
// Layouts of C structs from the text of headers. The C rules that are needed are few: each field is
// at the next multiple of its alignment, and a struct's size is a multiple of its own.
#include "tools/gen/struct_layout.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "core/base/strings.h"

namespace tern::gen {
namespace {

struct Type {
  size_t size = 0;
  size_t alignment = 1;
  std::string name;  // empty of structs
};

bool IsWord(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Names, numbers and single characters, without comments and directives.
std::vector<std::string_view> Tokens(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    size_t length = 1;
    if (rest.starts_with("/*")) {
      const size_t end = rest.find("*/", 2);
      length = end == rest.npos ? rest.size() : end + 2;
    } else if (rest.starts_with("//") || rest.front() == '#') {
      length = std::min(rest.find('\n'), rest.size());
    } else if (IsWord(rest.front())) {
      while (length < rest.size() && IsWord(rest[length])) ++length;
      tokens.push_back(rest.substr(0, length));
    } else if (rest.front() > ' ') {
      tokens.push_back(rest.substr(0, 1));
    }
    at += length;
  }
  return tokens;
}

size_t RoundUp(size_t at, size_t alignment) { return (at + alignment - 1) / alignment * alignment; }

class LayoutParser {
 public:
  explicit LayoutParser(size_t pointer_bytes) : pointer_{pointer_bytes, pointer_bytes, "pointer"} {
    constexpr std::pair<std::string_view, size_t> kScalars[] = {
        {"char", 1},     {"int8_t", 1},  {"uint8_t", 1},  {"int16_t", 2},
        {"uint16_t", 2}, {"int32_t", 4}, {"uint32_t", 4}, {"int64_t", 8},
        {"uint64_t", 8}, {"float", 4},   {"double", 8},
    };
    for (const auto& [name, size] : kScalars) {
      const bool is_float = name == "float" || name == "double";
      const char letter = is_float ? 'f' : name.front() == 'u' ? 'u' : 'i';
      Define(name, {size, size, StrCat(letter, 8 * size)});
    }
    Define("size_t", {pointer_bytes, pointer_bytes, StrCat("u", 8 * pointer_bytes)});
  }

  Status Read(std::string_view text) {
    tokens_ = Tokens(text);
    for (at_ = 0; at_ < tokens_.size();) {
      if (!Take("typedef")) {
        ++at_;
      } else if (Status status = Typedef(); !status.ok()) {
        return status;
      }
    }
    return OkStatus();
  }

  std::vector<StructLayout> layouts;

 private:
  std::string_view Token(size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : std::string_view();
  }
  bool Take(std::string_view token) {
    if (Token() != token) return false;
    ++at_;
    return true;
  }
  void SkipTo(std::string_view token) {
    while (at_ < tokens_.size() && Token() != token) ++at_;
  }
  // The parenthesis at the token and what it holds.
  void SkipParentheses() {
    int depth = 0;
    do {
      depth += Token() == "(" ? 1 : Token() == ")" ? -1 : 0;
      ++at_;
    } while (depth > 0 && at_ < tokens_.size());
  }
  void Define(std::string_view name, Type type) { types_[std::string(name)] = std::move(type); }

  Status Unknown(std::string_view what) const {
    return InvalidArgument("struct ", struct_, ": ", what, " at '", Token(),
                           "'; StructLayouts knows numbers, pointers, structs before it, unions "
                           "and arrays");
  }

  // Behind the word: a struct, a name for a type, or something that no field has as its type.
  Status Typedef() {
    if ((Token() == "struct" || Token() == "union") && Token(2) == "{") {
      const bool is_union = Token() == "union";
      struct_ = Token(1);
      at_ += 3;
      StructLayout layout;
      layout.name = std::string(struct_);
      TERN_TRY(Fields(is_union, 0, &layout));
      Define(struct_, {layout.size, layout.alignment, ""});
      if (!is_union) layouts.push_back(std::move(layout));
      return OkStatus();
    }
    if (Token(1) == "(" && Token(2) == "*") {
      Define(Token(3), pointer_);
    } else if (const auto known = types_.find(Token()); known != types_.end() && Token(2) == ";") {
      Define(Token(1), known->second);
    } else if (Token() == "enum") {
      // Its constants are ints; braces hold no ';'.
      SkipTo("}");
      Define(Token(1), types_["int32_t"]);
    }
    SkipTo(";");
    return OkStatus();
  }

  // Fields up to the closing brace, the first of them at `base`.
  Status Fields(bool is_union, size_t base, StructLayout* layout) {
    size_t end = base;
    while (!Take("}")) {
      if (at_ >= tokens_.size()) return Unknown("the text ends");
      const size_t from = is_union ? base : end;
      TERN_TRY_ASSIGN(const size_t reached, Field(from, layout));
      end = std::max(end, reached);
    }
    layout->size = RoundUp(end, layout->alignment);
    return OkStatus();
  }

  // One declaration, which may have several names. Gives where the last one ends.
  Result<size_t> Field(size_t from, StructLayout* layout) {
    Take("const");
    if (Token() == "union" && Token(1) == "{") return UnionField(from, layout);
    Take("struct");
    if (Token(1) == "(") return FunctionPointer(from, layout);
    std::optional<Type> base;
    if (const auto known = types_.find(Token()); known != types_.end()) base = known->second;
    const bool points = Token(1) == "*" || (Token(1) == "const" && Token(2) == "*");
    if (!base && !points) return Unknown("a type that is not known");
    ++at_;
    size_t end = from;
    do {
      TERN_TRY_ASSIGN(end, Declarator(points ? pointer_ : *base, end, layout));
    } while (Take(","));
    if (!Take(";")) return Unknown("expected ';'");
    return end;
  }

  Result<size_t> Declarator(const Type& type, size_t from, StructLayout* layout) {
    while (Take("*") || Take("const")) {
    }
    const std::string_view name = Token();
    ++at_;
    size_t count = 1;
    if (Take("[")) {
      const std::optional<uint64_t> length = ParseUint64(Token());
      if (!length || Token(1) != "]") return Unknown("an array without a number");
      count = static_cast<size_t>(*length);
      at_ += 2;
    }
    return Place(type, count, name, from, layout);
  }

  Result<size_t> FunctionPointer(size_t from, StructLayout* layout) {
    if (Token(2) != "*") return Unknown("expected a pointer to a function");
    const std::string_view name = Token(3);
    ++at_;
    SkipParentheses();
    SkipParentheses();
    if (!Take(";")) return Unknown("expected ';'");
    return Place(pointer_, 1, name, from, layout);
  }

  // Its members are fields of the struct. They must be known before its place is, so it is read
  // twice: once for its alignment.
  Result<size_t> UnionField(size_t from, StructLayout* layout) {
    at_ += 2;
    const size_t begin = at_;
    StructLayout inner;
    TERN_TRY(Fields(true, 0, &inner));
    at_ = begin;
    const size_t start = RoundUp(from, inner.alignment);
    StructLayout placed;
    TERN_TRY(Fields(true, start, &placed));
    layout->alignment = std::max(layout->alignment, inner.alignment);
    for (FieldLayout& field : placed.fields) layout->fields.push_back(std::move(field));
    ++at_;  // the union's own name
    if (!Take(";")) return Unknown("expected ';'");
    return start + inner.size;
  }

  Result<size_t> Place(const Type& type, size_t count, std::string_view name, size_t from,
                       StructLayout* layout) {
    const size_t start = RoundUp(from, type.alignment);
    layout->alignment = std::max(layout->alignment, type.alignment);
    if (!type.name.empty()) layout->fields.push_back({std::string(name), start, type.name});
    return start + count * type.size;
  }

  const Type pointer_;
  std::map<std::string, Type, std::less<>> types_;
  std::vector<std::string_view> tokens_;
  size_t at_ = 0;
  std::string_view struct_;
};

}  // namespace

Result<std::vector<StructLayout>> StructLayouts(const std::vector<std::string_view>& headers,
                                                size_t pointer_bytes) {
  LayoutParser parser(pointer_bytes);
  for (std::string_view header : headers) TERN_TRY(parser.Read(header));
  return std::move(parser.layouts);
}

}  // namespace tern::gen
