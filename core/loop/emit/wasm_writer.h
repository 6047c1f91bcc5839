// SPDX-License-Identifier: Apache-2.0
// WasmCode and WasmWriter: a WebAssembly module in its binary form, from instructions given by
// name.
//
// Neither checks types: engines validate what they load. What is counted here is only what the
// binary form needs, lengths and indices. Instructions are those of WebAssembly 2.0 with SIMD, and
// relaxed SIMD's fused multiply-add (wasm_ops.def).
#ifndef TERN_CORE_LOOP_EMIT_WASM_WRITER_H_
#define TERN_CORE_LOOP_EMIT_WASM_WRITER_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/bytes.h"

namespace tern::loop {

enum class WasmType : uint8_t {
  kI32 = 0x7f,
  kI64 = 0x7e,
  kF32 = 0x7d,
  kF64 = 0x7c,
  kV128 = 0x7b,
  kNone = 0x40,  // a block without a result
};

// prefix << 16 | code.
enum class WasmOp : uint32_t {
#define TERN_WASM_OP(constant, text, prefix, code) constant = (prefix) << 16 | (code),
#include "core/loop/emit/wasm_ops.def"
#undef TERN_WASM_OP
};

// "f32x4.add"; "?" for a number that is none of them.
std::string_view WasmOpName(WasmOp op);

// Where a load or store goes: a constant added to the address on the stack, and the alignment that
// may be assumed, as a power of two.
struct WasmAddress {
  uint32_t offset = 0;
  uint32_t align_log2 = 0;
};

// The body of one function under construction. Parameters are the first locals.
class WasmCode {
 public:
  explicit WasmCode(std::vector<WasmType> parameters) : parameters_(std::move(parameters)) {}

  // Its index.
  uint32_t AddLocal(WasmType type);
  const std::vector<WasmType>& parameters() const { return parameters_; }

  void Op(WasmOp op);
  void I32(int32_t value);
  void I64(int64_t value);
  void F32(float value);
  void F64(double value);
  void V128(const std::array<uint8_t, 16>& bytes);
  void Get(uint32_t local) { Indexed(WasmOp::kLocalGet, local); }
  void Set(uint32_t local) { Indexed(WasmOp::kLocalSet, local); }
  void Tee(uint32_t local) { Indexed(WasmOp::kLocalTee, local); }
  void GlobalGet(uint32_t global) { Indexed(WasmOp::kGlobalGet, global); }
  // Loads and stores; of one lane where the instruction is one of those.
  void Memory(WasmOp op, WasmAddress address);
  void MemoryLane(WasmOp op, WasmAddress address, uint8_t lane);
  // extract_lane and replace_lane.
  void Lane(WasmOp op, uint8_t lane);
  // Result byte i is byte indices[i] of the two operands one after the other.
  void Shuffle(const std::array<uint8_t, 16>& indices);

  void Block(WasmType result = WasmType::kNone) { Open(WasmOp::kBlock, result); }
  void Loop(WasmType result = WasmType::kNone) { Open(WasmOp::kLoop, result); }
  void If(WasmType result = WasmType::kNone) { Open(WasmOp::kIf, result); }
  void Else() { Op(WasmOp::kElse); }
  void End();
  // To the end of the depth-th open block from inside, or to the head of a loop.
  void Branch(uint32_t depth) { Indexed(WasmOp::kBranch, depth); }
  void BranchIf(uint32_t depth) { Indexed(WasmOp::kBranchIf, depth); }
  void Call(uint32_t function) { Indexed(WasmOp::kCall, function); }

  // How many blocks are open.
  uint32_t depth() const { return depth_; }
  size_t size() const { return bytes_.size(); }

 private:
  friend class WasmWriter;

  void Indexed(WasmOp op, uint32_t index);
  void Open(WasmOp op, WasmType result);

  std::vector<WasmType> parameters_;
  std::vector<std::pair<uint32_t, WasmType>> locals_;  // runs of equal types
  uint32_t local_count_ = 0;
  uint32_t depth_ = 0;
  ByteWriter bytes_;
};

class WasmWriter {
 public:
  // The memory that every load and store is about. Called once.
  void ImportMemory(std::string_view module, std::string_view name, uint32_t min_pages);

  // A constant i32 that the host gives when it instantiates the module; the first is global 0.
  void ImportGlobal(std::string_view module, std::string_view name);

  // A function; exported where export_name is not empty. All blocks of code must be closed. Its
  // index, which calls name.
  uint32_t AddFunction(std::string_view export_name, const WasmCode& code,
                       std::vector<WasmType> results);

  // The whole module.
  std::vector<uint8_t> Finish() const;

 private:
  struct Signature {
    std::vector<WasmType> parameters;
    std::vector<WasmType> results;
    friend bool operator==(const Signature&, const Signature&) = default;
  };
  struct Function {
    std::string export_name;
    uint32_t signature;
    std::vector<uint8_t> body;
  };

  uint32_t SignatureIndex(Signature signature);
  void WriteTypes(ByteWriter* out) const;
  void WriteImports(ByteWriter* out) const;
  void WriteExports(ByteWriter* out) const;

  std::vector<Signature> signatures_;
  std::vector<Function> functions_;
  std::string memory_module_, memory_name_;
  uint32_t min_pages_ = 0;
  std::vector<std::pair<std::string, std::string>> globals_;  // module, name
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_WASM_WRITER_H_
