// SPDX-License-Identifier: Apache-2.0
// vm_tool: the virtual machine on a command line, for golden tests on every target.
//
//   vm_tool run FILE [FUNCTION [ARGUMENT…]]   assembles, saves, loads, links, runs; prints the
//   result vm_tool trace FILE [FUNCTION [ARG…]]      the same, one instruction at a time, printing
//   each vm_tool dis FILE                          assembly text of the executable, after a round
//   trip through its file vm_tool text | stats FILE                 the listings of the founding
//   document vm_tool check FILE                        assembles and prints warnings vm_tool ssa
//   FILE                          verifies static single assignment too vm_tool inspect FILE
//   sections and functions vm_tool hex FILE                          the file in hex vm_tool save
//   FILE OUT                     writes the file
// An argument is a constant in assembly text: "int 3", "f32[2] [1, 2]"; a bare number will do.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/object/graph/print.h"
#include "core/object/run_context.h"
#include "core/text/diagnostics.h"
#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "core/vm/text/assembler.h"
#include "core/vm/text/disassembler.h"
#include "core/vm/verifier.h"
#include "core/vm/vm.h"
#include "tests/support/hex_dump.h"
#include "tests/support/read_file.h"
#include "tests/support/tool_batch.h"

namespace tern::vm {
namespace {

int Fail(const Status& status) {
  std::fputs(text::RenderText(status).c_str(), stdout);
  return 1;
}

Result<Any> Print(AnyArgs args) {
  for (const AnyView& arg : args) std::printf("%s\n", PrintValue(arg).c_str());
  return Any();
}

// c[i] = a[i] + b[i], written into c.
Status AddInto(Tensor* a, Tensor* b, Tensor* c) {
  if (a->dtype() != kF32 || b->dtype() != kF32 || c->dtype() != kF32)
    return TypeError("test.add_into takes f32 tensors");
  if (a->element_count() != c->element_count() || b->element_count() != c->element_count()) {
    return InvalidArgument("test.add_into: ", a->TypeText(), " + ", b->TypeText(), " into ",
                           c->TypeText());
  }
  for (int64_t i = 0; i < c->element_count(); ++i)
    c->data_as<float>()[i] = a->data_as<float>()[i] + b->data_as<float>()[i];
  return OkStatus();
}

Result<TensorPtr> Add(RunContext& context, Tensor* a, Tensor* b) {
  TERN_TRY_ASSIGN(TensorPtr c, context.NewTensor(kF32, a->dims()));
  TERN_TRY(AddInto(a, b, c.get()));
  return c;
}

int64_t AllocatedBytes(RunContext& context) { return context.allocator()->stats().live_bytes; }

std::vector<FunctionPtr> TestFunctions() {
  return {
      Function::FromPacked("test.print", [](AnyArgs args) { return Print(args); }),
      Function::FromTyped("test.add", &Add),
      Function::FromTyped("test.add_into", &AddInto),
      Function::FromTyped("test.live_bytes", &AllocatedBytes),
      Function::FromTyped("test.is_vm",
                          [](RunContext& context, void* vm) { return vm == &context; }),
      Function::FromTyped("test.fail", [](std::string_view why) -> Status { return Failed(why); }),
  };
}

// Through its file, so that every golden test is one of writer and reader too.
Result<ExecutablePtr> Load(const char* path, text::Diagnostics* warnings = nullptr) {
  TERN_TRY_ASSIGN(const ExecutablePtr executable, Assemble(ReadFile(path), path, warnings));
  const std::vector<uint8_t> bytes = SaveExecutable(*executable);
  TERN_TRY_ASSIGN(ExecutablePtr loaded, ReadExecutable(bytes, nullptr));
  if (SaveExecutable(*loaded) != bytes)
    return Status(StatusCode::kInternal, "saving again gives other bytes");
  return loaded;
}

Result<std::vector<Any>> ParseArguments(int count, char** arguments) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string_view arg = arguments[i];
    std::string_view kind;
    if (ParseInt64(arg).has_value())
      kind = "int ";
    else if (ParseDouble(arg).has_value())
      kind = "float ";
    StrAppend(&text, ".const c[", i, "] = ", kind, arg, "\n");
  }
  TERN_TRY_ASSIGN(const ExecutablePtr parsed, Assemble(text, "arguments"));
  std::vector<Any> values;
  for (uint32_t i = 0; i < parsed->constants().size(); ++i) {
    TERN_TRY_ASSIGN(Any value, parsed->ConstantValue(i));
    values.push_back(std::move(value));
  }
  return values;
}

