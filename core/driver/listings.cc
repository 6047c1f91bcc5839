// SPDX-License-Identifier: Apache-2.0
#include "core/driver/listings.h"

#include "core/base/strings.h"
#include "core/ir/text/printer.h"
#include "core/ir/visitor.h"
#include "core/vm/encoding.h"
#include "core/vm/file/format.h"

namespace tern::driver {
namespace {

// The function with its variables' registers as notes, then the parameters' and a summary.
std::string FunctionText(const ir::Module::Item& item, const ir::RegisterAssignment& assignment) {
  ir::PrintNotes notes;
  ir::ForEachBinding(item.function->bindings(), [&](const ir::Binding& binding) {
    const auto place = assignment.registers.find(binding.var.get());
    if (place != assignment.registers.end())
      notes[binding.var.get()].push_back({StrCat("r", place->second), {}});
  });
  // A module of this function alone, so that the printer shows nothing else.
  ir::Module one;
  one.Set(item.name, item.function);
  std::string text = StrCat(ir::ToText(one, {.notes = &notes}), "//");
  for (const ir::VarPtr& parameter : item.function->parameters())
    StrAppend(&text, " ", parameter->name(), " r", assignment.registers.at(parameter.get()), ",");
  return StrCat(text, " at most ", assignment.max_live, " live, ", assignment.count,
                assignment.count == 1 ? " register\n" : " registers\n");
}

// How many operands name each constant; the elements of tuples count for the tuple.
std::vector<size_t> CountUses(const vm::Executable& executable) {
  std::vector<size_t> uses(executable.constants().size());
  for (uint64_t i = 0; i < executable.instruction_count(); ++i) {
    const Result<vm::Instruction> instruction = executable.GetInstruction(i);
    if (!instruction.ok()) continue;
    for (const vm::Operand& operand : instruction->operands) {
      if (operand.is_constant()) ++uses[static_cast<size_t>(operand.value)];
    }
  }
  for (const vm::Constant& constant : executable.constants()) {
    for (const uint32_t element : constant.elements) ++uses[element];
  }
  return uses;
}

// The bytes that a tensor has in the file; 0 for everything that is written in another way.
uint64_t DataBytes(const vm::Constant& constant) {
  if (constant.kind != vm::ConstantKind::kTensor && constant.kind != vm::ConstantKind::kSplat)
    return 0;
  const Tensor* tensor = constant.value.TryCast<Tensor>();
  return tensor == nullptr || tensor->dtype().is_string() ? 0 : tensor->byte_size();
}

}  // namespace

std::string RegistersText(const ir::Module& module,
                          std::span<const ir::RegisterAssignment> assignments) {
  std::string text;
  for (size_t i = 0; i < assignments.size(); ++i)
    text += FunctionText(module.items()[i], assignments[i]);
  return text;
}

std::string ConstantsText(const vm::Executable& executable) {
  const std::vector<size_t> uses = CountUses(executable);
  std::string text;
  uint64_t end = 0, data = 0;
  size_t shared = 0;
  for (size_t i = 0; i < uses.size(); ++i) {
    const vm::Constant& constant = executable.constants()[i];
    StrAppend(&text, "c[", i, "]  ", constant.TypeText());
    if (const uint64_t bytes = DataBytes(constant); bytes > 0) {
      // As the writer places them: in order, each aligned.
      const uint64_t begin =
          (end + vm::kFileAlignment - 1) / vm::kFileAlignment * vm::kFileAlignment;
      StrAppend(&text, "  at +", begin, ", ", bytes, " bytes");
      end = begin + bytes;
      data += bytes;
    }
    StrAppend(&text, "  ", uses[i], uses[i] == 1 ? " use\n" : " uses\n");
    if (uses[i] > 1) ++shared;
  }
  return StrCat(text, "// ", uses.size(), uses.size() == 1 ? " constant, " : " constants, ", shared,
                " shared; data ", data, " bytes, ", end, " with padding to ", vm::kFileAlignment,
                "\n");
}

}  // namespace tern::driver
