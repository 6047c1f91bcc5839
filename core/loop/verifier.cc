// SPDX-License-Identifier: Apache-2.0
#include "core/loop/verifier.h"

#include <unordered_set>

#include "core/base/strings.h"
#include "core/loop/text/printer.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

constexpr std::string_view kCode = "E0511";
// Scratch memory lies on the stack of emitted code.
constexpr int64_t kMaxLocalBytes = int64_t{1} << 16;

// The bytes of a buffer whose dimensions are all constants; -1 where one is not, -2 on overflow.
int64_t ConstantBytes(const Buffer& buffer) {
  int64_t bytes = buffer.dtype.size();
  bool known = true, overflow = false;
  for (const Expr& extent : buffer.shape) {
    const IntImm* constant = AsInt(extent);
    known &= constant != nullptr;
    if (constant != nullptr && constant->value > 0)
      overflow |= __builtin_mul_overflow(bytes, constant->value, &bytes);
    // An empty buffer has no bytes, whatever its other dimensions are.
    if (constant != nullptr && constant->value == 0) return 0;
  }
  return overflow ? -2 : known ? bytes : -1;
}

// Why a constant index lies outside; "" where it is not constant, or inside. extent is -1 where
// only the run knows it.
std::string WhyOutside(const Buffer& buffer, const Expr& index, int64_t extent) {
  const Ramp* ramp = index->As<Ramp>();
  const IntImm* first = AsInt(ramp == nullptr ? index : ramp->base);
  if (first == nullptr) return {};
  int64_t last = first->value;
  const IntImm* stride = ramp == nullptr ? nullptr : AsInt(ramp->stride);
  if (ramp != nullptr && stride == nullptr) return {};
  if (ramp != nullptr) {
    int64_t way = 0;
    // -1 is outside of every buffer, so an overflow is reported.
    if (__builtin_mul_overflow(stride->value, ramp->type.lane_count().count - 1, &way) ||
        __builtin_add_overflow(last, way, &last))
      last = -1;
  }
  const int64_t low = first->value < last ? first->value : last;
  const int64_t high = first->value < last ? last : first->value;
  if (low >= 0 && (extent < 0 || high < extent)) return {};
  const std::string bound = extent < 0 ? "at least 0" : StrCat("from 0 to ", extent - 1);
  return StrCat("the index ", low < 0 ? low : high, " is outside '", buffer.name, "': it must be ",
                bound);
}

// What a function is verified as.
enum class Origin : int8_t {
  kUser,
  kPass,     // an index may have become a constant in what never runs
  kLowered,  // the same, after all passes
};

// Reports every mistake of one function; it does not stop at the first.
class FunctionVerifier : public Visitor {
 public:
  FunctionVerifier(text::Diagnostics* diagnostics, Origin origin)
      : diagnostics_(diagnostics), origin_(origin), lowered_(origin == Origin::kLowered) {}

  void Run(const LoopFunction& function) {
    for (const VarPtr& size : function.sizes) {
      if (size->type != kIndexType) Complain(size->span, "a size parameter must be int64");
      visible_.insert(size.get());
    }
    for (const BufferPtr& buffer : function.buffers) {
      // Shapes are computed ahead of the body, for any processor: vscale is not known there.
      in_shape_ = true;
      CheckBuffer(*buffer);
      in_shape_ = false;
      if (buffer->access == Access::kLocal)
        Complain(buffer->span, StrCat("the parameter '", buffer->name, "' cannot be local"));
      visible_.insert(buffer.get());
    }
    for (const VarPtr& scalar : function.scalars) visible_.insert(scalar.get());
    VisitStmt(function.body);
  }

  // Types need no check: the Make functions check them.
  void VisitExpr(const Expr& expr) override {
    if (const Var* var = expr->As<Var>())
      CheckVisible(var, var->name, expr->span);
    else if (const Load* load = expr->As<Load>())
      CheckAccess(*load->buffer, load->indices, load->predicate, expr->span);
    else if (expr->kind == ExprKind::kVScale && in_shape_)
      Complain(expr->span, "a shape cannot depend on vscale");
    else if (expr->kind == ExprKind::kReduction)
      Complain(expr->span, "reductions over axes belong to tensor expressions");
    const Call* call = expr->As<Call>();
    if (lowered_ && call != nullptr && !InfoOf(call->intrinsic).lowered)
      Complain(expr->span, StrCat("'", InfoOf(call->intrinsic).text, "' is not lowered"));
    Descend(expr);
  }

