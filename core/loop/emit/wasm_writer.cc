// SPDX-License-Identifier: Apache-2.0
// The binary format: https://webassembly.github.io/spec/core/binary/
#include "core/loop/emit/wasm_writer.h"

#include <algorithm>
#include <span>

#include "core/base/check.h"

namespace tern::loop {
namespace {

// Sections must come in this order (section 5.5 of the specification).
enum Section : uint8_t { kTypes = 1, kImports = 2, kFunctions = 3, kExports = 7, kBodies = 10 };

// Not ByteWriter's zigzag form: LEB128 with the sign in the last byte's bit 6.
void SignedLeb(int64_t value, ByteWriter* out) {
  for (;;) {
    const auto byte = static_cast<uint8_t>(value & 0x7f);
    value >>= 7;
    if ((value == 0 && (byte & 0x40) == 0) || (value == -1 && (byte & 0x40) != 0)) {
      out->U8(byte);
      return;
    }
    out->U8(byte | 0x80);
  }
}

// A vector of types: its length, then one byte for each.
void WriteTypeList(std::span<const WasmType> types, ByteWriter* out) {
  out->Varint(types.size());
  for (const WasmType type : types) out->U8(static_cast<uint8_t>(type));
}

// A section: its number, the length of its content, and the content.
void WriteSection(Section section, const ByteWriter& content, ByteWriter* out) {
  out->U8(section);
  out->PrefixedBytes(content.span());
}

// All names, each with a zero behind it.
constexpr char kOpTexts[] =
#define TERN_WASM_OP(constant, text, prefix, code) text "\0"
#include "core/loop/emit/wasm_ops.def"
#undef TERN_WASM_OP
    ;

// Opcodes have up to 12 bits behind a prefix, which is 0, 0xfc or 0xfd. Other numbers, which are no
// opcodes, get one that no opcode has.
constexpr uint16_t ShortCode(uint32_t number) {
  const uint32_t prefix = number >> 16, code = number & 0xffff;
  const bool is_known = code < 0x1000 && (prefix == 0 || prefix == 0xfc || prefix == 0xfd);
  return is_known ? static_cast<uint16_t>((prefix & 15) << 12 | code) : uint16_t{0xffff};
}

// Of each name its opcode, and where it begins.
template <size_t kCount>
struct OpNames {
  std::array<uint16_t, kCount> codes{}, begins{};

