// SPDX-License-Identifier: Apache-2.0
// The text form: Protobuf's, as protoc --decode prints it and protoc --encode reads it.
#include <optional>

#include "core/base/names.h"
#include "core/base/strings.h"
#include "core/text/scanner.h"
#include "native/proto/tree.h"

namespace tern::proto {
namespace {

// --- writing

void WriteQuoted(std::string_view bytes, std::string* out) {
  *out += '"';
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '\n') {
      *out += "\\n";
    } else if (c == '"' || c == '\\') {
      *out += '\\';
      *out += c;
    } else if (byte >= 0x20 && byte < 0x7f) {
      *out += c;
    } else {
      // Three digits of base eight, which end by themselves, whatever follows.
      for (const int shift : {6, 3, 0}) {
        if (shift == 6) *out += '\\';
        *out += static_cast<char>('0' + (byte >> shift & 7));
      }
    }
  }
  *out += '"';
}

void WriteNumber(const FieldSpec& field, uint64_t number, std::string* out) {
  switch (field.kind) {
    case FieldKind::kSint64: return StrAppend(out, static_cast<int64_t>(number));
    case FieldKind::kBool: return StrAppend(out, number != 0 ? "true" : "false");
    // Words of instructions and bits of floats: people read them by digits.
    case FieldKind::kFixed64: return StrAppend(out, FormatHex(number));
    case FieldKind::kUint32: return StrAppend(out, number);
    case FieldKind::kString:
    case FieldKind::kBytes:
    case FieldKind::kMessage: break;  // are no numbers
  }
}

void WriteFields(const Node& node, size_t indent, std::string* out) {
  for (const Node& child : node.children) {
    const FieldSpec& field = *child.field;
    out->append(indent, ' ');
    *out += field.name;
    if (field.kind == FieldKind::kMessage) {
      *out += " {\n";
      WriteFields(child, indent + 2, out);
      out->append(indent, ' ');
      *out += "}\n";
      continue;
    }
    *out += ": ";
    if (field.kind >= FieldKind::kString) WriteQuoted(child.bytes, out);
    if (field.kind < FieldKind::kString && field.repeated) *out += '[';
    for (size_t i = 0; i < child.numbers.size(); ++i) {
      if (i > 0) *out += ", ";
      WriteNumber(field, child.numbers[i], out);
    }
    if (field.kind < FieldKind::kString && field.repeated) *out += ']';
    *out += '\n';
  }
}

// --- reading

constexpr std::string_view kComments[] = {"#"};
constexpr text::TextForm kForm{.spaces = " \t\r\n",
                               .comments = kComments,
                               .word_marks = "",
                               .operators = {},
                               .marks = "{}<>[]:,;",
                               .end = "the end"};

// The byte that an escape stands for, moving behind it; none where it is no escape.
std::optional<uint8_t> TakeEscape(std::string_view text, size_t* at) {
  // Each letter and, at the same place, what it stands for.
  static constexpr std::string_view kLetters = "abfnrtv\\'\"?";
  static constexpr std::string_view kBytes = "\a\b\f\n\r\t\v\\'\"?";
  const char c = *at < text.size() ? text[*at] : '\0';
  if (const size_t letter = kLetters.find(c); letter != std::string_view::npos)
    return ++*at, static_cast<uint8_t>(kBytes[letter]);
  const bool is_hex = c == 'x' || c == 'X';
  const int base = is_hex ? 16 : 8;
  const size_t begin = *at + (is_hex ? 1 : 0);
  const size_t most = begin + (is_hex ? 2 : 3);
  int value = 0;
  size_t end = begin;
  for (; end < text.size() && end < most; ++end) {
    const int digit = HexDigitValue(text[end]);
    if (digit < 0 || digit >= base) break;
    value = value * base + digit;
  }
  // Three octal digits may say more than a byte holds.
  if (end == begin || value > 255) return std::nullopt;
  *at = end;
  return static_cast<uint8_t>(value);
}

