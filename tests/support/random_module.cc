// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_module.h"

#include <optional>
#include <vector>

#include "core/base/check.h"
#include "core/base/strings.h"
#include "core/ir/builder.h"

namespace tern::support {

namespace {

using ir::Expr;
using ir::ScalarOp;
using types::Type;
using types::TypeKind;

class Generator {
 public:
  explicit Generator(uint32_t seed) : state_(seed * 2654435761u + 12345u) {}

  ir::Module Run() {
    tree_ = std::make_shared<const types::DataType>(
        *types::DataType::Parse("type Tree { Leaf, One(int), Node(int, Tree, Tree) }"));
    module_.AddDataType(tree_);
    const int functions = static_cast<int>(Below(4));
    for (int i = 0; i < functions; ++i) DeclareFunction(i);
    for (const Signature& signature : signatures_) MakeFunction(signature);
    MakeMain();
    return std::move(module_);
  }

 private:
  struct Signature {
    std::string name;
    std::vector<Type> parameters;  // the first is the fuel
    Type result;
  };

  uint32_t Below(uint32_t limit) {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 8) % limit;
  }
  bool Chance(uint32_t percent) { return Below(100) < percent; }

  Type Tree() const { return Type::Data("Tree", {}); }
  static Type Vector() { return *Type::Parse("f32[n]"); }
  static Type IntFunction() { return Type::Function({Type::Int()}, Type::Int()); }
  Type AnyType() {
    switch (Below(8)) {
      case 0:
      case 1: return Type::Int();
      case 2: return Type::Float();
      case 3: return Type::Bool();
      case 4: return Vector();
      case 5: return Tree();
      case 6: return IntFunction();
      default: return Type::Tuple({Type::Int(), Chance(50) ? Vector() : Tree()});
    }
  }

  // --- functions

  void DeclareFunction(int index) {
    Signature signature{StrCat("f", index), {Type::Int()}, AnyType()};
    for (uint32_t i = Below(3); i > 0; --i) signature.parameters.push_back(AnyType());
    // Every function has the vector, so that n means the same everywhere.
    signature.parameters.push_back(Vector());
    signatures_.push_back(std::move(signature));
  }

  void MakeFunction(const Signature& signature) {
    Begin();
    std::vector<Expr> parameters;
    for (const Type& type : signature.parameters) {
      parameters.push_back(builder_->AddParameter("p", type));
      scope_.push_back(parameters.back());
    }
    fuel_ = parameters[0];
    Expr result = Guarded(signature.result);
    module_.Set(signature.name, builder_->Finish(result, {}));
    if (Chance(50)) module_.SetPrivate(signature.name, true);
  }

  // "if fuel > 0 { what may call } else { what may not }".
  Expr Guarded(const Type& type) {
    const Expr enough = builder_->EmitScalar(ScalarOp::kGt, {fuel_, Int(0)});
    calls_ = 2;
    const ir::LetPtr then_block = Block(type, 3);
    calls_ = 0;
    const ir::LetPtr else_block = Block(type, 1);
    return builder_->BindAs(ir::MakeIf(enough, then_block, else_block), type);
  }

  void MakeMain() {
    Begin();
    scope_.push_back(builder_->AddParameter("a", Type::Int()));
    scope_.push_back(builder_->AddParameter("b", Type::Float()));
    scope_.push_back(builder_->AddParameter("x", Vector()));
    fuel_ = ir::MakeConstant(Any(int64_t{4}));
    calls_ = 4;
    heap_ = Effect("vm.builtin.alloc_shape_heap", {Int(4)}, Type::Variable("heap"));
    std::vector<Expr> results;
    for (const Type& type : {Type::Int(), Type::Float(), Type::Bool(), Tree(), Vector(),
                             Type::Tuple({Type::Int(), Vector()})}) {
      results.push_back(Make(type, 4));
      if (Chance(40)) Statement();
    }
    for (int64_t i = 0; i < 4; ++i)
      results.push_back(Effect("vm.builtin.load_dim", {heap_, Int(i)}, Type::Int()));
    module_.Set("main", builder_->Finish(ir::MakeTuple(std::move(results)), {}));
  }

  void Begin() {
    diagnostics_.emplace();
    builder_.emplace(&*diagnostics_);
    scope_.clear();
    heap_ = nullptr;
  }

  // --- values

  static Expr Int(int64_t value) { return ir::MakeConstant(Any(value)); }
  Expr Effect(std::string name, std::vector<Expr> args, const Type& type) {
    return builder_->BindAs(
        ir::MakeInvoke(ir::MakePrimitive(std::move(name), true), std::move(args)), type);
  }

