// SPDX-License-Identifier: Apache-2.0
#include "core/loop/text/printer.h"

#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "core/base/strings.h"
#include "core/loop/words.h"

namespace tern::loop {
namespace {

// Binds tighter than every binary operator of binary_ops.def.
constexpr int kUnaryPrecedence = 11;

// Gives names that no two variables or buffers in scope share, though programs share hints freely.
class Names {
 public:
  std::string_view Of(const void* node, std::string_view hint) {
    const auto found = names_.find(node);
    if (found != names_.end()) return found->second;
    std::string name;
    // Hints come from models and programs in C++, where a name may be anything.
    for (char c : hint) name += IsNameChar(c) ? c : '_';
    if (name.empty() || (name[0] >= '0' && name[0] <= '9') || name[0] == '.') name = "v" + name;
    if (IsReservedName(name)) name += '_';
    const std::string base = name;
    for (int next = 1; !used_.insert(name).second; ++next) name = StrCat(base, "_", next);
    return names_.emplace(node, std::move(name)).first->second;
  }
  // At the end of its scope, so that the next loop may be called i again.
  void Forget(const void* node) {
    const auto found = names_.find(node);
    if (found == names_.end()) return;
    used_.erase(found->second);
    names_.erase(found);
  }

 private:
  static bool IsNameChar(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.';
  }
  std::unordered_map<const void*, std::string> names_;
  std::unordered_set<std::string> used_;
};

// Always with a point, an exponent or a word, so that it is not read as an integer.
std::string FloatText(DType element, double value) {
  std::string text = element == kF64 ? FormatDouble(value) : FormatFloat(static_cast<float>(value));
  // It is read as a double first, so the short text must not be rounded twice.
  const bool is_short = element == kF32 && value - value == 0;
  if (is_short && static_cast<double>(static_cast<float>(ParseDouble(text).value_or(0))) != value)
    text = FormatDouble(value);
  const bool plain = text.find_first_of(".einf") == std::string::npos;
  return plain ? text + ".0" : text;
}

// Literals whose type another operand or a declaration tells are printed without one.
bool IsLiteral(const Expr& expr) {
  return expr->kind == ExprKind::kIntImm || expr->kind == ExprKind::kFloatImm;
}

// Prints the nodes of one program into `out`. Makes no checks: what is printed is well-formed.
class Printer {
 public:
  explicit Printer(PrintForm form) : form_(form) {}
  std::string out;

  // outer is the precedence of the operator around; a weaker one inside needs parentheses.
  void PrintExpr(const Expr& expr, int outer = 0) {
    switch (expr->kind) {
      case ExprKind::kIntImm:
      case ExprKind::kFloatImm: return PrintLiteral(expr, /*bare=*/false);
      case ExprKind::kVar: return Put(NameOf(*expr->As<Var>()));
      case ExprKind::kVScale: return Put("vscale");
      case ExprKind::kBinary: return PrintBinary(*expr->As<Binary>(), outer);
      // Its operand is printed as that of the tightest operator, because ! binds before all of
      // them.
      case ExprKind::kNot: Put("!"); return PrintExpr(expr->As<Not>()->value, kUnaryPrecedence);
      case ExprKind::kSelect: return PrintSelect(*expr->As<Select>());
      case ExprKind::kCast: return PrintCall("cast", expr->type.element(), expr->As<Cast>()->value);
      case ExprKind::kReinterpret:
        return PrintCall("reinterpret", expr->type.element(), expr->As<Reinterpret>()->value);
      case ExprKind::kLoad: return PrintLoad(*expr->As<Load>());
      case ExprKind::kRamp:
        return PrintLanes("ramp", {expr->As<Ramp>()->base, expr->As<Ramp>()->stride}, expr->type);
      case ExprKind::kBroadcast:
        return PrintLanes("broadcast", {expr->As<Broadcast>()->value}, expr->type);
      case ExprKind::kCall:
        return PrintList(InfoOf(expr->As<Call>()->intrinsic).text, expr->As<Call>()->args);
      case ExprKind::kLaneMask:
        return PrintLanes("whilelt", {expr->As<LaneMask>()->base, expr->As<LaneMask>()->bound},
                          expr->type);
      case ExprKind::kVectorReduce:
        Put("reduce_", InfoOf(expr->As<VectorReduce>()->op).fold);
        return PrintList("", {&expr->As<VectorReduce>()->value, 1});
      case ExprKind::kReduction: return PrintReduction(*expr->As<Reduction>());
    }
    TERN_CHECK(false, "not an expression");
  }

