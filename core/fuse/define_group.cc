// SPDX-License-Identifier: Apache-2.0
#include "core/fuse/define_group.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/fuse/composite.h"
#include "core/fuse/literal.h"
#include "core/ir/visitor.h"
#include "core/loop/te/builder.h"
#include "core/loop/words.h"
#include "core/ops/math_rules.h"

namespace tern::fuse {
namespace {

namespace te = loop::te;
using types::Dim;
using Dims = std::span<const Dim>;

// Formulas that are inlined grow by what is read several times; beyond this a kernel is no gain.
constexpr int64_t kMostLoweredParts = 4000;
// Reduced elements that are too few for vectors along their axis (measured with vectors of 16).
constexpr int64_t kFewFolded = 16;

// A value over the axes of the space. simple: costs nothing to be evaluated twice.
struct Piece {
  loop::Expr value;  // null: not computed yet, or no tensor
  bool simple = false;
  int64_t parts = 1;  // nodes when everything is inlined
};

// What is known of a variable. folded, wide: read by a reduction, and by the whole space.
struct KnownValue {
  Piece piece;
  int uses = 0;
  bool is_folded = false, is_wide = false;
};

// The definition of one function. Members are computed over the space: the axes i0, i1, … of the
// shape that is reduced, or of the result where nothing is. Some are only over a part of the axes:
// what reductions leave, and what is made of it before the whole space reads it.
class GroupDefiner {
 public:
  GroupDefiner(std::string_view name, const ir::Function& function, bool relaxed,
               Formulas* formulas)
      : function_(function), formulas_(*formulas), builder_(name) {
    if (relaxed) builder_.SetRelaxed();
  }

  te::DefinitionPtr Run() {
    const std::span<const ir::Binding> bindings = function_.bindings();
    if (bindings.empty() || !(function_.result() == bindings.back().var)) return nullptr;
    const types::TensorType* space = FindSpace();
    if (space == nullptr) return nullptr;
    space_ = space->dims;
    FindWideReads();
    for (size_t i = 0; i < space_.size(); ++i)
      axes_.push_back(loop::MakeVar(StrCat("i", i), loop::kIndexType));
    ir::ForEachUse(bindings, function_.result(),
                   [this](const ir::Expr& atom) { ++known_[atom.get()].uses; });
    AddParameters();
    for (const Dim& dim : space_) Extent(dim);
    for (const ir::Binding& binding : bindings) {
      if (ok_) AddBinding(binding);
    }
    if (!ok_) return nullptr;
    Result<te::Definition> made = builder_.Finish();
    TERN_CHECK(made.ok(), "a group that is no definition");
    return std::make_shared<const te::Definition>(*std::move(made));
  }

 private:
  void Fail() { ok_ = false; }

  const types::TensorType* FindSpace() {
    const types::TensorType* space = nullptr;
    for (const ir::Binding& binding : function_.bindings()) {
      const ir::Call* call = binding.value->As<ir::Call>();
      if (call == nullptr || !formulas_.ReductionFormula(*call)) continue;
      folds_before_end_ = folds_before_end_ || !(binding.var == function_.result());
      known_[call->args()[0].get()].is_folded = true;
      if (space == nullptr) space = ir::TensorTypeOf(call->args()[0]);
    }
    return space == nullptr ? ir::TensorTypeOf(function_.result()) : space;
  }

  // What is read once per element of the space, or of what is reduced.
  void FindWideReads() {
    for (const ir::Binding& binding : function_.bindings()) {
      const types::TensorType* type = ir::TensorTypeOf(binding.var);
      if (type == nullptr || !IsSpace(type->dims)) continue;
      ir::ForEachAtom(binding.value,
                      [this](const ir::Expr& atom) { known_[atom.get()].is_wide = true; });
    }
  }

  bool IsSpace(Dims dims) const {
    return std::equal(dims.begin(), dims.end(), space_.begin(), space_.end());
  }

  // A number, or a size that some parameter has.
  te::Value Extent(const Dim& dim) {
    if (dim.is_constant()) return dim.constant();
    for (const auto& size : sizes_) {
      if (size.first == dim) return size.second;
    }
    Fail();
    return 1;
  }

  std::vector<te::Value> Extents(Dims dims) {
    std::vector<te::Value> extents;
    for (const Dim& dim : dims) extents.push_back(Extent(dim));
    return extents;
  }