  void Statement() {
    if (!heap_) return;
    Effect("vm.builtin.store_dim", {heap_, Int(Below(4)), Make(Type::Int(), 1)}, Type::None());
  }

  Expr FromScope(const Type& type) {
    std::vector<Expr> fitting;
    for (const Expr& expr : scope_) {
      if (TypeOf(expr) == type) fitting.push_back(expr);
    }
    return fitting.empty() ? nullptr : fitting[Below(static_cast<uint32_t>(fitting.size()))];
  }

  // An atom of that type. What is bound on the way may be used again.
  Expr Make(const Type& type, int depth) {
    if (Chance(depth <= 0 ? 70 : 20)) {
      if (Expr known = FromScope(type)) return known;
    }
    Expr made = depth <= 0 ? Leaf(type) : Branch(type, depth - 1);
    if (made->As<ir::Var>() != nullptr) scope_.push_back(made);
    return made;
  }

  Expr Leaf(const Type& type) {
    switch (type.kind()) {
      case TypeKind::kInt: return Int(static_cast<int64_t>(Below(20)) - 5);
      case TypeKind::kFloat: return ir::MakeConstant(Any(static_cast<double>(Below(16)) / 4 - 1));
      case TypeKind::kBool: return ir::MakeConstant(Any(Chance(50)));
      case TypeKind::kTensor: return FromScope(Vector());
      case TypeKind::kData:
        if (Chance(40)) return builder_->BindAs(ir::MakeConstruct(tree_, 0, {}), type);
        return builder_->BindAs(ir::MakeConstruct(tree_, 1, {Make(Type::Int(), 0)}), type);
      case TypeKind::kTuple: {
        std::vector<Expr> fields;
        for (const Type& element : type.elements()) fields.push_back(Make(element, 0));
        return builder_->Bind(ir::MakeTuple(std::move(fields)));
      }
      default: return Lambda(0);
    }
  }

  Expr Branch(const Type& type, int depth) {
    switch (Below(10)) {
      case 0: return Choice(type, depth);
      case 1: return Cases(type, depth);
      case 2:
        if (Expr called = CallFunction(type, depth)) return called;
        break;
      case 3:
        if (Expr taken = FieldOf(type, depth)) return taken;
        break;
      case 4:
        if (Chance(30)) return LocalRecursion(type, depth);
        break;
      case 5:
        if (Chance(50)) {
          Expr value = Make(type, depth);
          return builder_->BindAs(
              ir::MakeInvoke(ir::MakePrimitive("vm.builtin.move"), {std::move(value)}), type);
        }
        if (Chance(30)) Statement();
        break;
      default: break;
    }
    return Compute(type, depth);
  }

  Expr Compute(const Type& type, int depth) {
    switch (type.kind()) {
      case TypeKind::kInt: return ComputeInt(depth);
      case TypeKind::kFloat: {
        if (Chance(25)) return builder_->EmitScalar(ScalarOp::kToFloat, {Make(Type::Int(), depth)});
        constexpr ScalarOp kOps[] = {ScalarOp::kAdd, ScalarOp::kSub, ScalarOp::kMul};
        return Binary(kOps[Below(3)], type, depth);
      }
      case TypeKind::kBool: return ComputeBool(depth);
      case TypeKind::kTensor: return ComputeVector(depth);
      case TypeKind::kData: {
        Expr value = Make(Type::Int(), depth), left = Make(type, depth), right = Make(type, depth);
        return builder_->BindAs(ir::MakeConstruct(tree_, 2, {value, left, right}), type);
      }
      case TypeKind::kFunction: return Lambda(depth);
      default: return Leaf(type);
    }
  }

  Expr Binary(ScalarOp op, const Type& type, int depth) {
    Expr a = Make(type, depth), b = Make(type, depth);
    return builder_->EmitScalar(op, {std::move(a), std::move(b)});
  }

  Expr ComputeInt(int depth) {
    switch (Below(6)) {
      case 0: {
        Expr divided = Make(Type::Int(), depth);
        const ScalarOp op = Chance(50) ? ScalarOp::kDiv : ScalarOp::kMod;
        const int64_t divisor = Chance(20) ? int64_t{-1} : int64_t{1} + Below(5);
        return builder_->EmitScalar(op, {divided, Int(divisor)});
      }
      case 1: {
        Expr closure = Make(IntFunction(), depth);
        return builder_->EmitInvoke(closure, IntFunction(), {Make(Type::Int(), depth)});
      }
      case 2: return builder_->EmitScalar(ScalarOp::kToInt, {Make(Type::Bool(), depth)});
      default: {
        constexpr ScalarOp kOps[] = {ScalarOp::kAdd, ScalarOp::kSub, ScalarOp::kMul, ScalarOp::kAnd,
                                     ScalarOp::kOr};
        return Binary(kOps[Below(5)], Type::Int(), depth);
      }
    }
  }

