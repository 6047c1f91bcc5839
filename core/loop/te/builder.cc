// SPDX-License-Identifier: Apache-2.0
#include "core/loop/te/builder.h"

#include "core/base/strings.h"
#include "core/loop/te/lower.h"
#include "core/loop/te/schedule_parser.h"
#include "core/loop/text/printer.h"
#include "core/loop/verifier.h"
#include "core/loop/words.h"

namespace tern::loop::te {
namespace {

// The code of whatever the expression rules refuse, as the parser gives it.
constexpr std::string_view kUnsound = "E0511";

}  // namespace

// What the operators on values share. Numbers take their type from the value beside them, and what
// a Make… function would refuse with a check is complained about instead, because callers are not
// the compiler. A broken value makes every result broken, so that one mistake is told once.
struct ValueMaker {
  Builder* builder = nullptr;  // null: numbers alone
  bool broken = false;

  explicit ValueMaker(std::initializer_list<const Value*> values) {
    for (const Value* value : values) Look(*value);
  }
  // Plain numbers belong to no builder.
  void Look(const Value& value) {
    if (value.kind_ != Value::Kind::kExpr) return;
    if (builder == nullptr) builder = value.builder_;
    broken |= value.expr_ == nullptr;
    if (value.builder_ != builder) {
      Complain("a value comes from another builder");
      broken = true;
    }
  }

  void Complain(std::string_view why) const { builder->Complain(kUnsound, why); }
  bool ok() const { return builder != nullptr && !broken; }
  Value Broken() const { return Value(builder, nullptr); }
  Value Made(Expr expr) const { return Value(builder, std::move(expr)); }
  Value Refused(std::string_view why) const {
    Complain(why);
    return Broken();
  }

  static bool IsExpr(const Value& value) { return value.kind_ == Value::Kind::kExpr; }
  static const Expr& ExprOf(const Value& value) { return value.expr_; }