  // Prints a statement with its line break, at the present depth of indentation.
  void PrintStmt(const Stmt& stmt) {
    switch (stmt->kind) {
      case StmtKind::kFor: return PrintFor(*stmt->As<For>());
      case StmtKind::kWhile: return PrintWhile(*stmt->As<While>());
      case StmtKind::kStore: return PrintStore(*stmt->As<Store>());
      case StmtKind::kIf: return PrintIf(*stmt->As<If>());
      case StmtKind::kBlock: return PrintBlock(*stmt->As<Block>());
      case StmtKind::kAllocate:
        Line("allocate ");
        PrintTensor(*stmt->As<Allocate>()->buffer, "");
        break;
      // With its type, so that a literal behind it needs none.
      case StmtKind::kLet: {
        const auto* let = stmt->As<Let>();
        Line(let->is_mutable ? "var " : "let ", NameOf(*let->var), ": ", TypeText(let->var->type),
             " = ");
        PrintTyped(let->value);
        break;
      }
      case StmtKind::kAssign:
        Line(NameOf(*stmt->As<Assign>()->var), " = ");
        PrintTyped(stmt->As<Assign>()->value);
        break;
    }
    Put("\n");
  }

  void PrintFunction(const LoopFunction& function) {
    Put("primfn ", function.name);
    PrintSizes(function.sizes);
    Put("(");
    std::string_view comma;
    for (const BufferPtr& buffer : function.buffers) {
      Put(comma);
      PrintTensor(*buffer, StrCat(AccessName(buffer->access), " "));
      comma = ", ";
    }
    PrintScalars(function.scalars, comma);
    Put(function.relaxed ? ") relaxed {\n" : ") {\n");
    PrintBody(function.body);
    Put("}\n");
  }

  // Inputs, outputs and tensors between them keep their names in the schedule's lines.
  void PrintDefinition(const te::Definition& te) {
    Put("te ", te.name);
    PrintSizes(te.sizes);
    Put("(");
    PrintTensors(te.inputs);
    PrintScalars(te.scalars, te.inputs.empty() ? "" : ", ");
    Put(") -> (");
    PrintTensors(te.outputs);
    Put(te.relaxed ? ") relaxed {\n" : ") {\n");
    for (const te::Compute& compute : te.computes) PrintCompute(compute);
    if (!te.schedule.empty()) {
      Put("  schedule {\n");
      // In their order, which is part of what they mean.
      for (const te::Directive& directive : te.schedule) Put("    ", ToText(directive), "\n");
      Put("  }\n");
    }
    Put("}\n");
  }

 private:
  // Appends to the line that is open.
  template <class... T>
  void Put(const T&... parts) {
    StrAppend(&out, parts...);
  }
  // Begins a line at the present depth of indentation.
  template <class... T>
  void Line(const T&... parts) {
    out.append(static_cast<size_t>(indent_) * 2, ' ');
    Put(parts...);
  }
  std::string_view NameOf(const Var& var) { return names_.Of(&var, var.name); }
  std::string_view NameOf(const Buffer& buffer) { return names_.Of(&buffer, buffer.name); }

  // The form that writes VL for the number of lanes of every scalable vector.
  bool seed_form() const { return form_ == PrintForm::kVL; }
  std::string LanesText(Lanes lanes) const {
    return seed_form() && lanes.scalable ? "VL" : lanes.ToString();
  }
  std::string TypeText(DataType type) const {
    if (!seed_form() || !type.is_scalable()) return type.ToString();
    return StrCat(ElementName(type.element()), "xVL");
  }

