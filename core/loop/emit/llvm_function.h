// SPDX-License-Identifier: Apache-2.0
// LlvmFunction: the text of one function while it is made. Private to the LLVM emitter.
//
// Statements make basic blocks; mutable variables and scratch buffers live in stack slots that
// LLVM's mem2reg turns into registers, which spares the emitter all phi nodes but the ones of its
// own lane loops. The values of one statement are remembered by node, so that a shared node is
// computed once.
#ifndef TERN_CORE_LOOP_EMIT_LLVM_FUNCTION_H_
#define TERN_CORE_LOOP_EMIT_LLVM_FUNCTION_H_

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/status.h"
#include "core/base/strings.h"
#include "core/loop/emit/float_order.h"
#include "core/loop/emit/legalize.h"
#include "core/loop/emit/llvm_text.h"
#include "core/loop/emit/llvm_type.h"
#include "core/loop/stmt.h"

namespace tern::loop {

// What functions of one module share.
struct LlvmModuleParts {
  std::set<std::string> declarations;  // of intrinsics
  std::vector<std::string> metadata;   // nodes, by number
  bool has_plain_loops = false;        // innermost ones that no schedule made
  std::string outlined;                // functions that run parts of parallel loops
};

class LlvmFunction {
 public:
  LlvmFunction(const LoopFunction& function, LlvmFlavor flavor, LlvmModuleParts* module)
      : function_(function), flavor_(flavor), module_(*module) {}

  // Both functions' text.
  Result<std::string> Write();

 private:
  // An operand with its type: "float %3".
  static std::string Typed(DataType type, std::string_view value) {
    return StrCat(LlvmType(type), " ", value);
  }
  std::string Typed(const Expr& expr) { return Typed(expr->type, Value(expr)); }

  // --- llvm_function.cc: the text, names, statements
  static std::string CleanName(std::string_view hint);
  std::string Fresh(std::string_view hint);
  void Line(std::string_view text) { body_ += StrCat("  ", text, "\n"); }
  // "%7 = …"; the name.
  std::string Let(std::string_view right, std::string_view hint = {});
  void Label(const std::string& name);
  void Jump(const std::string& label) { Line(StrCat("br label %", label)); }
  void Branch(const std::string& condition, const std::string& yes, const std::string& no);
  // A stack slot at the function's entry.
  std::string Slot(std::string_view type, std::string_view hint, int align = 0);
  void Fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  void NotLowered(std::string_view what);

  void Statement(const Stmt& stmt);
  void WriteFor(const For& loop);
  void WriteSteps(const For& loop, const std::string& first, const std::string& end);
  std::string NextCounter(const Expr& step, const std::string& counter, const std::string& by);
  // ", !llvm.loop !3" where the loop is the inner one of vectors or their epilogue.
  std::string LoopHint(LoopRole role, const Stmt& body);
  void WriteWhile(const While& loop);
  void WriteIf(const If& branch);
  void WriteLet(const loop::Let& let);
  void WriteAllocate(const Allocate& allocate);
  std::string Signature(bool names) const;
  std::string Entry(bool takes_workers) const;

  // --- llvm_narrow.cc: loops that count in 32 bits
  bool IsNarrow() const { return flavor_ == LlvmFlavor::kMve; }
  void WriteNarrowSteps(const For& loop, const std::string& first, const std::string& end);
  // Of a loop that takes whole vectors to the end of its range, the number of remaining lanes.
  bool IsTailOfLoop(const LaneMask& mask) const;
  std::string ComputeTail(const LaneMask& mask);
  // 64 bits as 32. The code traps where they have no room, unless that is known.
  std::string Narrow(const std::string& value, bool is_known);