  // Null where it was complained about.
  Expr Typed(const Value& value, DataType type) {
    if (value.kind_ == Value::Kind::kExpr) return value.expr_;
    if (value.kind_ == Value::Kind::kFloat && type.is_float()) return MakeFloat(type, value.float_);
    if (value.kind_ == Value::Kind::kInt && type.is_float())
      return MakeFloat(type, static_cast<double>(value.int_));
    if (value.kind_ == Value::Kind::kInt && FitsInt(type, value.int_))
      return MakeInt(type, value.int_);
    broken = true;
    Complain(
        StrCat("the number ",
               value.kind_ == Value::Kind::kInt ? StrCat(value.int_) : FormatDouble(value.float_),
               " is no ", type.ToString()));
    return nullptr;
  }
  // The type that numbers take beside these values; int64 where all are numbers.
  static DataType TypeBeside(std::initializer_list<const Value*> values) {
    for (const Value* value : values) {
      if (IsExpr(*value) && value->expr_) return value->expr_->type;
    }
    return kIndexType;
  }
};

// Binary operators. The result belongs to the builder of the operands.
Value Apply(BinaryOp op, const Value& a, const Value& b) {
  ValueMaker maker({&a, &b});
  if (!maker.ok()) return maker.Broken();
  const DataType type = ValueMaker::TypeBeside({&a, &b});
  const Expr x = maker.Typed(a, type), y = maker.Typed(b, type);
  if (maker.broken) return maker.Broken();
  const std::string why = WhyNotBinary(op, x->type, y->type);
  return why.empty() ? maker.Made(MakeBinary(op, x, y)) : maker.Refused(why);
}

// All arguments have one type (intrinsics.def), so the last one that is an expression decides it.
Value Apply(Intrinsic intrinsic, std::initializer_list<Value> args) {
  ValueMaker maker({});
  DataType type = kIndexType;
  for (const Value& arg : args) {
    maker.Look(arg);
    if (ValueMaker::IsExpr(arg) && ValueMaker::ExprOf(arg)) type = ValueMaker::ExprOf(arg)->type;
  }
  if (!maker.ok()) return maker.Broken();
  std::vector<Expr> typed;
  for (const Value& arg : args) typed.push_back(maker.Typed(arg, type));
  if (maker.broken) return maker.Broken();
  const std::string why = WhyNotCall(intrinsic, typed);
  return why.empty() ? maker.Made(MakeCall(intrinsic, std::move(typed))) : maker.Refused(why);
}

Value Not(const Value& value) {
  ValueMaker maker({&value});
  if (!maker.ok()) return maker.Broken();
  const Expr& expr = ValueMaker::ExprOf(value);
  if (!expr->type.is_bool())
    return maker.Refused(StrCat("not takes a bool, got ", expr->type.ToString()));
  return maker.Made(MakeNot(expr));
}

Value Select(const Value& condition, const Value& a, const Value& b) {
  ValueMaker maker({&condition, &a, &b});
  if (!maker.ok()) return maker.Broken();
  const DataType type = ValueMaker::TypeBeside({&a, &b});
  const Expr x = maker.Typed(a, type), y = maker.Typed(b, type);
  const Expr chosen = maker.Typed(condition, kBoolType);
  if (maker.broken) return maker.Broken();
  const std::string why = WhyNotSelect(chosen->type, x->type, y->type);
  return why.empty() ? maker.Made(MakeSelect(chosen, x, y)) : maker.Refused(why);
}

Value Cast(DType element, const Value& value) {
  ValueMaker maker({&value});
  if (!maker.ok()) return maker.Broken();
  const Expr& expr = ValueMaker::ExprOf(value);
  const std::string why = WhyNotCast(expr->type, element);
  return why.empty() ? maker.Made(MakeCast(element, expr)) : maker.Refused(why);
}

Value Reduce(BinaryOp op, std::initializer_list<Value> axes, const Value& value) {
  return Reduce(op, std::span<const Value>(axes.begin(), axes.size()), value);
}

Value Reduce(BinaryOp op, std::span<const Value> axes, const Value& value) {
  ValueMaker maker({&value});
  for (const Value& axis : axes) maker.Look(axis);
  if (!maker.ok() || !ValueMaker::IsExpr(value)) return maker.Broken();
  const Expr& expr = ValueMaker::ExprOf(value);
  std::vector<loop::ReduceAxis> folded;
  for (const Value& axis : axes) {
    const auto* found = maker.builder->FindAxis(axis);
    // Only what this builder made as a reduce axis has an extent.
    if (found == nullptr || !found->extent)
      return maker.Refused("a reduction goes over what ReduceAxis made");
    folded.push_back({found->var, found->extent});
  }
  if (folded.empty()) return maker.Refused("a reduction needs an axis");
  const std::string why = WhyNotReduction(op, expr->type);
  return why.empty() ? maker.Made(MakeReduction(op, std::move(folded), expr)) : maker.Refused(why);
}

Value Tensor::At(std::vector<Value> indices) const {
  ValueMaker maker({});
  // Knows the builder even if all indices are numbers.
  const Value here(builder_, buffer_->shape.empty() ? MakeInt(0) : buffer_->shape[0]);
  maker.Look(here);
  for (const Value& index : indices) maker.Look(index);
  if (maker.broken) return maker.Broken();
  std::vector<Expr> typed;
  for (const Value& index : indices) typed.push_back(maker.Typed(index, kIndexType));
  if (maker.broken) return maker.Broken();
  if (typed.size() != buffer_->shape.size())
    return maker.Refused(StrCat("'", buffer_->name, "' has ", buffer_->shape.size(),
                                " dimensions, got ", typed.size(), " indices"));
  const std::string why = WhyNotIndex(*buffer_, typed, nullptr);
  return why.empty() ? maker.Made(MakeLoad(buffer_, std::move(typed))) : maker.Refused(why);
}

// --- schedules

// Adds one line. Axes are checked by Build, which applies the whole schedule.
TensorSchedule& TensorSchedule::Add(Primitive primitive, std::vector<std::string> names,
                                    std::vector<Lanes> factors) {
  // Checked here and not by the scheduler, because a factor has no span to point at.
  for (const Lanes& factor : factors) {
    if (factor.count >= 1 && factor.count <= kMaxLanes) continue;
    builder_->Complain(kBadSchedule,
                       StrCat(InfoOf(primitive).text, " of '", tensor_,
                              "': a factor must be from 1 to ", kMaxLanes, ", got ", factor.count));
    return *this;
  }
  Directive directive;
  directive.primitive = primitive;
  directive.tensor = tensor_;
  directive.names = std::move(names);
  directive.factors = std::move(factors);
  builder_->definition_.schedule.push_back(std::move(directive));
  return *this;
}

// The names that the scheduler (schedule.cc) gives to the parts.
TensorSchedule::Pair TensorSchedule::Split(std::string_view axis, Lanes factor) {
  Add(Primitive::kSplit, {std::string(axis)}, {factor});
  return {StrCat(axis, ".outer"), StrCat(axis, ".inner")};
}

// The scheduler gives the fused loop this name.
std::string TensorSchedule::Fuse(std::string_view first, std::string_view second) {
  Add(Primitive::kFuse, {std::string(first), std::string(second)});
  return StrCat(first, ".", second, ".fused");
}

TensorSchedule& TensorSchedule::Reorder(std::vector<std::string> axes) {
  if (axes.size() >= 2) return Add(Primitive::kReorder, std::move(axes));
  builder_->Complain(kBadSchedule, StrCat("reorder of '", tensor_, "' needs two axes or more"));
  return *this;
}

TensorSchedule& TensorSchedule::Tile(std::string_view y, std::string_view x,
                                     std::pair<int32_t, int32_t> factors) {
  return Add(Primitive::kTile, {std::string(y), std::string(x)},
             {Lanes{factors.first}, Lanes{factors.second}});
}

TensorSchedule& TensorSchedule::Unroll(std::string_view axis) {
  return Add(Primitive::kUnroll, {std::string(axis)});
}

TensorSchedule& TensorSchedule::Parallel(std::string_view axis) {
  return Add(Primitive::kParallel, {std::string(axis)});
}

TensorSchedule& TensorSchedule::Vectorize(std::string_view axis, const VectorOptions& options) {
  if (options.interleave < 0 || options.interleave > kMaxInterleave) {
    builder_->Complain(kBadSchedule,
                       StrCat("vectorize of '", tensor_, "': interleave must be from 1 to ",
                              kMaxInterleave, ", got ", options.interleave));
    return *this;
  }
  // Whether Add refused shows by the number of lines.
  const size_t lines = builder_->definition_.schedule.size();
  std::vector<Lanes> lanes;
  if (options.lanes != 0) lanes.push_back({options.lanes, false});
  Add(Primitive::kVectorize, {std::string(axis)}, std::move(lanes));
  if (builder_->definition_.schedule.size() == lines) return *this;
  Directive& line = builder_->definition_.schedule.back();
  line.scalable = options.scalable;
  line.tail = options.tail;
  line.interleave = options.interleave;
  return *this;
}

TensorSchedule& TensorSchedule::ComputeAt(const Tensor& consumer, std::string_view axis) {
  return Add(Primitive::kComputeAt, {consumer.buffer_->name, std::string(axis)});
}

TensorSchedule& TensorSchedule::ComputeInline() { return Add(Primitive::kComputeInline, {}); }

// --- definitions

Value Builder::Of(Expr expr) { return Value(this, std::move(expr)); }

Builder::Builder(std::string_view name) { definition_.name = NameOf(name, "a definition"); }

void Builder::Complain(std::string_view code, std::string_view message) {
  diagnostics_.Error(code, message);
}

// A name that the text form can read; "_" where it was complained about.
std::string Builder::NameOf(std::string_view name, std::string_view what) {
  if (IsName(name)) return std::string(name);
  Complain(kUnsound, StrCat("'", name, "' cannot be the name of ", what,
                            ": names are letters, digits, '_' and '.', a letter first"));
  return "_";
}

Value Builder::Size(std::string_view name) {
  definition_.sizes.push_back(MakeVar(NameOf(name, "a size")));
  return Value(this, definition_.sizes.back());
}

Value Builder::Scalar(std::string_view name, DType type) {
  const std::string good = NameOf(name, "a scalar");
  if (!DataType::IsSupported(type)) {
    Complain(kUnsound, StrCat("the scalar '", name, "' cannot be ", type.ToString()));
    return Value(this, nullptr);
  }
  definition_.scalars.push_back(MakeVar(good, DataType(type)));
  return Value(this, definition_.scalars.back());
}

// The axis has no extent yet: Compute gives it the one of the tensor's dimension.
Value Builder::Axis(std::string_view name) {
  axes_.push_back({MakeVar(NameOf(name, "an axis")), nullptr});
  return Value(this, axes_.back().var);
}

Value Builder::ReduceAxis(std::string_view name, const Value& extent) {
  ValueMaker maker({&extent});
  const std::string good = NameOf(name, "an axis");
  maker.builder = this;
  const Expr typed = maker.broken ? nullptr : maker.Typed(extent, kIndexType);
  if (!typed) return Value(this, nullptr);
  if (typed->type != kIndexType) {
    Complain(kUnsound, StrCat("the extent of '", name, "' must be int64"));
    return Value(this, nullptr);
  }
  axes_.push_back({MakeVar(good), typed});
  return Value(this, axes_.back().var);
}

// Null for a value that is no axis of this builder.
const Builder::Extent* Builder::FindAxis(const Value& value) const {
  for (const Extent& axis : axes_) {
    if (value.expr_ != nullptr && value.expr_.get() == axis.var.get()) return &axis;
  }
  return nullptr;
}

// A bad extent becomes 1 and a bad type float32, so that building goes on and finds more mistakes.
Tensor Builder::MakeTensor(std::string_view name, DType type, const std::vector<Value>& shape,
                           Access access) {
  std::string good = NameOf(name, "a tensor");
  std::vector<Expr> extents;
  for (const Value& extent : shape) {
    ValueMaker maker({&extent});
    const bool foreign = maker.builder != nullptr && maker.builder != this;
    maker.builder = this;
    Expr typed = maker.broken ? nullptr : maker.Typed(extent, kIndexType);
    const bool good_extent = typed && typed->type == kIndexType && !foreign;
    if (!good_extent && !maker.broken)
      Complain(kUnsound, StrCat("an extent of '", name, "' must be an int64 of this builder"));
    extents.push_back(good_extent ? std::move(typed) : MakeInt(1));
  }
  if (!DataType::IsSupported(type)) {
    Complain(kUnsound, StrCat("the tensor '", name, "' cannot be of ", type.ToString()));
    type = kF32;
  }
  return Tensor(this, MakeBuffer(std::move(good), type, std::move(extents), access));
}

Tensor Builder::Placeholder(std::string_view name, DType type, std::vector<Value> shape) {
  const Tensor made = MakeTensor(name, type, shape, Access::kIn);
  definition_.inputs.push_back(made.buffer_);
  return made;
}

Tensor Builder::Result(std::string_view name, DType type, std::vector<Value> shape) {
  const Tensor made = MakeTensor(name, type, shape, Access::kOut);
  definition_.outputs.push_back(made.buffer_);
  return made;
}

Tensor Builder::Between(std::string_view name, DType type, std::vector<Value> shape) {
  return MakeTensor(name, type, shape, Access::kWorkspace);
}

// Adds one compute: tensor[axes] = value, in the order of the calls.
void Builder::Compute(const Tensor& tensor, const std::vector<Value>& axes, const Value& value) {
  const Buffer& buffer = *tensor.buffer_;
  ValueMaker maker({&value});
  const bool foreign = maker.builder != nullptr && maker.builder != this;
  maker.builder = this;
  // A broken value without a complaint is one of plain numbers: there is no tensor to say its type.
  if (foreign || (maker.broken && diagnostics_.ok()))
    return Complain(kUnsound, StrCat("the value of '", buffer.name, "' is ",
                                     foreign ? "another builder's" : "of plain numbers"));
  if (maker.broken) return;  // said already
  if (tensor.builder_ != this || buffer.access == Access::kIn)
    return Complain(kUnsound, StrCat("'", buffer.name, "' is not computed here"));
  te::Compute made;
  made.tensor = tensor.buffer_;
  for (const Value& axis : axes) {
    const Extent* found = FindAxis(axis);
    if (found == nullptr || found->extent)
      return Complain(kUnsound, StrCat("'", buffer.name, "' is computed over what Axis made"));
    made.axes.push_back(found->var);
  }
  if (axes.size() != buffer.shape.size())
    return Complain(kUnsound, StrCat("'", buffer.name, "' has ", buffer.shape.size(),
                                     " dimensions, got ", axes.size(), " axes"));
  made.value = maker.Typed(value, DataType(buffer.dtype));
  if (!made.value) return;
  if (made.value->type != DataType(buffer.dtype))
    return Complain(kUnsound, StrCat("'", buffer.name, "' is ", DataType(buffer.dtype).ToString(),
                                     ", but its value is ", made.value->type.ToString()));
  definition_.computes.push_back(std::move(made));
}

TensorSchedule Builder::Schedule(const Tensor& tensor) {
  return TensorSchedule(this, tensor.buffer_->name);
}

tern::Result<Definition> Builder::Finish() {
  if (!diagnostics_.ok()) return diagnostics_.ToStatus();
  return std::move(definition_);
}

tern::Result<Definition> Builder::Build() {
  if (diagnostics_.ok()) VerifyDefinition(definition_, &diagnostics_);
  if (!diagnostics_.ok()) return diagnostics_.ToStatus();
  // Lowered once on trial, so that mistakes in the schedule are found here and not at the first
  // use.
  TERN_TRY(tern::internal::TakeStatus(LowerDefinition(definition_)));
  return definition_;
}

}  // namespace tern::loop::te
