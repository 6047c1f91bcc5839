// SPDX-License-Identifier: Apache-2.0
// Runs folders of the ONNX backend test data (model.onnx, test_data_set_*/input_*.pb, output_*.pb)
// through the C API: reads folder names from standard input and prints
// `passed|failed|unsupported<TAB>folder<TAB>reason`. With --kernels POLICY, which native programs
// have, the loop programs of fused operators run by that policy. tools/onnx_conformance.sh drives
// it on every target. A folder's line is flushed before the next one starts, so that the driver
// can tell which one ended the program.
#include <stdio.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/api/c_api.h"
#include "core/base/result.h"
#include "core/base/strings.h"
#include "core/object/any.h"
#include "core/object/containers/sequence.h"
#include "core/onnx/read_model.h"
#include "core/onnx/test_data.h"
#if TERN_CONFORMANCE_KERNELS
#include "native/backends/kernels_api.h"
#endif

namespace tern {
namespace {

Result<std::vector<uint8_t>> ReadFile(const std::string& path) {
  FILE* file = fopen(path.c_str(), "rb");
  if (file == nullptr) return NotFound("cannot open ", path);
  std::vector<uint8_t> bytes;
  uint8_t chunk[1 << 16];
  for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
    bytes.insert(bytes.end(), chunk, chunk + got);
  fclose(file);
  return bytes;
}

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

// input_0.pb, input_1.pb, … as far as they go.
Result<std::vector<Any>> ReadSet(const std::string& folder, const char* prefix,
                                 const std::vector<onnx::ValueInfo>& declared) {
  std::vector<Any> values;
  for (size_t i = 0;; ++i) {
    const std::string path = StrCat(folder, "/", prefix, "_", i, ".pb");
    if (!Exists(path)) return values;
    TERN_TRY_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
    const onnx::ValueInfo& info = declared[std::min(i, declared.size() - 1)];
    TERN_TRY_ASSIGN(Any value, onnx::ReadTestValue(bytes, info.type));
    values.push_back(std::move(value));
  }
}

Status CompareOutput(size_t index, const AnyView& actual, const AnyView& expected) {
  const onnx::Comparison found = onnx::CompareTestValues(actual, expected, onnx::Tolerance{});
  if (found.ok()) return OkStatus();
  if (!found.mismatch.empty()) return Failed("output ", index, " ", found.mismatch);
  return Failed("output ", index, found.worst, " is ", found.actual, ", expected ", found.expected);
}

Status FromHandle(tern_status* handle) {
  if (handle == nullptr) return OkStatus();
  Status status(static_cast<StatusCode>(tern_status_kind(handle)), tern_status_message(handle));
  tern_status_free(handle);
  return status;
}

// Outputs of a run, a tuple taken apart.
Status CompareOutputs(const TernAny& result, const std::vector<Any>& expected) {
  tern_any_retain(&result);
  const Any whole = Any::Adopt(result);
  // A sequence is one output.
  const int32_t count = whole.TryCast<Sequence>() != nullptr ? 0 : tern_tuple_size(&result);
  for (size_t i = 0; i < expected.size(); ++i) {
    TernAny item{};
    if (count == 0) {
      if (i > 0) return Failed("one output, expected ", expected.size());
      tern_any_retain(&result);
      item = result;
    } else {
      TERN_TRY(FromHandle(tern_tuple_get(&result, static_cast<int32_t>(i), &item)));
    }
    const Any owned = Any::Adopt(item);
    TERN_TRY(CompareOutput(i, owned, expected[i]));
  }
  return OkStatus();
}

Status RunSet(tern_program* program, const std::string& folder, const onnx::Graph& declared) {
  TERN_TRY_ASSIGN(const std::vector<Any> values, ReadSet(folder, "input", declared.inputs));
  TERN_TRY_ASSIGN(const std::vector<Any> expected, ReadSet(folder, "output", declared.outputs));
  std::vector<TernAny> args;
  for (const Any& value : values) args.push_back(value.c_any());
  tern_vm* vm = nullptr;
  TERN_TRY(FromHandle(tern_vm_create(program, nullptr, &vm)));
  TernAny result{};
  Status status =
      FromHandle(tern_vm_call(vm, "main", args.data(), static_cast<int32_t>(args.size()), &result));
  tern_vm_free(vm);
  if (status.ok()) status = CompareOutputs(result, expected);
  tern_any_release(&result);
  return status;
}

// policy: empty where programs run as they are.
Status PrepareKernels([[maybe_unused]] tern_program* program, const std::string& policy) {
  if (policy.empty()) return OkStatus();
#if TERN_CONFORMANCE_KERNELS
  tern_kernel_options options{};
  options.struct_size = sizeof options;
  options.policy = policy.c_str();
  return FromHandle(tern_program_prepare_kernels(program, &options));
#else
  return Failed("this target has no --kernels");
#endif
}

struct Runner {
  tern_runtime* runtime = nullptr;
  std::string policy;
};

Status RunProgram(const Runner& runner, tern_buffer* executable, const std::string& folder,
                  const onnx::Graph& declared) {
  tern_program* program = nullptr;
  TERN_TRY(FromHandle(tern_program_load(
      runner.runtime, tern_buffer_data(executable), tern_buffer_size(executable),
      [](void* buffer) { tern_buffer_free(static_cast<tern_buffer*>(buffer)); }, executable,
      &program)));
  Status status = PrepareKernels(program, runner.policy);
  int sets = 0;
  for (; status.ok() && Exists(StrCat(folder, "/test_data_set_", sets)); ++sets) {
    status = RunSet(program, StrCat(folder, "/test_data_set_", sets), declared);
  }
  tern_program_free(program);
  if (status.ok() && sets == 0) return Failed("the folder has no test_data_set_0");
  return status;
}

Status RunFolder(const Runner& runner, const std::string& folder) {
  TERN_TRY_ASSIGN(const std::vector<uint8_t> model, ReadFile(folder + "/model.onnx"));
  onnx::Model read;  // its names are views of the file's bytes
  TERN_TRY(onnx::ReadModel(model, &read));
  tern_buffer* executable = nullptr;
  TERN_TRY(FromHandle(tern_compile_onnx(runner.runtime, model.data(), model.size(), nullptr,
                                        &executable, nullptr)));
  return RunProgram(runner, executable, folder, read.graph);
}

void PrintVerdict(const std::string& folder, const Status& status) {
  const char* verdict = status.ok()                                 ? "passed"
                        : status.code() == StatusCode::kUnsupported ? "unsupported"
                                                                    : "failed";
  std::string reason(status.message());
  for (char& c : reason) c = c == '\n' || c == '\t' ? ' ' : c;
  printf("%s\t%s\t%s\n", verdict, folder.c_str(), reason.c_str());
  fflush(stdout);
}

int Main(int argc, char** argv) {
  Runner runner;
  if (argc == 3 && std::string_view(argv[1]) == "--kernels") runner.policy = argv[2];
  if (argc > 1 && runner.policy.empty()) {
    fprintf(stderr, "usage: onnx_conformance [--kernels POLICY] < FOLDERS\n");
    return 2;
  }
  const Status status = FromHandle(tern_runtime_create(nullptr, &runner.runtime));
  if (!status.ok()) return 1;
  char line[4096];
  while (fgets(line, sizeof line, stdin) != nullptr) {
    const std::string folder(StrTrim(line));
    if (!folder.empty()) PrintVerdict(folder, RunFolder(runner, folder));
  }
  tern_runtime_free(runner.runtime);
  return 0;
}

}  // namespace
}  // namespace tern

int main(int argc, char** argv) { return tern::Main(argc, argv); }
