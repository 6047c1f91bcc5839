// SPDX-License-Identifier: Apache-2.0
// Signatures of functions as plain structs.
#include "core/api/signature_api.h"

#include <deque>

#include "core/api/handles.h"
#include "core/object/dtype.h"
#include "core/vm/executable.h"

namespace tern::api {
namespace {

// A value's type with the texts and arrays that tern_value_type points to. It must not move once it
// is filled in, because short texts lie inside of std::string itself.
struct ValueType {
  std::string name, type, dtype;
  bool has_rank = false;
  std::vector<int64_t> extents;
  std::vector<std::string> texts;  // empty for a known extent
  std::vector<const char*> symbols;
};

void Fill(std::string_view name, const vm::TypeInfo& type, ValueType* value) {
  value->name = name;
  value->type = type.ToText();
  if (type.kind != vm::TypeInfo::Kind::kTensor) return;
  if (type.has_dtype) value->dtype = type.dtype.ToString();
  value->has_rank = type.has_rank;
  for (const vm::Dimension& dim : type.dims) {
    const bool known = dim.kind == vm::Dimension::Kind::kExtent;
    const bool any = dim.kind == vm::Dimension::Kind::kAny;
    // An extent of -1 has a symbol beside it.
    value->extents.push_back(known ? dim.value : -1);
    value->texts.push_back(known ? std::string() : any ? "?" : dim.text);
  }
  // In a second loop, because pushing texts may move those before.
  for (const std::string& text : value->texts)
    value->symbols.push_back(text.empty() ? nullptr : text.c_str());
}

}  // namespace
}  // namespace tern::api

// A deque, because its elements stay where they are when others are added.
struct tern_signature {
  std::string function;
  std::deque<tern::api::ValueType> parameters, results;
};

namespace tern::api {
namespace {

Result<tern_signature*> MakeSignature(const tern_program& program, std::string_view name) {
  const vm::Executable& executable = program.program->executable();
  TERN_TRY_ASSIGN(const uint32_t number, executable.FunctionIndex(name));
  const vm::FunctionInfo* const function = &executable.functions()[number];
  auto* made = new tern_signature;
  made->function = function->name;
  for (const vm::ParameterInfo& parameter : function->signature.parameters())
    Fill(parameter.name, parameter.type, &made->parameters.emplace_back());
  const vm::TypeInfo& result = function->signature.result();
  // A tuple is several results to a caller, as an ONNX model has them.
  if (result.kind == vm::TypeInfo::Kind::kTuple) {
    for (const vm::TypeInfo& element : result.elements)
      Fill(element.name, element, &made->results.emplace_back());
  } else if (function->signature.has_result()) {
    Fill(result.name, result, &made->results.emplace_back());
  }
  return made;
}

tern_status* Describe(const tern_signature& signature, const std::deque<ValueType>& values,
                      std::string_view what, int32_t index, tern_value_type* type) {
  if (index < 0 || static_cast<size_t>(index) >= values.size())
    return ToHandle(
        OutOfRange(what, " ", index, " of @", signature.function, ", which has ", values.size()));
  const ValueType& value = values[static_cast<size_t>(index)];
  const tern_value_type whole = {
      .struct_size = type->struct_size,
      .name = value.name.c_str(),
      .type = value.type.c_str(),
      .dtype = value.dtype.empty() ? nullptr : value.dtype.c_str(),
      .rank = value.has_rank ? static_cast<int32_t>(value.extents.size()) : -1,
      .extents = value.extents.data(),
      .symbols = value.symbols.data()};
  // Writes no more than the caller's struct has: it may be of an older header.
  const size_t size = whole.struct_size < sizeof whole ? whole.struct_size : sizeof whole;
  __builtin_memcpy(type, &whole, size);
  return nullptr;
}

}  // namespace
}  // namespace tern::api

tern_status* tern_program_signature(tern_program* program, const char* function,
                                    tern_signature** signature) {
  tern::Result<tern_signature*> made =
      tern::api::MakeSignature(*program, tern::api::TextOr(function, "main"));
  if (!made.ok()) return tern::api::ToHandle(std::move(made).status());
  *signature = *made;
  return nullptr;
}

void tern_signature_free(tern_signature* signature) { delete signature; }

int32_t tern_signature_parameters(const tern_signature* signature) {
  return static_cast<int32_t>(signature->parameters.size());
}

int32_t tern_signature_results(const tern_signature* signature) {
  return static_cast<int32_t>(signature->results.size());
}

tern_status* tern_signature_parameter(const tern_signature* signature, int32_t index,
                                      tern_value_type* type) {
  TERN_CHECK_OPTIONS(tern_value_type, type);
  return tern::api::Describe(*signature, signature->parameters, "parameter", index, type);
}

tern_status* tern_signature_result(const tern_signature* signature, int32_t index,
                                   tern_value_type* type) {
  TERN_CHECK_OPTIONS(tern_value_type, type);
  return tern::api::Describe(*signature, signature->results, "result", index, type);
}
