// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/lower_groups.h"

#include <algorithm>
#include <initializer_list>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/ir/passes/group_composite.h"
#include "core/ir/passes/group_formula.h"
#include "core/ir/visitor.h"
#include "core/ops/math_rules.h"

namespace tern::ir {

namespace {

// Formulas that are inlined grow by what is read several times; beyond this a kernel is no gain.
constexpr int64_t kMostLoweredParts = 4000;
// Reduced elements that are too few for vectors along their axis (measured with vectors of 16).
constexpr int64_t kFewFolded = 16;

using DimTexts = std::vector<std::string>;

// Texts only: StrAppend is a function of its own for every combination of types.
using Texts = std::initializer_list<std::string_view>;
void Append(std::string* out, Texts parts) {
  for (std::string_view part : parts) out->append(part);
}
std::string Join(Texts parts) {
  std::string out;
  Append(&out, parts);
  return out;
}

std::string Bracketed(const DimTexts& parts) { return Join({"[", StrJoin(parts, ", "), "]"}); }

// A value as text. simple: needs no brackets, and costs nothing to be written twice.
struct Piece {
  std::string text;
  bool simple = false;
  int64_t parts = 1;  // operators and loads when everything is inlined
};

bool IsNumber(std::string_view dim) { return dim[0] >= '0' && dim[0] <= '9'; }

// What is known of a variable. folded, wide: read by a reduction, and by the whole space.
struct KnownText {
  Piece piece;  // empty: not computed yet, or no tensor
  int uses = 0;
  bool is_folded = false, is_wide = false;
};

// name(…) as a whole.
bool IsCall(std::string_view text) {
  size_t open = text.find_first_of("( ");
  if (open == std::string_view::npos || open == 0 || text[open] != '(') return false;
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1 == text.size();
  }
  return false;
}

// Whether a formula calls a function that is too costly to evaluate twice.
bool IsCostly(std::string_view text) {
  for (std::string_view name :
       {"exp(", "log(", "sin(", "cos(", "tan(", "sinh(", "cosh(", "tanh(", "erf(", "sigmoid("}) {
    if (text.find(name) != std::string_view::npos) return true;
  }
  return false;
}

// The tensor expressions of one function. Members are computed over the space: the axes i0, i1, …
// of the shape that is reduced, or of the result where nothing is. Some are only over a part of the
// axes: what reductions leave, and what is made of it before the whole space reads it.
class TextWriter {
 public:
  TextWriter(std::string_view name, const Function& function, bool relaxed)
      : name_(name), function_(function), relaxed_(relaxed) {}

  std::string Run() {
    const std::span<const Binding> bindings = function_.bindings();
    if (bindings.empty() || !(function_.result() == bindings.back().var)) return "";
    const types::TensorType* space = FindSpace();
    if (space == nullptr) return "";
    space_ = DimsOf(*space);
    FindWideReads(*space);
    for (size_t i = 0; i < space_.size(); ++i) axes_.push_back(Join({"i", StrCat(i)}));
    ForEachUse(bindings, function_.result(),
               [this](const Expr& atom) { ++known_[atom.get()].uses; });
    WriteParameters();
    for (const types::Dim& dim : space->dims) {
      const bool known = dim.is_constant() ||
                         std::find(sizes_.begin(), sizes_.end(), dim.ToText()) != sizes_.end();
      if (!known) Fail();
    }
    for (const Binding& binding : bindings) {
      if (ok_) WriteBinding(binding);
    }
    return ok_ && parts_ <= kMostLoweredParts ? Assemble() : "";
  }

 private:
  void Fail() { ok_ = false; }

  const types::TensorType* FindSpace() {
    const types::TensorType* space = nullptr;
    for (const Binding& binding : function_.bindings()) {
      const Call* call = binding.value->As<Call>();
      if (call == nullptr || !ReductionFormula(*call)) continue;
      folds_before_end_ = folds_before_end_ || !(binding.var == function_.result());
      known_[call->args()[0].get()].is_folded = true;
      if (space == nullptr) space = TensorTypeOf(call->args()[0]);
    }
    return space == nullptr ? TensorTypeOf(function_.result()) : space;
  }

  // What is read once per element of the space, or of what is reduced.
  void FindWideReads(const types::TensorType& space) {
    for (const Binding& binding : function_.bindings()) {
      const types::TensorType* type = TensorTypeOf(binding.var);
      if (type == nullptr || type->dims != space.dims) continue;
      ForEachAtom(binding.value, [this](const Expr& atom) { known_[atom.get()].is_wide = true; });
    }
  }

