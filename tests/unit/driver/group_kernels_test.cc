// SPDX-License-Identifier: Apache-2.0
// B21: the loop programs of fused groups mean what their operators do: every formula of
// core/fuse/formulas.def for every element type, and random groups. Integers and bools are equal,
// floats within a few units in the last place of the largest element; NaN and infinities agree.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <unordered_map>

#include "core/base/half.h"
#include "core/fuse/formulas.h"
#include "core/fuse/fuse_ops.h"
#include "core/fuse/lower_groups.h"
#include "core/fuse/passes.h"
#include "core/ir/builder.h"
#include "core/ir/codegen/vm_codegen.h"
#include "core/ir/text/parser.h"
#include "core/ir/text/printer.h"
#include "core/ir/verifier.h"
#include "core/kernels/bind/bind.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/run/interpreter.h"
#include "core/loop/text/parser.h"
#include "core/loop/text/printer.h"
#include "core/loop_kernels/bind.h"
#include "core/vm/vm.h"
#include "tests/support/rounds.h"

namespace tern::driver::group_kernels_test {
namespace {

using ir::Expr;

constexpr DType kTypes[] = {kF32, kF64, kF16, kBf16, kI8,  kI16, kI32,
                            kI64, kU8,  kU16, kU32,  kU64, kBool};
constexpr int64_t kRows = 3, kColumns = 40;
constexpr int64_t kAxes[] = {1};

// --- numbers

double ToDouble(const Tensor& tensor, int64_t i) {
  const char* at = static_cast<const char*>(tensor.data()) + i * tensor.dtype().size();
  const auto read = [at]<class T>(T value) {
    std::memcpy(&value, at, sizeof(T));
    return value;
  };
  const DType type = tensor.dtype();
  if (type == kF64) return read(0.0);
  if (type == kF32) return static_cast<double>(read(0.0f));
  if (type == kF16) return static_cast<double>(F16ToF32(read(uint16_t{})));
  if (type == kBf16) return static_cast<double>(Bf16ToF32(read(uint16_t{})));
  return 0;
}

void SetFloat(const Tensor& tensor, int64_t i, double value) {
  char* at = static_cast<char*>(tensor.data()) + i * tensor.dtype().size();
  const auto write = [at](auto number) { std::memcpy(at, &number, sizeof(number)); };
  const DType type = tensor.dtype();
  const float single = static_cast<float>(value);
  if (type == kF64) write(value);
  if (type == kF32) write(single);
  if (type == kF16) write(F32ToF16(single));
  if (type == kBf16) write(F32ToBf16(single));
}

// special: NaN, infinities and zeros of both signs; of integers the extremes.
TensorPtr MakeInput(DType type, tern::Dims dims, uint32_t seed, bool special) {
  const TensorPtr tensor = Tensor::New(type, dims).value();
  std::mt19937 random(seed);
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double specials[] = {0.0, -0.0, kInf, -kInf, std::nan(""), 1.0, -1.0, 30.0, -30.0, 1e-3};
  for (int64_t i = 0; i < tensor->element_count(); ++i) {
    const uint64_t bits = random() | static_cast<uint64_t>(random()) << 32;
    char* at = static_cast<char*>(tensor->data()) + i * type.size();
    if (type.is_bool()) {
      *at = static_cast<char>(bits & 1);
    } else if (type.is_int()) {
      // Small ones, and with `special` those that wrap.
      const uint64_t small = type.is_signed_int() ? bits % 19 - 9 : bits % 19;
      const bool wraps = special && bits >> 60 < 4;
      const uint64_t extreme =
          (bits >> 40 & 1) != 0 ? uint64_t{1} << (type.bits - 1) : ~uint64_t{0};
      const uint64_t value = wraps ? extreme : small;
      std::memcpy(at, &value, static_cast<size_t>(type.size()));
    } else {
      const bool odd = special && bits >> 60 < 5;
      const double plain = static_cast<double>(static_cast<int64_t>(bits % 1601) - 800) / 128;
      SetFloat(*tensor, i, odd ? specials[(bits >> 30) % std::size(specials)] : plain);
    }
  }
  return tensor;
}

// Units in the last place, of the type that is computed with.
double Tolerance(DType type) {
  if (type == kF64) return 1e-13;
  if (type == kF32) return 4e-6;
  return type == kF16 ? 2e-3 : 1.6e-2;
}

// slack: how many times the tolerance of one operator.
std::string Difference(const Tensor& got, const Tensor& expected, double slack) {
  if (got.TypeText() != expected.TypeText())
    return StrCat(got.TypeText(), " instead of ", expected.TypeText());
  const DType type = got.dtype();
  if (!type.is_float()) {
    const size_t size = static_cast<size_t>(type.size());
    for (size_t i = 0; i < got.byte_size() / size; ++i) {
      const char* a = static_cast<const char*>(got.data()) + i * size;
      const char* b = static_cast<const char*>(expected.data()) + i * size;
      if (std::memcmp(a, b, size) != 0) return StrCat("element ", i, " differs");
    }
    return "";
  }
  double largest = 0;
  for (int64_t i = 0; i < expected.element_count(); ++i) {
    const double value = std::fabs(ToDouble(expected, i));
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  for (int64_t i = 0; i < got.element_count(); ++i) {
    const double a = ToDouble(got, i), b = ToDouble(expected, i);
    const bool same = (std::isnan(a) && std::isnan(b)) || a == b ||
                      std::fabs(a - b) <= slack * Tolerance(type) * largest;
    if (!same) return StrCat("element ", i, ": ", a, " instead of ", b);
  }
  return "";
}

// --- two backends

// As a file holds it.
std::string TextOf(const ir::Module::Item& item) { return loop::ToText(*item.kernel); }

class Backends {
 public:
  Backends() { EXPECT_TRUE(kernels::RegisterOperators(&registry_).ok()); }

  Result<TensorPtr> Operators(const ir::Module& module, std::string_view name,
                              const std::vector<Any>& args) {
    TERN_TRY_ASSIGN(vm::ExecutablePtr executable, ir::GenerateCode(module));
    vm::LinkOptions link;
    link.registry = &registry_;
    TERN_TRY_ASSIGN(vm::ProgramPtr program, vm::Program::Link(std::move(executable), link));
    TERN_TRY_ASSIGN(const auto machine, vm::VirtualMachine::Create(std::move(program)));
    const std::vector<AnyView> views(args.begin(), args.end());
    TERN_TRY_ASSIGN(const Any result, machine->Call(name, views));
    return TensorPtr(result.TryCast<Tensor>());
  }

  // Whether the text may be compiled: it fits the function's signature, and stays in bounds.
  static Status Bind(const ir::Module& module, const ir::Module::Item& item) {
    TERN_TRY_ASSIGN(const vm::ExecutablePtr executable, ir::GenerateCode(module));
    const vm::FunctionInfo& function = *executable->FindFunction(item.name);
    TERN_TRY_ASSIGN(loop::BoundKernel kernel,
                    loop::BindKernel({item.name, TextOf(item), &function.signature}));
    return std::move(kernel.proof);
  }

  // The text in the reference interpreter. like: the result's type and shape.
  static Result<TensorPtr> Loops(const std::string& text, const std::vector<Any>& args,
                                 const Tensor& like, loop::Strategy strategy) {
    TERN_TRY_ASSIGN(const loop::SourceFile file, loop::ParseLoops("kernel", text));
    loop::LoweringOptions options;
    options.strategy = strategy;
    TERN_TRY_ASSIGN(const loop::Program program, loop::LowerFile(file, options));
    const loop::LoopFunction& function = program.functions[0];
    std::vector<int64_t> sizes;
    for (const loop::VarPtr& size : function.sizes) sizes.push_back(SizeOf(function, size, args));
    TERN_TRY_ASSIGN(const std::vector<int64_t> counts, loop::ElementCounts(function, sizes));
    std::vector<loop::BufferArgument> buffers;
    for (const Any& arg : args) {
      const Tensor& tensor = *arg.TryCast<Tensor>();
      buffers.push_back({tensor.data(), static_cast<int64_t>(tensor.byte_size())});
    }
    TERN_TRY_ASSIGN(TensorPtr result, Tensor::New(like.dtype(), like.dims()));
    buffers.push_back({result->data(), static_cast<int64_t>(result->byte_size())});
    std::vector<std::vector<char>> workspaces;
    for (size_t i = buffers.size(); i < counts.size(); ++i) {
      workspaces.emplace_back(static_cast<size_t>(counts[i] * 8));
      buffers.push_back({workspaces.back().data(), counts[i] * function.buffers[i]->dtype.size()});
    }
    TERN_TRY_ASSIGN(const loop::Interpreter interpreter, loop::Interpreter::Make(function));
    TERN_TRY(tern::internal::TakeStatus(interpreter.Run({buffers, sizes, {}}, {.vscale = 2})));
    return result;
  }

 private:
  // A dimension that stands alone says what a size is.
  static int64_t SizeOf(const loop::LoopFunction& function, const loop::VarPtr& size,
                        const std::vector<Any>& args) {
    for (size_t i = 0; i < args.size(); ++i) {
      const auto& shape = function.buffers[i]->shape;
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis].get() == static_cast<const loop::ExprNode*>(size.get()))
          return args[i].TryCast<Tensor>()->dim(static_cast<int>(axis));
      }
    }
    ADD_FAILURE() << "the size " << size->name << " is no dimension";
    return 0;
  }

