// SPDX-License-Identifier: Apache-2.0
// WasmFunction: the code of one loop function while it is made. Private to the WebAssembly emitter.
//
// A vector is a row of parts of 128 bits, its lanes in order; each part is computed by itself, so
// that a wide vector is unrolled code. A vector of less than 128 bits is one part whose upper lanes
// hold anything. A vector of bools is a mask: all ones or all zeros in lanes whose width the
// caller chooses. Values that a statement uses more than once are kept in locals.
#ifndef TERN_CORE_LOOP_EMIT_WASM_FUNCTION_H_
#define TERN_CORE_LOOP_EMIT_WASM_FUNCTION_H_

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/base/strings.h"
#include "core/loop/emit/wasm_module.h"
#include "core/loop/emit/wasm_prepare.h"
#include "core/loop/emit/wasm_tables.h"
#include "core/loop/emit/wasm_writer.h"

namespace tern::loop {

// A constant part: the little-endian bytes of a value for each lane.
template <class Value>
std::array<uint8_t, 16> LaneBytes(int bits, const Value& value) {
  std::array<uint8_t, 16> bytes{};
  const int size = bits / 8;
  for (int i = 0; i < 16; ++i) {
    const auto lane = static_cast<uint64_t>(value(i / size));
    bytes[static_cast<size_t>(i)] = static_cast<uint8_t>(lane >> (8 * (i % size)));
  }
  return bytes;
}

class WasmFunction {
 public:
  WasmFunction(const LoopFunction& function, const WasmOptions& options)
      : function_(function), options_(options), code_({WasmType::kI32, WasmType::kI32}) {}

  // Error: see EmitWasm.
  Status Write();
  const WasmCode& code() const { return code_; }
  uint32_t scratch_bytes() const { return scratch_bytes_; }

 private:
  static constexpr int kPartBits = 128;
  static int CountOf(DataType type) { return type.lane_count().count; }
  static int PartsOf(DataType type, int bits) {
    return std::max(1, CountOf(type) * bits / kPartBits);
  }
  static int PartsOf(DataType type) { return PartsOf(type, type.bits()); }
  static int LanesPerPart(int bits) { return kPartBits / bits; }
  // Of one part, those that belong to the vector.
  static int LanesIn(DataType type, int bits) {
    return std::min(CountOf(type), LanesPerPart(bits));
  }

  // How wide the lanes of a mask kept in a variable are.
  static int VariableMaskBits(DataType type);

  struct Address {
    uint32_t local;   // the buffer's address plus the variable part of the index
    uint32_t offset;  // the constant part
  };
  struct Variable {
    std::vector<uint32_t> locals;  // one, or one for each part
    uint32_t low_half = 0;         // of a loop variable: its low 32 bits
    bool has_low_half = false;
  };

  void Fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  void NotLowered(std::string_view what);
  // Where the variable's part lives; an error for one that is not declared there.
  void GetVariable(const Var& var, int part);
  bool CheckLanes(DataType type);

  // --- wasm_function.cc: statements
  void LoadParameters();
  void BeginStatement(std::initializer_list<Expr> roots);
  void Statement(const Stmt& stmt);
  void WriteFor(const For& loop);
  void WriteWhile(const While& loop);
  void WriteIf(const If& branch);
  void WriteAllocate(const Allocate& allocate);
  void Bind(const VarPtr& var, const Expr& value);
  void AssignTo(const Variable& variable, const Expr& value);
  // A local that is free again when the statement is done.
  uint32_t Temporary(WasmType type);
  uint32_t Save(WasmType type) {
    const uint32_t local = Temporary(type);
    code_.Set(local);
    return local;
  }

  // --- wasm_scalar.cc: onto the stack
  void Scalar(const Expr& expr);
  void ComputeScalar(const Expr& expr);
  void ScalarBinary(const Binary& binary);
  // Of two operands on the stack.
  void ApplyScalar(BinaryOp op, DataType type);
  void MinMax(BinaryOp op, DataType type);
  void FloorDivide(bool remainder, DataType type);
  void SignedFloorDivide(bool remainder, DataType type, std::pair<uint32_t, uint32_t> operands);
  void PushInt(DataType type, int64_t value);
  void PushFloat(DataType type, double value);
  void PushZero(DataType type);
  // Small integers are kept sign- or zero-extended.
  void Normalize(DataType type);
  void ConvertScalar(DataType from, DataType to);
  void ScalarCall(const Call& call);
  // Of operands on the stack.
  void ApplyScalar(Intrinsic intrinsic, DataType type);

