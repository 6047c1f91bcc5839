// SPDX-License-Identifier: Apache-2.0
// Binding: the text's buffers are laid beside the function's parameters and results. What does not
// fit is complained about for all of them at once.
#include "core/loop_kernels/bind.h"

#include <algorithm>
#include <utility>

#include "core/base/strings.h"
#include "core/loop/te/lower.h"
#include "core/loop/text/parser.h"
#include "core/loop/text/printer.h"
#include "core/loop/visitor.h"
#include "core/loop_kernels/check_accesses.h"
#include "core/loop_kernels/default_schedule.h"
#include "core/vm/dimension.h"

namespace tern::loop {
namespace {

using text::Diagnostics;
using vm::Dimension;
using vm::TypeInfo;

// Dimensions may be written differently and still be equal. They are compared by their values for
// so many sizes: a kernel that slips through is refused at the call, where shapes are compared as
// numbers.
constexpr int64_t kSamples = 8;

// Makes one BoundKernel. Errors are of users: the text comes from a file.
class Binder {
 public:
  Binder(const KernelText& kernel, const SourceFile& file)
      : kernel_(kernel), file_(file), diagnostics_(file.sources) {}

  Result<BoundKernel> Run() {
    out_.name = std::string(kernel_.name);
    out_.sources = file_.sources;
    TERN_TRY(FindLoops());
    SortBuffers();
    MatchParameters();
    MatchResults();
    for (const BufferPtr& buffer : out_.loops.buffers) CheckBuffer(*buffer);
    CheckSizes();
    if (!diagnostics_.ok()) return diagnostics_.ToStatus();
    WriteSpec();
    // A kernel without proof binds all the same; it is only not compiled.
    Diagnostics proof(file_.sources);
    CheckAccesses(out_.loops, origin_, &proof);
    out_.proof = proof.ToStatus();
    return std::move(out_);
  }

 private:
  text::Diagnostic& Complain(text::Span span, std::string_view message) {
    return diagnostics_.Error(kDoesNotFit, StrCat("kernel '", kernel_.name, "': ", message))
        .At(span);
  }
  Status Refused(std::string_view message) const {
    return InvalidArgument("kernel '", kernel_.name, "': ", message)
        .SetErrorCode(kDoesNotFit)
        .Clone();
  }

  // --- the loops

  // Loops written as text keep their order; a definition gets a schedule here.
  Status FindLoops() {
    const size_t count = file_.definitions.size() + file_.program.functions.size();
    if (count != 1) return Refused(StrCat("expected one definition, got ", count));
    const std::string& name =
        file_.definitions.empty() ? file_.program.functions[0].name : file_.definitions[0].name;
    if (name != kernel_.name) return Refused(StrCat("the text defines '", name, "'"));
    if (file_.definitions.empty()) {
      origin_ = LoopOrigin::kText;
      out_.loops = file_.program.functions[0];
      // Nobody can tell what text leaves unwritten, so its results begin as zeros.
      out_.zeroed = true;
      return OkStatus();
    }
    te::Definition definition = file_.definitions[0];
    const bool has_schedule = !definition.schedule.empty();
    // What is computed inside a loop of its consumer leaves out what nobody reads.
    out_.zeroed = std::any_of(definition.schedule.begin(), definition.schedule.end(),
                              [](const te::Directive& directive) {
                                return directive.primitive == te::Primitive::kComputeAt;
                              });
    if (!has_schedule) definition.schedule = DefaultSchedule(definition);
    Result<LoopFunction> loops = te::LowerDefinition(definition, file_.sources);
    // A schedule of our own must not make a good kernel fail.
    if (!loops.ok() && !has_schedule) {
      definition.schedule.clear();
      loops = te::LowerDefinition(definition, file_.sources);
    }
    if (!loops.ok()) return std::move(loops).status();
    out_.loops = *std::move(loops);
    return OkStatus();
  }

