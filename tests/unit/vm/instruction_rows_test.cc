// SPDX-License-Identifier: Apache-2.0
// The checklist's rows on instructions, A05 to A17 and B02 to B15: what each does, and what is
// refused. tests/golden/vm has the same instructions as programs.
#include <string>

#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/graph/print.h"
#include "core/vm/text/disassembler.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm::instruction_rows_test {
namespace {

// Assembles, links and runs @main; the error of whichever fails.
Result<Any> RunMain(std::string_view text, std::initializer_list<AnyView> args = {},
                    const std::vector<FunctionPtr>& functions = {}) {
  TERN_TRY_ASSIGN(ExecutablePtr executable, Assemble(text, "rows.tasm"));
  LinkOptions link;
  link.functions = functions;
  TERN_TRY_ASSIGN(ProgramPtr program, Program::Link(std::move(executable), link));
  TERN_TRY_ASSIGN(auto vm, VirtualMachine::Create(std::move(program)));
  return vm->Call("main", args);
}

std::string TextOf(const Result<Any>& result) {
  return result.ok() ? PrintValue(*result) : result.status().ToString();
}
std::string Main(std::string_view body, std::initializer_list<AnyView> args = {}) {
  std::string parameters;
  for (size_t i = 0; i < args.size(); ++i) StrAppend(&parameters, i == 0 ? "%" : ", %", i);
  return TextOf(RunMain(StrCat(".func @main(", parameters, ")\n", body), args));
}

#define EXPECT_HAS(text, part) \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << std::string(text)

TEST(Rows, A05_AllocTensorHasItsShapeInTheWords) {
  const ExecutablePtr executable = MustAssemble(
      ".func @main()\nalloc_tensor offset: 0 dtype: i16 shape: 2, 300 dst: %0\nret ret %0\n");
  const Instruction instruction = executable->GetInstruction(0).value();
  EXPECT_EQ(instruction.operands[4], Operand::Immediate(2));
  EXPECT_EQ(instruction.operands[5], Operand::Immediate(300));
  EXPECT_HAS(Main("alloc_tensor offset: 0 dtype: i16 shape: 2, 300 dst: %0\nshape_of %0 dst: "
                  "%0\nret ret %0\n"),
             "[2, 300]");
  EXPECT_HAS(Main("alloc_tensor offset: 0 dtype: f32 shape: dst: %0\nshape_of %0 dst: %0\nret ret "
                  "%0\n"),
             "[]");
  EXPECT_HAS(Main("alloc_tensor offset: 0 dtype: f32 shape: 2, -1 dst: %0\nret ret %0\n"), "-1");
  EXPECT_HAS(Main("alloc_tensor offset: 0 dtype: f64 shape: 4611686018427387904, 4 dst: %0\nret "
                  "ret %0\n"),
             "4611686018427387904");
}

TEST(Rows, A06_AllocAdtHoldsTagAndFieldsThemselves) {
  const TensorPtr tensor = Tensor::Scalar(1.5f);
  const Result<Any> made =
      RunMain(".func @main(x)\nalloc_adt tag: 7 in: %0, 5, %0 dst: %1\nret ret %1\n", {tensor});
  ASSERT_TRUE(made.ok());
  const Adt* adt = made->TryCast<Adt>();
  ASSERT_NE(adt, nullptr);
  EXPECT_EQ(adt->tag(), 7);
  EXPECT_EQ(adt->fields()[0].TryCast<Tensor>(), tensor.get());
  EXPECT_EQ(adt->fields()[2].TryCast<Tensor>(), tensor.get());
  EXPECT_HAS(Main("alloc_adt tag: -1 in: 5 dst: %0\nret ret %0\n"), "'tag'");
}

constexpr std::string_view kCounter = R"(
.func @main(x)
  invoke @make in: %0, 40 dst: %1
  kill %0
  invoke_closure %1 in: 2 dst: %2
  ret ret %2
.func @make(a, b)
  move %1 dst: %2
  alloc_closure @sum in: %0, %2 dst: %3
  kill %0, %1, %2
  ret ret %3
.func @sum(x, a, b)
  add %0, %1 dst: %3
  add %3, %2 dst: %3
  ret ret %3
)";

