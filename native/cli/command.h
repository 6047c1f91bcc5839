// SPDX-License-Identifier: Apache-2.0
// What the commands share: the global options, the runtime they run on, and the row of a command in
// the table of tool.cc. A new command is a source with a Setup function and a row there.
#ifndef TERN_NATIVE_CLI_COMMAND_H_
#define TERN_NATIVE_CLI_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "native/cli/handles.h"
#include "native/cli/input_spec.h"
#include "native/cli/progress.h"
#include "native/platform/mapped_file.h"
#include "native/platform/platform.h"

namespace tern::cli {

struct GlobalOptions {
  std::string format = "text";  // text | json | jsonl
  std::string target;           // kernel target, empty for the best
  int threads = 1;              // 0: every processor
  bool quiet = false;
  bool verbose = false;
  std::string progress = "auto";  // auto | bar | plain | none
  std::string color = "auto";     // auto | always | never

  bool json() const { return format != "text"; }
  // An answer that is a list is written as one object per line.
  bool by_line() const { return format == "jsonl"; }
};

// A command registers its options on `app` and returns what to do once they are parsed.
using CommandAction = std::function<Status()>;
struct Command {
  const char* name;
  const char* phrase;
  const char* examples;  // shown by --help; each line runs
  CommandAction (*setup)(CLI::App* app, const GlobalOptions* globals);
  bool tells_of_others = false;  // of other verbs' options
};

CommandAction SetupCompile(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupLower(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupRun(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupBench(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupDebug(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupTrace(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupDiff(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupReplay(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupReduce(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupPlay(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupProfile(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupTune(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupInspect(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupDis(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupAsm(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupInfo(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupCheck(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupFormat(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupExplain(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupManual(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupHelp(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupConvert(CLI::App* app, const GlobalOptions* globals);
CommandAction SetupCompletion(CLI::App* app, const GlobalOptions* globals);

// "0.1.0".
std::string VersionText();

// A runtime on this machine's platform; both live until the command ends.
struct Engine {
  std::unique_ptr<native::Platform> platform;
  Runtime runtime;
  ProgressStyle progress = ProgressStyle::kNone;
};
// max_bytes: --max-memory, which takes the place of the platform's limit. It holds for everything
// that is compiled, and for a run that has no limit of its own; 0: the platform's.
Result<Engine> StartEngine(const GlobalOptions& globals, uint64_t max_bytes = 0);

// A program from a file: an executable as it is (mapped, constants in place), an .onnx model,
// .tasm or .tn text compiled first.
Result<Program> LoadProgram(const Engine& engine, const std::string& path);

// The one argument of verbs that take a program of any kind.
void AddProgram(CLI::App* app, std::string* path);

// How the kernels of a program run: the options of every command that runs one.
struct KernelChoice {
  std::string policy = "auto";
  bool allow_native_code = false;
  std::vector<std::string> libraries = {};  // --kernel-library
  bool is_shown = false;                    // the backends are looked at, not only taken
};
void AddKernelOptions(CLI::App* app, KernelChoice* choice);
void AddNativeCodeOption(CLI::App* app, KernelChoice* choice);  // which is one of these
Result<Program> LoadProgram(const Engine& engine, const std::string& path,
                            const KernelChoice& choice);
Result<Program> LoadBuffer(const Engine& engine, Buffer executable);
Result<Program> LoadBuffer(const Engine& engine, Buffer executable, const KernelChoice& choice);
// Each kernel's loops, lowered and as LLVM IR (native/backends/kernel_backends.h).
std::string KernelListings(const Program& program);

// Compiling to the bytes of an executable, without loading them.
struct CompileRequest {
  std::string path;
  std::string disabled_passes;
  std::string print_after;
  bool relaxed_math = false, exact_convolutions = false;
  // "batch=1,n=16": the stage "memory_json" says where everything lies at these sizes.
  std::optional<std::string> sizes = {};

  const char* c_sizes() const { return sizes ? sizes->c_str() : nullptr; }
};
// What changes what is made; --max-memory stands among them.
void AddCompileOptions(CLI::App* app, CompileRequest* request, uint64_t* max_bytes);
struct Compiled {
  Buffer executable;
  Buffer stages;
};
Result<Compiled> CompileOnnx(const Engine& engine, const CompileRequest& request);
Result<Compiled> CompileSource(const Engine& engine, const CompileRequest& request);
// Calls the one of these two that fits the kind of the file; other kinds are refused.
Result<Compiled> CompileProgram(const Engine& engine, const CompileRequest& request);
// Text of a program in the language.
bool IsSource(const std::string& path);
Result<Buffer> AssembleFile(const Engine& engine, const std::string& path);

inline constexpr std::string_view kMissingPrimitives = "E0107";  // which linking fails with
// The primitives that the program of a file calls and this build lacks.
Result<std::vector<std::string>> MissingPrimitives(const Engine& engine, const std::string& path);
std::string MissingText(const std::vector<std::string>& names);

// Function names, parameters and results as the program declares them.
struct FunctionInfo {
  std::string name;
  std::vector<ParamInfo> params;
  std::vector<ParamInfo> results;
};
Result<std::vector<FunctionInfo>> ListFunctions(const Program& program);

// The record of a run; JSON where the path ends so.
Status WriteTrace(tern_debugger* debugger, const std::string& path);

// Options that take a whole number, bytes (64MiB), or an amount, each of at least 0.
std::string CheckCount(const std::string& text);  // empty, or what is expected instead
std::string CheckAmount(const std::string& text);
template <typename T>
CLI::Option* AddCount(CLI::App* app, const char* name, T* value, const char* phrase) {
  return app->add_option(name, *value, phrase)->check(&CheckCount);
}
std::string CheckPositiveCount(const std::string& text);
CLI::Option* AddSize(CLI::App* app, const char* name, uint64_t* bytes, const char* phrase);
CLI::Option* AddAmount(CLI::App* app, const char* name, double* amount, const char* phrase);

// Print writes the whole text to standard output, on a terminal without control characters
// (style.h), which PrintPainted lets through. CheckOutput tells at the end whether any of it
// could not be written. After HoldBackPrint, for --quiet, texts wait for PrintHeldBack, which is
// called where a command fails; where it succeeds nobody sees them.
void Print(std::string_view text);
void PrintPainted(std::string_view text);
void HoldBackPrint();
void PrintHeldBack();
void PrintError(std::string_view text);  // to standard error
Status CheckOutput();

// E0003 where writing `output` would replace the file that `input` names.
Status CheckOutputPath(const std::string& output, const std::string& input);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_COMMAND_H_