  void SortBuffers() {
    for (const BufferPtr& buffer : out_.loops.buffers) {
      if (buffer->access == Access::kIn) inputs_.push_back(buffer.get());
      if (buffer->access == Access::kOut) outputs_.push_back(buffer.get());
      if (buffer->access == Access::kInOut)
        Complain(buffer->span, StrCat("'", buffer->name, "' is both read and written"))
            .Help("give it an input and a result");
    }
    const auto rank = [](Access access) {
      return access == Access::kIn ? 0 : access == Access::kOut ? 1 : 2;
    };
    // The calling convention (core/loop/stmt.h) is by position.
    const bool sorted = std::is_sorted(
        out_.loops.buffers.begin(), out_.loops.buffers.end(),
        [&](const BufferPtr& a, const BufferPtr& b) { return rank(a->access) < rank(b->access); });
    if (!sorted) Complain(out_.loops.span, "inputs come first, then results, then workspaces");
    if (outputs_.empty()) Complain(out_.loops.span, "it has no results");
  }

  // --- against the function

  void MatchParameters() {
    const auto parameters = kernel_.function->parameters();
    const size_t got = inputs_.size() + out_.loops.scalars.size();
    if (parameters.size() != got) {
      Complain(out_.loops.span,
               StrCat("it takes ", got, " inputs, @", kernel_.name, " takes ", parameters.size()));
      return;
    }
    for (size_t i = 0; i < inputs_.size(); ++i)
      MatchBuffer(kernel_.function->ParameterText(i), parameters[i].type, *inputs_[i]);
    for (size_t i = inputs_.size(); i < got; ++i) {
      const VarPtr& scalar = out_.loops.scalars[i - inputs_.size()];
      MatchType(kernel_.function->ParameterText(i), parameters[i].type,
                {scalar->type.element(), 0, scalar->span});
    }
  }

  void MatchResults() {
    if (!kernel_.function->has_result()) return;
    const TypeInfo& result = kernel_.function->result();
    // `Any` says nothing about results, so nothing is compared.
    if (result.kind == TypeInfo::Kind::kAny) return;
    const bool is_tuple = result.kind == TypeInfo::Kind::kTuple;
    const size_t count = is_tuple ? result.elements.size() : 1;
    if (count != outputs_.size()) {
      Complain(out_.loops.span,
               StrCat("it has ", outputs_.size(), " results, @", kernel_.name, " has ", count));
      return;
    }
    for (size_t i = 0; i < count; ++i)
      MatchBuffer(StrCat("result ", i), is_tuple ? result.elements[i] : result, *outputs_[i]);
  }

  struct Shown {
    DType dtype;
    size_t rank;
    text::Span span;
  };

  bool MatchType(const std::string& what, const TypeInfo& type, const Shown& got) {
    if (type.kind == TypeInfo::Kind::kAny) return true;
    const bool fits = type.kind == TypeInfo::Kind::kTensor &&
                      (!type.has_dtype || type.dtype == got.dtype) &&
                      (!type.has_rank || type.dims.size() == got.rank);
    if (!fits)
      Complain(got.span, StrCat(what, " of @", kernel_.name, " is ", type.ToText(),
                                ", the loops have ", got.dtype.ToString(), " of rank ", got.rank));
    return fits;
  }

  void MatchBuffer(const std::string& what, const TypeInfo& type, const Buffer& buffer) {
    const Shown shown = {buffer.dtype, buffer.shape.size(), buffer.span};
    if (!MatchType(what, type, shown) || !type.has_rank) return;
    for (size_t axis = 0; axis < type.dims.size(); ++axis) {
      const std::string extent = ToText(buffer.shape[axis]);
      if (Agree(type.dims[axis], extent)) continue;
      Complain(buffer.span, StrCat("axis ", axis, " of ", what, " of @", kernel_.name, " is ",
                                   type.dims[axis].text, ", the loops have ", extent));
    }
  }

  bool Agree(const Dimension& dim, const std::string& extent) const {
    if (dim.kind == Dimension::Kind::kAny || dim.text == extent) return true;
    const auto symbols = kernel_.function->symbols();
    std::vector<int64_t> sizes(symbols.size());
    for (int64_t sample = 0; sample < kSamples; ++sample) {
      for (size_t i = 0; i < sizes.size(); ++i)
        // Small sizes that differ from each other and from sample to sample.
        sizes[i] = 1 + (sample * 7 + static_cast<int64_t>(i) * 5 + sample * sample) % 23;
      const auto wanted = vm::EvaluateDimension(dim.text, symbols, sizes);
      const auto got = vm::EvaluateDimension(extent, symbols, sizes);
      if (!wanted.has_value() || wanted != got) return false;
    }
    return true;
  }

  // --- what the call needs

