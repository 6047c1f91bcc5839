// SPDX-License-Identifier: Apache-2.0
// The text format: https://webassembly.github.io/spec/core/text/
#include "core/loop/emit/wasm_text.h"

#include <algorithm>
#include <vector>

#include "core/base/strings.h"
#include "core/loop/emit/wasm_writer.h"

namespace tern::loop {
namespace {

// Engines take no more of a function (the JavaScript interface's limits).
constexpr uint64_t kMaxLocals = 50'000;
// Far more than loops have; every one is a step of indentation.
constexpr size_t kMaxDepth = 500;
constexpr uint64_t kLocalsPerLine = 10;

constexpr uint32_t NumberOf(WasmOp op) { return static_cast<uint32_t>(op); }

constexpr char kHexDigits[] = "0123456789abcdef";

// Text as it grows. These are functions and no templates, unlike StrAppend, because visitors of a
// page fetch the module that holds them.
class Text {
 public:
  Text& operator<<(std::string_view piece) {
    text_ += piece;
    return *this;
  }
  Text& operator<<(const std::string& piece) {
    text_ += piece;
    return *this;
  }
  Text& operator<<(const char* piece) {
    text_ += piece;
    return *this;
  }
  Text& operator<<(uint64_t number) { return *this << StrCat(number); }

  void Indent(size_t columns) { text_.append(columns, ' '); }
  const std::string& string() const { return text_; }

 private:
  std::string text_;
};

// Of a byte that should name a type of values; empty for others.
std::string_view TypeName(uint8_t byte) {
  switch (static_cast<WasmType>(byte)) {
    case WasmType::kI32: return "i32";
    case WasmType::kI64: return "i64";
    case WasmType::kF32: return "f32";
    case WasmType::kF64: return "f64";
    case WasmType::kV128: return "v128";
    case WasmType::kNone: break;
  }
  return "";
}

std::string_view ReadType(ByteReader* in) {
  const std::string_view name = TypeName(in->U8());
  if (name.empty()) in->Fail("a byte that names no type of values");
  return name;
}

// Writes " (param i32 i32)", nothing for an empty list; how many there are.
uint64_t ReadTypeList(const char* keyword, ByteReader* in, Text* out) {
  const uint64_t count = in->BoundedVarint(in->remaining(), "a number of types");
  if (count > 0) *out << " (" << keyword;
  for (uint64_t i = 0; i < count && in->ok(); ++i) *out << " " << ReadType(in);
  if (count > 0) *out << ")";
  return count;
}

// LEB128 with the sign in the last byte's bit 6, of a number of 32 or 64 bits.
int64_t ReadSignedLeb(int bits, ByteReader* in) {
  uint64_t value = 0;
  for (int shift = 0; shift < bits; shift += 7) {
    const uint8_t byte = in->U8();
    value |= uint64_t{byte & 0x7fu} << shift;
    if (shift == 63 && byte != 0 && byte != 0x7f) break;
    if (byte >= 0x80) continue;
    // The bits above are the sign's.
    if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
    const auto number = static_cast<int64_t>(value);
    if (bits == 64 || number == static_cast<int32_t>(number)) return number;
    break;
  }
  in->Fail(bits == 32 ? "an integer of more than 32 bits" : "an integer of more than 64 bits");
  return 0;
}

std::string Quoted(std::string_view text) {
  std::string quoted(1, '"');
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
      quoted += c;
    } else {
      quoted += '\\';
      quoted += kHexDigits[byte >> 4];
      quoted += kHexDigits[byte & 15];
    }
  }
  quoted += '"';
  return quoted;
}