Result<std::unique_ptr<VirtualMachine>> Begin(int argc, char** argv) {
  TERN_TRY_ASSIGN(ExecutablePtr executable, Load(argv[2]));
  const std::vector<FunctionPtr> functions = TestFunctions();
  LinkOptions link;
  link.functions = functions;
  TERN_TRY_ASSIGN(ProgramPtr program, Program::Link(std::move(executable), link));
  VmOptions options;
  options.max_instructions = 2'000'000;
  options.max_depth = 1000;
  options.max_bytes = 1 << 20;
  TERN_TRY_ASSIGN(std::unique_ptr<VirtualMachine> vm,
                  VirtualMachine::Create(std::move(program), options));
  TERN_TRY_ASSIGN(const std::vector<Any> values, ParseArguments(argc > 4 ? argc - 4 : 0, argv + 4));
  const std::vector<AnyView> views(values.begin(), values.end());
  TERN_TRY(vm->Begin(argc > 3 ? argv[3] : "main", views));
  return vm;
}

void PrintRegisters(const VirtualMachine& vm) {
  const FrameView frame = vm.frame(vm.depth() - 1);
  for (size_t i = 0; i < frame.registers.size(); ++i) {
    if (!frame.registers[i].is_none())
      std::printf(" %%%zu=%s", i, PrintValue(frame.registers[i]).c_str());
  }
  std::printf("\n");
}

int Run(int argc, char** argv, bool trace) {
  Result<std::unique_ptr<VirtualMachine>> vm = Begin(argc, argv);
  if (!vm.ok()) return Fail(vm.status());
  for (;;) {
    if (trace) {
      const FrameView frame = (*vm)->frame((*vm)->depth() - 1);
      const FunctionInfo& function = (*vm)->executable().functions()[frame.function];
      std::printf("%*s@%s %u: %s ;", static_cast<int>((*vm)->depth() - 1) * 2, "",
                  function.name.c_str(), frame.pc - function.first_instruction,
                  InstructionText((*vm)->executable(), frame.pc).c_str());
      PrintRegisters(**vm);
    }
    const Result<StopReason> stopped = (*vm)->Resume(trace ? 1 : 0);
    if (!stopped.ok()) return Fail(stopped.status());
    if (*stopped == StopReason::kReturned) break;
  }
  std::printf("%s\n", PrintValue((*vm)->TakeResult()).c_str());
  return 0;
}

int Inspect(const Executable& executable) {
  const std::vector<uint8_t> bytes = SaveExecutable(executable);
  const Result<FileLayout> layout = ReadLayout(bytes);
  if (!layout.ok()) return Fail(layout.status());
  for (const SectionEntry& entry : layout->sections) {
    std::printf("section %u %s: offset %llu, %llu bytes\n", entry.id,
                std::string(SectionName(entry.id)).c_str(),
                static_cast<unsigned long long>(entry.offset),
                static_cast<unsigned long long>(entry.bytes));
  }
  for (const FunctionInfo& function : executable.functions()) {
    std::printf("@%s%s: %u instructions from %u, %u registers\n", function.name.c_str(),
                function.signature.ToText().c_str(), function.instruction_count,
                function.first_instruction, function.register_count);
  }
  return 0;
}

int Save(const char* path, const char* out) {
  const Result<ExecutablePtr> executable = Load(path);
  if (!executable.ok()) return Fail(executable.status());
  const std::vector<uint8_t> bytes = SaveExecutable(**executable);
  std::FILE* file = std::fopen(out, "wb");
  if (file == nullptr) return 2;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && written ? 0 : 2;
}

int Show(const char* verb, const char* path) {
  text::Diagnostics warnings;
  const Result<ExecutablePtr> executable = Load(path, &warnings);
  if (!executable.ok()) return Fail(executable.status());
  const auto is = [&](const char* name) { return std::strcmp(verb, name) == 0; };
  if (is("inspect")) return Inspect(**executable);
  if (is("ssa")) {
    const Status status = Verify(**executable, VerifyOptions{.ssa = true});
    return status.ok() ? 0 : Fail(status);
  }
  std::string out;
  if (is("dis"))
    out = Disassemble(**executable);
  else if (is("text"))
    out = AsText(**executable);
  else if (is("stats"))
    out = Stats(**executable);
  else if (is("hex"))
    out = support::HexDump(SaveExecutable(**executable));
  else if (is("check"))
    out = text::RenderText(warnings);
  else
    return 2;
  std::fputs(out.c_str(), stdout);
  return 0;
}

int Main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: vm_tool VERB FILE [FUNCTION [ARGUMENT…]]\n", stderr);
    return 2;
  }
  if (std::strcmp(argv[1], "run") == 0) return Run(argc, argv, false);
  if (std::strcmp(argv[1], "trace") == 0) return Run(argc, argv, true);
  if (std::strcmp(argv[1], "save") == 0 && argc > 3) return Save(argv[2], argv[3]);
  return Show(argv[1], argv[2]);
}

}  // namespace
}  // namespace tern::vm

int main(int argc, char** argv) { return tern::support::RunTool(argc, argv, &tern::vm::Main); }
