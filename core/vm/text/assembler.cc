// SPDX-License-Identifier: Apache-2.0
// The assembler: one statement per line, instructions parsed by the table's operand roles, so that
// a new instruction needs no code here.
//
// Errors are sticky within a line: the first one is reported, the rest of the line is skipped, the
// next line goes on. Everything is handed to the builder, which knows registers, labels and names.
#include "core/vm/text/assembler.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/object/strings/string.h"
#include "core/vm/builder.h"
#include "core/vm/text/constant_parser.h"
#include "core/vm/text/line_cursor.h"

namespace tern::vm {
namespace {

constexpr std::string_view kSyntax = "E0110";

class Assembler {
 public:
  Assembler(std::string_view text, std::string_view name)
      : sources_(std::make_shared<text::SourceMap>()) {
    file_ = sources_->AddFile(name, text);
    // The source map owns the text that spans point into.
    text_ = sources_->text(file_);
    builder_.set_sources(sources_);
    // Dense registers keep their numbers: text that was disassembled must give the same bytes.
    builder_.set_keep_dense_registers(true);
    diagnostics_ = text::Diagnostics(sources_);
  }

  Result<ExecutablePtr> Run(text::Diagnostics* warnings) {
    // A last line without a line break counts too.
    for (size_t begin = 0; begin <= text_.size();) {
      const size_t end = std::min(text_.find('\n', begin), text_.size());
      Line(begin, end);
      begin = end + 1;
    }
    CloseFunction();
    // Syntax errors first: what the builder says of a function with missing lines would only
    // mislead.
    if (!diagnostics_.ok()) return diagnostics_.ToStatus();
    if (warnings != nullptr) {
      *warnings = text::Diagnostics(sources_);
      for (const text::Diagnostic& d : builder_.diagnostics().items()) {
        if (d.severity == text::Severity::kWarning) warnings->Add(d);
      }
    }
    return builder_.Finish();
  }

 private:
  void Line(size_t begin, size_t end) {
    in_ = LineCursor(text_, begin, end);
    // Lines of a function whose head could not be read are skipped: each would be an error.
    if (in_.AtEnd() || (skips_ && BelongsToFunction(text_.substr(begin, end - begin)))) return;
    // What the builder reports is reported at this line.
    builder_.set_span(
        {file_, static_cast<uint32_t>(in_.offset()), static_cast<uint32_t>(in_.line_end())});
    if (in_.Peek() == '.')
      Directive();
    else if (!TryLabel())
      ParseInstruction();
    if (in_.ok() && !in_.AtEnd()) in_.Fail("expected the end of the line");
    if (in_.ok()) return;
    const text::Mistake& mistake = in_.mistake();
    text::Diagnostic& d = diagnostics_.Error(kSyntax, mistake.message);
    d.At({file_, static_cast<uint32_t>(mistake.begin), static_cast<uint32_t>(mistake.end)});
    if (!in_.help().empty()) d.Help(in_.help());
  }

  // Which lines belong to the function that is skipped: instructions, labels, names and locations.
  static bool BelongsToFunction(std::string_view line) {
    line = StrTrim(line);
    return !line.starts_with('.') || line.starts_with(".name") || line.starts_with(".loc");
  }

  // --- directives ---

  void Directive() {
    const std::string_view word = in_.Word();
    if (word == ".func") return FunctionDirective();
    if (word == ".const") return ConstDirective();
    if (word == ".meta") return MetaDirective();
    if (word == ".primitive") return builder_.DeclarePrimitive(in_.PrimitiveName());
    if (word == ".kernel") return KernelDirective();
    // They belong to a function; the others may stand anywhere.
    if (!open_ && (word == ".name" || word == ".loc"))
      return in_.FailAtLast(StrCat(word, " stands outside of a function"));
    if (word == ".name") return NameDirective();
    if (word == ".loc") return LocDirective();
    in_.FailAtLast(StrCat("unknown directive '", word, "'"));
    in_.SuggestFrom(word, {".func", ".const", ".meta", ".primitive", ".kernel", ".name", ".loc"});
  }

  void CloseFunction() {
    if (!open_) return;
    open_ = false;
    builder_.EndFunction().IgnoreError();  // the builder keeps it
  }