TEST(Rows, A07_B08_ClosuresOutliveTheirFrame) {
  EXPECT_EQ(TextOf(RunMain(kCounter, {100})), "142");
  EXPECT_HAS(Main("alloc_closure @f in: 1, 2 dst: %0\nret ret %0\n.func @f(a)\nret ret %0\n"),
             "captures 2 values");
  EXPECT_HAS(Main("alloc_closure @nowhere in: dst: %0\nret ret %0\n"), "no function @nowhere");
}

TEST(Rows, A08_LoadConstRefersToThePool) {
  const ExecutablePtr executable = MustAssemble(
      ".const c[0] = f32[2] [1, 2]\n.func @main()\nload_const c[0] dst: %0\nret ret %0\n");
  auto vm = VirtualMachine::Create(MustLink(executable)).value();
  const Any value = vm->Call("main", {}).value();
  EXPECT_EQ(value.TryCast<Tensor>()->data(),
            executable->constants()[0].value.TryCast<Tensor>()->data());
  EXPECT_HAS(Main("load_const c[1] dst: %0\nret ret %0\n"), "constant");
}

TEST(Rows, A09_MoveCopiesNothing) {
  const TensorPtr tensor = Tensor::Scalar(1.5f);
  const Result<Any> moved = RunMain(".func @main(x)\nmove %0 dst: %1\nret ret %1\n", {tensor});
  EXPECT_EQ(moved->TryCast<Tensor>(), tensor.get());
  const Result<Any> copied =
      RunMain(".func @main(x)\ncall vm.builtin.copy in: %0 dst: %1\nret ret %1\n", {tensor});
  EXPECT_NE(copied->TryCast<Tensor>()->data(), tensor->data());
  EXPECT_HAS(Main("move %1 dst: %2\nret ret %2\n", {1}), "%1");
}

// Takes the branch that its argument says: 0 neither, 1 the left one, 2 the right one, 3 both.
constexpr std::string_view kPhi = R"(
.func @main(which)
  and %0, 1 dst: %1
  and %0, 2 dst: %2
  if %1 true: left false: next
left:
  move %0 dst: %3
next:
  if %2 true: right false: join
right:
  add %0, 10 dst: %4
join:
  phi %3, %4 dst: %5
  ret ret %5
)";

TEST(Rows, A10_PhiTakesTheOneThatHoldsAValue) {
  EXPECT_EQ(TextOf(RunMain(kPhi, {1})), "1");
  EXPECT_EQ(TextOf(RunMain(kPhi, {2})), "12");
  EXPECT_HAS(TextOf(RunMain(kPhi, {0})), "phi");
  EXPECT_HAS(TextOf(RunMain(kPhi, {3})), "phi");
  EXPECT_HAS(Main("if %0 true: a false: b\na:\nload_const 1.5 dst: %1\ngoto j\nb:\nload_const "
                  "\"x\" dst: %2\nj:\nphi %1, %2 dst: %3\nret ret %3\n",
                  {true}),
             "phi");
}

constexpr std::string_view kNested = R"(
.func @main(x)
  load_const int 1 dst: %1
  load_const int 2 dst: %2
  invoke @twice in: %0 dst: %3
  alloc_adt tag: 0 in: %1, %2, %3 dst: %4
  ret ret %4
.func @twice(x)
  load_const int 100 dst: %1
  invoke @same in: %0 dst: %2
  alloc_adt tag: 0 in: %1, %2, %2 dst: %3
  ret ret %3
.func @same(x)
  ret ret %0
)";

