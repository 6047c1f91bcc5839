// SPDX-License-Identifier: Apache-2.0
// Listings of an executable.
#include "core/driver/inspect.h"

#include <algorithm>
#include <iterator>

#include "core/base/strings.h"
#include "core/object/registry.h"
#include "core/vm/file/format.h"
#include "core/vm/linker.h"
#include "core/vm/text/disassembler.h"
#include "core/vm/text/instruction_printer.h"

namespace tern::driver {
namespace {

// An extent as a number, a symbol or an expression as its text, an unknown one as "?".
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

// A tuple is listed as its elements.
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

// One object of "functions": its signature and its place in the code.
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

// Data only: a splat and a list of strings have no bytes worth showing.
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

// A number, or the index of what the operand names.
int64_t ValueOf(const vm::Operand& operand) {
  return operand.kind == vm::OperandKind::kFunction ? operand.function_index() : operand.value;
}

// An index where there is one; of a jump, the instruction of the whole code that it goes to.
void WriteOperandValue(const vm::OperandField& field, uint32_t pc, JsonWriter* json) {
  const vm::Operand& operand = field.operand;
  if (operand.is_void() || operand.is_vm()) return;
  json->Field("value", ValueOf(operand));
  if (field.role == vm::Role::kOffset) json->Field("target", int64_t{pc} + operand.value);
}

// A line of 0 stands for a whole file, or for the node of a graph that the text names.
void WriteSource(const vm::DebugEntry& debug, JsonWriter* json) {
  json->Field("source", debug.text());
  if (debug.line > 0) json->Field("line", debug.line).Field("column", debug.column);
}

void WriteInstruction(const vm::Executable& executable, uint32_t pc, JsonWriter* json) {
  const vm::InstructionFields fields = vm::FieldsOfInstruction(executable, pc);
  json->BeginObject().Field("pc", pc).Field("text", fields.text);
  json->Field("opcode", fields.info->mnemonic).Key("operands").BeginArray();
  for (const vm::OperandField& field : fields.operands) {
    const char role = static_cast<char>(field.role);
    json->BeginObject().Field("name", field.name).Field("role", std::string_view(&role, 1));
    json->Field("kind", vm::OperandKindName(field.operand));
    WriteOperandValue(field, pc, json);
    json->Key("span").BeginArray().Int(static_cast<int64_t>(field.begin));
    json->Int(static_cast<int64_t>(field.end)).EndArray().EndObject();
  }
  json->EndArray();
  if (const vm::DebugEntry* debug = executable.FindDebug(pc)) WriteSource(*debug, json);
  json->EndObject();
}

static_assert(vm::kMaxOperandInfos <= 8 && std::size(vm::kOperandKindNames) <= 8);

// "code" of tern_program_info: an object for each operand would take most of the time that a long
// program needs to be loaded.
void WriteCode(const vm::Executable& executable, JsonWriter* json) {
  std::string texts;
  std::vector<std::string_view> sources;
  std::vector<int64_t> numbers;
  for (uint32_t pc = 0; pc < executable.instruction_count(); ++pc) {
    const vm::InstructionFields fields = vm::FieldsOfInstruction(executable, pc);
    StrAppend(&texts, fields.text, "\n");
    const vm::DebugEntry* debug = executable.FindDebug(pc);
    const size_t head = fields.operands.size() * 2 + (debug == nullptr ? 0 : 1);
    numbers.push_back(static_cast<int64_t>(head << 8 | static_cast<size_t>(fields.info->opcode)));
    if (debug != nullptr) {
      // Neighbours mostly share theirs.
      if (sources.empty() || sources.back() != debug->text()) sources.push_back(debug->text());
      numbers.push_back(static_cast<int64_t>(sources.size()) - 1);
      numbers.push_back(debug->line);
      numbers.push_back(debug->column);
    }
    size_t end = 0;
    for (const vm::OperandField& field : fields.operands) {
      const size_t kind = vm::OperandKindIndex(field.operand);
      numbers.push_back(static_cast<int64_t>((field.begin - end) << 6 | kind << 3 | field.row));
      numbers.push_back(static_cast<int64_t>(field.end - field.begin));
      numbers.push_back(ValueOf(field.operand));
      end = field.end;
    }
  }
  json->Key("code").BeginObject().Field("texts", texts).Key("numbers").Ints(numbers);
  json->Key("sources").BeginArray();
  for (const std::string_view source : sources) json->String(source);
  json->EndArray().EndObject();
}

struct SectionRow {
  std::string_view name;
  uint64_t count;
};

// The row of a section: its name and how many entries it has.
SectionRow RowOf(const vm::Executable& executable, uint32_t section) {
  switch (static_cast<vm::SectionId>(section)) {
    case vm::SectionId::kGlobals: return {"globals", executable.functions().size()};
    case vm::SectionId::kConstants: return {"constants", executable.constants().size()};
    case vm::SectionId::kPrimitives: return {"primitives", executable.primitives().size()};
    case vm::SectionId::kCode: return {"code", executable.instruction_count()};
    case vm::SectionId::kKernels: return {"kernels", executable.kernels().size()};
    case vm::SectionId::kMetadata: return {"metadata", executable.metadata().size()};
    case vm::SectionId::kDebug: return {"debug", executable.debug().size()};
  }
  return {"unknown", 0};  // of a later version
}

// As the file has them; places and sizes are 0 where it was made in memory and there is none.
std::vector<vm::FileSection> SectionsOf(const vm::Executable& executable) {
  if (!executable.parts().sections.empty()) return executable.parts().sections;
  std::vector<vm::FileSection> sections;
  for (uint32_t id = 1; id <= vm::kLastKnownSection; ++id) sections.push_back({id, 0, 0});
  return sections;
}

void WriteSections(const vm::Executable& executable, JsonWriter* json) {
  json->Key("sections").BeginArray();
  for (const vm::FileSection& section : SectionsOf(executable)) {
    const SectionRow row = RowOf(executable, section.id);
    json->BeginObject()
        .Field("name", row.name)
        .Field("count", row.count)
        .Field("offset", section.offset)
        .Field("bytes", section.bytes)
        .EndObject();
  }
  json->EndArray();
}

// The same rows as WriteSections, one line for each.
void AppendSections(const vm::Executable& executable, std::string* text) {
  *text += "sections\n";
  for (const vm::FileSection& section : SectionsOf(executable)) {
    const SectionRow row = RowOf(executable, section.id);
    StrAppend(text, "  ", row.name, ": ", row.count);
    if (section.offset > 0)
      StrAppend(text, ", ", FormatBytes(section.bytes), " at ", section.offset);
    *text += '\n';
  }
}

// What a program would fail to link with.
bool IsMissing(const std::string& primitive) { return !Registry::Global().Find(primitive).ok(); }

void AppendKernels(const vm::Program& program, std::string* text) {
  *text += "kernels\n";
  for (const vm::KernelRow& row : vm::ListKernels(program)) {
    StrAppend(text, "  @", row.name, row.signature != nullptr ? row.signature->ToText() : "",
              "\n    ");
    for (const std::string_view format : row.formats) StrAppend(text, format, " ");
    StrAppend(text, "by ", row.backend, ": ", row.why, "\n");
  }
}

// What stands before the instructions. program is null where only the file is looked at; then
// missing primitives are listed.
void WriteTables(const vm::Executable& executable, const vm::Program* program, JsonWriter* json) {
  json->Key("functions").BeginArray();
  for (const vm::FunctionInfo& function : executable.functions()) WriteFunction(function, json);
  json->EndArray().Key("constants").BeginArray();
  for (size_t i = 0; i < executable.constants().size(); ++i)
    WriteConstant(executable.constants()[i], i, json);
  json->EndArray().Key("primitives").BeginArray();
  for (const std::string& name : executable.primitives()) json->String(name);
  json->EndArray().Key("missing").BeginArray();
  for (const std::string& name : executable.primitives()) {
    // A linked program has no missing primitives.
    if (program == nullptr && IsMissing(name)) json->String(name);
  }
  json->EndArray();
}

// And behind them.
void WriteParts(const vm::Executable& executable, const vm::Program* program, JsonWriter* json) {
  WriteSections(executable, json);
  if (program != nullptr && !executable.kernels().empty())
    vm::WriteKernelsJson(*program, &json->Key("kernels"));
  json->Key("metadata").BeginObject();
  for (const auto& [key, value] : executable.metadata()) json->Field(key, value);
  json->EndObject();
}

}  // namespace

void WriteExecutableJson(const vm::Executable& executable, const vm::Program* program,
                         JsonWriter* json) {
  WriteTables(executable, program, &json->BeginObject());
  json->Key("instructions").BeginArray();
  for (uint32_t pc = 0; pc < executable.instruction_count(); ++pc)
    WriteInstruction(executable, pc, json);
  json->EndArray();
  WriteParts(executable, program, json);
  json->EndObject();
}

void WriteExecutableInfo(const vm::Executable& executable, const vm::Program* program,
                         JsonWriter* json) {
  WriteTables(executable, program, &json->BeginObject());
  WriteCode(executable, json);
  WriteParts(executable, program, json);
  json->EndObject();
}

// For people: no instructions, which the listing shows.
std::string ExecutableText(const vm::Executable& executable, const vm::Program* program) {
  std::string text = "functions\n";
  for (const vm::FunctionInfo& function : executable.functions()) {
    StrAppend(&text, "  @", function.name, function.signature.ToText(), "\n    ",
              function.instruction_count, " instructions, ", function.register_count,
              " registers\n");
  }
  AppendSections(executable, &text);
  text += "constants\n";
  for (size_t i = 0; i < executable.constants().size(); ++i) {
    StrAppend(&text, "  c[", i, "] ", executable.constants()[i].TypeText(), "\n");
  }
  text += "primitives\n";
  for (const std::string& name : executable.primitives())
    StrAppend(&text, "  ", name, IsMissing(name) ? "  (not in this build)" : "", "\n");
  if (!executable.metadata().empty()) text += "metadata\n";
  for (const auto& [key, value] : executable.metadata())
    StrAppend(&text, "  ", EscapeControls(key), ": ", EscapeControls(value), "\n");
  if (program != nullptr && !executable.kernels().empty()) AppendKernels(*program, &text);
  return text;
}

}  // namespace tern::driver