  // Shapes are computed by the signature at every call, which knows these operators only.
  bool IsDimension(const Expr& extent) const {
    if (extent->type != kIndexType) return false;
    if (AsInt(extent) != nullptr || extent->kind == ExprKind::kVar) return true;
    const Binary* binary = extent->As<Binary>();
    if (binary == nullptr || InfoOf(binary->op).op_class != BinaryClass::kArithmetic) return false;
    return IsDimension(binary->a) && IsDimension(binary->b);
  }

  void CheckBuffer(const Buffer& buffer) {
    for (const Expr& extent : buffer.shape) {
      if (!IsDimension(extent))
        Complain(buffer.span, StrCat("the extent ", ToText(extent), " of '", buffer.name,
                                     "' is no sum, product, quotient or remainder of sizes"));
    }
  }

  // A size is read off an input, where it stands alone.
  void CheckSizes() {
    for (const VarPtr& size : out_.loops.sizes) {
      const bool found = std::any_of(inputs_.begin(), inputs_.end(), [&](const Buffer* input) {
        return std::any_of(input->shape.begin(), input->shape.end(),
                           [&](const Expr& extent) { return extent.get() == size.get(); });
      });
      if (!found)
        Complain(size->span.valid() ? size->span : out_.loops.span,
                 StrCat("no input has the size '", size->name, "' alone as an extent"));
    }
  }

  static std::string TypeText(const Buffer& buffer) {
    std::vector<std::string> dims;
    for (const Expr& extent : buffer.shape) dims.push_back(ToText(extent));
    return StrCat(buffer.dtype.ToString(), "[", StrJoin(dims, ", "), "]");
  }

  std::string ParameterName(size_t index, const std::string& fallback) const {
    const std::string& name = kernel_.function->parameters()[index].name;
    return name.empty() ? fallback : name;
  }

  // The signature by which the machine checks shapes, makes results and fills slots at a call.
  void WriteSpec() {
    std::vector<std::string> parameters, results;
    for (size_t i = 0; i < inputs_.size(); ++i)
      parameters.push_back(
          StrCat(vm::QuoteName(ParameterName(i, inputs_[i]->name)), ": ", TypeText(*inputs_[i])));
    for (const VarPtr& size : out_.loops.sizes) out_.slots.push_back(size->name);
    for (const VarPtr& scalar : out_.loops.scalars) {
      const std::string name = ParameterName(parameters.size(), scalar->name);
      parameters.push_back(
          StrCat(vm::QuoteName(name), ": ", scalar->type.element().ToString(), "[]"));
      out_.slots.push_back(name);
    }
    for (const BufferPtr& buffer : out_.loops.buffers) {
      if (buffer->access != Access::kIn)
        results.push_back(StrCat(vm::QuoteName(buffer->name), ": ", TypeText(*buffer)));
    }
    // Workspaces are results of the signature, so that the machine allocates them; only the first
    // `results` are given to the caller.
    out_.results = static_cast<uint32_t>(outputs_.size());
    out_.signature = StrCat("(", StrJoin(parameters, ", "), ") -> (", StrJoin(results, ", "), ")");
  }

  const KernelText& kernel_;
  const SourceFile& file_;
  Diagnostics diagnostics_;
  BoundKernel out_;
  LoopOrigin origin_ = LoopOrigin::kDefinition;
  std::vector<const Buffer*> inputs_, outputs_;
};

}  // namespace

Result<BoundKernel> BindKernel(const KernelText& kernel) {
  if (kernel.text.size() > kMaxKernelText)
    return InvalidArgument("kernel '", kernel.name, "': its text has ", kernel.text.size(),
                           " bytes, at most ", kMaxKernelText)
        .SetErrorCode(kDoesNotFit)
        .Clone();
  TERN_TRY_ASSIGN(const SourceFile file, ParseLoops(StrCat(kernel.name, ".tloop"), kernel.text));
  return Binder(kernel, file).Run();
}

Result<LoopFunction> LowerKernel(const BoundKernel& kernel, const Target& target) {
  LoweringOptions options = DefaultLowering(target);
  Result<LoopFunction> lowered = LowerFunction(kernel.loops, options, kernel.sources);
  if (lowered.ok()) return lowered;
  // A mark that the target cannot follow must not keep the kernel from running.
  options.strategy = Strategy::kScalar;
  return LowerFunction(kernel.loops, options, kernel.sources);
}

}  // namespace tern::loop
