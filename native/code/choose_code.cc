// SPDX-License-Identifier: Apache-2.0
// The targets in the order of the table, best first. What is wrong with each is kept until one
// fits.
#include "native/code/choose_code.h"

#include "core/base/strings.h"

namespace tern::native {
namespace {

const KernelObjects::Object* FindObject(const KernelObjects& kernel, const ObjectTarget& target) {
  for (const KernelObjects::Object& object : kernel.objects) {
    if (TargetOfFormat(object.format) == &target) return &object;
  }
  return nullptr;
}

// "aarch64-sve, x86-64"; empty where there are no objects.
std::string TargetNames(const KernelObjects& kernel) {
  std::vector<std::string_view> names;
  for (const ObjectTarget& target : AllObjectTargets()) {
    if (FindObject(kernel, target) != nullptr) names.push_back(target.name);
  }
  return StrJoin(names, ", ");
}

// The code, or what is wrong with the object.
Result<std::unique_ptr<MappedCode>> Load(const KernelObjects& kernel, const ObjectTarget& target,
                                         const Processor& processor) {
  TERN_TRY(CheckProcessor(target, processor));
  return MappedCode::Load({FindObject(kernel, target)->bytes, kernel.name, kernel.loop_text});
}

// The best code that a library has for this processor.
ChosenCode ChooseOfLibrary(std::string_view kernel,
                           const std::shared_ptr<const CodeLibrary>& library,
                           const Processor& processor) {
  for (const ObjectTarget& target : AllObjectTargets()) {
    if (target.machine != processor.machine || !CheckProcessor(target, processor).ok()) continue;
    const CodeLibrary::Code code = library->Find(kernel, target);
    if (code.entry == nullptr) continue;
    return {code.entry, code.parallel_entry, library,
            StrCat("native code for ", target.name, " of library '", library->path(), "'")};
  }
  return {.why = StrCat("library '", library->path(), "' has no code of it",
                        library->Has(kernel) ? " for this processor" : "")};
}

// The names in the answer are shown to users; no object at all has an empty one.
ChosenCode ChooseObject(const KernelObjects& kernel, bool allowed, const Processor& processor) {
  const std::string names = TargetNames(kernel);
  if (names.empty()) return {};
  if (!allowed) return {.why = StrCat("native code for ", names, " is present, not allowed")};
  std::vector<std::string> reasons;
  for (const ObjectTarget& target : AllObjectTargets()) {
    if (FindObject(kernel, target) == nullptr || target.machine != processor.machine) continue;
    Result<std::unique_ptr<MappedCode>> made = Load(kernel, target, processor);
    if (made.ok()) {
      const std::shared_ptr<const MappedCode> code = *std::move(made);
      return {code->entry(), code->parallel_entry(), code, StrCat("native code for ", target.name)};
    }
    reasons.push_back(StrCat("native code for ", target.name, ": ", made.status().message()));
  }
  if (reasons.empty())
    return {.why = StrCat("native code is for ", names, ", not for this processor")};
  return {.why = StrJoin(reasons, "; ")};
}

}  // namespace

ChosenCode ChooseCode(const KernelObjects& kernel, bool allowed, const CodeLibraries& libraries,
                      const Processor& processor) {
  std::vector<std::string> reasons;
  for (const std::shared_ptr<const CodeLibrary>& library : libraries) {
    ChosenCode code = ChooseOfLibrary(kernel.name, library, processor);
    if (code.entry != nullptr) return code;
    reasons.push_back(std::move(code.why));
  }
  ChosenCode code = ChooseObject(kernel, allowed, processor);
  if (code.entry != nullptr || reasons.empty()) return code;
  if (!code.why.empty()) reasons.push_back(std::move(code.why));
  return {.why = StrJoin(reasons, "; ")};
}

}  // namespace tern::native
