// SPDX-License-Identifier: Apache-2.0
// What the classifiers and regressors of ai.onnx.ml share: labels and transformed scores.
#ifndef TERN_CORE_ONNX_CONVERT_LEARNED_H_
#define TERN_CORE_ONNX_CONVERT_LEARNED_H_

#include <string_view>

#include "core/onnx/convert/compose.h"
#include "core/onnx/node_context.h"

namespace tern::onnx {

// f32 [n, features] of an input of any number type, which may be one row.
Value FeatureRows(NodeContext& node, const Value& x);

enum class PostTransform { kNone, kSoftmax, kLogistic, kSoftmaxZero, kProbit };
PostTransform ReadPostTransform(NodeContext& node);
// Of scores [n, classes].
Value Transformed(NodeContext& node, const Value& scores, PostTransform how);

// The labels of the attributes as a constant: texts or i64. Null after a failure.
struct Labels {
  Value values;
  int64_t count = 0;
};
Labels ReadLabels(NodeContext& node, std::string_view texts, std::string_view ints);
// The labels at places that are i64.
Value LabelsAt(NodeContext& node, const Value& places, const Labels& labels);
// The label of each row's largest score, the first of equal ones.
Value BestLabel(NodeContext& node, const Value& scores, const Labels& labels);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_CONVERT_LEARNED_H_