  // --- what is read

  void AddParameters() {
    for (const ir::VarPtr& parameter : function_.parameters()) {
      const types::TensorType* type = ir::TensorTypeOf(parameter);
      if (type == nullptr || !IsLoopType(type->dtype)) return Fail();
      for (const Dim& dim : type->dims) AddSize(dim);
      if (!ok_) return;
      const te::Tensor tensor =
          builder_.Placeholder(StrCat("x", parameter_count_++), type->dtype, Extents(type->dims));
      known_[parameter.get()].piece = {ReadAlong(tensor, type->dims), true};
    }
  }

  void AddSize(const Dim& dim) {
    if (dim.is_constant()) return;
    for (const auto& size : sizes_) {
      if (size.first == dim) return;
    }
    const std::string name = dim.ToText();
    if (!dim.is_symbol() || !IsSizeName(name)) return Fail();
    sizes_.emplace_back(dim, builder_.Size(name));
  }

  // Aligned at the last axis; what has one element along an axis is repeated.
  loop::Expr ReadAlong(const te::Tensor& tensor, Dims dims) {
    if (dims.size() > space_.size()) {
      Fail();
      return nullptr;
    }
    const size_t skipped = space_.size() - dims.size();
    std::vector<te::Value> index;
    std::vector<bool> repeats(space_.size(), true);
    for (size_t i = 0; i < dims.size(); ++i) {
      const bool same = dims[i] == space_[skipped + i];
      if (!same && !(dims[i] == Dim(1))) Fail();
      index.push_back(same ? builder_.Of(axes_[skipped + i]) : te::Value(0));
      repeats[skipped + i] = !same;
    }
    for (size_t i = 1; i < repeats.size(); ++i) {
      if (repeats[i] != repeats[i - 1]) apart_ |= uint32_t{1} << i;
    }
    return tensor.At(std::move(index)).expr();
  }

  Piece Operand(const ir::Expr& atom, const OperatorFormula& formula) {
    const Piece& piece = known_[atom.get()].piece;
    const bool wide = formula.type == kF32;
    if (!piece.value) {
      Piece literal{LiteralOf(atom, wide), true};
      if (!literal.value && !ir::IsNone(atom)) Fail();
      return literal;
    }
    const DType type = ir::TensorTypeOf(atom)->dtype;
    if (!wide || !type.is_float() || type.bits != 16) return piece;
    return {loop::MakeCast(kF32, piece.value), piece.simple, piece.parts + 1};
  }

  // --- formulas

  // The axes that a value of these dimensions is over: without those of one element. Sets part_.
  void EnterPart(Dims dims) {
    part_ = 0;
    if (dims.size() != space_.size()) return Fail();
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == space_[i]) continue;
      if (!(dims[i] == Dim(1))) Fail();
      part_ |= uint32_t{1} << i;
    }
  }

  // The axes of the space in a mask.
  std::vector<size_t> AxesIn(uint32_t mask) const {
    std::vector<size_t> axes;
    for (size_t i = 0; i < space_.size(); ++i) {
      if ((mask >> i & 1) != 0) axes.push_back(i);
    }
    return axes;
  }

  // The tensor's value over axes of its own, named like those of the space.
  void Compute(const te::Tensor& tensor, std::span<const size_t> axes, const loop::Expr& value) {
    std::vector<te::Value> own;
    std::vector<loop::Substitution> map;
    for (size_t axis : axes) {
      own.push_back(builder_.Axis(axes_[axis]->name));
      map.push_back({axes_[axis].get(), own.back().expr()});
    }
    builder_.Compute(tensor, own, builder_.Of(loop::Substitute(value, map)));
  }

  struct Declared {
    te::Tensor tensor;
    Piece piece;
  };
  // A tensor of its own, over the axes that its value is over.
  Declared Declare(std::string_view letter, const loop::Expr& value, int64_t parts) {
    const std::vector<size_t> axes = AxesIn(~part_);
    std::vector<te::Value> shape, index;
    for (size_t axis : axes) {
      shape.push_back(Extent(space_[axis]));
      index.push_back(builder_.Of(axes_[axis]));
    }
    const te::Tensor tensor =
        builder_.Between(StrCat(letter, named_++), value->type.element(), std::move(shape));
    Compute(tensor, axes, value);
    return {tensor, {tensor.At(std::move(index)).expr(), true, parts}};
  }

