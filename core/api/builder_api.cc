// SPDX-License-Identifier: Apache-2.0
// Executables built instruction by instruction: ExecBuilder (core/vm/builder.h) for C and
// JavaScript.
#include <string>
#include <vector>

#include "core/api/handles.h"
#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/text/diagnostics.h"
#include "core/vm/builder.h"
#include "core/vm/file/writer.h"

// A struct around it, because C cannot name a class of a namespace.
struct tern_builder {
  tern::vm::ExecBuilder builder;
};

namespace tern::api {
namespace {

using vm::Operand;
using vm::OperandKind;

// Labels have no handle: they travel as the operand that a jump takes.
tern_operand ToC(const Operand& operand) {
  tern_operand out{};
  out.kind = static_cast<int32_t>(operand.kind);
  out.value = operand.value;
  if (operand.is_void()) out.kind = TERN_OPERAND_VOID;
  if (operand.is_vm()) out.kind = TERN_OPERAND_VM;
  return out;
}

// A kind that C made up is refused here; numbers of registers and constants are checked by the
// builder.
Result<Operand> FromC(const tern_operand& operand, size_t index) {
  switch (operand.kind) {
    case TERN_OPERAND_VOID: return Operand::Void();
    case TERN_OPERAND_VM: return Operand::Vm();
    case TERN_OPERAND_REGISTER:
    case TERN_OPERAND_IMMEDIATE:
    case TERN_OPERAND_CONSTANT:
    case TERN_OPERAND_FUNCTION:
      return Operand{static_cast<OperandKind>(operand.kind), operand.value};
    default: break;
  }
  return InvalidArgument("operand ", index, ": there is no operand of kind ", operand.kind);
}

// Instructions are found by name, so that bindings need no copy of the table.
Status Emit(vm::ExecBuilder* builder, std::string_view mnemonic,
            std::span<const tern_operand> operands) {
  const vm::InstructionInfo* info = vm::FindInstruction(mnemonic);
  if (info == nullptr) {
    Status status = InvalidArgument("there is no instruction '", mnemonic, "'");
    return std::move(status.SetErrorCode("E0111"));
  }
  std::vector<vm::Arg> args;
  for (size_t i = 0; i < operands.size(); ++i) {
    TERN_TRY_ASSIGN(const Operand operand, FromC(operands[i], i));
    args.emplace_back(operand);
  }
  builder->Emit(info->opcode, args);
  return OkStatus();
}

// The warnings from number `first` on, as JSON.
std::string WarningsFrom(const text::Diagnostics& all, size_t first) {
  text::Diagnostics warnings(all.shared_sources());
  for (const text::Diagnostic& d : all.items().subspan(first)) {
    if (d.severity == text::Severity::kWarning) warnings.Add(d);
  }
  JsonWriter json;
  WriteJson(warnings, &json);
  return json.Take();
}

// The status of an operation that reports into the builder's diagnostics: the last of them, if
// there is a new one.
Status SinceError(const vm::ExecBuilder& builder, size_t errors_before) {
  if (builder.diagnostics().error_count() == errors_before) return OkStatus();
  // With the sources, so that the message shows its line.
  text::Diagnostics last(builder.diagnostics().shared_sources());
  if (!builder.diagnostics().items().empty()) last.Add(builder.diagnostics().items().back());
  return last.ToStatus();
}

}  // namespace
}  // namespace tern::api

using tern::api::NewBuffer;
using tern::api::ToHandle;

// A builder needs nothing of the runtime; the parameter is there for a later version.
tern_status* tern_builder_create(tern_runtime*, tern_builder** builder) {
  *builder = new tern_builder{};
  return nullptr;
}

void tern_builder_free(tern_builder* builder) { delete builder; }

tern_status* tern_builder_begin_function(tern_builder* builder, const char* name,
                                         const char* signature, uint32_t num_inputs) {
  const size_t errors = builder->builder.diagnostics().error_count();
  // A signature says how many inputs there are.
  if (signature != nullptr)
    builder->builder.BeginFunction(name, std::string_view(signature));
  else
    builder->builder.BeginFunction(name, num_inputs);
  return ToHandle(tern::api::SinceError(builder->builder, errors));
}