  // bare says that the type is clear from what stands beside it.
  void PrintLiteral(const Expr& expr, bool bare) {
    const IntImm* integer = expr->As<IntImm>();
    std::string text;
    if (integer == nullptr)
      text = FloatText(expr->type.element(), expr->As<FloatImm>()->value);
    else if (expr->type.is_bool())
      text = integer->value != 0 ? "true" : "false";
    else if (expr->type.is_signed())
      text = StrCat(integer->value);
    else
      text = StrCat(static_cast<uint64_t>(integer->value));
    const bool named = text.ends_with("inf") || text == "nan";  // not finite
    const bool plain =
        expr->type == kIndexType || expr->type == DataType(kF32) || expr->type.is_bool() || bare;
    if (plain && !named)
      Put(text);
    else
      Put(expr->type.ToString(), "(", text, ")");
  }

  // Where the type is known from the declaration on the left.
  void PrintTyped(const Expr& expr) {
    if (IsLiteral(expr))
      PrintLiteral(expr, /*bare=*/true);
    else
      PrintExpr(expr);
  }

  // A literal needs no type beside an operand that has one.
  void PrintOperand(const Expr& expr, const Expr& other, int outer) {
    if (IsLiteral(expr) && !IsLiteral(other))
      PrintLiteral(expr, /*bare=*/true);
    else
      PrintExpr(expr, outer);
  }

  // What the parser makes of -x: -0.0 - x, and 0 - x of integers.
  static bool IsNegation(const Binary& binary) {
    if (binary.op != BinaryOp::kSub || IsLiteral(binary.b)) return false;
    const FloatImm* zero = binary.a->As<FloatImm>();
    return zero != nullptr ? zero->value == 0 && std::signbit(zero->value) : IsInt(binary.a, 0);
  }

  void PrintBinary(const Binary& binary, int outer) {
    const BinaryInfo& info = InfoOf(binary.op);
    // Else -x would come back as 0 - x, and a text that is printed twice would change.
    if (IsNegation(binary)) {
      Put("-");
      return PrintExpr(binary.b, kUnaryPrecedence);
    }
    // min and max are written as calls, inside of which nothing needs parentheses.
    if (info.precedence == 0) {
      Put(info.text, "(");
      PrintOperand(binary.a, binary.b, 0);
      Put(", ");
      PrintOperand(binary.b, binary.a, 0);
      return Put(")");
    }
    if (seed_form() && IsVectorLength(binary)) return Put("VL");
    // The VL form has them around vectors also where precedence needs none, as the founding
    // document writes it.
    const bool parentheses = info.precedence < outer || (seed_form() && binary.type.is_scalable());
    if (parentheses) Put("(");
    PrintOperand(binary.a, binary.b, info.precedence);
    Put(" ", info.text, " ");
    // One more on the right: a - (b - c) keeps its parentheses, (a - b) - c needs none.
    PrintOperand(binary.b, binary.a, info.precedence + 1);
    if (parentheses) Put(")");
  }

  // vscale * lanes, which the VL form writes as VL.
  static bool IsVectorLength(const Binary& binary) {
    return binary.op == BinaryOp::kMul && binary.a->kind == ExprKind::kVScale &&
           AsInt(binary.b) != nullptr;
  }

  void PrintSelect(const Select& select) {
    Put("select(");
    PrintExpr(select.condition);
    Put(", ");
    PrintOperand(select.a, select.b, 0);
    Put(", ");
    PrintOperand(select.b, select.a, 0);
    Put(")");
  }

  void PrintCall(std::string_view name, DType element, const Expr& value) {
    Put(name, "(", ElementName(element), ", ");
    PrintExpr(value);
    Put(")");
  }

  void PrintList(std::string_view name, std::span<const Expr> args) {
    Put(name, "(");
    for (size_t i = 0; i < args.size(); ++i) {
      if (i > 0) Put(", ");
      PrintExpr(args[i]);
    }
    Put(")");
  }

