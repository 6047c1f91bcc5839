// SPDX-License-Identifier: Apache-2.0
// Modules as bytes: against the specification's layout by hand, against an engine, and every
// instruction's number against LLVM's disassembler.
#include "core/loop/emit/wasm_writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/strings.h"
#include "tests/support/commands.h"
#include "tests/unit/loop_emit/wasm_operands.h"

namespace tern::loop::wasm_writer_test {
namespace {

using testing::CommandResult;
using testing::RunCommand;
using testing::RunNode;
using testing::ScratchFolder;

constexpr const char* kCallScript = "tests/unit/loop_emit/call_wasm.mjs";

std::vector<uint8_t> OneFunction(const WasmCode& code, WasmType result) {
  WasmWriter writer;
  writer.ImportMemory("env", "memory", 1);
  writer.AddFunction("f", code, {result});
  return writer.Finish();
}

TEST(WasmWriter, LayoutOfASmallModule) {
  WasmCode code({WasmType::kI32, WasmType::kI32});
  code.Get(0);
  code.Get(1);
  code.Op(WasmOp::kI32Add);
  WasmWriter writer;
  EXPECT_EQ(writer.AddFunction("add", code, {WasmType::kI32}), 0u);
  const std::vector<uint8_t> expected = {0,   'a', 's', 'm',  1,   0,    0,    0,  // magic, version
                                         1,   7,   1,   0x60, 2,   0x7f, 0x7f, 1,    0x7f,  // types
                                         3,   2,   1,   0,  // functions
                                         7,   7,   1,   3,    'a', 'd',  'd',  0,    0,  // exports
                                         10,  9,   1,   7,    0,   0x20, 0,    0x20, 1,    0x6a,
                                         0x0b};  // bodies
  EXPECT_EQ(writer.Finish(), expected);
}

TEST(WasmWriter, EqualSignaturesAreWrittenOnce) {
  WasmCode code({WasmType::kI32});
  code.Get(0);
  WasmWriter writer;
  writer.AddFunction("a", code, {WasmType::kI32});
  const size_t one = writer.Finish().size();
  EXPECT_EQ(writer.AddFunction("b", code, {WasmType::kI32}), 1u);
  EXPECT_EQ(writer.Finish().size() - one, 1u + 4u + 5u);  // index, export, body
}

TEST(WasmWriter, ConstantsAtTheEdgesOfTheirEncoding) {
  const int64_t values[] = {0,
                            63,
                            64,
                            -64,
                            -65,
                            8191,
                            8192,
                            -8193,
                            std::numeric_limits<int32_t>::max(),
                            std::numeric_limits<int32_t>::min(),
                            std::numeric_limits<int64_t>::max(),
                            std::numeric_limits<int64_t>::min()};
  WasmWriter writer;
  std::string calls, expected;
  for (const int64_t value : values) {
    WasmCode code({});
    code.I64(value);
    writer.AddFunction(StrCat("wide", value), code, {WasmType::kI64});
    calls += StrCat(" wide", value);
    expected += StrCat(value, "\n");
    if (value != static_cast<int32_t>(value)) continue;
    WasmCode narrow({});
    narrow.I32(static_cast<int32_t>(value));
    writer.AddFunction(StrCat("narrow", value), narrow, {WasmType::kI32});
    calls += StrCat(" narrow", value);
    expected += StrCat(value, "\n");
  }
  const ScratchFolder folder;
  const std::string file = folder.Write("m.wasm", writer.Finish());
  EXPECT_EQ(RunNode(kCallScript, file + calls).output, expected);
}

// sum of i for i in [0, n), with locals, a block and a loop.
TEST(WasmWriter, LoopsAndLocals) {
  WasmCode code({WasmType::kI64});
  const uint32_t i = code.AddLocal(WasmType::kI64);
  code.AddLocal(WasmType::kF32);
  const uint32_t sum = code.AddLocal(WasmType::kI64);
  code.Block();
  code.Loop();
  code.Get(i);
  code.Get(0);
  code.Op(WasmOp::kI64GeS);
  code.BranchIf(1);
  code.Get(sum);
  code.Get(i);
  code.Op(WasmOp::kI64Add);
  code.Set(sum);
  code.Get(i);
  code.I64(1);
  code.Op(WasmOp::kI64Add);
  code.Set(i);
  code.Branch(0);
  code.End();
  code.End();
  code.Get(sum);
  EXPECT_EQ(code.depth(), 0u);
  const ScratchFolder folder;
  const std::string file = folder.Write("m.wasm", OneFunction(code, WasmType::kI64));
  EXPECT_EQ(RunNode(kCallScript, file + " f=5n f=0n f=1000n").output, "10\n0\n499500\n");
}

TEST(WasmWriter, VectorsInImportedMemory) {
  WasmCode code({});
  code.I32(16);
  code.V128({0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64});  // 1, 2, 3, 4
  code.Memory(WasmOp::kV128Store, {.offset = 16, .align_log2 = 4});
  code.I32(32);
  code.Memory(WasmOp::kV128Load, {.align_log2 = 4});
  code.I32(0);
  code.Memory(WasmOp::kV128Load32Splat, {.offset = 44, .align_log2 = 2});
  code.Op(WasmOp::kF32x4Mul);
  code.Lane(WasmOp::kF32x4ExtractLane, 2);
  const ScratchFolder folder;
  const std::string file = folder.Write("m.wasm", OneFunction(code, WasmType::kF32));
  EXPECT_EQ(RunNode(kCallScript, file + " f").output, "12\n");
}

// A module that does not validate is refused by the engine, not run: what the other tests rely on.
TEST(WasmWriter, EnginesRefuseWhatDoesNotTypeCheck) {
  WasmCode code({});
  code.F32(1.5f);
  const ScratchFolder folder;
  const std::string file = folder.Write("m.wasm", OneFunction(code, WasmType::kI32));
  const CommandResult run = RunNode(kCallScript, file + " f");
  EXPECT_NE(run.exit_code, 0);
  EXPECT_NE(run.output.find("CompileError"), std::string::npos) << run.output;
}

struct OpRow {
  WasmOp op;
  std::string_view text;
};
constexpr OpRow kOps[] = {
#define TERN_WASM_OP(constant, text, prefix, code) {WasmOp::constant, text},
#include "core/loop/emit/wasm_ops.def"
#undef TERN_WASM_OP
};

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The instruction with immediates of the kind its name asks for.
void EmitAny(const OpRow& row, WasmCode* code) {
  const bool memory = Contains(row.text, ".load") || Contains(row.text, ".store");
  const bool lane = Contains(row.text, "_lane");
  if (memory && lane) return code->MemoryLane(row.op, {}, 0);
  if (memory) return code->Memory(row.op, {});
  if (lane) return code->Lane(row.op, 0);
  if (AddWithOperands(row.op, code)) return;
  if (row.op == WasmOp::kI8x16Shuffle) return code->Shuffle({});
  code->Op(row.op);
}

// One function per instruction. After `unreachable` operands may have any type, so every
// instruction validates wherever its number and immediates are right.
std::vector<uint8_t> EveryInstruction() {
  WasmWriter writer;
  writer.ImportMemory("env", "memory", 1);
  writer.ImportGlobal("env", "scratch");
  for (const OpRow& row : kOps) {
    if (IsNeverWritten(row.op)) continue;
    WasmCode code = CodeWithALocal();
    code.Op(WasmOp::kUnreachable);
    EmitAny(row, &code);
    code.Op(WasmOp::kUnreachable);
    writer.AddFunction(row.text, code, {});
  }
  return writer.Finish();
}

TEST(WasmOps, AnEngineAcceptsEveryInstruction) {
  const ScratchFolder folder;
  const CommandResult run = RunNode(kCallScript, folder.Write("ops.wasm", EveryInstruction()));
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_NE(run.output.find("f32x4.relaxed_madd\n"), std::string::npos);
}

// LLVM's spellings that differ from the specification's.
const std::map<std::string_view, std::string_view> kLlvmNames = {
    {"select", "f32.select"},
    {"v128.load8x8_s", "i16x8.load8x8_s"},
    {"v128.load8x8_u", "i16x8.load8x8_u"},
    {"v128.load16x4_s", "i32x4.load16x4_s"},
    {"v128.load16x4_u", "i32x4.load16x4_u"},
    {"v128.load32x2_s", "i64x2.load32x2_s"},
    {"v128.load32x2_u", "i64x2.load32x2_u"},
};

TEST(WasmOps, EveryNumberMeansWhatItsNameSays) {
  if (!testing::HaveCommand("llvm-objdump-19")) GTEST_SKIP() << "llvm-objdump-19 is not installed";
  const ScratchFolder folder;
  const CommandResult run = RunCommand(StrCat(
      "llvm-objdump-19 -d --no-show-raw-insn --mattr=+simd128,+sign-ext,+nontrapping-fptoint ",
      folder.Write("ops.wasm", EveryInstruction())));
  ASSERT_EQ(run.exit_code, 0) << run.output;
  for (const OpRow& row : kOps) {
    // LLVM 19's disassembler does not know relaxed SIMD; the engine above does.
    if (IsNeverWritten(row.op) || Contains(row.text, "relaxed")) continue;
    const size_t start = run.output.find(StrCat("<", row.text, ">:"));
    ASSERT_NE(start, std::string::npos) << row.text;
    const auto renamed = kLlvmNames.find(row.text);
    const std::string_view name = renamed == kLlvmNames.end() ? row.text : renamed->second;
    const std::string_view body = std::string_view(run.output).substr(start, 160);
    EXPECT_TRUE(Contains(body, StrCat("\t", name, "\t")) ||
                Contains(body, StrCat("\t", name, " ")) || Contains(body, StrCat("\t", name, "\n")))
        << row.text << ": " << body;
    EXPECT_EQ(WasmOpName(row.op), row.text);
  }
}

}  // namespace
}  // namespace tern::loop::wasm_writer_test
