// SPDX-License-Identifier: Apache-2.0
// operators.def expanded, and the choice of a version.
#include "core/onnx/convert/converters.h"
#include "core/onnx/node_context.h"

namespace tern::onnx {
namespace {

constexpr OperatorInfo kOperators[] = {
#define TERN_ONNX(domain, Name, since, min_inputs, max_inputs, max_outputs, convert, detail) \
  {domain, #Name, since, min_inputs, max_inputs, max_outputs, convert, detail},
#include "core/onnx/operators.def"
#undef TERN_ONNX
};

}  // namespace

std::span<const OperatorInfo> AllOperators() { return kOperators; }

const OperatorInfo* FindOperator(std::string_view domain, std::string_view name, int64_t opset,
                                 const OperatorInfo** newer) {
  const OperatorInfo* best = nullptr;
  *newer = nullptr;
  for (const OperatorInfo& info : kOperators) {
    if (info.name != name || info.domain != domain) continue;
    if (info.since > opset) {
      // The first that would do: a model need not be of the last.
      if (*newer == nullptr || info.since < (*newer)->since) *newer = &info;
    } else if (best == nullptr || info.since > best->since) {
      best = &info;
    }
  }
  return best;
}

}  // namespace tern::onnx