  void VisitStmt(const Stmt& stmt) override {
    switch (stmt->kind) {
      case StmtKind::kFor: return CheckFor(*stmt->As<For>(), stmt);
      case StmtKind::kBlock: return CheckBlock(*stmt->As<Block>());
      case StmtKind::kStore: {
        const auto* store = stmt->As<Store>();
        CheckAccess(*store->buffer, store->indices, store->predicate, stmt->span);
        break;
      }
      case StmtKind::kAssign: {
        const Var* var = stmt->As<Assign>()->var.get();
        CheckVisible(var, var->name, stmt->span);
        if (!mutable_.contains(var))
          Complain(stmt->span, StrCat("'", var->name, "' cannot be assigned"));
        break;
      }
      case StmtKind::kAllocate: CheckAllocate(*stmt->As<Allocate>()->buffer); break;
      case StmtKind::kWhile:
      case StmtKind::kIf:
      case StmtKind::kLet: break;
    }
    // The value of a let does not see its own name.
    Descend(stmt);
    if (const Let* let = stmt->As<Let>()) {
      visible_.insert(let->var.get());
      if (let->is_mutable) mutable_.insert(let->var.get());
    }
  }

 private:
  // Messages point to the place in the text, if there is one.
  void Complain(text::Span span, std::string_view message) {
    diagnostics_->Error(kCode, message).At(span);
  }

  void CheckVisible(const void* node, std::string_view name, text::Span span) {
    if (!visible_.contains(node))
      Complain(span, StrCat("'", name, "' is used where it is not declared"));
  }

  // Errors: a negative dimension, or a size that overflows.
  void CheckBuffer(const Buffer& buffer) {
    for (const Expr& extent : buffer.shape) {
      VisitExpr(extent);
      const IntImm* constant = AsInt(extent);
      if (constant != nullptr && constant->value < 0)
        Complain(buffer.span, StrCat("'", buffer.name, "' has a dimension of ", constant->value));
    }
    if (ConstantBytes(buffer) == -2)
      Complain(buffer.span, StrCat("'", buffer.name, "' has more bytes than 64 bits can count"));
  }

  // Emitted code has it on its stack, so its size must be known.
  void CheckAllocate(const Buffer& buffer) {
    CheckBuffer(buffer);
    const int64_t bytes = ConstantBytes(buffer);
    if (bytes == -1)
      Complain(buffer.span, StrCat("the local buffer '", buffer.name, "' needs a constant shape"));
    else if (bytes > kMaxLocalBytes)
      Complain(buffer.span, StrCat("the local buffer '", buffer.name, "' has ", bytes,
                                   " bytes, at most ", kMaxLocalBytes));
    if (buffer.access != Access::kLocal)
      Complain(buffer.span, StrCat("the buffer '", buffer.name, "' is a parameter, not local"));
    visible_.insert(&buffer);
  }

  // What is declared in a block ends with it. Sets are small and deletions rare, so names are
  // taken out one by one.
  void CheckBlock(const Block& block) {
    for (const Stmt& stmt : block.stmts) VisitStmt(stmt);
    for (const Stmt& stmt : block.stmts) {
      if (const Let* let = stmt->As<Let>()) visible_.erase(let->var.get());
      if (const Allocate* local = stmt->As<Allocate>()) visible_.erase(local->buffer.get());
    }
  }

  // Errors: a negative extent, an end that overflows, a step that does not go forward.
  void CheckFor(const For& loop, const Stmt& stmt) {
    const IntImm *min = AsInt(loop.range.min), *extent = AsInt(loop.range.extent),
                 *step = AsInt(loop.range.step);
    int64_t end = 0;
    if (extent != nullptr && extent->value < 0)
      Complain(stmt->span,
               StrCat("the loop over '", loop.var->name, "' has the extent ", extent->value));
    if (min != nullptr && extent != nullptr &&
        __builtin_add_overflow(min->value, extent->value, &end))
      Complain(stmt->span,
               StrCat("the end of the loop over '", loop.var->name, "' overflows 64 bits"));
    if (step != nullptr && step->value <= 0)
      Complain(stmt->span, StrCat("the loop over '", loop.var->name,
                                  "' needs a positive step, got ", step->value));
    const ForKind kind = loop.traits.kind;
    // Lowering has made such loops serial.
    if (lowered_ && kind != ForKind::kSerial && kind != ForKind::kParallel)
      Complain(stmt->span,
               StrCat("the loop over '", loop.var->name, "' is still ", ForKindName(kind)));
    VisitExpr(loop.range.min);
    VisitExpr(loop.range.extent);
    VisitExpr(loop.range.step);
    if (!visible_.insert(loop.var.get()).second)
      Complain(stmt->span, StrCat("two loops, one inside the other, over '", loop.var->name, "'"));
    VisitStmt(loop.body);
    visible_.erase(loop.var.get());
  }

  // Only constant indices of users are checked against the shape.
  void CheckAccess(const Buffer& buffer, std::span<const Expr> indices, const Expr& predicate,
                   text::Span span) {
    CheckVisible(&buffer, buffer.name, span);
    if (lowered_ && indices.size() != 1)
      Complain(span, StrCat("an index of '", buffer.name, "' is not flat"));
    // After passes, a constant index may stand under a condition that never holds.
    if (origin_ != Origin::kUser || predicate || indices.empty()) return;
    if (indices.size() != buffer.shape.size()) {
      // A flat index of a buffer of several dimensions is compared with all elements.
      const int64_t bytes = ConstantBytes(buffer);
      return CheckIndex(buffer, indices[0], bytes < 0 ? -1 : bytes / buffer.dtype.size(), span);
    }
    for (size_t i = 0; i < indices.size(); ++i) {
      const IntImm* extent = AsInt(buffer.shape[i]);
      CheckIndex(buffer, indices[i], extent == nullptr ? -1 : extent->value, span);
    }
  }