TEST(Rows, A11_B02_RetWritesTheCallersRegister) {
  const TensorPtr tensor = Tensor::Scalar(int64_t{5});
  EXPECT_EQ(TextOf(RunMain(kNested, {7})), "(1, 2, (100, 7, 7))");
  const Any result = RunMain(kNested, {tensor}).value();
  const Adt* inner = result.TryCast<Adt>()->fields()[2].TryCast<Adt>();
  EXPECT_EQ(inner->fields()[1].TryCast<Tensor>(), tensor.get()) << "the value outlives its frame";
  EXPECT_HAS(Main("move %0 dst: %1\n", {1}), "ret");
}

TEST(Rows, A12_B09_GetFieldTellsIndexAndArity) {
  EXPECT_EQ(Main("alloc_adt tag: 0 in: 5, 6 dst: %0\nget_field %0, 1 dst: %1\nret ret %1\n"), "6");
  EXPECT_EQ(
      Main("call vm.builtin.make_list in: 5, 6 dst: %0\nget_field %0, 0 dst: %1\nret ret %1\n"),
      "5");
  const std::string error =
      Main("alloc_adt tag: 0 in: 5, 6 dst: %0\nget_field %0, 2 dst: %1\nret ret %1\n");
  EXPECT_HAS(error, "2");
  EXPECT_HAS(error, "field");
  EXPECT_HAS(Main("get_field %0, 0 dst: %1\nret ret %1\n", {3}), "int");
}

constexpr std::string_view kBranch = "if %0 true: +1 false: +2\nret ret \"yes\"\nret ret \"no\"\n";

TEST(Rows, A13_IfTakesBoolsNumbersAndOneElementTensors) {
  EXPECT_EQ(Main(kBranch, {true}), "\"yes\"");
  EXPECT_EQ(Main(kBranch, {false}), "\"no\"");
  EXPECT_EQ(Main(kBranch, {-3}), "\"yes\"");
  EXPECT_EQ(Main(kBranch, {0}), "\"no\"");
  EXPECT_EQ(Main(kBranch, {Tensor::Scalar(int64_t{1})}), "\"yes\"");
  EXPECT_EQ(Main(kBranch, {Tensor::Scalar(0.0f)}), "\"no\"");
  EXPECT_EQ(
      Main("add %0, 1 dst: %0\nlt %0, 5 dst: %1\nif %1 true: -2 false: +1\nret ret %0\n", {0}), "5")
      << "a loop";
  EXPECT_HAS(Main(kBranch, {"text"}), "string");
  EXPECT_HAS(Main(kBranch, {Tensor::FromValues<float>({1, 2}, {2}).value()}), "f32[2]");
  EXPECT_HAS(Main("if %0 true: +5 false: +1\nret ret %0\n", {1}), "jump");
}

TEST(Rows, A14_GotoStaysInsideItsFunction) {
  EXPECT_EQ(Main("goto +3\nadd %0, 1 dst: %1\nret ret %1\ngoto -2\n", {4}), "5");
  EXPECT_HAS(Main("goto +0\nret ret 1\n"), "never end");
  EXPECT_HAS(Main("goto +2\nret ret 1\n"), "jump");
  EXPECT_HAS(Main("goto -1\nret ret 1\n"), "jump");
  EXPECT_HAS(Main("goto +1\nret ret 1\n.func @f()\ngoto -2\n"), "jump");
}

Result<Any> Fill(AnyArgs args) {
  Tensor* out = args.back().TryCast<Tensor>();
  for (float& x : std::span(out->data_as<float>(), static_cast<size_t>(out->element_count())))
    x = static_cast<float>(*args[0].TryCast<int64_t>());
  return Any();
}

