// SPDX-License-Identifier: Apache-2.0
// ExecBuilder: the way to make an executable from code.
//
//   ExecBuilder b;
//   b.BeginFunction("main", "(x: f32[n], y: f32[n]) -> f32[n]");
//   b.EmitCall("add", {b.r(0), b.r(1)}, b.r(2));
//   b.EmitRet(b.r(2));
//   b.EndFunction();
//   TERN_TRY_ASSIGN(ExecutablePtr executable, b.Finish());
//
// or, with the function's scope as a body: b.DefineFunction("main", 2, [&] { b.EmitCall(…); … });
//
// The first registers of a function are its inputs; other registers may have any number, since
// EndFunction renames them densely in order of use. It also checks: a register read as input that
// is none, an unknown label, a missing return are errors, an unused input is a warning. Errors are
// kept (diagnostics()) and reported all at once by Finish, which verifies. Constants are kept once
// each, tensors by their content.
#ifndef TERN_CORE_VM_BUILDER_H_
#define TERN_CORE_VM_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/text/diagnostics.h"
#include "core/vm/executable.h"
#include "core/vm/verifier.h"

namespace tern::vm {

// An operand, or a value that becomes one: small integers immediates, everything else a constant.
class Arg {
 public:
  Arg(Operand operand) : operand_(operand), is_operand_(true) {}  // NOLINT: implicit by design
  template <typename T>
    requires(!std::same_as<std::remove_cvref_t<T>, Operand> &&
             std::constructible_from<Any, const T&>)
  Arg(const T& value) : value_(value) {}  // NOLINT

  bool is_operand() const { return is_operand_; }
  const Operand& operand() const { return operand_; }
  const Any& value() const { return value_; }

 private:
  Operand operand_;
  bool is_operand_ = false;
  Any value_;
};

// A place to jump to; made by NewLabel or NamedLabel of the same function.
struct CodeLabel {
  uint32_t index = 0;
};

class ExecBuilder {
 public:
  // Opens a function; of num_inputs nameless inputs, or of a signature's text (signature.h).
  void BeginFunction(std::string_view name, uint32_t num_inputs);
  void BeginFunction(std::string_view name, std::string_view signature);
  // Checks and formalizes; the first error of this function, all of which Finish reports.
  Status EndFunction();
  // Both of them around `body`; inputs are a number or a signature's text.
  template <typename Inputs, typename Body>
  Status DefineFunction(std::string_view name, const Inputs& inputs, const Body& body) {
    BeginFunction(name, inputs);
    body();
    return EndFunction();
  }

  static Operand r(int64_t index) { return Operand::Register(index); }
  static Operand imm(int64_t value) { return Operand::Immediate(value); }
  static Operand c(int64_t index) { return Operand::Constant(index); }
  static Operand dst_void() { return Operand::Void(); }
  static Operand vm_state() { return Operand::Vm(); }
  // The function of that name, which may be defined later; else the primitive.
  Operand f(std::string_view name) { return NameOperand(name, NameKind::kAuto); }
  // One or the other, whatever else has the name.
  Operand function(std::string_view name) { return NameOperand(name, NameKind::kFunction); }
  Operand primitive(std::string_view name) { return NameOperand(name, NameKind::kPrimitive); }
  // Puts a primitive into the table before its first use, for text that fixes the order.
  void DeclarePrimitive(std::string_view name);

  // The constant's operand; equal constants share one. A tuple's fields become constants as well.
  Operand AddConstant(AnyView value);
  Operand AddConstant(Constant constant);
  // Of text such as "f32[2] [1, 2]" (constant_parser.h).
  Operand AddConstantText(std::string_view text);
  // A tensor of dims filled with the one element of `element`.
  Operand AddSplat(TensorPtr element, Dims dims);
  // Always a new entry, for text that numbers its constants.
  Operand AppendConstant(Constant constant);
  Operand AppendConstantText(std::string_view text);
  Operand AppendTuple(std::vector<uint32_t> elements);
  int64_t constant_count() const { return static_cast<int64_t>(parts_.constants.size()); }