  constexpr explicit OpNames(const uint32_t (&numbers)[kCount]) {
    uint16_t at = 0;
    for (size_t i = 0; i < kCount; ++i) {
      codes[i] = ShortCode(numbers[i]);
      begins[i] = at;
      while (kOpTexts[at++] != '\0') {
      }
    }
  }
};
constexpr OpNames kOpNames({
#define TERN_WASM_OP(constant, text, prefix, code) (prefix) << 16 | (code),
#include "core/loop/emit/wasm_ops.def"
#undef TERN_WASM_OP
});

}  // namespace

// A search, because a switch over all of them is five times as large in a module that is fetched.
std::string_view WasmOpName(WasmOp op) {
  const uint16_t code = ShortCode(static_cast<uint32_t>(op));
  for (size_t i = 0; i < kOpNames.begins.size(); ++i) {
    if (kOpNames.codes[i] == code) return kOpTexts + kOpNames.begins[i];
  }
  return "?";
}

// Locals are declared in runs of one type, so neighbours of one type share a run.
uint32_t WasmCode::AddLocal(WasmType type) {
  if (locals_.empty() || locals_.back().second != type) locals_.emplace_back(0, type);
  ++locals_.back().first;
  return static_cast<uint32_t>(parameters_.size()) + local_count_++;
}

// Appends an instruction without immediates.
void WasmCode::Op(WasmOp op) {
  const auto number = static_cast<uint32_t>(op);
  // Opcodes without a prefix are one byte, those behind 0xfc and 0xfd a LEB128 number.
  if (number >> 16 == 0) {
    bytes_.U8(static_cast<uint8_t>(number));
    return;
  }
  bytes_.U8(static_cast<uint8_t>(number >> 16));
  bytes_.Varint(number & 0xffff);
}

// The instructions of constants have their operand in the code, integers as signed LEB128.
void WasmCode::I32(int32_t value) {
  Op(WasmOp::kI32Const);
  SignedLeb(value, &bytes_);
}
void WasmCode::I64(int64_t value) {
  Op(WasmOp::kI64Const);
  SignedLeb(value, &bytes_);
}
void WasmCode::F32(float value) {
  Op(WasmOp::kF32Const);
  bytes_.F32(value);
}
void WasmCode::F64(double value) {
  Op(WasmOp::kF64Const);
  bytes_.F64(value);
}
void WasmCode::V128(const std::array<uint8_t, 16>& bytes) {
  Op(WasmOp::kV128Const);
  bytes_.Bytes(bytes);
}

// The alignment is a promise to the engine and not checked.
void WasmCode::Memory(WasmOp op, WasmAddress address) {
  Op(op);
  bytes_.Varint(address.align_log2);
  bytes_.Varint(address.offset);
}
void WasmCode::MemoryLane(WasmOp op, WasmAddress address, uint8_t lane) {
  Memory(op, address);
  bytes_.U8(lane);
}
void WasmCode::Lane(WasmOp op, uint8_t lane) {
  Op(op);
  bytes_.U8(lane);
}
void WasmCode::Shuffle(const std::array<uint8_t, 16>& indices) {
  Op(WasmOp::kI8x16Shuffle);
  bytes_.Bytes(indices);
}

// An instruction with one index, such as of a local or of a block.
void WasmCode::Indexed(WasmOp op, uint32_t index) {
  Op(op);
  bytes_.Varint(index);
}
// Opens a block, a loop or an if; End closes it.
void WasmCode::Open(WasmOp op, WasmType result) {
  Op(op);
  bytes_.U8(static_cast<uint8_t>(result));
  ++depth_;
}
void WasmCode::End() {
  TERN_CHECK(depth_ > 0, "an end without a block");
  --depth_;
  Op(WasmOp::kEnd);
}

void WasmWriter::ImportMemory(std::string_view module, std::string_view name, uint32_t min_pages) {
  TERN_CHECK(memory_name_.empty(), "a second memory");
  memory_module_ = module;
  memory_name_ = name;
  min_pages_ = min_pages;
}

void WasmWriter::ImportGlobal(std::string_view module, std::string_view name) {
  globals_.emplace_back(module, name);
}

// Functions of one signature share a type.
uint32_t WasmWriter::SignatureIndex(Signature signature) {
  const auto found = std::find(signatures_.begin(), signatures_.end(), signature);
  const auto index = static_cast<uint32_t>(found - signatures_.begin());
  if (found == signatures_.end()) signatures_.push_back(std::move(signature));
  return index;
}

uint32_t WasmWriter::AddFunction(std::string_view export_name, const WasmCode& code,
                                 std::vector<WasmType> results) {
  TERN_CHECK(code.depth_ == 0, "a function with an open block");
  ByteWriter body;
  body.Varint(code.locals_.size());
  for (const auto& [count, type] : code.locals_) {
    body.Varint(count);
    body.U8(static_cast<uint8_t>(type));
  }
  body.Bytes(code.bytes_.span());
  // The last end of a body belongs to the function, not to a block.
  body.U8(static_cast<uint8_t>(WasmOp::kEnd));
  functions_.push_back({std::string(export_name),
                        SignatureIndex({code.parameters_, std::move(results)}), body.Take()});
  return static_cast<uint32_t>(functions_.size() - 1);
}

void WasmWriter::WriteTypes(ByteWriter* out) const {
  constexpr uint8_t kFunctionType = 0x60;
  ByteWriter types;
  types.Varint(signatures_.size());
  for (const Signature& signature : signatures_) {
    types.U8(kFunctionType);
    WriteTypeList(signature.parameters, &types);
    WriteTypeList(signature.results, &types);
  }
  WriteSection(kTypes, types, out);
}

// Functions without a name are not exported.
void WasmWriter::WriteExports(ByteWriter* out) const {
  ByteWriter exports;
  exports.Varint(static_cast<uint64_t>(
      std::count_if(functions_.begin(), functions_.end(),
                    [](const Function& f) { return !f.export_name.empty(); })));
  for (size_t i = 0; i < functions_.size(); ++i) {
    if (functions_[i].export_name.empty()) continue;
    exports.PrefixedText(functions_[i].export_name);
    exports.U8(0);  // a function
    exports.Varint(i);
  }
  WriteSection(kExports, exports, out);
}

// The memory first, so that the globals' numbers do not depend on it.
void WasmWriter::WriteImports(ByteWriter* out) const {
  constexpr uint8_t kMemory = 2, kGlobal = 3, kNoMaximum = 0, kConstant = 0;
  const bool has_memory = !memory_name_.empty();
  if (!has_memory && globals_.empty()) return;
  ByteWriter imports;
  imports.Varint(globals_.size() + (has_memory ? 1 : 0));
  const auto name = [&](std::string_view module, std::string_view field) {
    imports.PrefixedText(module);
    imports.PrefixedText(field);
  };
  if (has_memory) {
    name(memory_module_, memory_name_);
    imports.U8(kMemory);
    imports.U8(kNoMaximum);
    imports.Varint(min_pages_);
  }
  for (const auto& [module, field] : globals_) {
    name(module, field);
    imports.U8(kGlobal);
    imports.U8(static_cast<uint8_t>(WasmType::kI32));
    imports.U8(kConstant);
  }
  WriteSection(kImports, imports, out);
}

std::vector<uint8_t> WasmWriter::Finish() const {
  ByteWriter out;
  // The magic number and version 1.
  out.Text(std::string_view("\0asm\1\0\0\0", 8));
  WriteTypes(&out);
  WriteImports(&out);
  // Types of functions and their bodies are in two sections, in the same order.
  ByteWriter functions;
  functions.Varint(functions_.size());
  for (const Function& function : functions_) functions.Varint(function.signature);
  WriteSection(kFunctions, functions, &out);
  WriteExports(&out);
  ByteWriter bodies;
  bodies.Varint(functions_.size());
  for (const Function& function : functions_) bodies.PrefixedBytes(function.body);
  WriteSection(kBodies, bodies, &out);
  return out.Take();
}

}  // namespace tern::loop
