// SPDX-License-Identifier: Apache-2.0
// Values: each expression as the instructions that compute it, and the name of the result.
#include "core/loop/emit/llvm_function.h"

namespace tern::loop {
namespace {

// A maximum or minimum with a number on the right that a comparison decides: not a NaN, nor the
// zero that would lose to a zero of the other sign.
bool IsPlainLimit(const Binary& binary) {
  if (binary.op != BinaryOp::kMax && binary.op != BinaryOp::kMin) return false;
  const auto* broadcast = binary.b->As<Broadcast>();
  const auto* limit = (broadcast != nullptr ? broadcast->value : binary.b)->As<FloatImm>();
  if (limit == nullptr || limit->value != limit->value) return false;
  const bool negative = __builtin_signbit(limit->value) != 0;
  return limit->value != 0 || negative == (binary.op == BinaryOp::kMin);
}

}  // namespace

// A value that was computed in this statement is used again; mutable variables may change between
// statements, so Statement forgets all.
std::string LlvmFunction::Value(const Expr& expr) {
  if (!status_.ok()) return "poison";
  if (const auto* imm = expr->As<IntImm>()) return LlvmConstant(*imm);
  if (const auto* imm = expr->As<FloatImm>()) return LlvmConstant(*imm);
  const auto known = values_.find(expr.get());
  if (known != values_.end()) return known->second;
  std::string value = CheckLanes(expr->type) ? Compute(expr) : "poison";
  values_[expr.get()] = value;
  return value;
}

std::string LlvmFunction::Compute(const Expr& expr) {
  const DataType type = expr->type;
  switch (expr->kind) {
    case ExprKind::kVar: {
      const auto* var = expr->As<Var>();
      const std::string& name = variables_[var];
      // Verified programs declare every variable; on an undefined name, LLVM would end the process.
      if (name.empty()) {
        Fail(InvalidArgument("loop function '", function_.name, "' uses '", var->name,
                             "' where it is not declared"));
      }
      return mutable_.contains(var) ? Let(StrCat("load ", LlvmType(type), ", ptr ", name)) : name;
    }
    case ExprKind::kVScale: return ComputeVScale();
    case ExprKind::kBinary: return ComputeBinary(*expr->As<Binary>());
    case ExprKind::kNot: {
      const std::string ones = type.is_scalar() ? "true" : AllTrue(type.lane_count());
      return Let(StrCat("xor ", Typed(expr->As<Not>()->value), ", ", ones));
    }
    case ExprKind::kSelect: {
      const auto& select = *expr->As<Select>();
      const std::string condition = Typed(select.condition), a = Typed(select.a);
      return Let(StrCat("select ", condition, ", ", a, ", ", Typed(select.b)));
    }
    case ExprKind::kCast: return ComputeCast(*expr->As<Cast>());
    case ExprKind::kReinterpret: {
      const Expr& value = expr->As<Reinterpret>()->value;
      if (LlvmType(value->type) == LlvmType(type)) return Value(value);
      return Let(StrCat("bitcast ", Typed(value), " to ", LlvmType(type)));
    }
    case ExprKind::kLoad: return ComputeLoad(*expr->As<Load>());
    case ExprKind::kRamp: {
      // A ramp is only asked for as a value where it is no address of a contiguous access.
      const auto& ramp = *expr->As<Ramp>();
      const std::string stride = Splat(type, Value(ramp.stride));
      const std::string scaled = IsInt(ramp.stride, 1)
                                     ? Steps(type)
                                     : Let(StrCat("mul ", Typed(type, Steps(type)), ", ", stride));
      return Let(StrCat("add ", Typed(type, Splat(type, Value(ramp.base))), ", ", scaled));
    }
    case ExprKind::kBroadcast: return Splat(type, Value(expr->As<Broadcast>()->value));
    case ExprKind::kCall: return ComputeCall(*expr->As<Call>());
    case ExprKind::kLaneMask: return ComputeMask(*expr->As<LaneMask>());
    case ExprKind::kVectorReduce: return ComputeReduce(*expr->As<VectorReduce>());
    case ExprKind::kIntImm:
    case ExprKind::kFloatImm:
    case ExprKind::kReduction: NotLowered(KindName(expr->kind)); break;
  }
  return "poison";
}

std::string LlvmFunction::CallIntrinsic(std::string_view name, std::string_view result,
                                        const std::vector<std::string>& operands) {
  std::string types, values;
  for (const std::string& operand : operands) {
    // The type is all before the last space that is outside brackets: values have no spaces, but
    // for vector constants, which begin with '<' or are one word.
    size_t cut = operand.rfind(' ');
    if (operand.ends_with('>')) cut = operand.find("> <") + 1;
    types += StrCat(types.empty() ? "" : ", ", operand.substr(0, cut));
    values += StrCat(values.empty() ? "" : ", ", operand);
  }
  module_.declarations.insert(StrCat("declare ", result, " @llvm.", name, "(", types, ")\n"));
  const std::string call = StrCat("call ", result, " @llvm.", name, "(", values, ")");
  if (result != "void") return Let(call);
  Line(call);
  return {};
}

// The usual idiom, which LLVM's backends know as a broadcast; zero has a constant for any length.
std::string LlvmFunction::Splat(DataType type, const std::string& scalar) {
  if (scalar == "0" || scalar == "0.0" || scalar == "false") return "zeroinitializer";
  const std::string vector = LlvmType(type), mask = LlvmType(DataType(kI32, type.lane_count()));
  const std::string first =
      Let(StrCat("insertelement ", vector, " poison, ", Typed(type.Scalar(), scalar), ", i64 0"));
  return Let(StrCat("shufflevector ", vector, " ", first, ", ", vector, " poison, ", mask,
                    " zeroinitializer"));
}

std::string LlvmFunction::SplatInt(DataType type, int64_t value) {
  return type.is_scalar() ? StrCat(value) : Splat(type, StrCat(value));
}

std::string LlvmFunction::Steps(DataType type) {
  if (type.is_scalable()) {
    // stepvector was experimental until LLVM 19; the name is upgraded by later ones.
    return CallIntrinsic(StrCat("experimental.stepvector.", LlvmSuffix(type)), LlvmType(type), {});
  }
  std::string steps = "<";
  for (int i = 0; i < type.lanes(); ++i)
    steps += StrCat(i == 0 ? "" : ", ", LlvmType(type.Scalar()), " ", i);
  return steps + ">";
}

std::string LlvmFunction::AllTrue(Lanes lanes) { return Splat(kBoolType.With(lanes), "true"); }

// --- operators

std::string LlvmFunction::ComputeBinary(const Binary& binary) {
  const DataType type = binary.a->type;
  if (binary.op == BinaryOp::kDiv && !type.is_float()) return FloorDivide(binary, false);
  if (binary.op == BinaryOp::kMod) {
    if (!type.is_float()) return FloorDivide(binary, true);
    NotLowered("'%' of floats");
    return "poison";
  }
  if (flavor_ == LlvmFlavor::kFixed && IsPlainLimit(binary)) return Limit(binary);
  const std::string a = Value(binary.a), b = Value(binary.b);
  const bool compares = InfoOf(binary.op).op_class == BinaryClass::kCompare;
  return compares ? Compare(binary.op, type, a, b) : Arithmetic(binary.op, type, a, b);
}

// The same bits as llvm.maximum and llvm.minimum, of which x86 makes many instructions: with a
// number on the right that is not NaN and no zero that could lose, one comparison decides.
std::string LlvmFunction::Limit(const Binary& binary) {
  const DataType type = binary.type;
  const std::string x = Value(binary.a), limit = Value(binary.b);
  const char* keeps = binary.op == BinaryOp::kMax ? "ugt" : "ult";  // and so are NaNs
  const std::string kept = Let(StrCat("fcmp ", keeps, " ", Typed(type, x), ", ", limit));
  return Let(StrCat("select ", Typed(kBoolType.With(type.lane_count()), kept), ", ", Typed(type, x),
                    ", ", Typed(type, limit)));
}

std::string LlvmFunction::Compare(BinaryOp op, DataType type, const std::string& a,
                                  const std::string& b) {
  struct Row {
    BinaryOp op;
    const char *floats, *is_signed, *is_unsigned;
  };
  static constexpr Row kRows[] = {
      {BinaryOp::kLt, "olt", "slt", "ult"}, {BinaryOp::kLe, "ole", "sle", "ule"},
      {BinaryOp::kGt, "ogt", "sgt", "ugt"}, {BinaryOp::kGe, "oge", "sge", "uge"},
      {BinaryOp::kEq, "oeq", "eq", "eq"},   {BinaryOp::kNe, "une", "ne", "ne"},
  };
  for (const Row& row : kRows) {
    if (row.op != op) continue;
    const char* predicate = type.is_float()    ? row.floats
                            : type.is_signed() ? row.is_signed
                                               : row.is_unsigned;
    return Let(
        StrCat(type.is_float() ? "fcmp " : "icmp ", predicate, " ", Typed(type, a), ", ", b));
  }
  return "poison";
}

std::string LlvmFunction::Arithmetic(BinaryOp op, DataType type, const std::string& a,
                                     const std::string& b) {
  const bool floats = type.is_float();
  const auto plain = [&](const char* integer, const char* real) {
    return Let(StrCat(floats ? real : integer, MayContract(type) ? " contract " : " ",
                      Typed(type, a), ", ", b));
  };
  const auto either = [&](const char* real, const char* with_sign, const char* without) {
    const char* name = floats ? real : type.is_signed() ? with_sign : without;
    return CallIntrinsic(StrCat(name, ".", LlvmSuffix(type)), LlvmType(type),
                         {Typed(type, a), Typed(type, b)});
  };
  // LLVM's shifts by the width or more are poison; the loop IR takes counts modulo the width.
  const auto shift = [&](const char* name) {
    const std::string count =
        Let(StrCat("and ", Typed(type, b), ", ", SplatInt(type, type.bits() - 1)));
    return Let(StrCat(name, " ", Typed(type, a), ", ", count));
  };
  switch (op) {
    case BinaryOp::kAdd: return plain("add", "fadd");
    case BinaryOp::kSub: return plain("sub", "fsub");
    case BinaryOp::kMul: return plain("mul", "fmul");
    case BinaryOp::kDiv: return plain("", "fdiv");
    case BinaryOp::kMin: return either("minimum", "smin", "umin");
    case BinaryOp::kMax: return either("maximum", "smax", "umax");
    case BinaryOp::kShl: return shift("shl");
    case BinaryOp::kShr: return shift(type.is_signed() ? "ashr" : "lshr");
    case BinaryOp::kAnd: return plain("and", "");
    case BinaryOp::kXor: return plain("xor", "");
    case BinaryOp::kOr: return plain("or", "");
    case BinaryOp::kMod:
#define TERN_LOOP_COMPARE(Name, ...) case BinaryOp::k##Name:
#include "core/loop/binary_ops.def"
      break;
  }
  return "poison";
}

// Division by a constant that is neither 0 nor -1, so that no operand can trap and LLVM can
// multiply instead. Powers of two shift, because the arithmetic shift rounds down as the IR's
// division does.
std::string LlvmFunction::FloorByConstant(const Binary& binary, int64_t divisor, bool remainder) {
  const DataType type = binary.a->type;
  const std::string a = Value(binary.a);
  const std::string typed = Typed(type, a), by = SplatInt(type, divisor);
  const bool power = divisor > 0 && (divisor & (divisor - 1)) == 0;
  if (power && remainder) return Let(StrCat("and ", typed, ", ", SplatInt(type, divisor - 1)));
  if (power) {
    const int shift = __builtin_ctzll(static_cast<uint64_t>(divisor));
    return Let(StrCat(type.is_signed() ? "ashr " : "lshr ", typed, ", ", SplatInt(type, shift)));
  }
  if (!type.is_signed()) return Let(StrCat(remainder ? "urem " : "udiv ", typed, ", ", by));
  const std::string rest = Let(StrCat("srem ", typed, ", ", by));
  // A remainder of the other sign than the divisor's is one divisor off.
  const std::string wrong = Let(
      StrCat("icmp ", divisor > 0 ? "slt " : "sgt ", Typed(type, rest), ", ", SplatInt(type, 0)));
  const std::string mask = LlvmType(kBoolType.With(type.lane_count()));
  if (remainder) {
    const std::string fixed = Let(StrCat("add ", Typed(type, rest), ", ", by));
    return Let(
        StrCat("select ", mask, " ", wrong, ", ", Typed(type, fixed), ", ", Typed(type, rest)));
  }
  const std::string quotient = Let(StrCat("sdiv ", typed, ", ", by));
  const std::string one = Let(StrCat("sext ", mask, " ", wrong, " to ", LlvmType(type)));
  return Let(StrCat("add ", Typed(type, quotient), ", ", one));
}

// Floor division from LLVM's, which truncates: one is taken off where the remainder has the other
// sign than the divisor. The operands that LLVM leaves undefined are replaced ahead of the
// instruction.
std::string LlvmFunction::FloorDivide(const Binary& binary, bool remainder) {
  const Broadcast* broadcast = binary.b->As<Broadcast>();
  if (const IntImm* by = AsInt(broadcast ? broadcast->value : binary.b);
      by && by->value != 0 && by->value != -1)
    return FloorByConstant(binary, by->value, remainder);
  const DataType type = binary.a->type;
  const std::string vector = LlvmType(type), mask = LlvmType(kBoolType.With(type.lane_count()));
  const auto compare = [&](const std::string& value, int64_t with) {
    return Let(StrCat("icmp eq ", vector, " ", value, ", ", SplatInt(type, with)));
  };
  const auto select = [&](const std::string& condition, const std::string& x,
                          const std::string& y) {
    return Let(StrCat("select ", mask, " ", condition, ", ", Typed(type, x), ", ", Typed(type, y)));
  };
  const auto operate = [&](const char* name, const std::string& x, const std::string& y) {
    return Let(StrCat(name, " ", vector, " ", x, ", ", y));
  };
  const std::string a = Value(binary.a), b = Value(binary.b), zero = SplatInt(type, 0);
  const std::string by_zero = compare(b, 0);
  if (!type.is_signed()) {
    const std::string safe = select(by_zero, SplatInt(type, 1), b);
    return select(by_zero, zero, operate(remainder ? "urem" : "udiv", a, safe));
  }
  // Division by 0 and by -1 are those that trap; x / -1 is -x.
  const std::string by_minus = compare(b, -1);
  const std::string special = Let(StrCat("or ", mask, " ", by_zero, ", ", by_minus));
  const std::string safe = select(special, SplatInt(type, 1), b);
  // Lanes of special divisors divide by 1 and are replaced afterwards.
  const std::string rest = operate("srem", a, safe);
  const std::string differs =
      Let(StrCat("icmp slt ", vector, " ", operate("xor", rest, safe), ", ", zero));
  const std::string nonzero = Let(StrCat("icmp ne ", vector, " ", rest, ", ", zero));
  const std::string wrong = Let(StrCat("and ", mask, " ", differs, ", ", nonzero));
  if (remainder) return select(special, zero, select(wrong, operate("add", rest, safe), rest));
  const std::string one = Let(StrCat("sext ", mask, " ", wrong, " to ", vector));
  const std::string floor = operate("add", operate("sdiv", a, safe), one);
  const std::string negated = operate("sub", zero, a);
  return select(by_zero, zero, select(by_minus, negated, floor));
}

// --- conversions and intrinsics

std::string LlvmFunction::ComputeCast(const Cast& cast) {
  const DataType from = cast.value->type, to = cast.type;
  const std::string value = Typed(cast.value);
  const auto convert = [&](const char* how) {
    return Let(StrCat(how, " ", value, " to ", LlvmType(to)));
  };
  if (to.is_bool()) return Compare(BinaryOp::kNe, from, Value(cast.value), Zero(from));
  if (from.is_float() && to.is_float())
    return convert(from.bits() > to.bits() ? "fptrunc" : "fpext");
  if (from.is_float()) {
    const char* name = to.is_signed() ? "fptosi.sat." : "fptoui.sat.";
    // LLVM 19 gives the least integer for the NaN of a half in some widths: a float in between.
    const DataType wide = from.bits() == 16 ? from.WithElement(kF32) : from;
    const std::string number =
        wide == from ? value : Typed(wide, Let(StrCat("fpext ", value, " to ", LlvmType(wide))));
    return CallIntrinsic(StrCat(name, LlvmSuffix(to), ".", LlvmSuffix(wide)), LlvmType(to),
                         {number});
  }
  if (to.is_float()) return convert(from.is_signed() ? "sitofp" : "uitofp");
  if (!from.is_bool() && from.bits() == to.bits()) return Value(cast.value);
  if (!from.is_bool() && from.bits() > to.bits()) return convert("trunc");
  return convert(from.is_signed() ? "sext" : "zext");
}

std::string LlvmFunction::ComputeCall(const Call& call) {
  const DataType type = call.type;
  const std::string spelled = LlvmType(type), suffix = LlvmSuffix(type);
  const auto unary = [&](const char* name) {
    return CallIntrinsic(StrCat(name, ".", suffix), spelled, {Typed(call.args[0])});
  };
  switch (call.intrinsic) {
    case Intrinsic::kAbs:
      if (type.is_float()) return unary("fabs");
      if (!type.is_signed()) return Value(call.args[0]);
      // "i1 false": the least integer stays as it is instead of being poison.
      return CallIntrinsic(StrCat("abs.", suffix), spelled, {Typed(call.args[0]), "i1 false"});
    case Intrinsic::kSqrt: return unary("sqrt");
    case Intrinsic::kFloor: return unary("floor");
    case Intrinsic::kCeil: return unary("ceil");
    case Intrinsic::kTrunc: return unary("trunc");
    // LLVM 19 cannot select roundeven of MVE's vectors; rint rounds so unless told otherwise.
    case Intrinsic::kRound: return unary(IsNarrow() ? "rint" : "roundeven");
    case Intrinsic::kMulAdd: {
      // fmuladd lets LLVM fuse where the target has an instruction and not call a library
      // elsewhere.
      if (MayContract(type)) {
        return CallIntrinsic(StrCat("fmuladd.", suffix), spelled,
                             {Typed(call.args[0]), Typed(call.args[1]), Typed(call.args[2])});
      }
      const std::string a = Value(call.args[0]), b = Value(call.args[1]);
      const std::string product = Arithmetic(BinaryOp::kMul, type, a, b);
      return Arithmetic(BinaryOp::kAdd, type, product, Value(call.args[2]));
    }
#define TERN_LOOP_EXPANDED(Name, ...) case Intrinsic::k##Name:
#include "core/loop/intrinsics.def"
      NotLowered(StrCat("the intrinsic '", InfoOf(call.intrinsic).text, "'"));
      break;
  }
  return "poison";
}

}  // namespace tern::loop