  // For a value that is read several times: inlined, so that it is never kept.
  Piece Name(const Piece& value) {
    if (value.simple) return value;
    const Declared named = Declare("t", value.value, value.parts);
    builder_.Schedule(named.tensor).ComputeInline();
    return named.piece;
  }

  // For a value that loops of its own compute once.
  Piece Keep(const Piece& value) {
    const Declared kept = Declare("t", value.value, 1);
    if (!IsLastIn(part_)) Vectorize(kept.tensor, part_);
    return kept.piece;
  }

  // What the parameters of a formula stand for, in the order of Field.
  using Context = std::array<Piece, kFieldCount>;

  Context ContextOf(const ir::Call& call, DType dtype) const {
    const loop::DataType type(dtype);
    const auto attribute = [&](std::string_view name) {
      return static_cast<double>(static_cast<float>(call.attrs().GetFloat(name, 0)));
    };
    const auto simple = [](loop::Expr value) { return Piece{std::move(value), true}; };
    Context context;
    const auto at = [&context](Field field) -> Piece& {
      return context[static_cast<size_t>(field)];
    };
    if (dtype.is_float()) {
      at(Field::kAlpha) = simple(loop::MakeFloat(type, attribute("alpha")));
      at(Field::kBeta) = simple(loop::MakeFloat(type, attribute("beta")));
      at(Field::kInfinity) = simple(loop::MakeFloat(type, __builtin_inf()));
    } else if (dtype.is_int()) {
      at(Field::kBits) = simple(loop::MakeInt(type, dtype.bits));
      at(Field::kOnes) = simple(loop::MakeInt(type, -1));
    }
    return context;
  }

  // Asked of every member, so that expressions stay shallow enough to walk.
  static bool IsSmall(const Piece& piece) { return piece.parts <= kMostLoweredParts; }

  // Operands that stand several times are named first, then the formula's own parts.
  Piece Expand(const loop::Formula& formula, Context context) {
    std::vector<loop::Substitution> map;
    std::vector<int64_t> parts;
    for (size_t i = 0; i < kFieldCount; ++i) {
      const int64_t reads = ReadsOf(formula, formula.parameters[i].get());
      if (reads == 0) continue;
      Piece& piece = context[i];
      if (!piece.value || piece.value->type != formula.parameters[i]->type) {
        Fail();
        return {};
      }
      if (reads > 1) piece = Name(piece);
      map.push_back({formula.parameters[i].get(), piece.value});
      parts.push_back(piece.parts);
    }
    for (const loop::Formula::Part& part : formula.parts) {
      Piece piece = Put(part.value, map, parts);
      if (ReadsOf(formula, part.var.get()) > 1) piece = Name(piece);
      map.push_back({part.var.get(), piece.value});
      parts.push_back(piece.parts);
    }
    return Put(formula.value, map, parts);
  }

  static int64_t ReadsOf(const loop::Formula& formula, const loop::Var* var) {
    int64_t reads = loop::CountReads(formula.value, var);
    for (const loop::Formula::Part& part : formula.parts)
      reads += loop::CountReads(part.value, var);
    return reads;
  }

  static Piece Put(const loop::Expr& expr, std::span<const loop::Substitution> map,
                   std::span<const int64_t> parts) {
    Piece made{loop::PutIn(expr, map), false, loop::CountNodes(expr)};
    for (size_t i = 0; i < map.size(); ++i)
      made.parts += (parts[i] - 1) * loop::CountReads(expr, map[i].var);
    return made;
  }

  // --- members

  void AddBinding(const ir::Binding& binding) {
    const ir::Call* call = binding.value->As<ir::Call>();
    const types::TensorType* type = ir::TensorTypeOf(binding.var);
    if (call == nullptr || type == nullptr || !IsLoopType(type->dtype)) return Fail();
    const OperatorFormula fold = formulas_.ReductionFormula(*call);
    const OperatorFormula formula = fold ? fold : formulas_.ElementFormula(*call);
    if (!formula || call->args().size() > kMostOperands) return Fail();
    Context context = ContextOf(*call, formula.type);
    for (size_t i = 0; i < call->args().size(); ++i) context[i] = Operand(call->args()[i], formula);
    if (!ok_) return;
    if (fold) return AddReduction(binding, formula, std::move(context));
    EnterPart(type->dims);
    if (!ok_) return;
    const Piece value = Expand(*formula.element, std::move(context));
    if (ok_) Finish(binding, Rounded(value, type->dtype));
  }

