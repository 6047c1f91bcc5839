// SPDX-License-Identifier: Apache-2.0
#include "core/loop/run/tape.h"

#include <unordered_map>

#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

constexpr std::string_view kClassNames[] = {"free",  "load",      "store",
                                            "arith", "predicate", "control"};

// What kinds of expressions a program has.
class Contents : public Visitor {
 public:
  bool loads = false, vectors = false;
  void VisitExpr(const Expr& expr) override {
    loads |= expr->kind == ExprKind::kLoad;
    vectors |= expr->type.is_vector();
    Descend(expr);
  }
};

bool HasLoad(const Expr& expr) {
  Contents contents;
  contents.VisitExpr(expr);
  return contents.loads;
}

// Expressions become operations in the order of evaluation, each with a register of its own. What
// counts as an instruction follows a compiler: addresses and loop bounds are free, because they
// fold into addressing modes or move out of the loop.
class TapeMaker {
 public:
  Tape Run(const LoopFunction& function) {
    for (const VarPtr& size : function.sizes) tape_.sizes.push_back(Declare(size));
    for (const VarPtr& scalar : function.scalars) tape_.scalars.push_back(Declare(scalar));
    for (const BufferPtr& buffer : function.buffers) {
      AddBuffer(buffer);
      std::vector<int32_t> shape;
      for (const Expr& extent : buffer->shape) shape.push_back(Emit(extent, false));
      tape_.shapes.push_back(std::move(shape));
    }
    tape_.shape_end = tape_.code.size();
    // Without a loop, the body is the one iteration there is.
    if (HasLoops(function.body))
      Emit(function.body);
    else
      EmitIteration(function.body, LoopRole::kPlain, [&] { Emit(function.body); });
    return std::move(tape_);
  }

 private:
  // Registers are never reused, so that each has one type.
  int32_t NewRegister(DataType type) {
    tape_.registers.push_back(type);
    return static_cast<int32_t>(tape_.registers.size()) - 1;
  }
  int32_t Declare(const VarPtr& var) {
    const int32_t reg = NewRegister(var->type);
    vars_[var.get()] = reg;
    return reg;
  }
  int32_t AddBuffer(const BufferPtr& buffer) {
    const int32_t index = static_cast<int32_t>(tape_.buffers.size());
    tape_.buffers.push_back(buffer);
    buffers_[buffer.get()] = index;
    return index;
  }
  // The reference is valid until the next Push.
  TapeInstruction& Push(TapeOp op, const Node* origin = nullptr) {
    tape_.code.push_back({op});
    tape_.code.back().origin = origin;
    return tape_.code.back();
  }
  // The number of the next instruction, for jumps back.
  int64_t Here() const { return static_cast<int64_t>(tape_.code.size()); }

  // --- expressions. data: part of what is computed, not of an address or a loop's bounds.

  InstructionClass ArithClass(const Expr& expr, bool data) const {
    if (!data) return InstructionClass::kFree;
    return expr->type.is_bool() && expr->type.is_vector() ? InstructionClass::kPredicate
                                                          : InstructionClass::kArith;
  }

  struct Operands {
    int32_t a = -1, b = -1, c = -1;
  };
  // Static single assignment but for variables, which Copy sets.
  int32_t PushValue(TapeOp op, const Expr& expr, Operands operands, InstructionClass counts) {
    const int32_t dst = NewRegister(expr->type);
    TapeInstruction& made = Push(op, expr.get());
    made.dst = dst;
    made.a = operands.a;
    made.b = operands.b;
    made.c = operands.c;
    made.counts = counts;
    return dst;
  }

