// SPDX-License-Identifier: Apache-2.0
// The builder through the C interface: a program is built, run and printed; mistakes are statuses.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/api/c_api.h"

namespace builder_api_test {
namespace {

class BuilderApi : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(tern_runtime_create(nullptr, &runtime_), nullptr);
    ASSERT_EQ(tern_builder_create(runtime_, &builder_), nullptr);
  }
  void TearDown() override {
    tern_builder_free(builder_);
    tern_runtime_free(runtime_);
  }

  static tern_operand Reg(int64_t index) { return {TERN_OPERAND_REGISTER, 0, index}; }
  static tern_operand Imm(int64_t value) { return {TERN_OPERAND_IMMEDIATE, 0, value}; }
  tern_operand Callee(const char* name, int32_t kind = TERN_CALLEE_ANY) {
    tern_operand operand{};
    tern_builder_callee(builder_, name, kind, &operand);
    return operand;
  }
  tern_operand Label(const char* name) {
    tern_operand operand{};
    tern_builder_label(builder_, name, &operand);
    return operand;
  }

  tern_status* Emit(const char* mnemonic, const std::vector<tern_operand>& operands) {
    return tern_builder_emit(builder_, mnemonic, operands.data(),
                             static_cast<int32_t>(operands.size()));
  }

  // Empty for success; frees the status.
  static std::string Take(tern_status* status) {
    const std::string text = status == nullptr ? "" : tern_status_text(status);
    tern_status_free(status);
    return text;
  }
  static std::string Take(tern_buffer* buffer) {
    std::string text(static_cast<const char*>(tern_buffer_data(buffer)), tern_buffer_size(buffer));
    tern_buffer_free(buffer);
    return text;
  }

  std::string Finish(std::string* bytes) {
    tern_buffer* executable = nullptr;
    std::string error = Take(tern_builder_finish(builder_, &executable));
    if (error.empty()) *bytes = Take(executable);
    return error;
  }

  tern_runtime* runtime_ = nullptr;
  tern_builder* builder_ = nullptr;
};

// Adds the numbers up to n.
TEST_F(BuilderApi, C10_C11_BuildsALoop) {
  tern_operand zero{};
  EXPECT_EQ(Take(tern_builder_begin_function(builder_, "sum", "(n: int) -> int", 0)), "");
  EXPECT_EQ(Take(tern_builder_constant_text(builder_, "int 0", 1, &zero)), "");
  EXPECT_EQ(Take(Emit("load_const", {Reg(100), zero})), "");
  EXPECT_EQ(Take(Emit("load_const", {Reg(200), zero})), "");
  tern_builder_name_register(builder_, 100, "total");
  tern_builder_bind(builder_, "again");
  tern_builder_set_source(builder_, "loop", 4, 1, 1);
  EXPECT_EQ(Take(Emit("add", {Reg(200), Reg(200), Imm(1)})), "");
  EXPECT_EQ(Take(Emit("add", {Reg(100), Reg(100), Reg(200)})), "");
  EXPECT_EQ(Take(Emit("lt", {Reg(300), Reg(200), Reg(0)})), "");
  EXPECT_EQ(Take(Emit("if", {Reg(300), Label("again"), Label("done")})), "");
  tern_builder_set_source(builder_, "", 0, 0, 0);
  tern_builder_bind(builder_, "done");
  EXPECT_EQ(Take(Emit("ret", {Reg(100)})), "");
  EXPECT_EQ(Take(tern_builder_end_function(builder_, nullptr)), "");
  std::string bytes;
  ASSERT_EQ(Finish(&bytes), "");
  tern_program* program = nullptr;
  ASSERT_EQ(
      Take(tern_program_load(runtime_, bytes.data(), bytes.size(), nullptr, nullptr, &program)),
      "");
  tern_buffer* text = nullptr;
  ASSERT_EQ(Take(tern_program_inspect(program, "columns", &text)), "");
  const std::string columns = Take(text);
  EXPECT_NE(columns.find(".func @sum(n: int) -> int\n  .name %1 total\n"), std::string::npos)
      << columns;
  EXPECT_NE(columns.find("  .loc \"loop\" 1:1\n  add   %2, 1"), std::string::npos) << columns;
  tern_vm* vm = nullptr;
  ASSERT_EQ(Take(tern_vm_create(program, nullptr, &vm)), "");
  TernAny n{}, result{};
  n.type_code = TERN_TYPE_INT;
  n.v.i = 10;
  EXPECT_EQ(Take(tern_vm_call(vm, "sum", &n, 1, &result)), "");
  EXPECT_EQ(result.v.i, 55);
  tern_vm_free(vm);
  tern_program_free(program);
}