TEST(Rows, A15_B03_InvokePackedWritesItsOutputs) {
  const std::vector<FunctionPtr> functions = {Function::FromPacked("fill", &Fill)};
  const TensorPtr tensor = Tensor::FromValues<float>({1, 2}, {2}).value();
  EXPECT_TRUE(
      RunMain(".func @main(x)\ninvoke_packed fill arity: 1 outputs: 1 in: 7, %0\nret ret 0\n",
              {tensor}, functions)
          .ok());
  EXPECT_EQ(tensor->data_as<float>()[1], 7);
  EXPECT_HAS(TextOf(RunMain(
                 ".func @main(x)\ninvoke_packed fill arity: 2 outputs: 1 in: 7, %0\nret ret 0\n",
                 {tensor}, functions)),
             "arity 2 and 1 outputs");
  // The index of a primitive is not bound to the short form of an operand.
  std::string many;
  for (int i = 0; i < 9000; ++i) StrAppend(&many, ".primitive p", i, "\n");
  StrAppend(&many,
            ".primitive fill\n.func @main(x)\ninvoke_packed fill arity: 1 outputs: 1 in: 8, "
            "%0\nret ret 0\n");
  const ExecutablePtr executable = MustAssemble(many);
  EXPECT_EQ(executable->GetInstruction(0)->operands[0], Operand::Primitive(9000));
  EXPECT_EQ(InstructionText(*executable, 0, TextForm::kAssignments),
            "InvokePacked(fill, 1, 1, 8, %0)");
}

constexpr std::string_view kParity = R"(
.func @main(n: int)
  invoke @even in: %0 dst: %1
  invoke @factorial in: %0 dst: %2
  alloc_adt tag: 0 in: %1, %2 dst: %1
  ret ret %1
.func @factorial(n: int)
  le %0, 1 dst: %1
  if %1 true: +1 false: +2
  ret ret 1
  sub %0, 1 dst: %1
  invoke @factorial in: %1 dst: %1
  mul %0, %1 dst: %1
  ret ret %1
.func @even(n: int)
  if %0 true: +2 false: +1
  ret ret true
  sub %0, 1 dst: %1
  invoke @odd in: %1 dst: %1
  ret ret %1
.func @odd(n: int)
  if %0 true: +2 false: +1
  ret ret false
  sub %0, 1 dst: %1
  invoke @even in: %1 dst: %1
  ret ret %1
)";

TEST(Rows, A16_B13_InvokeRecurses) {
  EXPECT_EQ(TextOf(RunMain(kParity, {10})), "(true, 3628800)");
  EXPECT_EQ(TextOf(RunMain(kParity, {7})), "(false, 5040)");
  EXPECT_HAS(Main("invoke @f in: 1, 2 dst: %0\nret ret %0\n.func @f(a)\nret ret %0\n"), "@f");
  EXPECT_HAS(TextOf(RunMain(kParity, {"seven"})), "int");
}

TEST(Rows, A17_InvokeClosureNamesWhatItGot) {
  EXPECT_HAS(Main("invoke_closure %0 in: 1 dst: %1\nret ret %1\n", {5}), "closure");
  EXPECT_HAS(Main("invoke_closure %0 in: 1 dst: %1\nret ret %1\n", {5}), "int");
  EXPECT_HAS(Main("invoke_closure %0 in: 1 dst: %1\nret ret %1\n", {Tensor::Scalar(1.0f)}),
             "tensor");
  EXPECT_HAS(
      TextOf(RunMain(".func @main()\nalloc_closure @f in: dst: %0\ninvoke_closure %0 in: 1, 2 "
                     "dst: %1\nret ret %1\n.func @f(a)\nret ret %0\n")),
      "2");
}