  void CheckIndex(const Buffer& buffer, const Expr& index, int64_t extent, text::Span span) {
    const std::string why = WhyOutside(buffer, index, extent);
    if (!why.empty()) Complain(index->span.valid() ? index->span : span, why);
  }

  text::Diagnostics* diagnostics_;
  Origin origin_;
  bool lowered_;
  bool in_shape_ = false;
  std::unordered_set<const void*> visible_;
  std::unordered_set<const void*> mutable_;
};

// What tensor expressions need besides: every tensor is computed once, before it is read.
class DefinitionVerifier : public Visitor {
 public:
  explicit DefinitionVerifier(text::Diagnostics* diagnostics) : diagnostics_(diagnostics) {}

  void Run(const te::Definition& te) {
    for (const BufferPtr& input : te.inputs) ready_.insert(input.get());
    for (const te::Compute& compute : te.computes) {
      const Expr& value = compute.value;
      if (const Reduction* reduction = value->As<Reduction>()) {
        // Checked apart, because a reduction is allowed as a whole value only.
        for (const ReduceAxis& axis : reduction->axes) VisitExpr(axis.extent);
        VisitExpr(reduction->value);
      } else {
        VisitExpr(value);
      }
      if (!ready_.insert(compute.tensor.get()).second)
        Complain(compute.span, StrCat("'", compute.tensor->name, "' is computed twice"));
      if (ConstantBytes(*compute.tensor) == -2)
        Complain(compute.span,
                 StrCat("'", compute.tensor->name, "' has more bytes than 64 bits can count"));
    }
    for (const BufferPtr& output : te.outputs) {
      if (!ready_.contains(output.get()))
        Complain(output->span, StrCat("the result '", output->name, "' is never computed"));
    }
  }

  void VisitExpr(const Expr& expr) override {
    if (expr->type.is_vector() || expr->kind == ExprKind::kVScale)
      return Complain(expr->span,
                      "tensor expressions are of scalars; vectors come from a schedule");
    if (expr->kind == ExprKind::kReduction)
      return Complain(expr->span, "a reduction must be the whole value of its tensor");
    if (const Load* load = expr->As<Load>()) {
      if (!ready_.contains(load->buffer.get()))
        Complain(expr->span, StrCat("'", load->buffer->name, "' is read before it is computed"));
      if (load->predicate)
        Complain(expr->span, "tensor expressions have no predicates; use select");
      if (load->indices.size() != load->buffer->shape.size())
        Complain(expr->span, StrCat("'", load->buffer->name, "' has ", load->buffer->shape.size(),
                                    " dimensions, got ", load->indices.size(), " indices"));
      else
        CheckIndices(*load, expr->span);
    }
    Descend(expr);
  }

 private:
  void CheckIndices(const Load& load, text::Span span) {
    for (size_t i = 0; i < load.indices.size(); ++i) {
      const IntImm* extent = AsInt(load.buffer->shape[i]);
      const Expr& index = load.indices[i];
      const std::string why =
          WhyOutside(*load.buffer, index, extent == nullptr ? -1 : extent->value);
      if (!why.empty()) Complain(index->span.valid() ? index->span : span, why);
    }
  }
  void Complain(text::Span span, std::string_view message) {
    diagnostics_->Error(kCode, message).At(span);
  }
  text::Diagnostics* diagnostics_;
  std::unordered_set<const Buffer*> ready_;
};

// The function's text is added, because passes have no source to point at.
Status ToStatus(const text::Diagnostics& diagnostics, const LoopFunction& function) {
  if (diagnostics.ok()) return OkStatus();
  return diagnostics.ToStatus().AddNote(StrCat("in the function ", ToText(function)));
}

}  // namespace

void VerifyFunction(const LoopFunction& function, text::Diagnostics* diagnostics) {
  FunctionVerifier(diagnostics, Origin::kUser).Run(function);
}

void VerifyDefinition(const te::Definition& definition, text::Diagnostics* diagnostics) {
  DefinitionVerifier(diagnostics).Run(definition);
}

void VerifyFile(const SourceFile& file, text::Diagnostics* diagnostics) {
  for (const te::Definition& definition : file.definitions)
    VerifyDefinition(definition, diagnostics);
  for (const LoopFunction& function : file.program.functions) VerifyFunction(function, diagnostics);
}

Status Verify(const LoopFunction& function) {
  text::Diagnostics diagnostics;
  FunctionVerifier(&diagnostics, Origin::kPass).Run(function);
  return ToStatus(diagnostics, function);
}

Status VerifyLowered(const LoopFunction& function) {
  text::Diagnostics diagnostics;
  FunctionVerifier(&diagnostics, Origin::kLowered).Run(function);
  return ToStatus(diagnostics, function);
}

}  // namespace tern::loop