  // A function ends where the next begins.
  void FunctionDirective() {
    CloseFunction();
    in_.Expect('@');
    const std::string name = in_.Name();
    skips_ = !in_.ok();
    if (skips_) return;
    // The signature has a parser of its own, which takes the rest of the line.
    builder_.BeginFunction(name, in_.Rest());
    open_ = true;
  }

  void MetaDirective() {
    const std::string key = in_.Quoted();
    in_.Expect('=');
    const std::string value = in_.Quoted();
    if (in_.ok()) builder_.SetMetadata(key, value);
  }

  // Text is for loop programs; other kernels are bytes.
  void KernelDirective() {
    KernelInfo kernel;
    kernel.name = in_.Quoted();
    kernel.format = in_.Quoted();
    if (in_.AcceptWord("text")) {
      kernel.bytes = in_.Quoted();
    } else {
      in_.ExpectWord("hex");
      kernel.bytes = in_.HexBytes();
    }
    if (in_.ok()) builder_.AddKernel(std::move(kernel));
  }

  void NameDirective() {
    const Operand reg = RegisterOperand();
    const std::string name = in_.Name();
    if (in_.ok()) builder_.NameRegister(reg, name);
  }

  void LocDirective() {
    const std::string text = in_.Quoted();
    uint32_t line = 0, column = 0;
    if (in_.ok() && !in_.AtEnd()) {
      line = static_cast<uint32_t>(in_.Number(UINT32_MAX));
      in_.Expect(':');
      column = static_cast<uint32_t>(in_.Number(UINT32_MAX));
    }
    if (!in_.ok()) return;
    builder_.SetSource(text, line, column);
    // A location is that of one instruction; ParseInstruction ends it.
    has_location_ = true;
  }

  void ConstDirective() {
    in_.ExpectWord("c");
    in_.Expect('[');
    const int64_t index = in_.Number(INT64_MAX);
    // Numbers are only there for readers, so they must be right.
    if (in_.ok() && index != builder_.constant_count()) {
      return in_.FailAtLast(
          StrCat("constants are numbered in order: expected c[", builder_.constant_count(), "]"));
    }
    in_.Expect(']');
    in_.Expect('=');
    std::optional<Constant> constant = ParseConstant(&in_, builder_.constant_count());
    if (in_.ok() && constant.has_value()) builder_.AppendConstant(*std::move(constant));
  }

  // --- instructions ---

  // A word with a colon behind it. Operands with labels come behind a mnemonic, so there is no
  // doubt.
  bool TryLabel() {
    const std::string_view name = in_.PeekWord();
    if (!IsPlainName(name) || in_.CharAfterWord() != ':') return false;
    in_.Word();
    in_.Expect(':');
    if (!open_) in_.FailAtLast("a label stands outside of a function");
    if (in_.ok()) builder_.Bind(builder_.NamedLabel(name));
    return true;
  }

  // Three forms (disassembler.h), told apart by how the line begins: an assignment, a mnemonic, or
  // a symbol.
  void ParseInstruction() {
    std::optional<Operand> dst;
    if (const char c = in_.Peek(); c == '%' || c == '$') {
      dst = RegisterOperand();
      in_.Expect('=');
    }
    const std::string_view name = in_.Word();
    if (!in_.ok()) return;
    // An assignment has symbols only.
    const InstructionInfo* columns = dst.has_value() ? nullptr : FindInstruction(name);
    const InstructionInfo* info = columns != nullptr ? columns : FindSymbol(name);
    if (info == nullptr) return UnknownInstruction(name, dst.has_value());
    if (!open_) return in_.FailAtLast("an instruction stands outside of a function");
    if (columns != nullptr)
      ParseOperands(*info);
    else if (dst.has_value() || in_.Peek() == '(')
      ParseApplication(*info, dst);
    else
      ParsePositional(*info, -1);
    if (in_.ok() && in_.AtEnd()) builder_.Emit(info->opcode, operands_);
    if (has_location_) builder_.SetSource("");
    has_location_ = false;
  }

  static const InstructionInfo* FindSymbol(std::string_view name) {
    for (const InstructionInfo& info : AllInstructions()) {
      if (info.symbol == name) return &info;
    }
    return nullptr;
  }