TEST(Rows, B04_TensorsShareAStorage) {
  const Any both = RunMain(R"(
.func @main()
  alloc_storage size: 128 alignment: 64 dtype: f32 device: 0 dst: %0
  alloc_tensor storage: %0 offset: 0 dtype: f32 shape: 4 dst: %1
  alloc_tensor storage: %0 offset: 64 dtype: f32 shape: 16 dst: %2
  alloc_adt tag: 0 in: %1, %2 dst: %3
  ret ret %3
)")
                       .value();
  const auto fields = both.TryCast<Adt>()->fields();
  EXPECT_EQ(static_cast<uint8_t*>(fields[0].TryCast<Tensor>()->data()) + 64,
            fields[1].TryCast<Tensor>()->data());
  const std::string error = Main(
      "alloc_storage size: 128 alignment: 64 dtype: f32 device: 0 dst: %0\nalloc_tensor storage: "
      "%0 "
      "offset: 68 dtype: f32 shape: 16 dst: %1\nret ret %1\n");
  EXPECT_HAS(error, "128");
  EXPECT_HAS(error, "68");
}

TEST(Rows, B05_AllocTensorRegTakesShapesAndTensors) {
  constexpr std::string_view kBody =
      "alloc_tensor_reg offset: 0 dtype: i8 shape: %0 dst: %1\nshape_of %1 dst: %1\nret ret %1\n";
  EXPECT_EQ(Main(kBody, {Shape::Make({3, 4})}), "[3, 4]");
  EXPECT_EQ(Main(kBody, {Tensor::FromValues<int64_t>({5, 6, 7}, {3}).value()}), "[5, 6, 7]");
  EXPECT_HAS(Main(kBody, {Tensor::FromValues<float>({5}, {1}).value()}), "f32[1]");
  EXPECT_HAS(Main(kBody, {Shape::Make({-3})}), "-3");
}

TEST(Rows, B06_StoragesAreAlignedAndReused) {
  for (const int alignment : {64, 128, 4096}) {
    auto vm = MakeVm(StrCat(".func @main()\nalloc_storage size: 100 alignment: ", alignment,
                            " dtype: f32 device: 0 dst: %0\nalloc_tensor storage: %0 offset: 0 "
                            "dtype: f32 shape: 4 dst: %1\nret ret %1\n"));
    const void* first = nullptr;
    for (int round = 0; round < 3; ++round) {
      const Any tensor = vm->Call("main", {}).value();
      const void* data = tensor.TryCast<Tensor>()->data();
      EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(alignment), 0u);
      if (round == 0) first = data;
      EXPECT_EQ(data, first) << "the freed block is taken again";
    }
    EXPECT_GE(vm->memory().hits, 2) << alignment;
  }
  EXPECT_HAS(Main("alloc_storage size: 8 alignment: 48 dtype: f32 device: 0 dst: %0\nret ret %0\n"),
             "48");
}

// A list of Cons (tag 1) and Nil (tag 2), built and mapped over.
constexpr std::string_view kList = R"(
.func @main(n: int)
  invoke @count in: %0 dst: %1
  alloc_closure @add in: 100 dst: %2
  invoke @map in: %2, %1 dst: %1
  ret ret %1
.func @count(n: int)
  if %0 true: more false: none
none:
  alloc_adt tag: 2 in: dst: %1
  ret ret %1
more:
  sub %0, 1 dst: %1
  invoke @count in: %1 dst: %1
  alloc_adt tag: 1 in: %0, %1 dst: %1
  ret ret %1
.func @map(f, list)
  get_tag %1 dst: %2
  if_equal %2, 2 true: none false: more
none:
  ret ret %1
more:
  get_field %1, 0 dst: %3
  invoke_closure %0 in: %3 dst: %3
  get_field %1, 1 dst: %4
  invoke @map in: %0, %4 dst: %4
  alloc_adt tag: 1 in: %3, %4 dst: %3
  ret ret %3
.func @add(x, y)
  add %0, %1 dst: %2
  ret ret %2
)";