tern_status* tern_builder_end_function(tern_builder* builder, tern_buffer** warnings) {
  const size_t before = builder->builder.diagnostics().items().size();
  tern::Status status = builder->builder.EndFunction();
  if (!status.ok()) return ToHandle(std::move(status));
  if (warnings != nullptr)
    *warnings = NewBuffer(tern::api::WarningsFrom(builder->builder.diagnostics(), before));
  return nullptr;
}

tern_status* tern_builder_constant(tern_builder* builder, const TernAny* value,
                                   tern_operand* operand) {
  const size_t errors = builder->builder.diagnostics().error_count();
  *operand = tern::api::ToC(builder->builder.AddConstant(tern::api::View(value)));
  return ToHandle(tern::api::SinceError(builder->builder, errors));
}

tern_status* tern_builder_constant_text(tern_builder* builder, const char* text, int32_t share,
                                        tern_operand* operand) {
  const size_t errors = builder->builder.diagnostics().error_count();
  *operand = tern::api::ToC(share != 0 ? builder->builder.AddConstantText(text)
                                       : builder->builder.AppendConstantText(text));
  return ToHandle(tern::api::SinceError(builder->builder, errors));
}

void tern_builder_callee(tern_builder* builder, const char* name, int32_t kind,
                         tern_operand* operand) {
  tern::vm::ExecBuilder& b = builder->builder;
  if (kind == TERN_CALLEE_FUNCTION)
    *operand = tern::api::ToC(b.function(name));
  else
    *operand = tern::api::ToC(kind == TERN_CALLEE_PRIMITIVE ? b.primitive(name) : b.f(name));
}

void tern_builder_declare_primitive(tern_builder* builder, const char* name) {
  builder->builder.DeclarePrimitive(name);
}

void tern_builder_label(tern_builder* builder, const char* name, tern_operand* operand) {
  *operand = tern::api::ToC(builder->builder.Jump(builder->builder.NamedLabel(name)));
}

void tern_builder_bind(tern_builder* builder, const char* name) {
  builder->builder.Bind(builder->builder.NamedLabel(name));
}

tern_status* tern_builder_emit(tern_builder* builder, const char* mnemonic,
                               const tern_operand* operands, int32_t count) {
  // With a negative count the builder reports missing operands.
  return ToHandle(tern::api::Emit(&builder->builder, mnemonic,
                                  std::span(operands, count < 0 ? 0 : static_cast<size_t>(count))));
}

void tern_builder_set_source(tern_builder* builder, const char* text, size_t size, uint32_t line,
                             uint32_t column) {
  builder->builder.SetSource(std::string_view(text, size), line, column);
}

void tern_builder_name_register(tern_builder* builder, int64_t reg, const char* name) {
  builder->builder.NameRegister(tern::vm::ExecBuilder::r(reg), name);
}

void tern_builder_set_metadata(tern_builder* builder, const char* key, size_t key_size,
                               const char* value, size_t value_size) {
  builder->builder.SetMetadata(std::string_view(key, key_size),
                               std::string_view(value, value_size));
}

void tern_builder_add_kernel(tern_builder* builder, const char* name, const char* format,
                             const void* bytes, size_t size) {
  builder->builder.AddKernel({name, format, std::string(static_cast<const char*>(bytes), size)});
}

void tern_builder_keep_dense_registers(tern_builder* builder, int32_t keep) {
  builder->builder.set_keep_dense_registers(keep != 0);
}

tern_status* tern_builder_finish(tern_builder* builder, tern_buffer** executable) {
  tern::Result<tern::vm::ExecutablePtr> made = builder->builder.Finish();
  if (!made.ok()) return ToHandle(std::move(made).status());
  *executable = NewBuffer(tern::vm::SaveExecutable(**made));
  return nullptr;
}