  void EmitCall(std::string_view callee, std::initializer_list<Arg> args,
                Operand dst = Operand::Void()) {
    EmitCall(callee, std::span(args.begin(), args.size()), dst);
  }
  void EmitCall(std::string_view callee, std::span<const Arg> args, Operand dst = Operand::Void());
  void EmitRet(const Arg& value) { Emit(Opcode::kRet, {value}); }
  void EmitMove(Operand dst, Operand source) { Emit(Opcode::kMove, {dst, source}); }
  void EmitLoadConst(Operand dst, const Arg& value);
  void EmitKill(Operand reg) { Emit(Opcode::kKill, {reg}); }
  void EmitGetField(Operand dst, Operand object, int64_t index) {
    Emit(Opcode::kGetField, {dst, object, imm(index)});
  }
  void EmitTuple(Operand dst, std::span<const Arg> fields, int64_t tag = 0);
  void EmitFatal(std::string_view message);
  void EmitGoto(CodeLabel target);
  void EmitIf(Operand test, CodeLabel if_true, CodeLabel if_false);
  void EmitIfEqual(Operand test, const Arg& target, CodeLabel if_true, CodeLabel if_false);
  // Any instruction, operands in the order of isa.def; jump offsets as immediates relative to it.
  void Emit(Opcode opcode, std::initializer_list<Arg> args) {
    Emit(opcode, std::span(args.begin(), args.size()));
  }
  void Emit(Opcode opcode, std::span<const Arg> args);

  // Instructions of the open function so far.
  uint32_t code_size() const { return static_cast<uint32_t>(functions_.back().code.size()); }

  CodeLabel NewLabel();
  // The label of that name in this function, for messages and for text.
  CodeLabel NamedLabel(std::string_view name);
  // The next instruction is where the label points.
  void Bind(CodeLabel label);
  // An offset operand for Emit.
  Operand Jump(CodeLabel label);

  // What the following instructions were made from, until set again; nothing at all ends it.
  void SetSource(std::string_view text, uint32_t line = 0, uint32_t column = 0);
  void NameRegister(Operand reg, std::string_view name);
  void SetMetadata(std::string_view key, std::string_view value);
  void AddKernel(KernelInfo kernel) { parts_.kernels.push_back(std::move(kernel)); }

  // Text keeps the numbers of registers that are dense already; code that emits wants them in order
  // of use.
  void set_keep_dense_registers(bool keep) { keep_dense_ = keep; }
  // Spans in the messages of the current instruction (assembler).
  void set_span(text::Span span) { span_ = span; }
  void set_sources(std::shared_ptr<const text::SourceMap> sources);

  // Errors and warnings so far.
  const text::Diagnostics& diagnostics() const { return diagnostics_; }
  // The executable; the builder is empty afterwards.
  Result<ExecutablePtr> Finish();

 private:
  struct Pending {
    Opcode opcode{};
    std::vector<Operand> operands;  // functions by name id, jumps by label, until resolved
    int32_t source = -1;            // index into sources_
    text::Span span;
  };
  struct PendingLabel {
    std::string name;
    int64_t position = -1;
    text::Span span;
  };
  struct PendingFunction {
    FunctionInfo info;
    std::vector<Pending> code;
    std::vector<PendingLabel> labels;
    std::vector<std::pair<int64_t, std::string>> register_names;
    std::vector<int64_t> written_as;  // the caller's number of each register, if they were renamed
    text::Span span;
    size_t errors_before = 0;  // in diagnostics_
  };
  enum class NameKind : uint8_t { kAuto, kFunction, kPrimitive };
  struct CalleeName {
    std::string name;
    NameKind kind = NameKind::kAuto;
    text::Span span;
  };

  text::Diagnostic& Error(std::string_view message, text::Span span, int64_t pc = -1);
  Operand ToOperand(const Arg& arg);
  Operand AddTuple(AnyView tuple, int depth);
  bool IsSound(const Operand& operand) const;
  Operand NameOperand(std::string_view name, NameKind kind);
  void WarnUnusedInputs();
  void ResolveLabels();
  void Formalize();
  void RenameRegisters(const std::unordered_map<int64_t, int64_t>& names);
  void CheckFunction();
  void Report(const PendingFunction& function, const Status& status, const VerifyFailure& failure);
  Operand ResolveName(const Operand& operand, bool* ok);
  void WriteFunction(PendingFunction* function);

  ExecutableParts parts_;
  text::Diagnostics diagnostics_;
  std::vector<PendingFunction> functions_;  // the last one is open while open_
  std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>>
      defined_;  // name → index in functions_
  std::vector<CalleeName> names_;
  std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>> name_ids_[3];  // by kind
  std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>> primitive_ids_;
  std::unordered_multimap<uint64_t, uint32_t> constant_hashes_;
  uint64_t splat_bytes_ = 0;  // of the splats among the constants
  std::vector<DebugEntry> sources_;
  int32_t source_ = -1;
  bool open_ = false;
  bool keep_dense_ = false;
  text::Span span_;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_BUILDER_H_