TEST(Rows, B07_B11_ListsAreMapped) {
  const Any list = RunMain(kList, {3}).value();
  const Adt* at = list.TryCast<Adt>();
  for (int64_t expected = 103; expected > 100; --expected) {
    ASSERT_EQ(at->tag(), 1);
    EXPECT_EQ(at->fields()[0].TryCast<int64_t>(), expected);
    at = at->fields()[1].TryCast<Adt>();
  }
  EXPECT_EQ(at->tag(), 2);
  EXPECT_TRUE(at->fields().empty());
  EXPECT_HAS(Main("get_tag %0 dst: %1\nret ret %1\n", {3}), "int");
  EXPECT_HAS(Main("get_tag %0 dst: %1\nret ret %1\n", {Tensor::Scalar(1.0f)}), "tensor");
}

TEST(Rows, B10_IfEqualComparesScalars) {
  constexpr std::string_view kBody =
      "if_equal %0, %1 true: +1 false: +2\nret ret \"same\"\nret ret \"other\"\n";
  EXPECT_EQ(Main(kBody, {3, 3}), "\"same\"");
  EXPECT_EQ(Main(kBody, {3, 4}), "\"other\"");
  EXPECT_EQ(Main(kBody, {Tensor::Scalar(int64_t{3}), Tensor::Scalar(int64_t{3})}), "\"same\"");
  EXPECT_EQ(Main(kBody, {Tensor::Scalar(2.5f), Tensor::Scalar(2.0f)}), "\"other\"");
  const TensorPtr vector = Tensor::FromValues<int64_t>({1, 2}, {2}).value();
  EXPECT_HAS(Main(kBody, {vector, vector}), "i64[2]");
}

TEST(Rows, B12_FatalHasAPlaceAndTheMachineGoesOn) {
  auto vm = MakeVm(
      ".func @main()\ninvoke @fails in: dst: %0\nret ret %0\n.func @fails()\ngoto +1\nfatal \"no "
      "arm matches\"\n.func @good()\nret ret 5\n");
  const Result<Any> failed = vm->Call("main", {});
  ASSERT_FALSE(failed.ok());
  EXPECT_HAS(failed.status().message(), "no arm matches");
  const text::Diagnostics diagnostics = text::ToDiagnostics(failed.status());
  ASSERT_FALSE(diagnostics.items().empty());
  EXPECT_EQ(diagnostics.items()[0].function, "fails");
  EXPECT_EQ(diagnostics.items()[0].pc, 1);
  EXPECT_EQ(vm->Call("good", {})->TryCast<int64_t>(), 5);
  EXPECT_HAS(Main("fatal c[0]\n.func @f()\nret ret 5.5\n"), "fatal");
}

TEST(Rows, B14_LoadConstiHoldsEveryInt) {
  for (const int64_t value : {INT64_MIN, INT64_MAX, int64_t{0}, kMaxImmediate, kMaxImmediate + 1,
                              kMinImmediate, kMinImmediate - 1}) {
    const Any made =
        RunMain(StrCat(".func @main()\nload_consti ", value, " dst: %0\nret ret %0\n")).value();
    const Tensor* tensor = made.TryCast<Tensor>();
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(tensor->rank(), 0);
    EXPECT_EQ(*tensor->data_as<int64_t>(), value);
  }
  EXPECT_HAS(Main("load_consti 1.5 dst: %0\nret ret %0\n"), "load_consti");
  EXPECT_HAS(Main("load_consti 9223372036854775808 dst: %0\nret ret %0\n"), "integer");
}

TEST(Rows, B15_ObjectsTellTheirKind) {
  const Any tensor = RunMain(".func @main()\nload_consti 5 dst: %0\nret ret %0\n").value();
  const Any adt = RunMain(".func @main()\nalloc_adt tag: 3 in: 1, 2 dst: %0\nret ret %0\n").value();
  const Any closure = RunMain(
                          ".func @main()\nalloc_closure @f in: 1 dst: %0\nret ret %0\n.func @f(a, "
                          "b)\nret ret %0\n")
                          .value();
  EXPECT_TRUE(tensor.Is<Tensor>() && !tensor.Is<Adt>());
  EXPECT_TRUE(adt.Is<Adt>() && !adt.Is<Tensor>());
  EXPECT_EQ(closure.type_name(), std::string_view("closure"));
  EXPECT_HAS(PrintValue(tensor), "i64");
  EXPECT_HAS(PrintValue(adt), "3");
  EXPECT_HAS(PrintValue(adt), "(1, 2)");
  EXPECT_HAS(PrintValue(closure), "closure");
}