  void UnknownInstruction(std::string_view name, bool is_assignment) {
    in_.FailAtLast(StrCat("unknown instruction '", name, "'"));
    // What was meant is guessed from the kind of word: symbols begin with capitals.
    const bool symbols = is_assignment || (!name.empty() && name[0] >= 'A' && name[0] <= 'Z');
    std::vector<std::string_view> names;
    for (const InstructionInfo& info : AllInstructions())
      names.push_back(symbols ? info.symbol : info.mnemonic);
    in_.SuggestFrom(name, names);
  }

  // Parses `%2 = Add(%0, 1)`: the destination in front, the other operands in parentheses.
  void ParseApplication(const InstructionInfo& info, const std::optional<Operand>& dst) {
    if (dst.has_value() && info.write < 0)
      return in_.FailAtLast(StrCat("'", info.symbol, "' has no destination"));
    // A destination that is optional in the table may be left out here as well.
    if (!dst.has_value() && info.write >= 0 &&
        info.operands()[static_cast<size_t>(info.write)].repeat == Repeat::kOnce)
      return in_.FailAtLast(StrCat("expected '%n =' in front of '", info.symbol, "'"));
    in_.Expect('(');
    ParsePositional(info, info.write);
    in_.Expect(')');
    if (dst.has_value()) operands_[static_cast<size_t>(info.write)] = *dst;
  }

  // Parses `Add $2, $0, 1`: operands in the order of isa.def, but for `skipped`; `void` stands for
  // one that is left out.
  void ParsePositional(const InstructionInfo& info, int skipped) {
    operands_.assign(info.fixed_count(), Arg(Operand::Void()));
    bool first = true;
    for (size_t i = 0; in_.ok() && i < info.operand_count; ++i) {
      const OperandInfo& operand = info.operands()[i];
      if (static_cast<int>(i) == skipped) continue;
      if (operand.is_list()) {
        ParsePositionalList(operand, first);
        continue;
      }
      if (!first) in_.Expect(',');
      if (in_.ok()) operands_[i] = PositionalValue(operand);
      first = false;
    }
  }

  void ParsePositionalList(const OperandInfo& operand, bool first) {
    const size_t before = operands_.size();
    while (in_.ok() && !in_.AtEnd() && in_.Peek() != ')') {
      if (!first) in_.Expect(',');
      if (in_.ok()) operands_.push_back(PositionalValue(operand));
      first = false;
    }
    if (operand.repeat == Repeat::kSome && operands_.size() == before)
      in_.Fail(StrCat("'", operand.name, "' needs at least one value"));
  }

  Arg PositionalValue(const OperandInfo& operand) {
    return operand.is_callee() ? Arg(Callee(operand.role)) : Value(operand.role);
  }

  // Columns: the callee first, then operands with or without labels, the destination last, as
  // instruction_printer.cc prints them.
  void ParseOperands(const InstructionInfo& info) {
    operands_.assign(info.fixed_count(), Arg(Operand::Void()));
    for (size_t i = 0; in_.ok() && i < info.operand_count; ++i) {
      if (info.operands()[i].is_callee()) operands_[i] = Callee(info.operands()[i].role);
    }
    bool positional = false;
    for (size_t i = 0; in_.ok() && i < info.operand_count; ++i) {
      const OperandInfo& operand = info.operands()[i];
      if (operand.is_callee() || static_cast<int>(i) == info.write) continue;
      if (operand.is_list()) {
        ParseList(operand);
      } else if (operand.label == Label::kNone) {
        if (positional) in_.Expect(',');
        operands_[i] = Value(operand.role);
        positional = true;
      } else if (TakeLabel(operand)) {
        operands_[i] = Value(operand.role);
      }
    }
    if (in_.ok() && info.write >= 0) ParseDestination(info);
  }

  void ParseDestination(const InstructionInfo& info) {
    const OperandInfo& dst = info.operands()[static_cast<size_t>(info.write)];
    if (TakeLabel(dst)) operands_[static_cast<size_t>(info.write)] = Value(Role::kWrite);
  }

  // Takes the label of an operand. False if the operand is left out, which is an error unless it
  // may be.
  bool TakeLabel(const OperandInfo& operand) {
    const char expected = operand.label == Label::kColon ? ':' : ' ';
    const bool there =
        in_.PeekWord() == operand.name && (expected == ' ' || in_.CharAfterWord() == ':');
    if (there) {
      in_.Word();
      if (expected == ':') in_.Expect(':');
      return in_.ok();
    }
    if (operand.repeat == Repeat::kOnce || operand.repeat == Repeat::kSome) {
      in_.Fail(StrCat("expected '", operand.name, operand.label == Label::kColon ? ":'" : "'"));
    }
    return false;
  }