  // --- llvm_parallel.cc: parallel loops, their iterations shared out among workers
  struct Captured {
    std::string type;        // "float"; "ptr" of buffers and mutable variables
    std::string attributes;  // of the parameter, with a blank in front
    std::string value;       // here
    std::string name;        // there
  };
  void WriteParallelFor(const For& loop);
  std::vector<Captured> Capture(const For& loop, LlvmFunction* part) const;
  void WritePart(const For& loop, const std::string& name, std::span<const Captured> captured);
  void WriteTask(const std::string& name, std::span<const Captured> captured);
  void ShareOut(const std::string& name, std::span<const Captured> captured,
                const std::string& steps);

  // --- llvm_expr.cc: values
  std::string Value(const Expr& expr);
  std::string Compute(const Expr& expr);
  // A call of an intrinsic, which is declared: Intrinsic("sqrt", type, {"<4 x float> %x"}).
  std::string CallIntrinsic(std::string_view name, std::string_view result,
                            const std::vector<std::string>& operands);
  // Whether a product and a sum may be rounded once: not of 16 bits, also where one instruction
  // could do so.
  bool MayContract(DataType type) const {
    return function_.relaxed && type.is_float() && type.bits() >= 32;
  }
  std::string ComputeBinary(const Binary& binary);
  std::string Arithmetic(BinaryOp op, DataType type, const std::string& a, const std::string& b);
  std::string Limit(const Binary& binary);
  std::string Compare(BinaryOp op, DataType type, const std::string& a, const std::string& b);
  std::string FloorDivide(const Binary& binary, bool remainder);
  std::string FloorByConstant(const Binary& binary, int64_t divisor, bool remainder);
  std::string ComputeCast(const Cast& cast);
  std::string ComputeCall(const Call& call);
  std::string Splat(DataType type, const std::string& scalar);
  // 0, 1, 2, … of an integer vector type.
  std::string Steps(DataType type);
  std::string SplatInt(DataType type, int64_t value);
  static std::string Zero(DataType type) {
    return type.is_vector() ? "zeroinitializer" : type.is_float() ? "0.0" : "0";
  }

  // --- llvm_memory.cc: loads, stores, masks, reductions
  std::string ComputeLoad(const Load& load);
  void WriteStore(const Store& store);
  // Where scalar and contiguous accesses begin.
  std::string Index(const Expr& index);
  std::string Address(const Buffer& buffer, const Expr& index);
  std::string Addresses(const Buffer& buffer, const Expr& index);
  std::string ComputeMask(const LaneMask& mask);
  std::string ComputeReduce(const VectorReduce& reduce);
  std::string ReduceByLanes(const VectorReduce& reduce, const std::string& vector);
  std::string AllTrue(Lanes lanes);
  std::string FromMemory(DataType type, const std::string& value);
  std::string ToMemory(DataType type, const std::string& value);
  bool CheckLanes(DataType type);
  void NoScalableVectors(std::string_view what);
  std::string ComputeVScale();
  // Into what the flavour has instructions for that LLVM gets right.
  template <typename Node>
  Node Legalized(const Node& node) const {
    // LLVM 19 loses NaNs of vectors of halves where it makes comparisons of their minimum for x86,
    // and those of all floats where it compares them with zero for MVE.
    const NativeTypes native{.float16 = true, .float16_limits = flavor_ != LlvmFlavor::kFixed};
    const Node legal = LegalizeTypes(node, native);
    return IsNarrow() ? OrderOnBits(legal) : legal;
  }

  const LoopFunction& function_;
  const LlvmFlavor flavor_;
  LlvmModuleParts& module_;
  std::string body_, slots_;
  std::string block_ = "body";  // the label of the block being written
  int next_ = 0;
  std::unordered_set<std::string> names_;
  std::unordered_map<const Var*, std::string> variables_;  // values, or slots of mutable ones
  std::unordered_set<const Var*> mutable_;
  std::unordered_map<const Var*, const For*> narrow_loops_;  // that are being written
  std::unordered_map<const Buffer*, std::string> buffers_;
  std::unordered_map<const ExprNode*, std::string> values_;  // of the statement being written
  bool may_share_out_ = true;  // not inside a part of a loop that is shared out already
  int parallel_loops_ = 0;     // that are
  Status status_;
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_LLVM_FUNCTION_H_
