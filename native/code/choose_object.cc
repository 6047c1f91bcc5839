// SPDX-License-Identifier: Apache-2.0
// The targets in the order of the table, best first. What is wrong with each is kept until one
// fits.
#include "native/code/choose_object.h"

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

}  // namespace

// The names in the answer are shown to users; no object at all has an empty one.
ChosenObject ChooseObject(const KernelObjects& kernel, bool allowed, const Processor& processor) {
  const std::string names = TargetNames(kernel);
  if (names.empty()) return {};
  if (!allowed) return {nullptr, StrCat("native code for ", names, " is present, not allowed")};
  std::vector<std::string> reasons;
  for (const ObjectTarget& target : AllObjectTargets()) {
    if (FindObject(kernel, target) == nullptr || target.machine != processor.machine) continue;
    Result<std::unique_ptr<MappedCode>> code = Load(kernel, target, processor);
    if (code.ok()) return {*std::move(code), StrCat("native code for ", target.name)};
    reasons.push_back(StrCat("native code for ", target.name, ": ", code.status().message()));
  }
  if (reasons.empty())
    return {nullptr, StrCat("native code is for ", names, ", not for this processor")};
  return {nullptr, StrJoin(reasons, "; ")};
}

}  // namespace tern::native