  DimTexts DimsOf(const types::TensorType& type) {
    DimTexts dims;
    for (const types::Dim& dim : type.dims) {
      if (!dim.is_constant() && !dim.is_symbol()) Fail();
      dims.push_back(dim.ToText());
    }
    return dims;
  }

  // "float32[n, 4]".
  std::string TypeText(DType dtype, const DimTexts& dims) {
    const std::string name = LoopTypeName(dtype);
    if (name.empty()) Fail();
    return name + Bracketed(dims);
  }

  // --- what is read

  void WriteParameters() {
    for (const VarPtr& parameter : function_.parameters()) {
      const types::TensorType* type = TensorTypeOf(parameter);
      if (type == nullptr) return Fail();
      const DimTexts dims = DimsOf(*type);
      for (size_t i = 0; i < dims.size(); ++i) {
        const bool is_size = type->dims[i].is_symbol();
        if (is_size && !IsSizeName(dims[i])) Fail();
        if (is_size && std::find(sizes_.begin(), sizes_.end(), dims[i]) == sizes_.end())
          sizes_.push_back(dims[i]);
      }
      const std::string name = Join({"x", StrCat(parameters_.size())});
      parameters_.push_back(Join({name, ": ", TypeText(type->dtype, dims)}));
      known_[parameter.get()].piece = {name + IndexOf(dims), true};
    }
  }

  // Aligned at the last axis; what has one element along an axis is repeated.
  std::string IndexOf(const DimTexts& dims) {
    if (dims.size() > space_.size()) Fail();
    if (!ok_) return "";
    DimTexts index;
    const size_t skipped = space_.size() - dims.size();
    std::vector<bool> repeats(space_.size(), true);
    for (size_t i = 0; i < dims.size(); ++i) {
      const bool same = dims[i] == space_[skipped + i];
      if (!same && dims[i] != "1") Fail();
      index.push_back(same ? axes_[skipped + i] : "0");
      repeats[skipped + i] = !same;
    }
    for (size_t i = 1; i < repeats.size(); ++i)
      if (repeats[i] != repeats[i - 1]) apart_ |= uint32_t{1} << i;
    return Bracketed(index);
  }

  Piece Operand(const Expr& atom, const GroupFormula& formula) {
    const Piece& piece = known_[atom.get()].piece;
    const bool wide = formula.type == kF32;
    if (piece.text.empty()) {
      Piece literal{LiteralText(atom, wide), true};
      if (literal.text.empty() && !IsNone(atom)) Fail();
      return literal;
    }
    const DType type = TensorTypeOf(atom)->dtype;
    if (!wide || !type.is_float() || type.bits != 16) return piece;
    return {Join({"cast(float32, ", piece.text, ")"}), piece.simple, piece.parts + 1};
  }

  // --- formulas

