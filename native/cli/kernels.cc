// SPDX-License-Identifier: Apache-2.0
// The kernels of a program, for the commands that run or show them.
#include <utility>

#include "core/api/handles.h"
#include "native/backends/kernel_backends.h"
#include "native/backends/kernels_api.h"
#include "native/cli/command.h"
#include "native/cli/report.h"

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
                "run native code that the file, or --kernel-library, brings along, which can do "
                "anything you can");
  app->add_option("--kernel-library", choice->libraries,
                  "a shared library whose kernels the program finds by name, ahead of all others; "
                  "may be repeated, and needs --allow-native-code")
      ->type_name("FILE")
      // One file for each --kernel-library, so that the program that follows is not taken for
      // another.
      ->allow_extra_args(false);
}

namespace {

// Into the runtime, for every program that it loads.
Status LoadKernels(const Engine& engine, const KernelChoice& choice) {
  for (const std::string& path : choice.libraries)
    TERN_TRY(FromApi(tern_runtime_load_kernels(engine.runtime.get(), path.c_str(),
                                               choice.allow_native_code ? 1 : 0)));
  return Status();
}

Result<Program> Prepare(Program program, const KernelChoice& choice) {
  const tern_kernel_options options = {.struct_size = sizeof options,
                                       .policy = choice.policy.c_str(),
                                       .allow_native_code = choice.allow_native_code ? 1 : 0,
                                       .look_for_llvm = choice.is_shown ? 1 : 0};
  TERN_TRY(FromApi(tern_program_prepare_kernels(program.get(), &options)));
  return program;
}

}  // namespace

Result<Program> LoadProgram(const Engine& engine, const std::string& path,
                            const KernelChoice& choice) {
  TERN_TRY(LoadKernels(engine, choice));
  TERN_TRY_ASSIGN(Program program, LoadProgram(engine, path));
  return Prepare(std::move(program), choice);
}

Result<Program> LoadBuffer(const Engine& engine, Buffer executable, const KernelChoice& choice) {
  TERN_TRY(LoadKernels(engine, choice));
  // Libraries come before the program, because they are for programs that the runtime loads
  // afterwards.
  TERN_TRY_ASSIGN(Program program, LoadBuffer(engine, std::move(executable)));
  return Prepare(std::move(program), choice);
}

std::string KernelListings(const Program& program) {
  return native::KernelListings(*program->program);
}

}  // namespace tern::cli