// One executable, every batch size; what does not fit its signature is refused with the symbol.
TEST(Rows, B28_BatchSizesThroughOneExecutable) {
  auto vm = MakeVm(R"(
.func @main(x: f32[n, 3], y: f32[n, 3])
  shape_of %0 dst: %2
  call  test.add in: %0, %1, %2 dst: %3
  alloc_tensor_reg offset: 0 dtype: i8 shape: %2 dst: %4
  alloc_adt tag: 0 in: %3, %4 dst: %4
  ret   ret %4
)",
                   {Function::FromTyped("test.add", [](Tensor* x, Tensor* y, Shape* shape) {
                     TensorPtr sum = Tensor::New(kF32, shape->dims()).value();
                     for (int64_t i = 0; i < sum->element_count(); ++i)
                       sum->data_as<float>()[i] = x->data_as<float>()[i] + y->data_as<float>()[i];
                     return sum;
                   })});
  for (int64_t n = 1; n <= 17; ++n) {
    const TensorPtr x = Tensor::New(kF32, {n, 3}).value();
    for (float& value : x->values<float>()) value = static_cast<float>(n);
    const Any made = vm->Call("main", {x, x}).value();
    const Adt* pair = made.TryCast<Adt>();
    ASSERT_NE(pair, nullptr);
    const Tensor* sum = pair->fields()[0].TryCast<Tensor>();
    EXPECT_EQ(sum->dim(0), n);
    EXPECT_EQ(sum->values<float>().back(), static_cast<float>(2 * n));
    EXPECT_EQ(pair->fields()[1].TryCast<Tensor>()->element_count(), 3 * n);
  }
  const TensorPtr two = Tensor::New(kF32, {2, 3}).value();
  const TensorPtr four = Tensor::New(kF32, {4, 3}).value();
  EXPECT_HAS(TextOf(vm->Call("main", {two, four})), "n was bound to 2");
}

// `call` of a primitive with any arguments and perhaps a destination, and `ret`, suffice for a
// program; one or the other wrong is refused.
TEST(Rows, C01_CallAndRet) {
  EXPECT_EQ(Main("call vm.builtin.make_list in: %0, 2 dst: %1\ncall vm.builtin.move in: %1 dst: "
                 "void\nret ret %1\n",
                 {1}),
            "list[1, 2]");
  EXPECT_HAS(Main("call in: %0 dst: %1\nret ret %1\n", {1}), "expected");
  EXPECT_HAS(Main("call vm.builtin.move in: %0 dst: 5\nret ret %0\n", {1}), "must be a register");
  EXPECT_HAS(Main("call vm.builtin.move in: %0 dst: %1\n", {1}), "a ret is missing");
}

// What the Relax document left for later: branches and loops.
TEST(Rows, C02_IfAndGoto) {
  constexpr std::string_view kSum =
      "load_const int 0 dst: %1\nagain:\nif %0 true: more false: done\nmore:\nadd %1, %0 dst: "
      "%1\nsub %0, 1 dst: %0\ngoto again\ndone:\nret ret %1\n";
  EXPECT_EQ(Main(kSum, {4}), "10");
  EXPECT_EQ(Main(kSum, {0}), "0");
  EXPECT_HAS(Main("if %0 true: nowhere false: done\ndone:\nret ret %0\n", {1}), "nowhere");
}

}  // namespace
}  // namespace tern::vm::instruction_rows_test
