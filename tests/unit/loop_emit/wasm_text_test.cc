// SPDX-License-Identifier: Apache-2.0
// Modules as text: the whole of a small one, constants at their edges, every instruction assembled
// to the same bytes by wabt, and bytes that are no module.
#include "core/loop/emit/wasm_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/strings.h"
#include "core/loop/emit/wasm_module.h"
#include "core/loop/emit/wasm_writer.h"
#include "tests/loops/samples.h"
#include "tests/support/commands.h"
#include "tests/unit/loop_emit/wasm_operands.h"

namespace tern::loop::wasm_text_test {
namespace {

using Bytes = std::vector<uint8_t>;

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string TextOf(const Bytes& module) {
  const auto text = WasmText(module);
  EXPECT_TRUE(text.ok()) << text.status().ToString();
  return text.ok() ? *text : "";
}

Bytes OneFunction(const WasmCode& code, std::vector<WasmType> results = {}) {
  WasmWriter writer;
  writer.ImportMemory("env", "memory", 1);
  writer.AddFunction("f", code, std::move(results));
  return writer.Finish();
}

// What an assembler makes of the text is the module that it was written from. Types are not
// checked: constants are left on the stack.
void ExpectAssembledAnew(const Bytes& module) {
  const testing::ScratchFolder folder;
  const std::string wat = folder.Write("m.wat", TextOf(module));
  const std::string wasm = folder.Write("m.wasm", module), anew = folder.Path("anew.wasm");
  const testing::CommandResult made =
      testing::RunCommand(StrCat("wat2wasm --no-check --enable-relaxed-simd ", wat, " -o ", anew));
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const testing::CommandResult same = testing::RunCommand(StrCat("cmp ", wasm, " ", anew));
  EXPECT_EQ(same.exit_code, 0) << same.output;
}

// sum of A[i] for i in [0, n), with an if that has an else, and the parts of a module.
Bytes Sample() {
  WasmCode code({WasmType::kI32, WasmType::kI64});
  for (int i = 0; i < 3; ++i) code.AddLocal(WasmType::kI32);
  code.AddLocal(WasmType::kV128);
  code.GlobalGet(0);
  code.Set(2);
  code.Block();
  code.Loop();
  code.Get(2);
  code.Op(WasmOp::kI32Eqz);
  code.BranchIf(1);
  code.Branch(0);
  code.End();
  code.End();
  code.Get(2);
  code.If(WasmType::kF32);
  code.Get(0);
  code.Memory(WasmOp::kF32Load, {.offset = 8, .align_log2 = 0});
  code.Else();
  code.F32(-1.5f);
  code.End();
  WasmWriter writer;
  writer.ImportMemory("env", "memory", 1);
  writer.ImportGlobal("env", "scratch");
  writer.AddFunction("sum", code, {WasmType::kF32});
  WasmCode caller({});
  caller.I32(0);
  caller.I64(1);
  caller.Call(0);
  writer.AddFunction("the \"other\"", caller, {WasmType::kF32});
  return writer.Finish();
}

TEST(WasmText, AWholeModule) {
  EXPECT_EQ(TextOf(Sample()), R"((module
  (type (;0;) (func (param i32 i64) (result f32)))
  (type (;1;) (func (result f32)))
  (import "env" "memory" (memory (;0;) 1))
  (import "env" "scratch" (global (;0;) i32))
  (func $sum (;0;) (type 0) (param i32 i64) (result f32)
    (local i32 i32 i32)  ;; 2 to 4
    (local v128)  ;; 5
    global.get 0
    local.set 2
    block $block0
      loop $loop1
        local.get 2
        i32.eqz
        br_if $block0
        br $loop1
      end
    end
    local.get 2
    if $if2 (result f32)
      local.get 0
      f32.load offset=8 align=1
    else
      f32.const -0x1.8p+0 (;=-1.5;)
    end
  )
  (func (;1;) (type 1) (result f32)
    i32.const 0
    i64.const 1
    call $sum
  )
  (export "sum" (func $sum))
  (export "the \22other\22" (func 1))
)
)");
}

TEST(WasmText, FloatsAreExact) {
  const struct {
    float value;
    std::string_view text;
  } rows[] = {
      {0.0f, " 0x0p+0 "},
      {-0.0f, " -0x0p+0 "},
      {1.0f, " 0x1p+0 "},
      {0.1f, " 0x1.99999ap-4 "},
      {std::numeric_limits<float>::max(), " 0x1.fffffep+127 "},
      {std::numeric_limits<float>::denorm_min(), " 0x0.000002p-126 "},
      {std::numeric_limits<float>::infinity(), " inf "},
      {-std::numeric_limits<float>::infinity(), " -inf "},
      {std::numeric_limits<float>::quiet_NaN(), " nan "},
      {std::bit_cast<float>(0xffc00001u), " -nan:0x400001 "},
  };
  for (const auto& row : rows) {
    WasmCode code({});
    code.F32(row.value);
    const std::string text = TextOf(OneFunction(code, {WasmType::kF32}));
    EXPECT_TRUE(Has(text, StrCat("f32.const", row.text))) << row.text << "\n" << text;
  }
  WasmCode code({});
  code.F64(0.1);
  EXPECT_TRUE(Has(TextOf(OneFunction(code)), "f64.const 0x1.999999999999ap-4 (;=0.1;)"));
}

TEST(WasmText, ConstantsAreAssembledAnew) {
  if (!testing::HaveCommand("wat2wasm")) GTEST_SKIP() << "no wat2wasm here";
  WasmCode code({});
  for (int i = 0; i < 25; ++i) code.AddLocal(WasmType::kI32);
  code.Branch(0);
  for (const int64_t value :
       {int64_t{0}, int64_t{63}, int64_t{64}, int64_t{-65}, std::numeric_limits<int64_t>::max(),
        std::numeric_limits<int64_t>::min()}) {
    code.I64(value);
    code.I32(static_cast<int32_t>(value));
  }
  for (uint32_t high = 0; high < 0x1000; ++high) {
    code.F32(std::bit_cast<float>(high << 20 | 0x12345));
    code.F64(std::bit_cast<double>(uint64_t{high} << 52 | 0x8'0000'0000'001));
  }
  code.F32(std::numeric_limits<float>::quiet_NaN());
  code.F64(-std::numeric_limits<double>::infinity());
  code.V128({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255});
  ExpectAssembledAnew(OneFunction(code));
  ExpectAssembledAnew(Sample());
}

// Whether the text has a form for this alignment: up to the bytes that the instruction takes.
bool TakesAlignment(WasmOp op, bool is_lane, WasmAddress address) {
  WasmCode code({});
  is_lane ? code.MemoryLane(op, address, 1) : code.Memory(op, address);
  return WasmText(OneFunction(code)).ok();
}

// With operands of the kind that its name asks for, of every alignment.
void AddInstruction(WasmOp op, std::string_view name, WasmCode* code) {
  const bool is_memory = Has(name, ".load") || Has(name, ".store");
  const bool is_lane = Has(name, "_lane");
  for (uint32_t align = 0; is_memory; ++align) {
    const WasmAddress address = {.offset = 300 * align, .align_log2 = align};
    if (!TakesAlignment(op, is_lane, address)) return;
    code->Op(WasmOp::kUnreachable);
    is_lane ? code->MemoryLane(op, address, 1) : code->Memory(op, address);
  }
  if (is_lane) return code->Lane(op, 1);
  if (AddWithOperands(op, code)) return;
  if (op == WasmOp::kI8x16Shuffle)
    return code->Shuffle({31, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0});
  code->Op(op);
}

// After `unreachable` operands may have any type.
TEST(WasmText, EveryInstructionIsAssembledAnew) {
  if (!testing::HaveCommand("wat2wasm")) GTEST_SKIP() << "no wat2wasm here";
  WasmWriter writer;
  writer.ImportMemory("env", "memory", 1);
  writer.ImportGlobal("env", "scratch");
  int count = 0;
  const auto add = [&](WasmOp op, std::string_view name) {
    if (IsNeverWritten(op)) return;
    WasmCode code = CodeWithALocal();
    code.Op(WasmOp::kUnreachable);
    AddInstruction(op, name, &code);
    code.Op(WasmOp::kUnreachable);
    writer.AddFunction(name, code, {});
    ++count;
  };
#define TERN_WASM_OP(constant, text, prefix, code) add(WasmOp::constant, text);
#include "core/loop/emit/wasm_ops.def"
#undef TERN_WASM_OP
  EXPECT_GE(count, 405);
  ExpectAssembledAnew(writer.Finish());
}

TEST(WasmText, EmittedProgramsAreAssembledAnew) {
  if (!testing::HaveCommand("wat2wasm")) GTEST_SKIP() << "no wat2wasm here";
  for (const bool is_relaxed : {false, true}) {
    Program all = AllOperators(kF32, Lanes{4});
    Append(&all, AllOperators(kI16, Lanes{8}), "_i16");
    Append(&all, Casts(kF32, kI8, Lanes{16}), "_cast");
    Append(&all, Indexed(kF64, Lanes{2}), "_indexed");
    for (LoopFunction& function : all.functions) function.relaxed = is_relaxed;
    const auto module = EmitWasm(all, {.relaxed_simd = is_relaxed});
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    EXPECT_EQ(Has(TextOf(module->bytes), "f32x4.relaxed_madd"), is_relaxed);
    ExpectAssembledAnew(module->bytes);
  }
}

// A module of one function of no parameters with this body, and other sections before the last.
Bytes ModuleOf(std::vector<uint8_t> body) {
  Bytes bytes = {0, 'a', 's', 'm', 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10};
  bytes.push_back(static_cast<uint8_t>(body.size() + 2));
  bytes.push_back(1);
  bytes.push_back(static_cast<uint8_t>(body.size()));
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

TEST(WasmText, BodiesThatAreNone) {
  EXPECT_TRUE(WasmText(ModuleOf({0, 0x0b})).ok());
  const struct {
    Bytes body;
    std::string_view words;
  } rows[] = {
      {{}, "ends too early"},
      {{0}, "ends too early"},
      {{0, 0x0b, 0x01}, "bytes behind the end"},
      {{0, 0xff, 0x0b}, "not known: 0xff"},
      {{0, 0xfd, 0x9a, 0x01, 0x0b}, "not known: 0xfd009a"},
      {{0, 0x05, 0x0b}, "an else without an if"},
      {{0, 0x02, 0x40, 0x05, 0x0b, 0x0b}, "an else without an if"},
      {{0, 0x04, 0x40, 0x05, 0x05, 0x0b, 0x0b}, "an else without an if"},
      {{0, 0x02, 0x00, 0x0b, 0x0b}, "a block whose type"},
      {{0, 0x0c, 0x01, 0x0b}, "the depth of a branch is 1"},
      {{0, 0x10, 0x01, 0x0b}, "a function of number 1; there are 1"},
      {{0, 0x20, 0x00, 0x0b}, "a local of number 0; there are 0"},
      {{1, 1, 0x7f, 0x20, 0x01, 0x0b}, "a local of number 1; there are 1"},
      {{1, 1, 0x70, 0x0b}, "names no type"},
      {{1, 0xd1, 0x86, 0x03, 0x7f, 0x0b}, "a number of locals is 50001"},
      {{0, 0x23, 0x00, 0x0b}, "a global of number 0"},
      {{0, 0x41, 0x80, 0x80, 0x80, 0x80, 0x10, 0x0b}, "more than 32 bits"},
      {{0, 0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x0b},
       "more than 64 bits"},
      {{0, 0x28, 0x03, 0x00, 0x0b}, "an alignment is 3"},
      {{0, 0xfd, 0x0d, 32}, "a shuffle of a byte behind the 32"},
      {{0, 0xfc, 0x0a, 0, 1, 0x0b}, "a second memory"},
  };
  for (const auto& row : rows) {
    const auto text = WasmText(ModuleOf(row.body));
    ASSERT_FALSE(text.ok()) << row.words;
    EXPECT_TRUE(Has(text.status().ToString(), row.words)) << row.words << "\n"
                                                          << text.status().ToString();
  }
}

TEST(WasmText, ModulesThatAreNone) {
  using namespace std::string_view_literals;  // which count the zeros in them
  const struct {
    std::string_view bytes, words;
  } rows[] = {
      {""sv, "ends too early"},
      {"\0ELF\1\0\0\0"sv, "no module of version 1"},
      {"\0asm\2\0\0\0"sv, "no module of version 1"},
      {"\0asm\1\0\0\0\4\1\0"sv, "section 4"},
      {"\0asm\1\0\0\0\1\1\0\1\1\0"sv, "not in their order"},
      {"\0asm\1\0\0\0\1\2\0\0"sv, "bytes behind what it holds"},
      {"\0asm\1\0\0\0\1\3\1\x5f\0"sv, "a type that is not a function's"},
      {"\0asm\1\0\0\0\1\4\1\x60\0\0\3\2\1\1"sv, "a function of a type"},
      {"\0asm\1\0\0\0\1\4\1\x60\0\0\3\2\1\0"sv, "functions have no bodies"},
      {"\0asm\1\0\0\0\1\4\1\x60\0\0\3\2\1\0\12\1\0"sv, "another number of bodies"},
      {"\0asm\1\0\0\0\2\7\1\1a\1b\0\0"sv, "neither a memory nor a global"},
      {"\0asm\1\0\0\0\7\5\1\1a\0\0"sv, "an export of a function that"},
      {"\0asm\1\0\0\0\7\5\1\1a\2\0"sv, "an export that is not a function"},
  };
  for (const auto& row : rows) {
    const auto text = WasmText(AsBytes(row.bytes));
    ASSERT_FALSE(text.ok()) << row.words;
    EXPECT_TRUE(Has(text.status().ToString(), row.words)) << row.words << "\n"
                                                          << text.status().ToString();
  }
}

TEST(WasmText, CutOffAndChangedBytesAreNoCrash) {
  const Bytes module = Sample();
  int whole = 0;
  for (size_t size = 0; size < module.size(); ++size)
    whole += WasmText(ByteSpan(module).first(size)).ok();
  EXPECT_EQ(whole, 3);  // of no sections, of types, and of these and imports
  for (size_t at = 0; at < module.size(); ++at) {
    for (const int value : {0, 1, 0x0b, 0x40, 0x7f, 0x80, 0xfd, 0xff}) {
      Bytes changed = module;
      changed[at] = static_cast<uint8_t>(value);
      const auto text = WasmText(changed);
      EXPECT_TRUE(text.ok() ? !text->empty() : !text.status().message().empty());
    }
  }
}

TEST(WasmText, DeepBlocksAreRefused) {
  const auto nested = [](int depth) {
    WasmCode code({});
    for (int i = 0; i < depth; ++i) code.Block();
    for (int i = 0; i < depth; ++i) code.End();
    return WasmText(OneFunction(code));
  };
  EXPECT_TRUE(nested(500).ok());
  const auto deep = nested(501);
  ASSERT_FALSE(deep.ok());
  EXPECT_TRUE(Has(deep.status().ToString(), "more than 500 levels"));
}

}  // namespace
}  // namespace tern::loop::wasm_text_test