  // The value of a member, or the result.
  void Finish(const ir::Binding& binding, Piece value) {
    const types::TensorType& type = binding.var->type().tensor();
    KnownValue& known = known_[binding.var.get()];
    const bool several = known.uses > 1;
    if (!IsSmall(value)) return Fail();
    if (binding.var == function_.result()) return AddResult(type, value);
    // What is over a part of the axes is not computed for each of the others.
    const bool widens = part_ != 0 && !value.simple && known.is_wide;
    const bool costly = several && known.is_folded && loop::IsCostly(value.value);
    if (widens || costly)
      value = Keep(value);
    else if (several)
      value = Name(value);
    known.piece = std::move(value);
  }

  // In the element type of the result.
  static Piece Rounded(Piece value, DType type) {
    if (value.value->type.element() == type) return value;
    return {loop::MakeCast(type, std::move(value.value)), false, value.parts + 1};
  }

  // Axes of one element have a loop of their own.
  void AddResult(const types::TensorType& type, const Piece& value) {
    const te::Tensor result = builder_.Result("y", type.dtype, Extents(type.dims));
    std::vector<te::Value> own;
    std::vector<loop::Substitution> map;
    const bool keeps = type.dims.size() == space_.size();
    for (size_t i = 0; i < space_.size(); ++i) {
      const bool single = (part_ >> i & 1) != 0;
      if (single && !keeps) continue;
      own.push_back(builder_.Axis(single ? StrCat("j", i) : axes_[i]->name));
      if (!single) map.push_back({axes_[i].get(), own.back().expr()});
    }
    builder_.Compute(result, own, builder_.Of(loop::Substitute(value.value, map)));
    result_ = result;
    if (!axes_.empty() && !IsLastIn(part_)) Vectorize(result, part_);
  }

  bool IsLastIn(uint32_t mask) const { return (mask >> (axes_.size() - 1) & 1) != 0; }

  // The innermost loop runs over all elements that lie beside each other, in every parameter alike:
  // the last axis, and those before it that can be one with it. inside: axes whose loops are in
  // another place than those of the others.
  void Vectorize(const te::Tensor& tensor, uint32_t inside) {
    size_t first = axes_.size() - 1;
    const auto joins = [&](size_t i) {
      const bool same_loop = (inside >> i & 1) == (inside >> (i - 1) & 1);
      return same_loop && (apart_ >> i & 1) == 0;
    };
    while (first > 0 && joins(first)) --first;
    te::TensorSchedule schedule = builder_.Schedule(tensor);
    std::string axis = axes_[first]->name;
    for (size_t i = first + 1; i < axes_.size(); ++i) axis = schedule.Fuse(axis, axes_[i]->name);
    schedule.VectorizeScalable(axis);
  }

  // --- reductions

  // The product of the extents that are reduced, as a number of the type.
  loop::Expr CountOf(DType dtype) {
    const loop::DataType type(dtype);
    loop::Expr product;
    for (size_t axis : AxesIn(mask_)) {
      const Dim& dim = space_[axis];
      const loop::Expr extent =
          dim.is_constant() ? loop::MakeInt(dim.constant()) : Extent(dim).expr();
      product = product ? loop::Mul(product, extent) : extent;
    }
    const loop::IntImm* number = loop::AsInt(product);
    if (number == nullptr) return loop::MakeCast(dtype, product);
    return loop::MakeNumber(type, static_cast<double>(number->value));
  }

  // A fold of few elements would leave most of a vector unused and fold it for every result, so
  // that vectors run along the axis before, as many results at once.
  void VectorizeFold(const te::Tensor& tensor) {
    const size_t last = axes_.size() - 1;
    const Dim& extent = space_[last];
    const bool few = extent.is_constant() && extent.constant() <= kFewFolded;
    if (!few || last == 0 || mask_ != uint32_t{1} << last) return Vectorize(tensor, mask_);
    builder_.Schedule(tensor).Unroll(axes_[last]->name).VectorizeScalable(axes_[last - 1]->name);
  }

