// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/infer_type.h"

#include "core/ir/rewriter.h"

namespace tern::ir {

namespace {

// The rewriter does it all: it emits every call again, and the builder infers its type from the
// arguments.
class Infer : public Rewriter {
 public:
  explicit Infer(text::Diagnostics* diagnostics) : Rewriter(diagnostics) { set_infer_again(true); }
};

}  // namespace

Module InferType(const Module& module, const PassContext& context) {
  return RewriteModule<Infer>(module, context.diagnostics);
}

}  // namespace tern::ir
