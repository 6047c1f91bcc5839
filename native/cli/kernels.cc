// SPDX-License-Identifier: Apache-2.0
// The kernels of a program, for the commands that run or show them.
#include "core/api/handles.h"
#include "native/cli/command.h"
#include "native/kernels/kernel_roads.h"

namespace tern::cli {

void AddKernelOptions(CLI::App* app, KernelChoice* choice) {
  std::vector<std::string> names;
  for (const std::string_view name : native::KernelPolicyNames()) names.emplace_back(name);
  app->add_option("--kernels", choice->policy,
                  "how loop kernels run: auto, operators, interpreter or compiled (auto)")
      ->check(CLI::IsMember(names));
  AddNativeCodeOption(app, choice);
}

void AddNativeCodeOption(CLI::App* app, KernelChoice* choice) {
  app->add_flag("--allow-native-code", choice->allow_native_code,
                "run native code that the file brings along, which can do anything you can");
}

Result<Program> LoadProgram(const Engine& engine, const std::string& path,
                            const KernelChoice& choice) {
  TERN_TRY_ASSIGN(Program program, LoadProgram(engine, path));
  native::KernelOptions options;
  TERN_TRY_ASSIGN(options.policy, native::ParseKernelPolicy(choice.policy));
  options.allow_native_code = choice.allow_native_code;
  TERN_TRY(native::PrepareKernels(*program->program, options));
  return program;
}

std::string KernelListings(const Program& program) {
  return native::KernelListings(*program->program);
}

}  // namespace tern::cli