  Registry registry_;
};

constexpr loop::Strategy kStrategies[] = {loop::Strategy::kScalar, loop::Strategy::kPredicated,
                                          loop::Strategy::kFixed};

// The function `name` of the module by its operators and by its loop text.
void Compare(Backends& backends, const ir::Module& module, const ir::Module::Item& item,
             const std::vector<Any>& args, double slack = 1) {
  SCOPED_TRACE(ir::ToText(module));
  const Result<TensorPtr> expected = backends.Operators(module, item.name, args);
  ASSERT_TRUE(expected.ok()) << expected.status().ToString();
  const Status bound = Backends::Bind(module, item);
  EXPECT_TRUE(bound.ok()) << bound.ToString();
  for (loop::Strategy strategy : kStrategies) {
    const Result<TensorPtr> got = Backends::Loops(TextOf(item), args, **expected, strategy);
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_EQ(Difference(**got, **expected, slack), "") << loop::StrategyName(strategy);
  }
}

// --- every formula

types::Type TypeOfDims(DType type, std::string_view dims) {
  return types::Type::Parse(StrCat(type.ToString(), "[", dims, "]")).value();
}

// What an operator of one line is called with; nothing where it does not take the type.
struct Case {
  const ops::OpInfo* op;
  DType type;
  bool divides;  // by a constant
};