  Expr ComputeBool(int depth) {
    constexpr ScalarOp kOrder[] = {ScalarOp::kLt, ScalarOp::kLe, ScalarOp::kGt,
                                   ScalarOp::kGe, ScalarOp::kEq, ScalarOp::kNe};
    constexpr ScalarOp kLogic[] = {ScalarOp::kAnd, ScalarOp::kOr, ScalarOp::kNe};
    switch (Below(4)) {
      case 0: return Binary(kLogic[Below(3)], Type::Bool(), depth);
      case 1: return builder_->EmitScalar(ScalarOp::kNot, {Make(Type::Bool(), depth)});
      case 2: return Binary(kOrder[Below(6)], Type::Float(), depth);
      default: return Binary(kOrder[Below(6)], Type::Int(), depth);
    }
  }

  Expr ComputeVector(int depth) {
    constexpr std::string_view kUnary[] = {"neg", "abs", "relu", "sigmoid", "tanh"};
    constexpr std::string_view kBinary[] = {"add", "sub", "mul", "max", "min"};
    Expr x = Make(Vector(), depth);
    if (Chance(20)) return Quantized(x, depth);
    if (Chance(40)) return builder_->Emit(kUnary[Below(5)], {x});
    const bool constant = Chance(30);
    Expr y = constant ? ir::MakeFloat(static_cast<float>(Below(5)) / 2) : Make(Vector(), depth);
    return builder_->Emit(kBinary[Below(5)], {x, y});
  }

  // Numbers that 8 bits hold, and what is done to each, in 8 bits again.
  Expr Quantized(const Expr& x, int depth) {
    constexpr std::string_view kUnary[] = {"sigmoid", "abs", "relu", "identity"};
    const Expr rounded = Rounded(x);
    if (Chance(50)) return Rounded(builder_->Emit(kUnary[Below(4)], {rounded}));
    const Expr other = Make(Vector(), depth);
    const Expr y =
        builder_->Emit(Chance(50) ? "add" : "mul", {rounded, Chance(50) ? Rounded(other) : other});
    return Rounded(Chance(30) ? builder_->Emit("relu", {y}) : y);
  }

  Expr Rounded(const Expr& x) {
    constexpr float kScales[] = {0.5f, 0.1f, 0.03f};
    const Expr scale = ir::MakeFloat(kScales[Below(3)]);
    const uint8_t zero = static_cast<uint8_t>(Below(100));
    const Expr zero_point = ir::MakeConstant(
        Chance(50) ? Any(*Tensor::FromValues<uint8_t>({zero}, {}))
                   : Any(*Tensor::FromValues<int8_t>({static_cast<int8_t>(zero)}, {})));
    const Expr bytes = builder_->Emit("quantize_linear", {x, scale, zero_point});
    return builder_->Emit("dequantize_linear", {bytes, scale, zero_point});
  }

  // --- blocks

  template <class F>
  ir::LetPtr InBlock(const F& body) {
    const size_t outside = scope_.size();
    builder_->BeginBlock();
    Expr result = body();
    scope_.resize(outside);
    return builder_->EndBlock(std::move(result));
  }

  ir::LetPtr Block(const Type& type, int depth) {
    return InBlock([&] {
      if (Chance(15)) Statement();
      // A tuple may be a block's result as it is.
      if (type.is_tuple() && Chance(30)) {
        std::vector<Expr> fields;
        for (const Type& element : type.elements()) fields.push_back(Make(element, depth));
        return ir::MakeTuple(std::move(fields));
      }
      return Make(type, depth);
    });
  }

  Expr Choice(const Type& type, int depth) {
    const Expr condition = Make(Chance(70) ? Type::Bool() : Type::Int(), depth);
    const ir::LetPtr then_block = Block(type, depth);
    const ir::LetPtr else_block = Block(type, depth);
    return builder_->BindAs(ir::MakeIf(condition, then_block, else_block), type);
  }

  Expr Cases(const Type& type, int depth) {
    const Expr subject = Make(Tree(), depth);
    std::vector<ir::SwitchCase> cases;
    const bool otherwise = Chance(40);
    const int skipped = static_cast<int>(Below(3));
    for (int i = 2; i >= 0; --i) {
      if (otherwise && i == skipped) continue;
      ir::SwitchCase option{i, {}, nullptr};
      const size_t outside = scope_.size();
      for (const Type& field : tree_->constructors[static_cast<size_t>(i)].fields) {
        option.fields.push_back(Chance(25) ? nullptr : ir::MakeVar("h", field));
        if (option.fields.back()) scope_.push_back(option.fields.back());
      }
      option.block = Block(type, depth);
      scope_.resize(outside);
      cases.push_back(std::move(option));
    }
    ir::LetPtr fallback;
    if (otherwise) fallback = Block(type, depth);
    return builder_->BindAs(ir::MakeSwitch(tree_, subject, std::move(cases), fallback), type);
  }