  // The list's closing parenthesis is taken back, because the number of lanes follows.
  void PrintLanes(std::string_view name, std::span<const Expr> args, DataType type) {
    PrintList(name, args);
    out.pop_back();
    Put(", ", LanesText(type.lane_count()), ")");
  }
  void PrintLanes(std::string_view name, std::initializer_list<Expr> args, DataType type) {
    PrintLanes(name, std::span<const Expr>(args.begin(), args.size()), type);
  }

  // Also the left side of a store.
  void PrintElement(const Buffer& buffer, std::span<const Expr> indices, const Expr& predicate) {
    Put(NameOf(buffer), "[");
    for (size_t i = 0; i < indices.size(); ++i) {
      if (i > 0) Put(", ");
      PrintExpr(indices[i]);
    }
    if (predicate) {
      Put(" where ");
      PrintExpr(predicate);
    }
    Put("]");
  }

  // In the VL form a cast-like prefix says the type of a vector.
  void PrintLoad(const Load& load) {
    if (seed_form() && load.type.is_scalable()) Put("(", TypeText(load.type), "*)");
    PrintElement(*load.buffer, load.indices, load.predicate);
  }

  void PrintReduction(const Reduction& reduction) {
    Put(InfoOf(reduction.op).fold, "(");
    for (const ReduceAxis& axis : reduction.axes) {
      Put(NameOf(*axis.var), " < ");
      // The extent ends at a comma, but a comparison in it would be read as the axis' own.
      PrintExpr(axis.extent, InfoOf(BinaryOp::kLt).precedence + 1);
      Put(", ");
    }
    PrintExpr(reduction.value);
    Put(")");
  }

  void PrintBody(const Stmt& body) {
    ++indent_;
    PrintStmt(body);
    --indent_;
  }

  // Names end with their block.
  void PrintBlock(const Block& block) {
    for (const Stmt& stmt : block.stmts) PrintStmt(stmt);
    for (const Stmt& stmt : block.stmts) {
      if (const Let* let = stmt->As<Let>()) names_.Forget(let->var.get());
      if (const Allocate* local = stmt->As<Allocate>()) names_.Forget(local->buffer.get());
    }
  }

  // Traits of their default value are left out; the parser restores them.
  void PrintTraits(const For::Traits& traits) {
    if (traits.kind != ForKind::kSerial) Put(" ", ForKindName(traits.kind));
    if (traits.lanes != 0) Put("(", traits.lanes, ")");
    if (traits.interleave != 0) Put(" interleave(", traits.interleave, ")");
    if (traits.tail != LoopTail::kOfKind) Put(" ", LoopTailName(traits.tail));
    if (traits.role != LoopRole::kPlain) Put(" ", LoopRoleName(traits.role));
    Put(" {\n");
  }

  void PrintFor(const For& loop) {
    Line("for (", NameOf(*loop.var), ", ");
    PrintExpr(loop.range.min);
    Put(", ");
    PrintExpr(loop.range.extent);
    if (!IsInt(loop.range.step, 1)) {
      Put("; ", NameOf(*loop.var), seed_form() ? "+=" : " += ");
      PrintExpr(loop.range.step);
    }
    Put(")");
    PrintTraits(loop.traits);
    PrintBody(loop.body);
    Line("}\n");
    // Two loops behind each other may both be over i.
    names_.Forget(loop.var.get());
  }

  void PrintWhile(const While& loop) {
    Line("while (");
    PrintExpr(loop.condition);
    Put(")");
    PrintTraits({ForKind::kSerial, loop.role, 0});
    PrintBody(loop.body);
    Line("}\n");
  }

  void PrintStore(const Store& store) {
    Line();
    PrintElement(*store.buffer, store.indices, store.predicate);
    Put(" = ");
    PrintTyped(store.value);
    Put("\n");
  }

  void PrintIf(const If& branch) {
    Line("if (");
    PrintExpr(branch.condition);
    Put(") {\n");
    PrintBody(branch.then_body);
    if (branch.else_body) {
      Line("} else {\n");
      PrintBody(branch.else_body);
    }
    Line("}\n");
  }