  void ParseList(const OperandInfo& operand) {
    if (operand.label != Label::kNone && !TakeLabel(operand)) return;
    // A list without values ends at the destination.
    const bool at_dst = in_.PeekWord() == "dst" && in_.CharAfterWord() == ':';
    if (in_.AtEnd() || at_dst) {
      if (operand.repeat == Repeat::kSome)
        in_.Fail(StrCat("'", operand.name, "' needs at least one value"));
      return;
    }
    do operands_.push_back(Value(operand.role));
    while (in_.ok() && in_.Accept(','));
  }

  // With @ a function of this file, without it a primitive; which of the two is allowed depends on
  // the role.
  Operand Callee(Role role) {
    if (in_.Accept('@')) {
      if (role == Role::kPrimitive)
        in_.FailAtLast("expected a primitive, not a function of this file");
      return builder_.function(in_.Name());
    }
    if (role == Role::kFunction) in_.Fail("expected a function of this file, such as @main");
    const std::string name = in_.PrimitiveName();
    return in_.ok() ? builder_.primitive(name) : Operand::Void();
  }

  // Both marks are read, whatever the form.
  Operand RegisterOperand() {
    if (!in_.Accept('$')) in_.Expect('%');
    if (in_.AcceptWord("vm")) return Operand::Vm();
    return Operand::Register(in_.Number(kVmRegister - 1));
  }

  // An operand of any kind, told by its first character or word. Where a jump or a data type is
  // expected, words mean that.
  Arg Value(Role role) {
    switch (in_.Peek()) {
      case '%':
      case '$': return RegisterOperand();
      case '@': return Callee(Role::kFunction);
      case '&': in_.Expect('&'); return Callee(Role::kPrimitive);
      case '"': return Literal(Any(String(std::string_view(in_.Quoted()))));
      default: break;
    }
    if (role == Role::kOffset) return JumpTarget();
    const std::string_view word = in_.PeekWord();
    if (word == "void") return in_.Word(), Operand::Void();
    if (word == "c" && in_.CharAfterWord() == '[')
      return Operand::Constant(ParseConstantReference(&in_));
    if (role == Role::kDType) return Operand::Immediate(DTypeToImmediate(in_.DTypeWord()));
    if (word == "true" || word == "false") return Literal(Any(in_.Boolean()));
    if (in_.AtNumber()) return NumberLiteral();
    if (in_.AtEnd() || !IsPlainName(word)) {
      in_.Fail("expected an operand");
      return Operand::Void();
    }
    // Literals of other kinds become constants.
    std::optional<Constant> constant = ParseConstant(&in_, builder_.constant_count());
    if (!constant.has_value() || !in_.ok()) return Operand::Void();
    return builder_.AddConstant(*std::move(constant));
  }

  Arg Literal(const Any& value) {
    return in_.ok() ? Arg(builder_.AddConstant(value)) : Arg(Operand::Void());
  }

  Arg NumberLiteral() {
    // Ints that need more than 56 bits become constants.
    if (in_.AtFloat()) return Literal(Any(in_.FloatNumber()));
    const int64_t value = in_.SignedNumber();
    if (!FitsImmediate(value)) return Literal(Any(value));
    return Operand::Immediate(value);
  }

  Operand JumpTarget() {
    if (in_.Peek() == '+' || in_.Peek() == '-') return Operand::Immediate(in_.SignedNumber());
    const std::string_view name = in_.Word();
    if (!IsPlainName(name)) in_.FailAtLast("expected a label or an offset such as +2");
    return in_.ok() ? builder_.Jump(builder_.NamedLabel(name)) : Operand::Void();
  }

  std::shared_ptr<text::SourceMap> sources_;
  int32_t file_ = 0;
  std::string_view text_;
  LineCursor in_;
  text::Diagnostics diagnostics_;
  ExecBuilder builder_;
  std::vector<Arg> operands_;
  bool open_ = false;
  bool skips_ = false;  // the lines of a function whose first line cannot be read
  bool has_location_ = false;
};

}  // namespace

Result<ExecutablePtr> Assemble(std::string_view text, std::string_view source_name,
                               text::Diagnostics* warnings) {
  return Assembler(text, source_name).Run(warnings);
}

}  // namespace tern::vm