  // The axes that a value of these dimensions is over: without those of one element. Sets part_.
  void EnterPart(const DimTexts& dims) {
    part_ = 0;
    if (dims.size() != space_.size()) return Fail();
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == space_[i]) continue;
      if (dims[i] != "1") Fail();
      part_ |= uint32_t{1} << i;
    }
  }

  // The entries of axes that are not in the mask.
  DimTexts Outside(uint32_t mask, const DimTexts& entries) const {
    DimTexts outside;
    for (size_t i = 0; i < entries.size(); ++i) {
      if ((mask >> i & 1) == 0) outside.push_back(entries[i]);
    }
    return outside;
  }

  // A tensor of its own, over the axes that its value is over.
  Piece Declare(char letter, const std::string& value, DType type, int64_t parts) {
    const std::string name = Join({std::string_view(&letter, 1), StrCat(named_++)});
    const std::string index = Bracketed(Outside(part_, axes_));
    Append(&computes_, {"  compute ", name, index, ": ", TypeText(type, Outside(part_, space_)),
                        " = ", value, "\n"});
    names_.push_back(name);
    return {name + index, true, parts};
  }

  // For a value that is read several times: inlined, so that it is never kept.
  Piece Name(const Piece& value, DType type) {
    if (value.simple) return value;
    const Piece named = Declare('t', value.text, type, value.parts);
    Append(&schedule_, {"    compute_inline(", names_.back(), ")\n"});
    return named;
  }

  // For a value that loops of its own compute once.
  Piece Keep(const Piece& value, DType type) {
    parts_ = std::max(parts_, value.parts);
    const Piece kept = Declare('t', value.text, type, 1);
    if ((part_ >> (axes_.size() - 1) & 1) == 0) Vectorize(names_.back(), part_);
    return kept;
  }

  struct Context {
    DType type;
    const Call* call;
    std::vector<Piece> operands;
  };

  Piece Expand(std::string_view formula, Context& context) {
    for (size_t i = 0; i < context.operands.size(); ++i) {
      const std::string mark = {'$', static_cast<char>('a' + i)};
      const size_t first = formula.find(mark);
      if (first != std::string_view::npos &&
          formula.find(mark, first + 1) != std::string_view::npos)
        context.operands[i] = Name(context.operands[i], context.type);
    }
    Piece made;
    for (size_t i = 0; i < formula.size(); ++i) {
      if (formula[i] == '$') {
        const bool alone = StandsAlone(formula, i);
        AppendField(formula[++i], context, alone, &made);
      } else if (formula[i] == '#') {
        i = AppendMacro(formula, i, context, &made);
      } else {
        made.text += formula[i];
      }
      made.parts += formula[i] == ' ' ? 1 : 0;
    }
    made.simple = false;
    return made;
  }

  // Between brackets and commas.
  static bool StandsAlone(std::string_view formula, size_t at) {
    const bool opens = at == 0 || formula[at - 1] == '(' || formula.substr(0, at).ends_with(", ");
    const size_t end = at + 2;
    return opens && (end == formula.size() || formula[end] == ')' || formula[end] == ',');
  }

  void AppendField(char field, const Context& context, bool stands_alone, Piece* made) {
    const DType type = context.type;
    if (field >= 'a' && field <= 'c') {
      const size_t index = static_cast<size_t>(field - 'a');
      if (index >= context.operands.size()) return Fail();
      const Piece& operand = context.operands[index];
      made->parts += operand.parts;
      const bool plain = operand.simple || stands_alone || IsCall(operand.text);
      Append(&made->text, {plain ? "" : "(", operand.text, plain ? "" : ")"});
    } else if (field == 'p' || field == 'q') {
      const double value = context.call->attrs().GetFloat(field == 'p' ? "alpha" : "beta", 0);
      made->text += LiteralText(static_cast<float>(value), type);
    } else if (field == 't') {
      made->text += LoopTypeName(type);
    } else if (field == 'w') {
      Append(&made->text, {StrCat(int{type.bits})});
    } else {
      made->text += CountText(type);
    }
  }

  // "#name(text)": the text expanded, then the macro of it. The place of the closing bracket.
  size_t AppendMacro(std::string_view formula, size_t at, Context& context, Piece* made) {
    const size_t open = formula.find('(', at);
    size_t close = open;
    for (int depth = 1; depth > 0;) {
      ++close;
      depth += formula[close] == '(' ? 1 : formula[close] == ')' ? -1 : 0;
    }
    Piece argument = Expand(formula.substr(open + 1, close - open - 1), context);
    argument.simple =
        formula.substr(open + 1, close - open - 1) == "$a" && context.operands[0].simple;
    Context inner{context.type, context.call, {std::move(argument)}};
    const Piece value = Expand(MacroFormula(formula.substr(at + 1, open - at - 1)), inner);
    made->parts += value.parts;
    const bool plain = IsCall(value.text);
    Append(&made->text, {plain ? "" : "(", value.text, plain ? "" : ")"});
    return close;
  }

  // --- members

  void WriteBinding(const Binding& binding) {
    const Call* call = binding.value->As<Call>();
    const types::TensorType* type = TensorTypeOf(binding.var);
    if (call == nullptr || type == nullptr) return Fail();
    const GroupFormula fold = ReductionFormula(*call);
    const GroupFormula formula = fold ? fold : ElementFormula(*call);
    if (!formula) return Fail();
    Context context{formula.type, call, {}};
    for (const Expr& arg : call->args()) context.operands.push_back(Operand(arg, formula));
    if (!ok_) return;
    if (fold) return WriteReduction(binding, formula, context);
    EnterPart(DimsOf(*type));
    if (!ok_) return;
    const Piece value = Expand(formula.text, context);
    Finish(binding, Rounded(value, *call, formula, type->dtype));
  }

  // The value of a member, or the result.
  void Finish(const Binding& binding, Piece value) {
    const types::TensorType& type = binding.var->type().tensor();
    KnownText& known = known_[binding.var.get()];
    const bool several = known.uses > 1;
    parts_ = std::max(parts_, value.parts);
    if (binding.var == function_.result()) return WriteResult(type, value);
    // What is over a part of the axes is not computed for each of the others.
    const bool widens = part_ != 0 && !value.simple && known.is_wide;
    const bool costly = several && known.is_folded && IsCostly(value.text);
    if (widens || costly)
      value = Keep(value, type.dtype);
    else if (several)
      value = Name(value, type.dtype);
    known.piece = std::move(value);
  }

  // In the element type of the result.
  static Piece Rounded(Piece value, const Call& call, const GroupFormula& formula, DType type) {
    const bool rounds = type.is_float() && type.bits == 16 && formula.type == kF32;
    if (!rounds && !call.Is(ops::Op::k_cast)) return value;
    return {Join({"cast(", LoopTypeName(type), ", ", value.text, ")"}), false, value.parts + 1};
  }

  // Axes of one element have a loop of their own.
  void WriteResult(const types::TensorType& type, const Piece& value) {
    result_ = TypeText(type.dtype, DimsOf(type));
    DimTexts index;
    const bool keeps = type.dims.size() == space_.size();
    for (size_t i = 0; i < space_.size(); ++i) {
      const bool single = (part_ >> i & 1) != 0;
      if (!single || keeps) index.push_back(single ? Join({"j", StrCat(i)}) : axes_[i]);
    }
    Append(&computes_, {"  compute y", Bracketed(index), " = ", value.text, "\n"});
    if (axes_.empty() || (part_ >> (axes_.size() - 1) & 1) != 0) return;
    Vectorize("y", part_);
  }

  // The innermost loop runs over all elements that lie beside each other, in every parameter alike:
  // the last axis, and those before it that can be one with it. inside: axes whose loops are in
  // another place than those of the others.
  void Vectorize(std::string_view tensor, uint32_t inside) {
    size_t first = axes_.size() - 1;
    const auto joins = [&](size_t i) {
      const bool same_loop = (inside >> i & 1) == (inside >> (i - 1) & 1);
      return same_loop && (apart_ >> i & 1) == 0;
    };
    while (first > 0 && joins(first)) --first;
    std::string axis = axes_[first];
    for (size_t i = first + 1; i < axes_.size(); ++i) {
      Append(&schedule_, {"    fuse(", tensor, ", ", axis, ", ", axes_[i], ")\n"});
      axis = Join({axis, ".", axes_[i], ".fused"});
    }
    Append(&schedule_, {"    vectorize(", tensor, ", ", axis, ", scalable = true)\n"});
  }

  // --- reductions

  // The product of the extents that are reduced, as a number of the type.
  std::string CountText(DType type) const {
    const DimTexts extents = Outside(~mask_, space_);
    if (extents.size() == 1 && IsNumber(extents[0])) return Join({extents[0], ".0"});
    return Join({"cast(", LoopTypeName(type), ", ", StrJoin(extents, " * "), ")"});
  }

  // A fold of few elements would leave most of a vector unused and fold it for every result, so
  // that vectors run along the axis before, as many results at once.
  void VectorizeFold(std::string_view tensor) {
    const size_t last = axes_.size() - 1;
    const bool few =
        IsNumber(space_[last]) && ParseInt64(space_[last]).value_or(INT64_MAX) <= kFewFolded;
    if (!few || last == 0 || mask_ != uint32_t{1} << last) return Vectorize(tensor, mask_);
    Append(&schedule_, {"    unroll(", tensor, ", ", axes_[last], ")\n"});
    Append(&schedule_, {"    vectorize(", tensor, ", ", axes_[last - 1], ", scalable = true)\n"});
  }

  void WriteReduction(const Binding& binding, const GroupFormula& formula, Context& context) {
    const Call& call = *context.call;
    const Result<ops::ReduceAttrs> attrs = ops::ReduceAttrs::From(call.attrs(), call.op().name);
    const types::TensorType& type = binding.var->type().tensor();
    const int rank = static_cast<int>(space_.size());
    const bool is_last = binding.var == function_.result();
    if (!attrs.ok() || rank == 0 || (!is_last && !attrs->keep_dims) ||
        DimsOf(*TensorTypeOf(call.args()[0])) != space_ ||
        !ops::ReducedAxes(attrs->axes, attrs->noop_if_empty, rank, &mask_).ok() || mask_ == 0)
      return Fail();
    // What follows a fold reads it along some axes only.
    for (size_t i = 1; folds_before_end_ && i < space_.size(); ++i) {
      if ((mask_ >> i & 1) != (mask_ >> (i - 1) & 1)) apart_ |= uint32_t{1} << i;
    }
    part_ = 0;
    const Piece element = Expand(formula.text, context);
    parts_ = std::max(parts_, element.parts);
    std::string fold = Join({formula.fold, "("});
    for (size_t i = 0; i < space_.size(); ++i) {
      if ((mask_ >> i & 1) != 0) Append(&fold, {axes_[i], " < ", space_[i], ", "});
    }
    Append(&fold, {element.text, ")"});
    part_ = mask_;
    const bool plain = formula.result.empty() && type.dtype == formula.type;
    if (plain && is_last) {
      WriteResult(type, {fold});
      if ((part_ >> (axes_.size() - 1) & 1) != 0) VectorizeFold("y");
      return;
    }
    const Piece folded = Declare('s', fold, formula.type, 1);
    VectorizeFold(names_.back());
    Context inner{context.type, context.call, {folded}};
    Piece value = plain ? folded : Expand(formula.result.empty() ? "$a" : formula.result, inner);
    Finish(binding, Rounded(std::move(value), call, formula, type.dtype));
  }

  std::string Assemble() const {
    std::string text = Join({"te ", name_});
    if (!sizes_.empty()) Append(&text, {"<", StrJoin(sizes_, ", "), ">"});
    Append(&text, {"(", StrJoin(parameters_, ", "), ") -> (y: ", result_,
                   relaxed_ ? ") relaxed {\n" : ") {\n", computes_});
    if (!schedule_.empty()) Append(&text, {"  schedule {\n", schedule_, "  }\n"});
    return text + "}";
  }

  std::string_view name_;
  const Function& function_;
  bool relaxed_;
  bool ok_ = true;
  // Of axes that some parameter has without the axis before, or the other way round.
  uint32_t apart_ = 0;
  uint32_t mask_ = 0;  // of the axes that the reduction at hand reduces
  uint32_t part_ = 0;  // of the axes that the value at hand is not over
  bool folds_before_end_ = false;
  std::vector<std::string> names_;  // of tensors between parameters and result
  DimTexts space_, axes_;
  std::vector<std::string> sizes_, parameters_;
  std::string result_, computes_, schedule_;
  std::unordered_map<const Node*, KnownText> known_;
  int named_ = 0;
  int64_t parts_ = 0;
};

