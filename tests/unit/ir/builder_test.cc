// SPDX-License-Identifier: Apache-2.0
// The builder: types at once, errors kept, long chains without recursion; the verifier on what it
// must refuse.
#include "core/ir/builder.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/ir/module.h"
#include "core/ir/text/parser.h"
#include "core/ir/text/printer.h"
#include "core/ir/verifier.h"

namespace tern::ir::builder_test {
namespace {

types::Type F32(std::string_view dims) { return *types::Type::Parse(StrCat("f32[", dims, "]")); }

Module ModuleOf(FunctionPtr function) {
  Module module;
  module.Set("main", std::move(function));
  return module;
}

TEST(Builder, InfersWhileItBuilds) {
  text::Diagnostics diagnostics;
  Builder builder(&diagnostics);
  const Expr x = builder.AddParameter("x", F32("n, 4"));
  const Expr y = builder.Emit("concat", {x, x}, *Attrs::Parse("axis=0"));
  EXPECT_EQ(TypeOf(y).ToText(), "f32[2*n, 4]");
  const Expr shape = builder.Emit("shape_of", {y});
  ASSERT_NE(ValuesOf(shape), nullptr);
  EXPECT_EQ((*ValuesOf(shape))[0].ToText(), "2*n");
  EXPECT_TRUE(diagnostics.ok());
  EXPECT_TRUE(Verify(ModuleOf(builder.Finish(y, {}))).ok());
}

TEST(Builder, ErrorsNameOriginAndGoOn) {
  text::Diagnostics diagnostics;
  Builder builder(&diagnostics);
  const Expr x = builder.AddParameter("x", F32("2, 3"));
  builder.SetOrigin("Conv_7");
  const Expr bad = builder.Emit("matmul", {x, x});
  const Expr silent = builder.Emit("exp", {bad});
  builder.SetOrigin("Add_9");
  builder.Emit("add", {x});
  EXPECT_FALSE(TypeOf(silent).known());
  ASSERT_EQ(diagnostics.error_count(), 2u);
  EXPECT_EQ(diagnostics.items()[0].node, "Conv_7");
  EXPECT_EQ(diagnostics.items()[1].node, "Add_9");
  EXPECT_NE(diagnostics.items()[0].message.find("axis 1 of a [2, 3] is 3"), std::string::npos);
}

TEST(Builder, FieldsOfATupleItMade) {
  text::Diagnostics diagnostics;
  Builder builder(&diagnostics);
  const Expr x = builder.AddParameter("x", F32("2"));
  const Expr tuple = builder.Bind(MakeTuple({x, MakeFloat(1)}));
  EXPECT_EQ(builder.Field(tuple, 0), x);
  const Expr parts = builder.Emit("split", {x}, *Attrs::Parse("parts=2"));
  EXPECT_EQ(TypeOf(builder.Field(parts, 1)).ToText(), "f32[1]");
  EXPECT_FALSE(TypeOf(builder.Field(parts, 5)).known());
}

TEST(Builder, ChainOfAHundredThousand) {
  text::Diagnostics diagnostics;
  Builder builder(&diagnostics);
  Expr x = builder.AddParameter("x", F32("n"));
  for (int i = 0; i < 100000; ++i) x = builder.Emit(ops::Op::k_exp, {x});
  const Module module = ModuleOf(builder.Finish(x, {}));
  EXPECT_TRUE(Verify(module).ok());
  EXPECT_EQ(module.Find("main")->bindings().size(), 100000u);
}

TEST(Verifier, RefusesUseBeforeBinding) {
  text::Diagnostics diagnostics;
  Builder first(&diagnostics), second(&diagnostics);
  const Expr x = first.AddParameter("x", F32("2"));
  const Expr y = first.Emit("exp", {x});
  second.AddParameter("x", F32("2"));
  Status status = Verify(ModuleOf(second.Finish(y, {})));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_NE(std::string(status.message()).find("not bound here"), std::string::npos);
}

TEST(Verifier, RefusesNestedValuesUnknownTypesAndDoubleBindings) {
  const VarPtr x = MakeVar("x", F32("2"));
  const ops::OpInfo& exp = *ops::FindOp("exp");
  const auto verify = [&](std::vector<Binding> bindings, Expr result) {
    return Verify(ModuleOf(MakeFunction({x}, MakeLet(std::move(bindings), std::move(result)), {})));
  };
  const VarPtr y = MakeVar("y", F32("2"));
  EXPECT_TRUE(verify({{y, MakeCall(exp, {x}, {})}}, y).ok());
  EXPECT_FALSE(verify({{y, MakeCall(exp, {MakeCall(exp, {x}, {})}, {})}}, y).ok());
  EXPECT_FALSE(verify({{y, MakeLet({}, x)}}, y).ok());
  EXPECT_FALSE(verify({{MakeVar("z", types::Type()), MakeCall(exp, {x}, {})}}, x).ok());
  EXPECT_FALSE(verify({{y, MakeCall(exp, {x}, {})}, {y, MakeCall(exp, {x}, {})}}, y).ok());
  EXPECT_FALSE(verify({{y, MakeInvoke(MakeGlobal("nobody"), {x})}}, y).ok());
  EXPECT_FALSE(verify({}, MakeCall(exp, {x}, {})).ok());
}

// Passes leave most functions as they are; one that stays is wrong where what it calls changed.
TEST(Verifier, OfChangesLooksAtCallersToo) {
  const VarPtr x = MakeVar("x", F32("2"));
  const ops::OpInfo& exp = *ops::FindOp("exp");
  const auto one = [&](Expr value) {
    const VarPtr y = MakeVar("y", F32("2"));
    return MakeFunction({x}, MakeLet({{y, std::move(value)}}, y), {});
  };
  const VarPtr stranger = MakeVar("stranger", F32("2"));
  Module verified = ModuleOf(one(MakeInvoke(MakeGlobal("callee"), {x})));
  verified.Set("callee", one(MakeCall(exp, {x}, {})));
  ASSERT_TRUE(Verify(verified).ok());
  EXPECT_TRUE(VerifyChanges(verified, verified).ok());
  Module changed = verified;
  changed.Set("callee", one(MakeCall(exp, {MakeFloat(1)}, {})));
  EXPECT_TRUE(VerifyChanges(changed, verified).ok());
  changed.Set("callee", one(MakeCall(exp, {stranger}, {})));
  EXPECT_FALSE(VerifyChanges(changed, verified).ok());
  changed.Set("callee", MakeFunction({}, MakeLet({}, MakeFloat(1)), {}));
  EXPECT_FALSE(VerifyChanges(changed, verified).ok());
  changed = verified;
  changed.KeepOnly({"main"});
  EXPECT_FALSE(VerifyChanges(changed, verified).ok());
  changed = verified;
  changed.Set("new", one(MakeCall(exp, {stranger}, {})));
  EXPECT_FALSE(VerifyChanges(changed, verified).ok());
}

TEST(Verifier, RefusesLoopProgramsOfWhatLoopsCannotTake) {
  const VarPtr x = MakeVar("x", F32("n")), s = MakeVar("s", types::Type::Parse("string").value());
  const VarPtr k = MakeVar("k", types::Type::Parse("int").value());
  const auto verify = [](const VarPtr& parameter, Expr result) {
    Module module = ModuleOf(MakeFunction({parameter}, MakeLet({}, std::move(result)), {}));
    module.SetKernel("main", std::make_shared<const loop::te::Definition>());
    EXPECT_TRUE(module.items()[0].is_primitive);
    return Verify(module);
  };
  EXPECT_TRUE(verify(x, x).ok());
  EXPECT_TRUE(verify(x, MakeTuple({x, x})).ok());
  EXPECT_FALSE(verify(x, MakeTuple({})).ok());
  EXPECT_FALSE(verify(k, k).ok());
  const Status status = verify(s, s);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(std::string(status.message()).find("parameter 's' is string"), std::string::npos);
}

TEST(Module, FindsByName) {
  const FunctionPtr function = MakeFunction({}, MakeInt(1), {});
  Module module;
  EXPECT_EQ(module.FindItem("f"), nullptr);
  EXPECT_EQ(module.FreshName("f"), "f");
  // Many more than the first table has places for.
  for (int i = 0; i < 1000; ++i) module.Set(module.FreshName("f"), function);
  EXPECT_EQ(module.items()[0].name, "f");
  EXPECT_EQ(module.items()[999].name, "f.999");
  EXPECT_EQ(module.FindItem("f.500"), &module.items()[500]);
  module.SetPrivate("f.500", true);
  EXPECT_TRUE(module.items()[500].is_private);
  const Module copy = module;
  module.KeepOnly({"f", "f.3", "not there"});
  ASSERT_EQ(module.items().size(), 2u);
  EXPECT_EQ(module.Find("f.500"), nullptr);
  EXPECT_EQ(module.FindItem("f.3"), &module.items()[1]);
  EXPECT_EQ(copy.FindItem("f.999"), &copy.items()[999]);
  // A gap in the numbers: the name is free all the same.
  EXPECT_EQ(module.Find(module.FreshName("f")), nullptr);
}

// parse(print(x)) is x: printing what was parsed from a print gives the same print.
TEST(Printer, ReadsBack) {
  const std::string text =
      "const @w: f32[4, 3, 3, 3]\n\n"
      "fn helper(%a: f32[n]) -> f32[n] {\n  let %0 = exp(%a): f32[n]\n  return %0\n}\n"
      "fn main(%x: f32[1, 3, h, 8], %y: f32[m]) -> (f32[1, 4, h, 8], f32[m]) {\n"
      "  let %0 = conv2d(%x, @w) {pads=1,1,1,1}: f32[1, 4, h, 8]\n"
      "  let %1 = helper(%y): f32[m]\n"
      "  let %2 = pad(%1, none, f32 -0.5) {pads=0,0}: f32[m]\n"
      "  return (%0, %2) as \"image\", \"rest\"\n}\n";
  Result<Module> module = ParseModule("test.tn", text);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_EQ(ToText(*module), text);
}

}  // namespace
}  // namespace tern::ir::builder_test
