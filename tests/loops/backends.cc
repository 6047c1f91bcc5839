// SPDX-License-Identifier: Apache-2.0
// Host and emulator through native/jit, Node through a module file; memory goes there and back.
#include "tests/loops/backends.h"

#include <algorithm>
#include <map>

#include "core/base/strings.h"
#include "core/loop/emit/wasm_module.h"
#include "core/loop/run/interpreter.h"
#include "tests/loops/call_file.h"
#include "tests/support/commands.h"
#include "tests/support/read_file.h"

namespace tern::loop {
namespace {

constexpr uint8_t kCanary = 0xa5;

// What a driver left in `output`, or what it said.
Status Collect(const testing::CommandResult& run, const std::string& output,
               std::vector<LoopCall>* calls) {
  if (run.exit_code != 0) return Failed("exit code ", run.exit_code, ": ", run.output);
  return ReadBuffers(ReadFile(output), calls);
}

struct Linker {
  const char* compiler;
  const char* options;
  const char* libraries;
};
constexpr Linker kX86Linker = {"x86_64-linux-gnu-gcc", "-static", "-lm"};
constexpr Linker kArmLinker = {"aarch64-linux-gnu-gcc", "-static", "-lm"};
constexpr Linker kMveLinker = {
    "clang-19",
    "--target=thumbv8.1m.main-none-eabihf -mcpu=cortex-m55 -ffreestanding -nostdlib "
    "-fuse-ld=lld -isystem tests/loops/bare -T tests/loops/bare/mps3.ld tests/loops/bare/bare.c",
    ""};

// run_calls.c with the functions of an object, as the file "run" of a folder.
Status LinkRunner(const Linker& linker, const Program& program, const std::string& object,
                  const testing::ScratchFolder& folder) {
  std::string table;
  for (const LoopFunction& function : program.functions)
    table += StrCat("LOOP(", function.name, ")\n");
  const std::string loops = folder.Write("loops.o", object);
  folder.Write("functions.def", table);
  const testing::CommandResult made =
      testing::RunCommand(StrCat(linker.compiler, " -O1 ", linker.options, " '-DFUNCTIONS_FILE=\"",
                                 folder.Path("functions.def"), "\"' tests/loops/run_calls.c ",
                                 loops, " ", linker.libraries, " -o ", folder.Path("run")));
  if (made.exit_code != 0) return Failed("cannot link the program: ", made.output);
  return OkStatus();
}

Status RunLinked(const std::string& emulator, const testing::ScratchFolder& folder,
                 const Program& program, std::vector<LoopCall>* calls) {
  const std::string input = folder.Write("in", WriteCalls(program, *calls));
  const std::string output = folder.Path("out");
  // Code that the emulated processor does not have ends the emulator by a signal: no core files
  // then, and the shell says so within the output.
  const testing::CommandResult run = testing::RunCommand(StrCat(
      "ulimit -c 0; ", emulator, " ", folder.Path("run"), " ", input, " ", output, " || exit"));
  return Collect(run, output, calls);
}

}  // namespace

GuardedBuffer::GuardedBuffer(size_t element_size, size_t count)
    : bytes(2 * kGuard + element_size * (count + 1), kCanary), element_bytes(element_size) {}

bool GuardedBuffer::GuardsAreWhole() const {
  const auto is_canary = [](uint8_t byte) { return byte == kCanary; };
  const uint8_t* end = bytes.data() + bytes.size();
  return std::all_of(bytes.data(), data(), is_canary) &&
         std::all_of(data() + size(), end, is_canary);
}

std::vector<uint8_t> WriteCalls(const Program& program, const std::vector<LoopCall>& calls) {
  ByteWriter out;
  out.U32(static_cast<uint32_t>(calls.size()));
  for (const LoopCall& call : calls) {
    const LoopFunction* function = program.Find(call.function);
    TERN_CHECK(function != nullptr);
    out.U32(static_cast<uint32_t>(function - program.functions.data()));
    out.U32(static_cast<uint32_t>(call.slots.size()));
    out.U32(static_cast<uint32_t>(call.buffers.size()));
    for (const int64_t slot : call.slots) out.I64(slot);
    for (const GuardedBuffer& buffer : call.buffers) {
      out.U64(buffer.start());
      out.U64(buffer.bytes.size());
      out.Bytes(buffer.bytes);
      for (size_t i = buffer.bytes.size(); i % 8 != 0; ++i) out.U8(0);
    }
  }
  return out.Take();
}

Status ReadBuffers(std::string_view bytes, std::vector<LoopCall>* calls) {
  ByteReader reader(AsBytes(bytes), "buffers");
  for (LoopCall& call : *calls) {
    for (GuardedBuffer& buffer : call.buffers) {
      const ByteSpan back = reader.Bytes(buffer.bytes.size());
      if (!reader.ok()) return reader.TakeStatus();
      buffer.bytes.assign(back.begin(), back.end());
      reader.Skip((8 - buffer.bytes.size() % 8) % 8);
    }
  }
  return reader.TakeStatus();
}

Status RunInInterpreter(const Program& program, int64_t vscale, std::vector<LoopCall>* calls) {
  std::map<std::string, Interpreter> interpreters;
  for (LoopCall& call : *calls) {
    const LoopFunction& function = *program.Find(call.function);
    auto known = interpreters.find(call.function);
    if (known == interpreters.end()) {
      TERN_TRY_ASSIGN(Interpreter made, Interpreter::Make(function));
      known = interpreters.emplace(call.function, std::move(made)).first;
    }
    const Interpreter& interpreter = known->second;
    std::vector<BufferArgument> buffers;
    for (GuardedBuffer& buffer : call.buffers)
      buffers.push_back({buffer.data(), static_cast<int64_t>(buffer.size())});
    const std::span<const int64_t> sizes(call.slots.data(), function.sizes.size());
    std::vector<uint64_t> scalars(call.slots.begin() + static_cast<ptrdiff_t>(sizes.size()),
                                  call.slots.end());
    TERN_TRY(tern::internal::TakeStatus(interpreter.Run(
        {.buffers = buffers, .sizes = sizes, .scalars = scalars}, {.vscale = vscale})));
  }
  return OkStatus();
}

Status RunOnHost(const Program& program, std::vector<LoopCall>* calls) {
  TERN_TRY_ASSIGN(const native::CodeTarget host, native::HostCodeTarget());
  TERN_TRY_ASSIGN(const std::string object, CompileFor(host, program, native::Effort::kQuick));
  return RunObject(object, calls);
}

Result<std::string> CompileFor(const native::CodeTarget& target, const Program& program,
                               native::Effort effort) {
  TERN_TRY_ASSIGN(const std::string ir, LlvmText(program, LlvmFlavor::kFixed));
  return native::CompileLlvmIr(ir, target, {native::CodeForm::kObject, effort});
}

Status RunObject(std::string_view object, std::vector<LoopCall>* calls) {
  TERN_TRY_ASSIGN(const auto code, native::NativeCode::FromObject(object));
  for (LoopCall& call : *calls) {
    TERN_TRY_ASSIGN(void* address, code->Find(call.function));
    std::vector<void*> buffers;
    for (GuardedBuffer& buffer : call.buffers) buffers.push_back(buffer.data());
    const auto code_of = reinterpret_cast<native::LoopCode>(address);
    const int32_t result = native::CallLoopCode(code_of, buffers.data(), call.slots.data());
    if (result != 0) return Failed(call.function, " returned ", result);
  }
  return OkStatus();
}

Status RunInNode(const Program& program, std::vector<LoopCall>* calls) {
  TERN_TRY_ASSIGN(const WasmModule module, EmitWasm(program, {}));
  const testing::ScratchFolder folder;
  const std::string output = folder.Path("out");
  std::string names;
  for (const LoopFunction& function : program.functions) names += " " + function.name;
  const testing::CommandResult run = testing::RunNode(
      "tests/loops/run_wasm.mjs",
      StrCat(folder.Write("loops.wasm", module.bytes), " ", module.scratch_bytes, " ",
             folder.Write("in", WriteCalls(program, *calls)), " ", output, names));
  return Collect(run, output, calls);
}

bool HaveX86Emulator() {
  return native::LlvmDescription().ok() && testing::HaveCommand(kX86Linker.compiler) &&
         testing::HaveCommand("qemu-x86_64");
}

Status RunInX86Emulator(const std::string& emulated, const native::CodeTarget& target,
                        const Program& program, std::vector<LoopCall>* calls) {
  TERN_TRY_ASSIGN(const std::string object, CompileFor(target, program, native::Effort::kThorough));
  const testing::ScratchFolder folder;
  TERN_TRY(LinkRunner(kX86Linker, program, object, folder));
  return RunLinked(StrCat("qemu-x86_64 -cpu ", emulated), folder, program, calls);
}

bool HaveSveBackend() {
  return native::LlvmDescription().ok() && testing::HaveCommand(kArmLinker.compiler) &&
         testing::HaveCommand("qemu-aarch64");
}

Result<SveBackend> SveBackend::Make(const Program& program) {
  TERN_TRY_ASSIGN(const std::string ir, LlvmText(program, LlvmFlavor::kSve));
  TERN_TRY_ASSIGN(const native::CodeTarget target, native::FindCodeTarget("aarch64-sve"));
  TERN_TRY_ASSIGN(const std::string object,
                  native::CompileLlvmIr(ir, target, {native::CodeForm::kObject}));
  SveBackend backend(std::make_shared<testing::ScratchFolder>());
  backend.program_ = &program;
  TERN_TRY(LinkRunner(kArmLinker, program, object, *backend.folder_));
  return backend;
}

Status SveBackend::Run(int vector_bits, std::vector<LoopCall>* calls) const {
  const std::string emulator =
      StrCat("qemu-aarch64 -cpu max,sme=off,sve-default-vector-length=", vector_bits / 8);
  return RunLinked(emulator, *folder_, *program_, calls);
}

bool HaveMveBackend() {
  return native::LlvmDescription().ok() && testing::HaveCommand(kMveLinker.compiler) &&
         testing::HaveCommand("qemu-system-arm");
}

Status RunOnMve(const Program& program, std::vector<LoopCall>* calls) {
  TERN_TRY_ASSIGN(const std::string ir, LlvmText(program, LlvmFlavor::kMve));
  TERN_TRY_ASSIGN(const native::CodeTarget target, native::FindCodeTarget("armv8.1m-mve"));
  TERN_TRY_ASSIGN(const std::string object,
                  native::CompileLlvmIr(ir, target, {native::CodeForm::kObject}));
  const testing::ScratchFolder folder;
  TERN_TRY(LinkRunner(kMveLinker, program, object, folder));
  folder.Write("in", WriteCalls(program, *calls));
  const testing::CommandResult run =
      testing::RunCommand(StrCat("cd ", folder.Path("."),
                                 " && timeout 300 qemu-system-arm -M mps3-an547 -display none "
                                 "-monitor none -serial none -semihosting -kernel run"));
  return Collect(run, folder.Path("out"), calls);
}

}  // namespace tern::loop