// Everything that only generated code uses, and each listing of the result.
TEST_F(BuilderApi, C25_TablesAndListings) {
  tern_builder_keep_dense_registers(builder_, 1);
  tern_builder_set_metadata(builder_, "key", 3, "va\0lue", 6);
  tern_builder_declare_primitive(builder_, "q");
  tern_builder_add_kernel(builder_, "k", "loop", "\1\2", 2);
  tern_operand first{}, second{}, shared{};
  EXPECT_EQ(Take(tern_builder_constant_text(builder_, "f32[2] [1, 2]", 0, &first)), "");
  EXPECT_EQ(Take(tern_builder_constant_text(builder_, "f32[2] [1, 2]", 0, &second)), "");
  EXPECT_NE(first.value, second.value);
  TernAny number{};
  number.type_code = TERN_TYPE_FLOAT;
  number.v.f = 0.5;
  EXPECT_EQ(Take(tern_builder_constant(builder_, &number, &shared)), "");
  EXPECT_EQ(Take(tern_builder_constant(builder_, &number, &second)), "");
  EXPECT_EQ(shared.value, second.value);
  EXPECT_EQ(Take(tern_builder_begin_function(builder_, "f", nullptr, 2)), "");
  EXPECT_EQ(Take(Emit("call", {{TERN_OPERAND_VOID, 0, 0},
                               Callee("p"),
                               {TERN_OPERAND_VM, 0, 0},
                               first,
                               Callee("f", TERN_CALLEE_FUNCTION),
                               Callee("q", TERN_CALLEE_PRIMITIVE)})),
            "");
  EXPECT_EQ(Take(Emit("ret", {Reg(0)})), "");
  tern_buffer* warnings = nullptr;
  EXPECT_EQ(Take(tern_builder_end_function(builder_, &warnings)), "");
  EXPECT_NE(Take(warnings).find("input %1 (register 1) unused in f"), std::string::npos);
  std::string bytes;
  ASSERT_EQ(Finish(&bytes), "");
  const auto inspect = [&](const char* format) {
    tern_buffer* out = nullptr;
    const std::string error =
        Take(tern_inspect_executable(runtime_, bytes.data(), bytes.size(), format, &out));
    return error.empty() ? Take(out) : error;
  };
  EXPECT_NE(inspect("listing").find("call  p                in: %vm, c[0], @f, &q dst: void"),
            std::string::npos);
  EXPECT_NE(inspect("json").find(R"("opcode":"call","operands":[{"name":"callee","role":"a",)"
                                 R"("kind":"primitive","value":1,"span":[6,7]},)"),
            std::string::npos)
      << inspect("json");
  EXPECT_NE(inspect("json").find(R"({"name":"dst","role":"w","kind":"void","span":[)"),
            std::string::npos);
  EXPECT_NE(inspect("stats").find("Packed functions (#2): [q, p]"), std::string::npos);
  EXPECT_NE(inspect("assignments").find("Call(p, %vm, c[0], @f, &q)"), std::string::npos);
  EXPECT_NE(inspect("instructions").find("Call void, p, $vm, c[0], @f, &q"), std::string::npos);
  EXPECT_NE(inspect("cpp").find("ib.DeclarePrimitive(\"q\");"), std::string::npos);
  EXPECT_NE(inspect("cpp").find("std::string(\"va\\000lue\", 6)"), std::string::npos);
  EXPECT_NE(inspect("javascript").find("ib.addKernel(\"k\", \"loop\", [1, 2]);"),
            std::string::npos);
  EXPECT_NE(inspect("json").find("\"constants\""), std::string::npos);
  EXPECT_EQ(inspect("ssa"), "every register is written once\n");
  EXPECT_NE(inspect("yaml").find("expected json"), std::string::npos);
  bytes[0] = 'x';
  EXPECT_NE(inspect("json").find("E0103"), std::string::npos);
}

TEST_F(BuilderApi, C13_C15_MistakesAreStatuses) {
  EXPECT_NE(Take(Emit("nonsense", {})).find("there is no instruction 'nonsense'"),
            std::string::npos);
  EXPECT_NE(Take(Emit("ret", {{9, 0, 0}})).find("no operand of kind 9"), std::string::npos);
  EXPECT_NE(Take(tern_builder_begin_function(builder_, "f", "(x: f33)", 0)).find("f33"),
            std::string::npos);
  EXPECT_EQ(Take(Emit("ret", {Reg(5)})), "") << "kept until the function ends";
  EXPECT_NE(Take(tern_builder_end_function(builder_, nullptr)), "");
  tern_operand operand{};
  EXPECT_NE(Take(tern_builder_constant_text(builder_, "f32[2] [1]", 1, &operand))
                .find("the shape needs 2 elements"),
            std::string::npos);
  EXPECT_EQ(Take(tern_builder_begin_function(builder_, "g", nullptr, 1)), "");
  EXPECT_EQ(Take(Emit("add", {Reg(1), Reg(2), {TERN_OPERAND_FUNCTION, 0, -99}})), "");
  EXPECT_NE(Take(tern_builder_end_function(builder_, nullptr)).find("numbered -99"),
            std::string::npos);
  std::string bytes;
  const std::string all = Finish(&bytes);
  EXPECT_NE(all.find("f33"), std::string::npos) << all;
  EXPECT_NE(all.find("numbered -99"), std::string::npos) << all;
}

}  // namespace
}  // namespace builder_api_test
