// SPDX-License-Identifier: Apache-2.0
#include "core/lang/kernel.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/strings.h"
#include "core/lang/type_text.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/text/parser.h"

namespace tern::lang {

using types::Dim;
using types::Type;

namespace {

constexpr std::string_view kBadKernel = "E1015";
constexpr std::string_view kWord = "kernel";

bool HasAnyDim(const Expr& dim) {
  if (dim.kind == ExprKind::kAnyDim) return true;
  return std::any_of(dim.children.begin(), dim.children.end(),
                     [](const ExprPtr& child) { return child != nullptr && HasAnyDim(*child); });
}

class KernelReader {
 public:
  explicit KernelReader(text::Diagnostics* diagnostics) : diagnostics_(diagnostics) {}

  void Read(KernelDecl* kernel) {
    if (!CheckHead(*kernel)) return;
    text::Diagnostics found(diagnostics_->shared_sources());
    // The heads of kernels and of `te` definitions read the same, but for their first word.
    Span where{kernel->span.file, kernel->span.begin + static_cast<uint32_t>(kWord.size()),
               kernel->span.end};
    std::optional<loop::te::Definition> definition = loop::ParseDefinitionAt(&where, &found);
    if (!definition.has_value()) return Report(*kernel, found);
    const Status schedule = loop::CheckSchedule(*definition, found.shared_sources());
    if (!schedule.ok()) return Report(*kernel, text::ToDiagnostics(schedule));
    kernel->definition = std::make_shared<const loop::te::Definition>(*std::move(definition));
  }

 private:
  // False where something was or has to be said.
  bool CheckHead(const KernelDecl& kernel) {
    const Function& function = *kernel.function;
    if (!function.type.is_function()) return false;
    bool good = true;
    for (const Param& param : function.params) {
      if (param.type == nullptr) return false;
    }
    for (size_t i = 0; i < function.params.size(); ++i)
      good &= CheckTensor(*function.params[i].type, function.type.parameters()[i]);
    return CheckResults(kernel) && good && CheckSizes(function);
  }

  bool CheckResults(const KernelDecl& kernel) {
    const TypeExpr& written = *kernel.function->result;
    const Type result = kernel.function->type.result();
    if (kernel.results.size() == 1) return CheckTensor(written, result);
    if (kernel.results.empty()) {
      if (written.kind != TypeExprKind::kError)
        Complain("a kernel has results", written.span, "expected at least one, as in (y: f32[n])");
      return false;
    }
    if (!result.is_tuple() || result.elements().size() != kernel.results.size()) return false;
    bool good = true;
    for (size_t i = 0; i < kernel.results.size(); ++i)
      good &= CheckTensor(*written.args[i], result.elements()[i]);
    return good;
  }

  bool CheckTensor(const TypeExpr& written, const Type& type) {
    if (!type.known()) return false;
    if (!type.is_tensor()) {
      Complain("a kernel takes and gives tensors", written.span, StrCat("this is ", KindText(type)))
          .Help("a single number is a tensor of rank 0: f32[], read as s[]");
      return false;
    }
    const auto any = [](const ExprPtr& dim) { return HasAnyDim(*dim); };
    if (std::any_of(written.dims.begin(), written.dims.end(), any)) {
      Complain("a kernel names all its extents", written.span, "? has no name")
          .Help(
              "write a name, as in f32[n]: the caller's extents are compared with it when it is "
              "called");
      return false;
    }
    const std::vector<Dim>& dims = type.tensor().dims;
    return std::none_of(dims.begin(), dims.end(), [](const Dim& dim) { return dim.is_any(); });
  }

  // The machine reads sizes off the tensors it is given, and solves no equations for them.
  bool CheckSizes(const Function& function) {
    for (const std::string& size : function.dim_variables) {
      if (StandsAlone(function, size)) continue;
      Complain(StrCat("the size '", size, "' cannot be read off a parameter"), function.name.span,
               StrCat("no parameter has an extent that is just ", size))
          .Help(StrCat("one of the parameters needs an extent of its own for it, as in f32[", size,
                       "]"));
      return false;
    }
    return true;
  }

  static bool StandsAlone(const Function& function, const std::string& size) {
    for (const Type& type : function.type.parameters()) {
      for (const Dim& dim : type.tensor().dims) {
        if (dim == Dim::Symbol(size)) return true;
      }
    }
    return false;
  }

  text::Diagnostic& Complain(const std::string& message, const Span& span,
                             const std::string& label) {
    return diagnostics_->Error(kBadKernel, message).At(span, label);
  }

  void Report(const KernelDecl& kernel, const text::Diagnostics& found) {
    for (text::Diagnostic each : found.items()) {
      if (!each.span.valid()) each.At(kernel.function->name.span);
      diagnostics_->Add(std::move(each));
    }
  }

  text::Diagnostics* diagnostics_;
};

}  // namespace

void ReadKernels(Program* program, text::Diagnostics* diagnostics) {
  KernelReader reader(diagnostics);
  for (const Item& item : program->file->items) {
    if (item.kernel != nullptr) reader.Read(item.kernel.get());
  }
}

}  // namespace tern::lang