// What the loop language takes as a name.
bool IsLoopName(std::string_view name) {
  for (char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (c < '0' || c > '9') && c != '.') return false;
  }
  return !name.empty() && name[0] != '.' && (name[0] < '0' || name[0] > '9');
}

}  // namespace

// Words of the language, and what the text calls its own: letters with digits, and y.
bool IsSizeName(std::string_view name) {
  constexpr std::string_view kWords =
      " abs sqrt floor ceil trunc round mad rsqrt exp log tanh erf sigmoid sin cos "
      "tan asin acos atan sinh cosh asinh acosh atanh min max sum prod and or "
      "select cast reinterpret ramp broadcast whilelt vscale true false bool inf nan s y ";
  if (!IsLoopName(name) || name.find('.') != std::string_view::npos) return false;
  const bool has_digits = name.find_first_of("0123456789") != std::string_view::npos;
  if (has_digits) return name.find('_') != std::string_view::npos && !name.starts_with("reduce_");
  return !name.starts_with("reduce_") && kWords.find(Join({" ", name, " "})) == std::string::npos;
}

std::string LoopText(std::string_view name, const Function& function, bool relaxed) {
  if (!IsLoopName(name)) return "";
  const FunctionPtr steps = ExpandComposites(FunctionPtr(&function));
  return TextWriter(name, *steps, relaxed).Run();
}

Module LowerGroups(const Module& module, const PassContext& context) {
  Module result = module;
  for (const Module::Item& item : module.items()) {
    if (item.is_primitive && item.loop_text.empty())
      result.SetLoopText(item.name, LoopText(item.name, *item.function, context.relaxed_math));
  }
  return result;
}

}  // namespace tern::ir