  // Emits operands first and returns the register of the value.
  int32_t Emit(const Expr& expr, bool data) {
    const InstructionClass arith = ArithClass(expr, data);
    constexpr InstructionClass kFree = InstructionClass::kFree;
    switch (expr->kind) {
      case ExprKind::kVar: return vars_.at(expr->As<Var>());
      case ExprKind::kIntImm:
      case ExprKind::kFloatImm: return EmitConstant(expr);
      case ExprKind::kVScale: return PushValue(TapeOp::kVScale, expr, {}, kFree);
      case ExprKind::kBinary: return EmitBinary(*expr->As<Binary>(), expr, data);
      case ExprKind::kNot:
        return PushValue(TapeOp::kNot, expr, {Emit(expr->As<Not>()->value, data)}, arith);
      case ExprKind::kSelect: {
        const auto* select = expr->As<Select>();
        const int32_t condition = Emit(select->condition, data), a = Emit(select->a, data);
        return PushValue(TapeOp::kSelect, expr, {condition, a, Emit(select->b, data)}, arith);
      }
      case ExprKind::kCast:
        return PushValue(TapeOp::kCast, expr, {Emit(expr->As<Cast>()->value, data)}, arith);
      case ExprKind::kReinterpret:
        return PushValue(TapeOp::kReinterpret, expr, {Emit(expr->As<Reinterpret>()->value, data)},
                         kFree);
      case ExprKind::kLoad: return EmitLoad(*expr->As<Load>(), expr);
      case ExprKind::kRamp: {
        const int32_t base = Emit(expr->As<Ramp>()->base, false);
        return PushValue(TapeOp::kRamp, expr, {base, Emit(expr->As<Ramp>()->stride, false)}, arith);
      }
      case ExprKind::kBroadcast:
        return PushValue(TapeOp::kBroadcast, expr, {Emit(expr->As<Broadcast>()->value, data)},
                         kFree);
      case ExprKind::kCall: return EmitCall(*expr->As<Call>(), expr, data);
      case ExprKind::kLaneMask: {
        const int32_t base = Emit(expr->As<LaneMask>()->base, false);
        return PushValue(TapeOp::kLaneMask, expr, {base, Emit(expr->As<LaneMask>()->bound, false)},
                         InstructionClass::kPredicate);
      }
      case ExprKind::kVectorReduce: {
        const int32_t value = Emit(expr->As<VectorReduce>()->value, data);
        const int32_t dst = PushValue(TapeOp::kReduce, expr, {value}, InstructionClass::kArith);
        tape_.code.back().sub = static_cast<int8_t>(expr->As<VectorReduce>()->op);
        return dst;
      }
      case ExprKind::kReduction: break;
    }
    TERN_CHECK(false, "not a lowered expression");
    return -1;
  }

  // A constant lies in imm: an integer as it is, a float as the bits of a double.
  int32_t EmitConstant(const Expr& expr) {
    const int32_t dst = PushValue(TapeOp::kConstant, expr, {}, InstructionClass::kFree);
    const IntImm* integer = expr->As<IntImm>();
    tape_.code.back().imm = integer != nullptr
                                ? integer->value
                                : __builtin_bit_cast(int64_t, expr->As<FloatImm>()->value);
    return dst;
  }

  int32_t EmitBinary(const Binary& binary, const Expr& expr, bool data) {
    const int32_t a = Emit(binary.a, data), b = Emit(binary.b, data);
    const int32_t dst = PushValue(TapeOp::kBinary, expr, {a, b}, ArithClass(expr, data));
    tape_.code.back().sub = static_cast<int8_t>(binary.op);
    return dst;
  }

  int32_t EmitCall(const Call& call, const Expr& expr, bool data) {
    int32_t args[3] = {-1, -1, -1};
    for (size_t i = 0; i < call.args.size(); ++i) args[i] = Emit(call.args[i], data);
    const int32_t dst =
        PushValue(TapeOp::kCall, expr, {args[0], args[1], args[2]}, ArithClass(expr, data));
    tape_.code.back().sub = static_cast<int8_t>(call.intrinsic);
    return dst;
  }

  // The index is free: a compiler folds it into the address.
  int32_t EmitLoad(const Load& load, const Expr& expr) {
    const int32_t index = Emit(load.index(), false);
    const int32_t mask = load.predicate ? Emit(load.predicate, true) : -1;
    const int32_t dst = PushValue(TapeOp::kLoad, expr, {index, mask}, InstructionClass::kLoad);
    tape_.code.back().buffer = buffers_.at(load.buffer.get());
    return dst;
  }

  // --- statements

  void Emit(const Stmt& stmt) {
    switch (stmt->kind) {
      case StmtKind::kFor: return EmitFor(*stmt->As<For>());
      case StmtKind::kWhile: return EmitWhile(*stmt->As<While>());
      case StmtKind::kStore: return EmitStore(*stmt->As<Store>());
      case StmtKind::kIf: return EmitIf(*stmt->As<If>());
      case StmtKind::kBlock:
        for (const Stmt& inner : stmt->As<Block>()->stmts) Emit(inner);
        return;
      case StmtKind::kAllocate: {
        const int32_t buffer = AddBuffer(stmt->As<Allocate>()->buffer);
        Push(TapeOp::kAllocate, stmt.get()).buffer = buffer;
        return;
      }
      case StmtKind::kLet: {
        const auto* let = stmt->As<Let>();
        const int32_t value = Emit(let->value, IsData(let->value));
        return Copy(Declare(let->var), value, InstructionClass::kFree);
      }
      case StmtKind::kAssign: {
        const auto* assign = stmt->As<Assign>();
        const bool data = IsData(assign->value);
        const int32_t value = Emit(assign->value, data);
        return Copy(vars_.at(assign->var.get()), value,
                    data ? InstructionClass::kFree : InstructionClass::kControl);
      }
    }
  }