  Expr CallFunction(const Type& type, int depth) {
    for (const Signature& signature : signatures_) {
      if (!(signature.result == type) || calls_ <= 0 || Chance(20)) continue;
      --calls_;
      std::vector<Expr> args{builder_->EmitScalar(ScalarOp::kSub, {fuel_, Int(1)})};
      for (size_t i = 1; i < signature.parameters.size(); ++i)
        args.push_back(Make(signature.parameters[i], depth - 1));
      return builder_->BindAs(ir::MakeInvoke(ir::MakeGlobal(signature.name), std::move(args)),
                              type);
    }
    return nullptr;
  }

  Expr FieldOf(const Type& type, int depth) {
    if (!(type == Type::Int()) && !(type == Vector())) return nullptr;
    const Expr tuple = Make(Type::Tuple({Type::Int(), Vector()}), depth);
    return builder_->Field(tuple, type == Type::Int() ? 0 : 1);
  }

  // |x| body, over whatever is in scope. No calls inside: it may be called often.
  Expr Lambda(int depth) {
    const int calls = std::exchange(calls_, 0);
    const ir::VarPtr parameter = ir::MakeVar("x", Type::Int());
    const size_t outside = scope_.size();
    scope_.push_back(parameter);
    builder_->BeginLambda({parameter});
    Expr result = Make(Type::Int(), depth < 2 ? depth : 2);
    ir::FunctionPtr lambda = builder_->EndLambda(std::move(result));
    scope_.resize(outside);
    calls_ = calls;
    return builder_->BindAs(std::move(lambda), IntFunction());
  }

  // Two local functions that call each other down to zero, used directly and, now and then, as a
  // value.
  Expr LocalRecursion(const Type& type, int depth) {
    const Type local = Type::Function({Type::Int(), type}, type);
    const ir::VarPtr names[] = {ir::MakeVar("even", local), ir::MakeVar("odd", local)};
    const int calls = std::exchange(calls_, 0);
    const size_t count = Chance(50) ? 2 : 1;
    for (size_t i = 0; i < count; ++i) {
      const ir::VarPtr n = ir::MakeVar("n", Type::Int()), sum = ir::MakeVar("sum", type);
      const size_t outside = scope_.size();
      scope_.push_back(n);
      scope_.push_back(sum);
      builder_->BeginLambda({n, sum});
      Expr result = RecursionStep(names[count - 1 - i], n, sum, type, depth);
      builder_->Adopt({names[i], builder_->EndLambda(std::move(result)), true});
      scope_.resize(outside);
    }
    calls_ = calls;
    Expr start = Make(type, depth - 1);
    Expr callee = names[0];
    if (Chance(30)) {
      const Expr tuple =
          builder_->BindAs(ir::MakeTuple({names[0], start}), Type::Tuple({local, type}));
      callee = builder_->BindAs(ir::MakeGetItem(tuple, 0), local);
    }
    return builder_->BindAs(ir::MakeInvoke(callee, {Int(1 + Below(4)), start}), type);
  }

  Expr RecursionStep(const ir::VarPtr& next, const Expr& n, const Expr& sum, const Type& type,
                     int depth) {
    const Expr enough = builder_->EmitScalar(ScalarOp::kGt, {n, Int(0)});
    const ir::LetPtr then_block = InBlock([&] {
      const Expr less = builder_->EmitScalar(ScalarOp::kSub, {n, Int(1)});
      Expr more = Make(type, depth < 1 ? depth : 1);
      return builder_->BindAs(ir::MakeInvoke(next, {less, std::move(more)}), type);
    });
    const ir::LetPtr else_block = InBlock([&] { return sum; });
    return builder_->BindAs(ir::MakeIf(enough, then_block, else_block), type);
  }

  uint32_t state_;
  ir::Module module_;
  ir::DataTypePtr tree_;
  std::vector<Signature> signatures_;
  std::optional<text::Diagnostics> diagnostics_;
  std::optional<ir::Builder> builder_;
  std::vector<Expr> scope_;
  Expr fuel_, heap_;
  int calls_ = 0;  // that may still be made
};

}  // namespace

ir::Module RandomModule(uint32_t seed) { return Generator(seed).Run(); }

}  // namespace tern::support