// Whether "$name" is an identifier of the text format.
bool IsIdentifier(std::string_view name) {
  constexpr std::string_view kOthers = "!#$%&'*+-./:<=>?@\\^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

// The bits of a float as the text format writes them exactly, in base 16: "-0x1.8p+1".
void WriteFloat(uint64_t bits, int mantissa_bits, int exponent_bits, Text* out) {
  const uint64_t mantissa = bits & ((uint64_t{1} << mantissa_bits) - 1);
  const uint64_t top = (uint64_t{1} << exponent_bits) - 1;
  const uint64_t exponent = bits >> mantissa_bits & top;
  if ((bits >> (mantissa_bits + exponent_bits) & 1) != 0) *out << "-";
  if (exponent == top) {
    *out << (mantissa == 0 ? "inf" : "nan");
    const bool is_usual = mantissa == 0 || mantissa == uint64_t{1} << (mantissa_bits - 1);
    if (!is_usual) *out << ":" << FormatHex(mantissa);
    return;
  }
  *out << (exponent == 0 ? "0x0" : "0x1") << (mantissa == 0 ? "" : ".");
  // Digits of the fraction: four bits each, the last zeros left out.
  for (uint64_t rest = mantissa << (64 - mantissa_bits); rest != 0; rest <<= 4)
    *out << std::string_view(&kHexDigits[rest >> 60], 1);
  const auto bias = static_cast<int>(top >> 1);
  // The least exponent is that of fractions without a 1 before the point too.
  const int power = mantissa == 0 && exponent == 0 ? 0
                    : exponent == 0                ? 1 - bias
                                                   : static_cast<int>(exponent) - bias;
  *out << (power < 0 ? "p-" : "p+") << static_cast<uint64_t>(power < 0 ? -power : power);
}

// How many bytes a load or store takes, as a power of two, which is the alignment that text need
// not say; -1 for an instruction that is neither.
int MemoryLog2(WasmOp op) {
  const uint32_t code = NumberOf(op);
  constexpr int8_t kPlain[] = {2, 3, 2, 3, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 3, 2, 3, 0, 1, 0, 1, 2};
  constexpr int8_t kVector[] = {4, 3, 3, 3, 3, 3, 3, 0, 1, 2, 3, 4};
  constexpr uint32_t kFirst = NumberOf(WasmOp::kI32Load),
                     kFirstVector = NumberOf(WasmOp::kV128Load),
                     kFirstLane = NumberOf(WasmOp::kV128Load8Lane),
                     kZeros = NumberOf(WasmOp::kV128Load32Zero);
  if (code >= kFirst && code - kFirst < std::size(kPlain)) return kPlain[code - kFirst];
  if (code >= kFirstVector && code - kFirstVector < std::size(kVector))
    return kVector[code - kFirstVector];
  if (code >= kFirstLane && code - kFirstLane < 8) return static_cast<int>((code - kFirstLane) % 4);
  if (code >= kZeros && code - kZeros < 2) return static_cast<int>(2 + code - kZeros);
  return -1;
}

// Instructions with the number of a lane behind all else.
bool HasLane(WasmOp op) {
  return (op >= WasmOp::kI8x16ExtractLaneS && op <= WasmOp::kF64x2ReplaceLane) ||
         (op >= WasmOp::kV128Load8Lane && op <= WasmOp::kV128Store64Lane);
}

// What bodies name of the module around them.
struct Names {
  std::vector<std::string> functions;  // "$add", or the index
  uint64_t globals = 0;
};

// The lines of one function's body.
class BodyText {
 public:
  BodyText(ByteSpan body, const Names& names, Text* out)
      : in_(body, "function body"), names_(names), out_(*out) {}

  // `parameters` are the first locals.
  Status Write(uint64_t parameters);

 private:
  struct Open {
    WasmOp op;  // kBlock, kLoop or kIf
    bool takes_else;
    uint64_t number;  // of the label
  };

  void Locals();
  void Instruction(WasmOp op);
  void OpenBlock(WasmOp op);
  void Else();
  void End();
  void Operands(WasmOp op);
  void MemoryOperands(uint64_t natural_log2);
  void Constant();
  void Shuffle();
  void Label();
  size_t Index(uint64_t count, const char* what);

  void Indent() { out_.Indent(4 + 2 * open_.size()); }
  void WriteLabel(const Open& block) { out_ << " $" << WasmOpName(block.op) << block.number; }

  ByteReader in_;
  const Names& names_;
  Text& out_;
  std::vector<Open> open_;
  uint64_t locals_ = 0, labels_ = 0;
  bool done_ = false;
};

Status BodyText::Write(uint64_t parameters) {
  locals_ = parameters;
  Locals();
  while (in_.ok() && !done_) {
    uint32_t code = in_.U8();
    // Behind these the number goes on.
    if (code == 0xfc || code == 0xfd)
      code = code << 16 | static_cast<uint32_t>(in_.BoundedVarint(0xffff, "an opcode"));
    if (in_.ok()) Instruction(static_cast<WasmOp>(code));
  }
  if (!in_.AtEnd()) in_.Fail("bytes behind the end of the function");
  return in_.TakeStatus();
}

// Runs of one type, with the numbers that instructions call them by.
void BodyText::Locals() {
  uint64_t runs = in_.BoundedVarint(in_.remaining(), "a number of runs of locals");
  for (; runs > 0 && in_.ok(); --runs) {
    const uint64_t most = kMaxLocals - std::min(locals_, kMaxLocals);
    uint64_t left = in_.BoundedVarint(most, "a number of locals");
    const std::string_view type = ReadType(&in_);
    while (left > 0) {
      const uint64_t count = std::min(left, kLocalsPerLine);
      Indent();
      out_ << "(local";
      for (uint64_t i = 0; i < count; ++i) out_ << " " << type;
      out_ << ")  ;; " << locals_;
      if (count > 1) out_ << (count == 2 ? ", " : " to ") << locals_ + count - 1;
      out_ << "\n";
      locals_ += count;
      left -= count;
    }
  }
}

void BodyText::Instruction(WasmOp op) {
  if (op == WasmOp::kElse) return Else();
  if (op == WasmOp::kEnd) return End();
  const std::string_view name = WasmOpName(op);
  if (name == "?") return in_.Fail("an instruction that is not known: " + FormatHex(NumberOf(op)));
  Indent();
  out_ << name;
  if (op == WasmOp::kBlock || op == WasmOp::kLoop || op == WasmOp::kIf)
    OpenBlock(op);
  else
    Operands(op);
  out_ << "\n";
}

// The label's name has a number of its own: one that is used again would hide an outer one.
void BodyText::OpenBlock(WasmOp op) {
  if (open_.size() >= kMaxDepth) return in_.Fail("blocks more than 500 levels deep");
  const uint8_t result = in_.U8();
  const std::string_view type = TypeName(result);
  if (type.empty() && result != static_cast<uint8_t>(WasmType::kNone))
    return in_.Fail("a block whose type is no type of values");
  open_.push_back({op, op == WasmOp::kIf, labels_++});
  WriteLabel(open_.back());
  if (!type.empty()) out_ << " (result " << type << ")";
}

void BodyText::Else() {
  if (open_.empty() || !open_.back().takes_else) return in_.Fail("an else without an if");
  open_.back().takes_else = false;
  out_.Indent(2 + 2 * open_.size());
  out_ << "else\n";
}

// The last one belongs to the function, which closes itself.
void BodyText::End() {
  done_ = open_.empty();
  if (done_) return;
  open_.pop_back();
  Indent();
  out_ << "end\n";
}

// Of the block that a branch leaves; the function's own has no name.
void BodyText::Label() {
  const uint64_t depth = in_.BoundedVarint(open_.size(), "the depth of a branch");
  if (depth == open_.size())
    out_ << " " << depth;
  else
    WriteLabel(open_[open_.size() - 1 - static_cast<size_t>(depth)]);
}

size_t BodyText::Index(uint64_t count, const char* what) {
  const uint64_t index = in_.Varint();
  if (index < count) return static_cast<size_t>(index);
  in_.Fail(StrCat(what, " of number ", index, "; there are ", count));
  return 0;
}

void BodyText::Constant() {
  out_ << " i32x4";
  for (int i = 0; i < 4; ++i) out_ << " " << FormatHex(in_.U32());
}

void BodyText::Shuffle() {
  for (int i = 0; i < 16; ++i) {
    const uint64_t index = in_.U8();
    if (index >= 32) in_.Fail("a shuffle of a byte behind the 32 of its operands");
    out_ << " " << index;
  }
}

void BodyText::MemoryOperands(uint64_t natural_log2) {
  const uint64_t log2 = in_.BoundedVarint(natural_log2, "an alignment");
  const uint64_t offset = in_.BoundedVarint(UINT32_MAX, "an offset");
  if (offset != 0) out_ << " offset=" << offset;
  if (log2 != natural_log2) out_ << " align=" << (uint64_t{1} << log2);
}

// What stands behind the instruction's name.
void BodyText::Operands(WasmOp op) {
  switch (op) {
    case WasmOp::kBranch:
    case WasmOp::kBranchIf: return Label();
    case WasmOp::kCall: {
      const size_t index = Index(names_.functions.size(), "a function");
      if (in_.ok()) out_ << " " << names_.functions[index];
      return;
    }
    case WasmOp::kLocalGet:
    case WasmOp::kLocalSet:
    case WasmOp::kLocalTee: out_ << " " << Index(locals_, "a local"); return;
    case WasmOp::kGlobalGet: out_ << " " << Index(names_.globals, "a global"); return;
    case WasmOp::kI32Const: out_ << " " << StrCat(ReadSignedLeb(32, &in_)); return;
    case WasmOp::kI64Const: out_ << " " << StrCat(ReadSignedLeb(64, &in_)); return;
    case WasmOp::kF32Const: {
      const uint32_t bits = in_.U32();
      out_ << " ";
      WriteFloat(bits, 23, 8, &out_);
      out_ << " (;=" << FormatFloat(__builtin_bit_cast(float, bits)) << ";)";
      return;
    }
    case WasmOp::kF64Const: {
      const uint64_t bits = in_.U64();
      out_ << " ";
      WriteFloat(bits, 52, 11, &out_);
      out_ << " (;=" << FormatDouble(__builtin_bit_cast(double, bits)) << ";)";
      return;
    }
    case WasmOp::kV128Const: return Constant();
    case WasmOp::kI8x16Shuffle: return Shuffle();
    // These name memories, of which there is one.
    case WasmOp::kMemoryCopy:
      if (in_.U8() != 0) in_.Fail("a second memory");
      [[fallthrough]];
    case WasmOp::kMemoryFill:
      if (in_.U8() != 0) in_.Fail("a second memory");
      return;
    default: break;
  }
  if (const int natural = MemoryLog2(op); natural >= 0)
    MemoryOperands(static_cast<uint64_t>(natural));
  if (HasLane(op)) out_ << " " << uint64_t{in_.U8()};
}

class ModuleText {
 public:
  explicit ModuleText(ByteSpan module) : in_(module, "WebAssembly module") {}

  Result<std::string> Write();

 private:
  Status Section(uint8_t number, ByteReader* in);
  void Type(ByteReader* in);
  void Import(ByteReader* in);
  void Function(ByteReader* in);
  void Export(ByteReader* in);
  Status Bodies(uint64_t count, ByteReader* in);

  ByteReader in_;
  Text out_, exports_;
  std::vector<std::string> signatures_;  // " (param i32 i32) (result i32)"
  std::vector<uint64_t> parameters_;     // of each of them, how many
  std::vector<uint64_t> functions_;      // the signature of each
  Names names_;
  uint64_t memories_ = 0;
};

Result<std::string> ModuleText::Write() {
  if (in_.Text(8) != std::string_view("\0asm\1\0\0\0", 8))
    in_.Fail("no module of version 1 begins so");
  out_ << "(module\n";
  int last = 0;
  while (in_.ok() && !in_.AtEnd()) {
    const uint8_t number = in_.U8();
    ByteReader section(in_.PrefixedBytes(), "section of a WebAssembly module");
    if (number <= last) in_.Fail("sections are not in their order");
    if (!in_.ok()) break;
    last = number;
    TERN_TRY(Section(number, &section));
    if (!section.AtEnd()) section.Fail("bytes behind what it holds");
    TERN_TRY(section.TakeStatus());
  }
  TERN_TRY(in_.TakeStatus());
  if (last < 10 && !functions_.empty())
    return Corrupt("WebAssembly module: its functions have no bodies");
  out_ << exports_.string() << ")\n";
  return out_.string();
}

// Each is a list.
Status ModuleText::Section(uint8_t number, ByteReader* in) {
  uint64_t left = in->BoundedVarint(in->remaining(), "a number of parts");
  void (ModuleText::*part)(ByteReader*);
  switch (number) {
    case 1: part = &ModuleText::Type; break;
    case 2: part = &ModuleText::Import; break;
    case 3: part = &ModuleText::Function; break;
    case 7: part = &ModuleText::Export; break;
    case 10: return Bodies(left, in);
    default:
      return Unsupported("WebAssembly module: text of section ", number,
                         " cannot be written; known are types (1), imports (2), functions (3), "
                         "exports (7) and code (10)");
  }
  for (; left > 0 && in->ok(); --left) (this->*part)(in);
  return Status();
}

void ModuleText::Type(ByteReader* in) {
  if (in->U8() != 0x60) in->Fail("a type that is not a function's");
  Text signature;
  parameters_.push_back(ReadTypeList("param", in, &signature));
  ReadTypeList("result", in, &signature);
  out_ << "  (type (;" << signatures_.size() << ";) (func" << signature.string() << "))\n";
  signatures_.push_back(signature.string());
}

void ModuleText::Import(ByteReader* in) {
  const std::string module = Quoted(in->PrefixedText());
  out_ << "  (import " << module << " " << Quoted(in->PrefixedText());
  const uint8_t kind = in->U8(), first = in->U8();
  if (kind == 2 && first <= 1) {  // memory; whether it has a maximum
    out_ << " (memory (;" << memories_++ << ";)";
    for (int i = 0; i <= first; ++i) out_ << " " << in->BoundedVarint(1 << 16, "pages");
    out_ << "))\n";
  } else if (kind == 3 && !TypeName(first).empty()) {  // global; its type
    const bool is_variable = in->BoundedVarint(1, "a global's mutability") != 0;
    out_ << " (global (;" << names_.globals++ << ";) " << (is_variable ? "(mut " : "")
         << TypeName(first) << (is_variable ? ")))\n" : "))\n");
  } else {
    in->Fail("an import that is neither a memory nor a global");
  }
}

void ModuleText::Function(ByteReader* in) {
  const uint64_t type = in->Varint();
  if (type >= signatures_.size()) in->Fail("a function of a type that is not there");
  names_.functions.push_back(StrCat(functions_.size()));
  functions_.push_back(type);
}

// A function's name in the text is the first under which it is exported.
void ModuleText::Export(ByteReader* in) {
  const std::string_view name = in->PrefixedText();
  if (in->U8() != 0) in->Fail("an export that is not a function");
  const uint64_t index = in->Varint();
  if (index >= functions_.size()) in->Fail("an export of a function that is not there");
  if (!in->ok()) return;
  std::string& known = names_.functions[static_cast<size_t>(index)];
  if (known[0] != '$' && IsIdentifier(name)) known = "$" + std::string(name);
  exports_ << "  (export " << Quoted(name) << " (func " << known << "))\n";
}

Status ModuleText::Bodies(uint64_t count, ByteReader* in) {
  if (count != functions_.size()) in->Fail("another number of bodies than of functions");
  for (size_t i = 0; i < functions_.size() && in->ok(); ++i) {
    const ByteSpan body = in->PrefixedBytes();
    if (!in->ok()) break;
    const auto type = static_cast<size_t>(functions_[i]);
    out_ << "  (func ";
    if (names_.functions[i][0] == '$') out_ << names_.functions[i] << " ";
    out_ << "(;" << i << ";) (type " << functions_[i] << ")" << signatures_[type] << "\n";
    TERN_TRY(BodyText(body, names_, &out_).Write(parameters_[type]));
    out_ << "  )\n";
  }
  return Status();
}

}  // namespace

Result<std::string> WasmText(ByteSpan module) { return ModuleText(module).Write(); }

}  // namespace tern::loop