// Decimal, 0x… or octal, as protoc takes numbers.
std::optional<uint64_t> ParseMagnitude(std::string_view text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const bool is_octal = !is_hex && text.size() > 1 && text[0] == '0';
  if (!is_hex && !is_octal) return ParseUint64(text);
  text.remove_prefix(is_hex ? 2 : 1);
  const uint64_t base = is_hex ? 16 : 8;
  uint64_t value = 0;
  for (const char c : text) {
    const auto digit = static_cast<uint64_t>(HexDigitValue(c));  // the largest where it is none
    if (digit >= base || value > (UINT64_MAX - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  return text.empty() ? std::nullopt : std::optional(value);
}

class TextReader {
 public:
  explicit TextReader(std::string_view text) : in_(text, kForm) { tree_.text = text; }

  Result<Tree> Read() {
    ReadFields(kProgramMessage, '\0', &tree_.root);
    if (in_.ok()) return std::move(tree_);
    const text::Mistake& mistake = in_.mistake();
    const MessageSpec& message = at_ == nullptr ? kProgramMessage : *at_;
    return Corrupt(tree_.Where(message, field_, mistake.begin), ": ", mistake.message)
        .SetErrorCode("E0105");
  }

 private:
  // Until `end`, or the end of the text.
  void ReadFields(const MessageSpec& message, char end, Node* node) {
    while (in_.ok()) {
      at_ = &message;
      field_ = {};
      if (in_.AtEnd()) {
        if (end != '\0') in_.FailHere(StrCat("the message lacks its '", std::string(1, end), "'"));
        return;
      }
      if (end != '\0' && in_.Accept(end)) return;
      const size_t begin = in_.at();
      const std::string_view name = in_.TakeWord();
      const FieldSpec* field = message.Find(name);
      if (name.empty()) return in_.Fail("the name of a field");
      // Protobuf's own parser refuses unknown names in texts, too.
      if (field == nullptr) return in_.FailSince(begin, StrCat("there is no field '", name, "'"));
      ReadField(message, *field, begin, node);
      // Either may stand behind a field, or neither.
      if (!in_.Accept(',')) in_.Accept(';');
    }
  }

  void ReadField(const MessageSpec& message, const FieldSpec& field, size_t begin, Node* node) {
    field_ = field.name;
    if (!field.repeated)
      for (const Node& other : node->children)
        if (other.field == &field) return in_.FailSince(begin, "the field is given a second time");
    const bool has_colon = in_.Accept(':');
    // Only messages may do without it.
    if (!has_colon && field.kind != FieldKind::kMessage) return in_.Fail("':'");
    if (!field.repeated || in_.Peek() != '[') return ReadValue(field, begin, node);
    in_.Accept('[');
    // Numbers of one list are one node, other values a node each.
    Node list;
    list.field = &field;
    list.offset = begin;
    const bool is_number = field.kind < FieldKind::kString;
    for (bool first = true; in_.ok() && !in_.Accept(']'); first = false) {
      if (!first && !in_.Accept(',')) return in_.Fail("',' or ']'");
      if (is_number)
        ReadNumber(field, &list);
      else
        ReadValue(field, in_.at(), node);
      at_ = &message;
      field_ = field.name;
    }
    if (is_number) node->children.push_back(std::move(list));
  }

  void ReadValue(const FieldSpec& field, size_t begin, Node* node) {
    Node child;
    child.field = &field;
    child.offset = begin;
    if (field.kind == FieldKind::kMessage) {
      const bool is_angle = in_.Accept('<');
      if (!is_angle && !in_.Accept('{')) return in_.Fail("'{'");
      ReadFields(*field.message, is_angle ? '>' : '}', &child);
    } else if (field.kind >= FieldKind::kString) {
      child.bytes = ReadString();
    } else {
      ReadNumber(field, &child);
    }
    node->children.push_back(std::move(child));
  }

  // Pieces in quotes behind each other are one string.
  std::string_view ReadString() {
    std::string value;
    std::string_view piece = (in_.Skip(), in_.PeekQuoted());
    if (piece.empty()) return in_.Fail("a text in double quotes that ends on its line"), "";
    for (; !piece.empty() && in_.ok(); piece = (in_.Skip(), in_.PeekQuoted())) {
      const size_t begin = in_.at();
      in_.Take(piece);
      const std::string_view inside = piece.substr(1, piece.size() - 2);
      for (size_t at = 0; at < inside.size();) {
        if (inside[at] != '\\') {
          value += inside[at++];
          continue;
        }
        const std::optional<uint8_t> byte = TakeEscape(inside, &++at);
        if (!byte) return in_.FailSince(begin, "an escape that stands for no byte"), "";
        value += static_cast<char>(*byte);
      }
    }
    // Nodes refer to bytes, which the tree owns where they are not those of the text.
    return tree_.Keep(std::move(value));
  }

  void ReadNumber(const FieldSpec& field, Node* node) {
    in_.Skip();
    const size_t begin = in_.at();
    const bool is_negative = in_.Accept('-');
    in_.Skip();
    const std::string_view word = in_.TakeWord();
    if (word.empty()) return in_.Fail("a number");
    std::optional<uint64_t> value = ParseMagnitude(word);
    if (field.kind == FieldKind::kBool && !is_negative) {
      if (word == "true" || word == "t" || word == "True") value = 1;
      if (word == "false" || word == "f" || word == "False") value = 0;
    }
    // The lowest number is one farther from zero than the highest.
    const uint64_t highest = field.kind == FieldKind::kBool     ? 1
                             : field.kind == FieldKind::kUint32 ? UINT32_MAX
                             : field.kind == FieldKind::kSint64 ? uint64_t{INT64_MAX} + is_negative
                                                                : UINT64_MAX;
    if (!value || *value > highest || (is_negative && field.kind != FieldKind::kSint64))
      return in_.FailSince(begin, StrCat("'", in_.Since(begin), "' is no value of this field"));
    node->numbers.push_back(is_negative ? 0 - *value : *value);
  }

  text::Scanner in_;
  Tree tree_;
  const MessageSpec* at_ = nullptr;  // where a mistake would be
  std::string_view field_;
};

}  // namespace

Result<Tree> ReadText(std::string_view text) { return TextReader(text).Read(); }

std::string WriteText(const Tree& tree) {
  std::string out;
  WriteFields(tree.root, 0, &out);
  return out;
}

}  // namespace tern::proto