// A module whose `f` is that one operator with a text; empty where there is none.
ir::Module OneOperator(const Case& c, std::vector<Any>* args) {
  text::Diagnostics diagnostics;
  ir::Builder builder(&diagnostics);
  const std::string name(c.op->name);
  const bool where = name == "where", binary = c.op->family == ops::Family::binary;
  std::vector<Expr> operands;
  const auto add = [&](DType type, std::string_view dims, tern::Dims extents) {
    operands.push_back(builder.AddParameter(StrCat("x", operands.size()), TypeOfDims(type, dims)));
    args->emplace_back(MakeInput(type, extents, static_cast<uint32_t>(operands.size()), true));
  };
  const int64_t whole[] = {kRows, kColumns}, row[] = {kColumns}, column[] = {kRows, 1};
  if (where) add(kBool, "n, 1", column);
  add(c.type, "n, 40", whole);
  if (binary && !c.divides) add(c.type, "40", row);
  if (c.divides) {
    const TensorPtr divisor = Tensor::New(c.type, tern::Dims()).value();
    const int64_t three = 3;
    std::memcpy(divisor->data(), &three, static_cast<size_t>(c.type.size()));
    operands.push_back(ir::MakeConstant(Any(divisor)));
  }
  Attrs attrs;
  fuse::Formulas formulas;
  const fuse::OperatorFormula bare =
      formulas.ElementFormula(*ir::MakeCall(*c.op, operands, {})->As<ir::Call>());
  const bool has_parameters =
      c.op->family == ops::Family::unary && bare &&
      bare.element->Evaluations(static_cast<size_t>(fuse::Field::kAlpha)) > 0;
  if (has_parameters) attrs.SetFloat32("alpha", 0.5f);
  if (has_parameters) attrs.SetFloat32("beta", 0.75f);
  if (c.op->family == ops::Family::reduce) attrs.SetInts("axes", kAxes);
  const Expr call = ir::MakeCall(*c.op, operands, attrs);
  if (!formulas.ElementFormula(*call->As<ir::Call>()) &&
      !formulas.ReductionFormula(*call->As<ir::Call>()))
    return {};
  const Expr result = builder.Emit(*c.op, operands, attrs);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.ToStatus().ToString();
  ir::Module module;
  module.Set("f", builder.Finish(result, {}));
  module.SetPrimitive("f", true);
  return fuse::LowerGroups(module, {});
}

