// SPDX-License-Identifier: Apache-2.0
// Listings of an executable.
#include "core/driver/inspect.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/vm/disassembler.h"
#include "core/vm/linker.h"

namespace tern::driver {
namespace {

void WriteDimension(const vm::Dimension& dim, JsonWriter* json) {
  if (dim.kind == vm::Dimension::Kind::kExtent) {
    json->Int(dim.value);
  } else {
    json->String(dim.kind == vm::Dimension::Kind::kAny ? "?" : std::string_view(dim.text));
  }
}

// {"name", "dtype", "shape"} of tensors, {"name", "type"} of anything else.
void WriteParameter(std::string_view name, const vm::TypeInfo& type, JsonWriter* json) {
  json->BeginObject().Field("name", name).Field("type", type.ToText());
  if (type.kind == vm::TypeInfo::Kind::kTensor && type.has_dtype) {
    json->Field("dtype", type.dtype.ToString());
    json->Key("shape").BeginArray();
    for (const vm::Dimension& dim : type.dims) WriteDimension(dim, json);
    json->EndArray();
  }
  json->EndObject();
}

void WriteResults(const vm::FunctionInfo& function, JsonWriter* json) {
  const vm::TypeInfo& result = function.signature.result();
  json->Key("results").BeginArray();
  if (result.kind == vm::TypeInfo::Kind::kTuple) {
    for (const vm::TypeInfo& element : result.elements) WriteParameter(element.name, element, json);
  } else if (function.signature.has_result()) {
    WriteParameter(result.name, result, json);
  }
  json->EndArray();
}

void WriteFunction(const vm::FunctionInfo& function, JsonWriter* json) {
  json->BeginObject().Field("name", function.name).Field("signature", function.signature.ToText());
  json->Key("params").BeginArray();
  for (const vm::ParameterInfo& param : function.signature.parameters()) {
    WriteParameter(param.name, param.type, json);
  }
  json->EndArray();
  WriteResults(function, json);
  json->Field("first", function.first_instruction)
      .Field("count", function.instruction_count)
      .Field("registers", function.register_count)
      .EndObject();
}

uint64_t BytesOf(const vm::Constant& constant) {
  const Tensor* tensor = constant.value.TryCast<Tensor>();
  return tensor == nullptr || tensor->dtype().is_string() ? 0 : tensor->byte_size();
}

void WriteConstant(const vm::Constant& constant, size_t index, JsonWriter* json) {
  json->BeginObject()
      .Field("index", static_cast<int64_t>(index))
      .Field("type", constant.TypeText())
      .Field("bytes", BytesOf(constant))
      .Field("splat", constant.kind == vm::ConstantKind::kSplat)
      .EndObject();
}

void WriteInstruction(const vm::Executable& executable, uint32_t pc, JsonWriter* json) {
  json->BeginObject().Field("pc", pc).Field("text", vm::InstructionText(executable, pc));
  if (const vm::DebugEntry* debug = executable.FindDebug(pc)) json->Field("source", debug->text());
  json->EndObject();
}

struct Section {
  std::string_view name;
  uint64_t count;
  uint64_t bytes;
};

std::vector<Section> SectionsOf(const vm::Executable& executable) {
  uint64_t kernel_bytes = 0;
  for (const vm::KernelInfo& kernel : executable.kernels()) kernel_bytes += kernel.bytes.size();
  uint64_t name_bytes = 0;
  for (const std::string& name : executable.primitives()) name_bytes += name.size();
  return {{"globals", executable.functions().size(), 0},
          {"constants", executable.constants().size(), executable.constant_bytes()},
          {"primitives", executable.primitives().size(), name_bytes},
          {"code", executable.instruction_count(), executable.instr_data().size() * 8},
          {"kernels", executable.kernels().size(), kernel_bytes},
          {"metadata", executable.metadata().size(), 0},
          {"debug", executable.debug().size(), 0}};
}

void WriteSections(const vm::Executable& executable, JsonWriter* json) {
  json->Key("sections").BeginArray();
  for (const Section& section : SectionsOf(executable)) {
    json->BeginObject()
        .Field("name", section.name)
        .Field("count", section.count)
        .Field("bytes", section.bytes)
        .EndObject();
  }
  json->EndArray();
}

void AppendKernels(const vm::Program& program, std::string* text) {
  *text += "kernels\n";
  for (const vm::KernelRow& row : vm::ListKernels(program)) {
    StrAppend(text, "  @", row.name, row.signature != nullptr ? row.signature->ToText() : "",
              "\n    ");
    for (const std::string_view format : row.formats) StrAppend(text, format, " ");
    StrAppend(text, "by ", row.road, ": ", row.why, "\n");
  }
}

}  // namespace

void WriteExecutableJson(const vm::Executable& executable, const vm::Program* program,
                         JsonWriter* json) {
  json->BeginObject().Key("functions").BeginArray();
  for (const vm::FunctionInfo& function : executable.functions()) WriteFunction(function, json);
  json->EndArray().Key("constants").BeginArray();
  for (size_t i = 0; i < executable.constants().size(); ++i)
    WriteConstant(executable.constants()[i], i, json);
  json->EndArray().Key("primitives").BeginArray();
  for (const std::string& name : executable.primitives()) json->String(name);
  json->EndArray().Key("instructions").BeginArray();
  for (uint32_t pc = 0; pc < executable.instruction_count(); ++pc)
    WriteInstruction(executable, pc, json);
  json->EndArray();
  WriteSections(executable, json);
  if (program != nullptr && !executable.kernels().empty())
    vm::WriteKernelsJson(*program, &json->Key("kernels"));
  json->Key("metadata").BeginObject();
  for (const auto& [key, value] : executable.metadata()) json->Field(key, value);
  json->EndObject().EndObject();
}

std::string ExecutableText(const vm::Executable& executable, const vm::Program* program) {
  std::string text = "functions\n";
  for (const vm::FunctionInfo& function : executable.functions()) {
    StrAppend(&text, "  @", function.name, function.signature.ToText(), "\n    ",
              function.instruction_count, " instructions, ", function.register_count,
              " registers\n");
  }
  text += "sections\n";
  for (const Section& section : SectionsOf(executable)) {
    StrAppend(&text, "  ", section.name, ": ", section.count);
    if (section.bytes > 0) StrAppend(&text, ", ", FormatBytes(section.bytes));
    text += '\n';
  }
  text += "constants\n";
  for (size_t i = 0; i < executable.constants().size(); ++i) {
    StrAppend(&text, "  c[", i, "] ", executable.constants()[i].TypeText(), "\n");
  }
  text += "primitives\n";
  for (const std::string& name : executable.primitives()) StrAppend(&text, "  ", name, "\n");
  if (!executable.metadata().empty()) text += "metadata\n";
  for (const auto& [key, value] : executable.metadata())
    StrAppend(&text, "  ", key, ": ", value, "\n");
  if (program != nullptr && !executable.kernels().empty()) AppendKernels(*program, &text);
  return text;
}

}  // namespace tern::driver