  // Scalar index arithmetic that reads no memory is control: counters and bounds.
  static bool IsData(const Expr& value) { return value->type != kIndexType || HasLoad(value); }

  // Sets a variable to a value.
  void Copy(int32_t dst, int32_t from, InstructionClass counts) {
    TapeInstruction& copy = Push(TapeOp::kCopy);
    copy.dst = dst;
    copy.a = from;
    copy.counts = counts;
  }

  // Marks the body of an innermost loop.
  template <class F>
  void EmitIteration(const Stmt& body, LoopRole role, const F& emit) {
    Contents contents;
    contents.VisitStmt(body);
    const bool is_innermost = !HasLoops(body);
    if (is_innermost) Push(TapeOp::kBeginIteration);
    emit();
    if (!is_innermost) return;
    TapeInstruction& end = Push(TapeOp::kEndIteration);
    end.sub = contents.vectors;
    end.imm = static_cast<int64_t>(role);
  }

  // Pushes a jump whose target Land sets when it is known.
  size_t PushJump(TapeOp op, int32_t condition, InstructionClass counts) {
    TapeInstruction& jump = Push(op);
    jump.a = condition;
    jump.counts = counts;
    return tape_.code.size() - 1;
  }
  void Land(size_t jump) { tape_.code[jump].imm = Here(); }

  void EmitFor(const For& loop) {
    const int32_t min = Emit(loop.range.min, false), extent = Emit(loop.range.extent, false);
    const int32_t step = Emit(loop.range.step, false), var = Declare(loop.var);
    const int32_t end = NewRegister(kIndexType), test = NewRegister(kBoolType);
    Copy(var, min, InstructionClass::kFree);
    TapeInstruction& bound = Push(TapeOp::kLoopEnd);
    bound.dst = end;
    bound.a = min;
    bound.b = extent;
    const int64_t top = Here();
    TapeInstruction& compare = Push(TapeOp::kBinary);
    compare.sub = static_cast<int8_t>(BinaryOp::kLt);
    compare.dst = test;
    compare.a = var;
    compare.b = end;
    // The test counts once per iteration, not once more for leaving, because emitted loops test at
    // their end.
    const size_t exit = PushJump(TapeOp::kJumpUnless, test, InstructionClass::kControl);
    EmitIteration(loop.body, loop.traits.role, [&] { Emit(loop.body); });
    TapeInstruction& next = Push(TapeOp::kLoopStep, loop.var.get());
    next.dst = next.a = var;
    next.b = step;
    next.counts = InstructionClass::kControl;
    Push(TapeOp::kJump).imm = top;
    Land(exit);
  }

  void EmitWhile(const While& loop) {
    const int64_t top = Here();
    const int32_t test = Emit(loop.condition, false);
    const size_t exit = PushJump(TapeOp::kJumpUnless, test, InstructionClass::kControl);
    EmitIteration(loop.body, loop.role, [&] { Emit(loop.body); });
    Push(TapeOp::kJump).imm = top;
    Land(exit);
  }

  void EmitStore(const Store& store) {
    // The value first: a store's loads are counted before the store.
    const int32_t value = Emit(store.value, true), index = Emit(store.index(), false);
    const int32_t mask = store.predicate ? Emit(store.predicate, true) : -1;
    TapeInstruction& made = Push(TapeOp::kStore, &store);
    made.a = index;
    made.b = mask;
    made.c = value;
    made.buffer = buffers_.at(store.buffer.get());
    made.counts = InstructionClass::kStore;
  }

  void EmitIf(const If& branch) {
    const int32_t condition = Emit(branch.condition, HasLoad(branch.condition));
    const size_t skip = PushJump(TapeOp::kJumpUnless, condition, InstructionClass::kControl);
    // sub = 1: the jump of an if counts whichever way it goes.
    tape_.code[skip].sub = 1;
    Emit(branch.then_body);
    if (!branch.else_body) return Land(skip);
    const size_t end = PushJump(TapeOp::kJump, -1, InstructionClass::kFree);
    Land(skip);
    Emit(branch.else_body);
    Land(end);
  }

  Tape tape_;
  std::unordered_map<const Var*, int32_t> vars_;
  std::unordered_map<const Buffer*, int32_t> buffers_;
};

}  // namespace

std::string_view InstructionClassName(InstructionClass instruction_class) {
  return kClassNames[static_cast<size_t>(instruction_class)];
}

Tape MakeTape(const LoopFunction& function) { return TapeMaker().Run(function); }

}  // namespace tern::loop