TEST(GroupKernels, B21EveryFormulaAgreesWithItsOperator) {
  Backends backends;
  int compared = 0;
  for (const ops::OpInfo& op : ops::AllOps()) {
    if (op.family != ops::Family::unary && op.family != ops::Family::binary &&
        op.family != ops::Family::reduce)
      continue;
    const std::string name(op.name);
    if (name == "cast" || name == "clip" || name == "pow") continue;  // below
    for (DType type : kTypes) {
      SCOPED_TRACE(StrCat(name, " of ", type.ToString()));
      const bool divides = type.is_int() && (name == "div" || name == "mod" || name == "fmod");
      std::vector<Any> args;
      const ir::Module module = OneOperator({&op, type, divides}, &args);
      if (module.items().empty()) continue;
      ASSERT_NE(module.items()[0].kernel, nullptr) << ir::ToText(module);
      Compare(backends, module, module.items()[0], args);
      ++compared;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(compared, 250);
}

// --- single operators with constants

// One function `f` of the text form, its loop text written.
ir::Module Lowered(std::string_view text) {
  Result<ir::Module> module = ir::ParseModule("test", text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  return module.ok() ? fuse::LowerGroups(*module, {}) : ir::Module();
}

std::vector<Any> ArgumentsOf(const ir::Function& function, uint32_t seed, bool special) {
  std::vector<Any> args;
  std::unordered_map<std::string, int64_t> sizes;
  std::mt19937 random(seed);
  for (const ir::VarPtr& parameter : function.parameters()) {
    const types::TensorType& type = parameter->type().tensor();
    std::vector<int64_t> dims;
    for (const types::Dim& dim : type.dims) {
      if (dim.is_constant()) {
        dims.push_back(dim.constant());
      } else {
        const auto entry =
            sizes.emplace(dim.ToText(), static_cast<int64_t>(1 + random() % 7)).first;
        dims.push_back(entry->second);
      }
    }
    args.emplace_back(MakeInput(type.dtype, dims, static_cast<uint32_t>(random()), special));
  }
  return args;
}

TEST(GroupKernels, B21CastsBoundsAndPowers) {
  Backends backends;
  std::vector<std::string> bodies;
  for (DType from : kTypes) {
    for (DType to : kTypes) {
      bodies.push_back(StrCat("(%x: ", from.ToString(),
                              "[n, 40]) {\n  let %y = cast(%x) {to=", to.ToString(), "}"));
    }
  }
  for (std::string_view power : {"f32 2", "f32 3", "f32 -1", "f32 0.5", "i32 2", "i64 3"})
    bodies.push_back(StrCat("(%x: f32[n, 40]) {\n  let %y = pow(%x, ", power, ")"));
  bodies.emplace_back("(%x: i32[n, 40]) {\n  let %y = pow(%x, i32 3)");
  for (std::string_view type : {"f32", "f64", "i32", "u8"}) {
    bodies.push_back(
        StrCat("(%x: ", type, "[n, 40], %l: ", type, "[]) {\n  let %y = clip(%x, %l)"));
    bodies.push_back(StrCat("(%x: ", type, "[n, 40]) {\n  let %y = clip(%x, none, ", type, " 3)"));
    bodies.push_back(
        StrCat("(%x: ", type, "[n, 40]) {\n  let %y = clip(%x, ", type, " [1], ", type, " 3)"));
  }
  for (std::string_view sides : {"", "{negative=0}", "{positive=0}"})
    bodies.push_back(StrCat("(%x: f64[n, 40]) {\n  let %y = is_inf(%x) ", sides));
  for (const std::string& body : bodies) {
    const ir::Module module = Lowered(StrCat("primitive fn f", body, "\n  return %y\n}\n"));
    ASSERT_EQ(module.items().size(), 1u);
    const ir::Module::Item& item = module.items()[0];
    ASSERT_NE(item.kernel, nullptr) << ir::ToText(module);
    Compare(backends, module, item, ArgumentsOf(*item.function, 7, true));
    if (HasFailure()) return;
  }
}

// Whoever adds an operator says what it means to fusion.
TEST(GroupKernels, B21EveryOperatorHasAFormulaOrAReason) {
  std::set<std::string_view> known, excused;
#define TERN_FUSE_FORMULA(op, types, formula) known.insert(#op);
#define TERN_FUSE_FORMULA_IF(op, types, Condition, formula) known.insert(#op);
#define TERN_FUSE_REDUCTION(op, types, Fold, element, result) known.insert(#op);
#define TERN_FUSE_WITHOUT(op, reason) excused.insert(#op);
#include "core/fuse/formulas.def"
  for (const ops::OpInfo& op : ops::AllOps()) {
    const bool counts = op.family == ops::Family::unary || op.family == ops::Family::binary ||
                        op.family == ops::Family::reduce;
    if (counts) EXPECT_TRUE(known.contains(op.name) || excused.contains(op.name)) << op.name;
  }
  for (std::string_view name : excused) EXPECT_NE(ops::FindOp(name), nullptr) << name;
}

TEST(GroupKernels, B21WhatHasNoFormulaStaysPlain) {
  for (std::string_view body : {
           "(%x: f64[n, 40]) {\n  let %y = sin(%x)",
           "(%x: f32[n, 40]) {\n  let %y = cumsum(%x) {axis=1}",
           "(%x: f32[n, 40]) {\n  let %y = pow(%x, f32 2.5)",
           "(%x: f32[n, 40], %z: f32[40]) {\n  let %y = pow(%x, %z)",
           "(%x: f32[n, 40], %z: f32[40]) {\n  let %y = mod(%x, %z)",
           "(%x: i32[n, 40], %z: i32[40]) {\n  let %y = div(%x, %z)",
           "(%x: i32[n, 40]) {\n  let %y = div(%x, i32 0)",
           "(%x: f32[n, 8]) {\n  let %y = add(%x, f32 [1, 2, 3, 4, 5, 6, 7, 8])",
           "(%x: f32[n, 40], %z: f32[m, 40]) {\n  let %y = add(%x, %z)",
           "(%x: f32[2*n, 40]) {\n  let %y = exp(%x)",
           "(%x: f32[exp, 40]) {\n  let %y = exp(%x)",
           "(%x: f32[n, 40]) {\n  let %z = exp(%x)\n  let %y = softmax(%z)",
           "(%x: f32[n, 40]) {\n  let %z = reduce_max(%x) {axes=1 keep_dims=0}\n  let %y = exp(%z)",
       }) {
    Result<ir::Module> module =
        ir::ParseModule("test", StrCat("primitive fn f", body, "\n  return %y\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const ir::Module lowered = fuse::LowerGroups(*module, {});
    EXPECT_EQ(lowered.items()[0].kernel, nullptr) << ir::ToText(lowered);
  }
}

TEST(GroupKernels, PassesWithNothingToDoReturnTheSamePointer) {
  const Result<ir::Module> module =
      ir::ParseModule("test", "fn main(%x: f32[n, 40]) {\n  let %0 = exp(%x)\n  return %0\n}\n");
  ASSERT_TRUE(module.ok());
  for (const ir::PassInfo& pass : fuse::AllPasses())
    EXPECT_EQ(pass.function(*module, {}).Find("main"), module->Find("main")) << pass.name;
}

// --- normalizations

// The module of one `main` with its groups found.
ir::Module Fused(std::string_view text, bool relaxed = false) {
  Result<ir::Module> module = ir::ParseModule("test", StrCat("fn main", text, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  ir::PassContext context;
  context.relaxed_math = relaxed;
  return module.ok() ? fuse::FuseOps(*module, context) : ir::Module();
}

constexpr std::string_view kNormalizations[] = {
    "(%x: f32[n, 64], %r: f32[n, 64], %w: f32[64], %b: f32[64]) {\n  let %0 = add(%x, %r)\n"
    "  let %1 = layer_norm(%0, %w, %b)\n  let %2 = mul(%1, f32 0.5)\n  return %2\n",
    "(%x: f32[n, m], %w: f32[m]) {\n  let %0 = gelu(%x)\n  let %1 = layer_norm(%0, %w)\n"
    "  return %1\n",
    "(%x: f32[n, 64], %w: f32[64]) {\n  let %0 = rms_norm(%x, %w) {axis=-1 epsilon=0.001}\n"
    "  let %1 = silu(%0)\n  return %1\n",
    "(%x: f32[n, 5, 40], %w: f32[5, 40], %b: f32[5, 40]) {\n  let %0 = relu(%x)\n"
    "  let %1 = layer_norm(%0, %w, %b) {axis=1}\n  let %2 = add(%1, %x)\n  return %2\n",
    "(%x: f32[n, 64], %w: f32[64], %b: f32[64]) {\n  let %0 = layer_norm(%x, %w, %b)\n"
    "  let %1 = add(%0, %x)\n  let %2 = rms_norm(%1, %w)\n  return %2\n",
};

TEST(GroupKernels, B21NormalizationsJoinTheirNeighbours) {
  Backends backends;
  for (std::string_view text : kNormalizations) {
    const ir::Module fused = Fused(text);
    ASSERT_EQ(fused.items().size(), 2u) << ir::ToText(fused);
    const ir::Module::Item& item = fused.items()[1];
    // Operators run as they were; only the loop program knows steps.
    EXPECT_NE(ir::ToText(fused).find("_norm(%"), std::string::npos);
    EXPECT_NE(TextOf(item).find("sum("), std::string::npos) << TextOf(item);
    for (uint32_t seed = 1; seed <= 3; ++seed)
      Compare(backends, fused, item, ArgumentsOf(*item.function, seed, false), 20);
    if (HasFailure()) return;
  }
}

TEST(GroupKernels, B21NormalizationsThatStayCalls) {
  for (std::string_view text : {
           // alone; of other floats; with too few elements; over an axis of one element
           "(%x: f32[n, 64], %w: f32[64]) {\n  let %0 = layer_norm(%x, %w)\n  return %0\n",
           "(%x: f16[n, 64], %w: f16[64]) {\n  let %0 = exp(%x)\n  let %1 = layer_norm(%0, %w)\n"
           "  return %1\n",
           "(%x: f64[n, 64], %w: f64[64]) {\n  let %0 = exp(%x)\n  let %1 = rms_norm(%0, %w)\n"
           "  return %1\n",
           "(%x: f32[4, 64], %w: f32[64]) {\n  let %0 = exp(%x)\n  let %1 = layer_norm(%0, %w)\n"
           "  return %1\n",
           "(%x: f32[n, 1], %w: f32[1]) {\n  let %0 = exp(%x)\n  let %1 = layer_norm(%0, %w)\n"
           "  return %1\n",
           // read by others too, and what keeps a row in the cache better
           "(%x: f32[n, 64], %w: f32[64]) {\n  let %0 = layer_norm(%x, %w)\n  let %1 = exp(%0)\n"
           "  let %2 = matmul(%0, %1) {trans_b=1}\n  return %2\n",
           "(%x: f32[n, 64]) {\n  let %0 = exp(%x)\n  let %1 = softmax(%0)\n  return %1\n",
       }) {
    const ir::Module fused = Fused(text);
    EXPECT_EQ(fused.items().size(), 1u) << ir::ToText(fused);
  }
}

// Off unless asked for; the reference interpreter rounds each step in either case.
TEST(GroupKernels, B21RelaxedProgramsOnRequest) {
  Backends backends;
  constexpr std::string_view kText =
      "(%x: f32[n, 40], %y: f32[40]) {\n  let %0 = mul(%x, %y)\n  let %1 = add(%0, %x)\n"
      "  let %2 = exp(%1)\n  return %2\n";
  const ir::Module strict = Fused(kText), relaxed = Fused(kText, true);
  ASSERT_EQ(strict.items().size(), 2u);
  ASSERT_EQ(relaxed.items().size(), 2u);
  EXPECT_FALSE(strict.items()[1].kernel->relaxed);
  const ir::Module::Item& item = relaxed.items()[1];
  EXPECT_TRUE(item.kernel->relaxed) << TextOf(item);
  Compare(backends, relaxed, item, ArgumentsOf(*item.function, 1, false), 10);
  loop::LoweringOptions options;
  const Result<loop::SourceFile> file = loop::ParseLoops("kernel", TextOf(item));
  ASSERT_TRUE(file.ok());
  const Result<loop::Program> lowered = loop::LowerFile(*file, options);
  ASSERT_TRUE(lowered.ok());
  EXPECT_TRUE(lowered->functions[0].relaxed);
}

// --- random groups

// Programs whose values are equal on both backends until a transcendental function is met; behind
// it they may differ in the last places, so nothing follows that tells neighbours apart.
class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : random_(seed), builder_(&diagnostics_) {}

  ir::Module Make() {
    constexpr DType kKinds[] = {kF32, kF32, kF32, kF64, kF16, kI32, kI64, kU8};
    type_ = kKinds[Below(std::size(kKinds))];
    static constexpr std::string_view kSpaces[] = {
        "n", "n, 17", "n, m", "n, 8, 3", "2, n, 33", "n, 1, m", "n, 3, 4, 5", "2*n, (n+1)/2"};
    space_ = StrSplit(kSpaces[Below(std::size(kSpaces))], ',');
    values_.push_back({Input(true), true});
    const size_t steps = 2 + Below(8);
    for (size_t i = 0; i < steps; ++i) Step();
    Expr result = values_.back().expr;
    if (Below(3) == 0) result = Reduce(result);
    EXPECT_TRUE(diagnostics_.ok()) << diagnostics_.ToStatus().ToString();
    ir::Module module;
    module.Set("main", builder_.Finish(result, {}));
    return module;
  }
  bool reduces() const { return reduces_; }

 private:
  struct Value {
    Expr expr;
    bool exact;
  };

  size_t Below(size_t n) { return random_() % n; }

  // Of the whole shape, or with some axes left out or of extent 1.
  Expr Input(bool whole) {
    std::vector<std::string> dims;
    const size_t first = whole || Below(2) == 0 ? 0 : Below(space_.size() + 1);
    for (size_t i = first; i < space_.size(); ++i)
      dims.emplace_back(whole || Below(3) != 0 ? std::string(space_[i]) : "1");
    const types::Type type = TypeOfDims(type_, StrJoin(dims, ", "));
    return builder_.AddParameter(StrCat("x", inputs_++), type);
  }

  Expr Other() {
    if (Below(3) == 0 && values_.size() > 1 && values_[values_.size() - 2].exact)
      return values_[values_.size() - 2].expr;
    if (Below(3) == 0) return Number(static_cast<int>(1 + Below(5)));
    return Input(false);
  }

  Expr Number(int value) {
    const TensorPtr tensor = Tensor::New(type_, tern::Dims()).value();
    if (type_.is_float())
      SetFloat(*tensor, 0, value * 0.75);
    else
      std::memcpy(tensor->data(), &value, static_cast<size_t>(std::min<int64_t>(type_.size(), 4)));
    if (type_ == kI64) *tensor->data_as<int64_t>() = value;
    return ir::MakeConstant(Any(tensor));
  }

  Expr Emit(std::string_view op, std::vector<Expr> args, const Attrs& attrs = {}) {
    return builder_.Emit(op, std::move(args), attrs);
  }

  // x less its mean, over its norm, or like it: a reduction that the whole shape reads again.
  void Normalize(const Expr& x) {
    constexpr std::string_view kFolds[] = {"reduce_mean", "reduce_max", "reduce_l2", "reduce_sum"};
    Attrs attrs;
    const int64_t axes[] = {static_cast<int64_t>(Below(space_.size()))};
    attrs.SetInts("axes", axes);
    Expr folded = Emit(kFolds[Below(std::size(kFolds))], {x}, attrs);
    if (Below(2) == 0) folded = Emit("sqrt", {Emit("add", {Emit("abs", {folded}), Number(2)})});
    if (Below(2) == 0) return Push(Emit("sub", {x, folded}), false);
    Push(Emit("div", {x, Emit("add", {Emit("abs", {folded}), Number(1)})}), false);
  }

  void Step() {
    const Value last = values_.back();
    if (type_.is_float() && Below(5) == 0) {
      reduces_ = true;
      return Normalize(last.expr);
    }
    const bool exact = last.exact;
    const auto pick = [this](std::initializer_list<std::string_view> names) {
      return names.begin()[Below(names.size())];
    };
    if (!type_.is_float()) {
      StepOfIntegers(last.expr);
    } else if (exact && Below(4) == 0) {
      // Limits and choices, of what is the same on both backends.
      if (Below(2) == 0)
        return Push(Emit(pick({"floor", "ceil", "round", "sign"}), {last.expr}), true);
      const Expr condition = Emit(pick({"less", "greater_equal", "equal"}), {last.expr, Other()});
      Push(Emit("where", {condition, last.expr, Other()}), true);
    } else if (Below(3) == 0) {
      Push(Emit(pick({"tanh", "sigmoid", "gelu", "silu", "erf", "softplus", "mish"}), {last.expr}),
           false);
    } else if (Below(3) == 0) {
      Push(Emit(pick({"abs", "neg", "relu", "softsign"}), {last.expr}), exact);
    } else {
      Push(Emit(pick({"add", "sub", "mul", "max", "min"}), {last.expr, Other()}), exact);
    }
  }

  void StepOfIntegers(const Expr& last) {
    const auto pick = [this](std::initializer_list<std::string_view> names) {
      return names.begin()[Below(names.size())];
    };
    switch (Below(5)) {
      case 0: return Push(Emit(pick({"abs", "neg", "bitwise_not"}), {last}), true);
      case 1: {
        const Expr divisor = Number(static_cast<int>(1 + Below(6)));
        return Push(Emit(pick({"div", "mod", "fmod"}), {last, divisor}), true);
      }
      case 2: {
        const Expr a = Emit(pick({"less", "equal"}), {last, Other()});
        const Expr b = Emit("not", {Emit("greater", {last, Other()})});
        return Push(Emit("where", {Emit(pick({"and", "or", "xor"}), {a, b}), last, Other()}), true);
      }
      default:
        Push(Emit(pick({"add", "sub", "mul", "max", "min", "bitwise_xor", "prelu"}),
                  {last, Other()}),
             true);
    }
  }

  void Push(Expr expr, bool exact) { values_.push_back({std::move(expr), exact}); }

  Expr Reduce(const Expr& x) {
    reduces_ = true;
    constexpr std::string_view kInts[] = {"reduce_sum",  "reduce_max", "reduce_min",
                                          "reduce_prod", "reduce_l1",  "reduce_sum_square"};
    constexpr std::string_view kFloats[] = {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min",
                                            "reduce_l2"};
    std::vector<int64_t> axes;
    for (size_t i = 0; i < space_.size(); ++i) {
      if (Below(2) == 0)
        axes.push_back(static_cast<int64_t>(i) -
                       (Below(2) == 0 ? 0 : static_cast<int64_t>(space_.size())));
    }
    Attrs attrs;
    if (!axes.empty()) attrs.SetInts("axes", axes);
    attrs.SetInt("keep_dims", static_cast<int64_t>(Below(2)));
    return Emit(
        type_.is_float() ? kFloats[Below(std::size(kFloats))] : kInts[Below(std::size(kInts))], {x},
        attrs);
  }

  std::mt19937 random_;
  text::Diagnostics diagnostics_;
  ir::Builder builder_;
  DType type_;
  std::vector<std::string_view> space_;
  std::vector<Value> values_;
  size_t inputs_ = 0;
  bool reduces_ = false;
};

TEST(GroupKernels, B21RandomGroupsAgreeWithTheirOperators) {
  Backends backends;
  size_t groups = 0, members = 0;
  constexpr auto kPrograms = static_cast<uint32_t>(support::Rounds(400));
  for (uint32_t seed = 0; seed < kPrograms && !HasFailure(); ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    RandomProgram program(seed);
    const ir::Module module = program.Make();
    ASSERT_TRUE(ir::Verify(module).ok()) << ir::ToText(module);
    const ir::Module fused = fuse::FuseOps(module, {});
    ASSERT_TRUE(ir::Verify(fused).ok()) << ir::Verify(fused).ToString() << ir::ToText(fused);
    for (const ir::Module::Item& item : fused.items()) {
      if (!item.is_primitive) continue;
      ASSERT_NE(item.kernel, nullptr) << ir::ToText(fused);
      Compare(backends, fused, item, ArgumentsOf(*item.function, seed, false),
              program.reduces() ? 50 : 10);
      ++groups;
      members += item.function->bindings().size();
    }
  }
  EXPECT_GT(groups, kPrograms * 7 / 8);
  EXPECT_GT(members, 4 * groups);
}

}  // namespace
}  // namespace tern::driver::group_kernels_test