  // --- wasm_mask.cc: one part of a vector of bools onto the stack, with lanes of `bits`
  void Mask(const Expr& expr, int bits, int part);
  void ComputeMask(const Expr& expr, int bits, int part);
  void CompareMask(const Binary& binary, int bits, int part);
  void LaneMaskPart(const LaneMask& mask, int bits, int part);
  uint32_t ActiveLanes(const LaneMask& mask);
  static int NaturalBits(const Expr& mask);
  // A mask made with lanes of `from` bits as one with lanes of `bits`.
  void ResizeMask(const Expr& expr, int from, int bits, int part);

  // --- wasm_vector.cc: one part onto the stack
  void Part(const Expr& expr, int part);
  void ComputePart(const Expr& expr, int part);
  void RampPart(const Ramp& ramp, int part);
  void BinaryPart(const Binary& binary, int part);
  void ShiftPart(const Binary& binary, int part);
  void LimitPart(const Binary& binary, int part);
  void MaxWithZero(const Binary& binary, int part);
  void CallPart(const Call& call, int part);
  void CastPart(const Cast& cast, int part);
  void ResizePart(const Cast& cast, int part);
  void FloatCastPart(const Cast& cast, int part);
  // Lane by lane: operand k of a lane is pushed by Lane(operands[k], lane), then apply().
  template <class Apply>
  void ByLanes(DataType type, int part, const std::vector<Expr>& operands, const Apply& apply) {
    const uint32_t result = Temporary(WasmType::kV128);
    const int width = LanesPerPart(type.bits());
    for (int lane = 0; lane < LanesIn(type, type.bits()); ++lane) {
      code_.Get(result);
      for (const Expr& operand : operands) Lane(operand, part * width + lane);
      apply();
      code_.Lane(ReplaceOp(type), static_cast<uint8_t>(lane));
      code_.Set(result);
    }
    code_.Get(result);
  }
  // One lane of a vector as a scalar.
  void Lane(const Expr& vector, int lane);

  // --- wasm_access.cc: memory
  Address AddressOf(const Buffer& buffer, const Expr& index);
  void ScalarLoad(const Load& load);
  void LoadPart(const Load& load, int part);
  void PlainLoad(DataType memory, Address address, int part);
  void MaskedLoad(const Load& load, Address address, int part);
  void GatherPart(const Load& load, int part);
  void WriteStore(const Store& store);
  void ScalarStore(const Store& store);
  uint32_t StoredPart(const Store& store, int part);
  void StorePart(const Store& store, Address address, int part, uint32_t value);
  void PlainStore(DataType memory, Address address, int part, uint32_t value);
  void Scatter(const Store& store);
  // The predicate's lanes of a part as bits, in a local.
  uint32_t MaskBits(const Expr& predicate, int bits, int part);
  void IfLane(uint32_t bits, int lane);
  std::vector<uint32_t> IndexLanes(const Buffer& buffer, const Expr& index, int first, int count);

  // --- wasm_reduce.cc
  void VectorFold(const VectorReduce& reduce);
  void FoldLanes(const VectorReduce& reduce, const Expr& vector);

  const LoopFunction& function_;
  const WasmOptions options_;
  WasmCode code_;
  std::unordered_map<const Var*, Variable> variables_;
  std::unordered_map<const Buffer*, uint32_t> buffers_;
  UseCounts uses_;
  // Of the statement being written: what is in locals already, by node, lane width and part.
  std::map<std::tuple<const ExprNode*, int, int>, uint32_t> saved_;
  std::map<std::pair<const Buffer*, const ExprNode*>, Address> addresses_;
  std::vector<Expr> kept_;  // nodes made on the way, whose addresses are keys above
  std::map<WasmType, std::vector<uint32_t>> free_;
  std::vector<std::pair<WasmType, uint32_t>> taken_;
  uint32_t scratch_bytes_ = 0;
  Status status_;
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_WASM_FUNCTION_H_