  void PrintTensor(const Buffer& buffer, std::string_view access) {
    Put(NameOf(buffer), ": ", access, ElementName(buffer.dtype), "[");
    for (size_t i = 0; i < buffer.shape.size(); ++i) {
      if (i > 0) Put(", ");
      PrintExpr(buffer.shape[i]);
    }
    Put("]");
  }

  void PrintTensors(std::span<const BufferPtr> tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (i > 0) Put(", ");
      PrintTensor(*tensors[i], "");
    }
  }

  void PrintSizes(std::span<const VarPtr> sizes) {
    for (size_t i = 0; i < sizes.size(); ++i) Put(i == 0 ? "<" : ", ", NameOf(*sizes[i]));
    if (!sizes.empty()) Put(">");
  }

  void PrintScalars(std::span<const VarPtr> scalars, std::string_view comma) {
    for (const VarPtr& scalar : scalars) {
      Put(comma, NameOf(*scalar), ": ", scalar->type.ToString());
      comma = ", ";
    }
  }

  void PrintCompute(const te::Compute& compute) {
    Put("  compute ", NameOf(*compute.tensor), "[");
    for (size_t i = 0; i < compute.axes.size(); ++i)
      Put(i == 0 ? "" : ", ", NameOf(*compute.axes[i]));
    Put("]");
    // What a result is stands behind the arrow already.
    if (compute.tensor->access == Access::kWorkspace) {
      Put(": ", ElementName(compute.tensor->dtype), "[");
      for (size_t i = 0; i < compute.tensor->shape.size(); ++i) {
        if (i > 0) Put(", ");
        PrintExpr(compute.tensor->shape[i]);
      }
      Put("]");
    }
    Put(" = ");
    PrintTyped(compute.value);
    Put("\n");
    // Axes are in scope of one compute only.
    for (const VarPtr& axis : compute.axes) names_.Forget(axis.get());
    if (const Reduction* reduction = compute.value->As<Reduction>()) {
      for (const ReduceAxis& axis : reduction->axes) names_.Forget(axis.var.get());
    }
  }

  PrintForm form_;
  Names names_;
  int indent_ = 0;
};

}  // namespace

std::string ToText(const Expr& expr) {
  Printer printer(PrintForm::kExplicit);
  printer.PrintExpr(expr);
  return std::move(printer.out);
}

std::string ToText(const Stmt& stmt) {
  Printer printer(PrintForm::kExplicit);
  printer.PrintStmt(stmt);
  return std::move(printer.out);
}

std::string ToText(const LoopFunction& function, PrintForm form) {
  Printer printer(form);
  printer.PrintFunction(function);
  return std::move(printer.out);
}

std::string ToText(const Program& program, PrintForm form) {
  std::string out;
  for (const LoopFunction& function : program.functions)
    StrAppend(&out, out.empty() ? "" : "\n", ToText(function, form));
  return out;
}

std::string ToText(const te::Definition& definition) {
  Printer printer(PrintForm::kExplicit);
  printer.PrintDefinition(definition);
  return std::move(printer.out);
}

std::string ToText(const te::Directive& directive) {
  std::string out = StrCat(te::InfoOf(directive.primitive).text, "(", directive.tensor);
  for (const std::string& name : directive.names) StrAppend(&out, ", ", name);
  for (const Lanes& factor : directive.factors) StrAppend(&out, ", ", factor.ToString());
  if (directive.scalable) StrAppend(&out, ", scalable = true");
  if (directive.tail != LoopTail::kOfKind) {
    const bool predicated = directive.tail == LoopTail::kPredicated;
    StrAppend(&out, ", predicated = ", predicated ? "true" : "false");
  }
  if (directive.interleave != 0) StrAppend(&out, ", interleave = ", directive.interleave);
  return out + ")";
}

std::string ToText(const SourceFile& file) {
  std::string out;
  for (const te::Definition& definition : file.definitions)
    StrAppend(&out, out.empty() ? "" : "\n", ToText(definition));
  const std::string loops = ToText(file.program);
  return StrCat(out, out.empty() || loops.empty() ? "" : "\n", loops);
}

}  // namespace tern::loop