  loop::Expr Fold(loop::BinaryOp op, const loop::Expr& element) {
    std::vector<te::Value> folded;
    std::vector<loop::Substitution> map;
    for (size_t axis : AxesIn(mask_)) {
      folded.push_back(builder_.ReduceAxis(axes_[axis]->name, Extent(space_[axis])));
      map.push_back({axes_[axis].get(), folded.back().expr()});
    }
    return te::Reduce(op, folded, builder_.Of(loop::Substitute(element, map))).expr();
  }

  bool EnterReduction(const ir::Binding& binding, const ir::Call& call) {
    const Result<ops::ReduceAttrs> attrs = ops::ReduceAttrs::From(call.attrs(), call.op().name);
    const int rank = static_cast<int>(space_.size());
    const bool is_last = binding.var == function_.result();
    return attrs.ok() && rank > 0 && (is_last || attrs->keep_dims) &&
           IsSpace(ir::TensorTypeOf(call.args()[0])->dims) &&
           ops::ReducedAxes(attrs->axes, attrs->noop_if_empty, rank, &mask_).ok() && mask_ != 0;
  }

  void AddReduction(const ir::Binding& binding, const OperatorFormula& formula, Context context) {
    const ir::Call& call = *binding.value->As<ir::Call>();
    const types::TensorType& type = binding.var->type().tensor();
    if (!EnterReduction(binding, call)) return Fail();
    // What follows a fold reads it along some axes only.
    for (size_t i = 1; folds_before_end_ && i < space_.size(); ++i) {
      if ((mask_ >> i & 1) != (mask_ >> (i - 1) & 1)) apart_ |= uint32_t{1} << i;
    }
    part_ = 0;
    const Piece element = Expand(*formula.element, std::move(context));
    if (!ok_ || !IsSmall(element)) return Fail();
    const loop::Expr fold = Fold(*formula.fold, element.value);
    part_ = mask_;
    const bool plain = formula.result == nullptr && type.dtype == formula.type;
    if (plain && binding.var == function_.result()) {
      AddResult(type, {fold});
      if (IsLastIn(part_)) VectorizeFold(*result_);
      return;
    }
    const Declared folded = Declare("s", fold, 1);
    VectorizeFold(folded.tensor);
    Piece value = folded.piece;
    if (formula.result != nullptr) {
      Context inner = ContextOf(call, formula.type);
      inner[static_cast<size_t>(Field::kA)] = folded.piece;
      inner[static_cast<size_t>(Field::kCount)] = {CountOf(formula.type), true};
      value = Expand(*formula.result, std::move(inner));
    }
    if (ok_) Finish(binding, Rounded(std::move(value), type.dtype));
  }

  const ir::Function& function_;
  Formulas& formulas_;
  te::Builder builder_;
  bool ok_ = true;
  // Of axes that some parameter has without the axis before, or the other way round.
  uint32_t apart_ = 0;
  uint32_t mask_ = 0;  // of the axes that the reduction at hand reduces
  uint32_t part_ = 0;  // of the axes that the value at hand is not over
  bool folds_before_end_ = false;
  Dims space_;
  std::vector<loop::VarPtr> axes_;  // of the space
  std::vector<std::pair<Dim, te::Value>> sizes_;
  std::optional<te::Tensor> result_;
  std::unordered_map<const ir::Node*, KnownValue> known_;
  int parameter_count_ = 0, named_ = 0;
};

}  // namespace

// Tensors and axes of a definition are a letter and a number, but for the result.
bool IsSizeName(std::string_view name) {
  if (!loop::IsName(name) || loop::IsReservedName(name) || name == "y") return false;
  if (name.find('.') != std::string_view::npos) return false;
  const std::string_view number = name.substr(1);
  const bool is_ours = !number.empty() && std::all_of(number.begin(), number.end(), &IsDigit);
  return !is_ours;
}

te::DefinitionPtr DefineGroup(std::string_view name, const ir::Function& function, bool relaxed,
                              Formulas* formulas) {
  if (!loop::IsName(name)) return nullptr;
  const ir::FunctionPtr steps = ExpandComposites(ir::FunctionPtr(&function));
  return GroupDefiner(name, *steps, relaxed, formulas).Run();
}

te::DefinitionPtr Renamed(const te::Definition& definition, std::string_view name) {
  te::Definition renamed = definition;
  renamed.name = std::string(name);
  return std::make_shared<const te::Definition>(std::move(renamed));
}

}  // namespace tern::fuse
