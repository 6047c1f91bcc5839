// SPDX-License-Identifier: Apache-2.0
#include "core/ir/infer.h"

namespace tern::ir {

namespace {

Status CheckCount(const ops::OpInfo& op, size_t count) {
  const auto most = static_cast<size_t>(op.max_args);
  const auto least = static_cast<size_t>(op.min_args);
  if (count >= least && count <= most) return OkStatus();
  return InvalidArgument("takes (", op.parameters, "), ", count,
                         count == 1 ? " argument is" : " arguments are", " given");
}

// kOk with *unknown set where an argument's type is not known: its own error has been told.
Status ReadArguments(const ops::OpInfo& op, std::span<const Expr> args,
                     std::vector<ops::ArgInfo>* infos, bool* unknown) {
  for (size_t i = 0; i < args.size(); ++i) {
    ops::ArgInfo info;
    const int index = static_cast<int>(i);
    if (IsNone(args[i])) {
      if (!op.IsOptional(index))
        return InvalidArgument("argument ", i, " (", op.parameter(index), ") is missing");
    } else {
      info.type = TensorTypeOf(args[i]);
      const types::Type type = TypeOf(args[i]);
      *unknown = *unknown || !type.known();
      if (type.known() && info.type == nullptr) {
        return TypeError("argument ", i, " (", op.parameter(index), ") is ", type.ToText(),
                         ", expected a tensor");
      }
      info.value = ValuesOf(args[i]);
    }
    infos->push_back(info);
  }
  return OkStatus();
}

void NameUnknownDims(std::vector<types::TensorType>* types, int* fresh_symbols) {
  for (types::TensorType& type : *types) {
    for (types::Dim& dim : type.dims) {
      if (dim.is_any()) dim = types::Dim::Symbol(StrCat("_", ++*fresh_symbols));
    }
  }
}

bool WorthKeeping(const ops::Values& values) {
  for (const types::Dim& value : values) {
    if (!value.is_any()) return true;
  }
  return values.empty();
}

}  // namespace

Status InferCall(const ops::OpInfo& op, const Attrs& attrs, std::span<const Expr> args,
                 int* fresh_symbols, Inferred* out) {
  TERN_TRY(CheckCount(op, args.size()));
  std::vector<ops::ArgInfo> infos;
  bool unknown = false;
  TERN_TRY(ReadArguments(op, args, &infos, &unknown));
  if (unknown) return OkStatus();
  ops::RelationOutput output;
  TERN_TRY(op.relation(op, attrs, infos, &output));
  NameUnknownDims(&output.types, fresh_symbols);
  if (output.value.has_value() && WorthKeeping(*output.value)) {
    out->value = std::make_shared<const ops::Values>(*std::move(output.value));
  }
  TERN_TRY_ASSIGN(int count, ops::OutputCount(op, attrs));
  if (count == 1) {
    out->type = types::Type::Tensor(std::move(output.types[0]));
    return OkStatus();
  }
  std::vector<types::Type> elements;
  for (types::TensorType& type : output.types)
    elements.push_back(types::Type::Tensor(std::move(type)));
  out->type = types::Type::Tuple(std::move(elements));
  return OkStatus();
}

types::Type InferInvoke(const Function& callee, std::span<const Expr> args) {
  std::vector<types::Dim::Binding> bindings;
  const std::span<const VarPtr> parameters = callee.parameters();
  for (size_t i = 0; i < parameters.size() && i < args.size(); ++i) {
    const types::TensorType* parameter = TensorTypeOf(parameters[i]);
    const types::TensorType* arg = TensorTypeOf(args[i]);
    if (parameter == nullptr || arg == nullptr || parameter->rank() != arg->rank()) continue;
    for (size_t axis = 0; axis < arg->dims.size(); ++axis) {
      if (parameter->dims[axis].is_symbol())
        bindings.emplace_back(parameter->dims[axis].ToText(), arg->dims[axis]);
    }
  }
  return TypeOf(callee.result()).Substitute(bindings);
}

}  // namespace tern::ir
