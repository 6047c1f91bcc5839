// SPDX-License-Identifier: Apache-2.0
// A23: random programs of every instruction; parse(print(x)) is x in each textual form, and so is
// load(save(x)).
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "core/vm/text/disassembler.h"
#include "core/vm/text/instruction_printer.h"
#include "tests/support/random_program.h"
#include "tests/support/vm_file.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm::random_program_test {
namespace {

constexpr uint32_t kPrograms = 150;
constexpr TextForm kForms[] = {TextForm::kColumns, TextForm::kInstructions, TextForm::kAssignments};

TEST(RandomProgram, A23_TextAndFileAreLossless) {
  std::set<Opcode> seen;
  std::set<ConstantKind> kinds;
  for (uint32_t seed = 0; seed < kPrograms; ++seed) {
    const ExecutablePtr executable = support::RandomProgram(seed);
    const std::vector<uint8_t> bytes = SaveExecutable(*executable);
    for (const TextForm form : kForms) {
      const std::string text = Disassemble(*executable, form);
      const Result<ExecutablePtr> parsed = Assemble(text, "random.tasm");
      ASSERT_TRUE(parsed.ok()) << text::RenderText(parsed.status()) << text;
      ASSERT_EQ(SaveExecutable(**parsed), bytes) << "seed " << seed << "\n" << text;
      ASSERT_EQ(Disassemble(**parsed, form), text);
    }
    ASSERT_EQ(SaveExecutable(*ReadExecutable(bytes, nullptr).value()), bytes);
    for (uint32_t i = 0; i < executable->instruction_count(); ++i)
      seen.insert(executable->GetInstruction(i)->info->opcode);
    for (const Constant& constant : executable->constants()) kinds.insert(constant.kind);
  }
  EXPECT_EQ(seen.size(), kInstructionCount) << "every instruction was there";
  EXPECT_EQ(kinds.size(), 10u) << "every kind of constant was there";
}

// "name role kind=text" of each operand.
std::string FieldsOf(std::string_view body) {
  const ExecutablePtr executable =
      MustAssemble(StrCat(".func @main(%0, %1)\n", body, "\nret ret %0\n.func @f(a)\nret ret %0"));
  const InstructionFields fields = FieldsOfInstruction(*executable, 0);
  EXPECT_EQ(fields.text, InstructionText(*executable, 0));
  std::string out(fields.info->mnemonic);
  for (const OperandField& field : fields.operands) {
    StrAppend(&out, " | ", field.name, " ", static_cast<char>(field.role), " ",
              OperandKindName(field.operand), "=",
              fields.text.substr(field.begin, field.end - field.begin));
  }
  return out;
}

TEST(InstructionFields, SayWhatIsWhereInTheText) {
  EXPECT_EQ(FieldsOf("call \"a b\" in: %0, %vm, &q, @f, 7 dst: %2"),
            "call | callee a primitive=\"a b\" | in v register=%0 | in v vm=%vm | in v "
            "primitive=&q | in v function=@f | in v immediate=7 | dst w register=%2");
  EXPECT_EQ(FieldsOf("call conv{pads=1,1 in:=2} in: %1"),
            "call | callee a primitive=conv{pads=1,1 in:=2} | in v register=%1 | dst w void=void");
  EXPECT_EQ(FieldsOf("if %1 true: +1 false: +1"),
            "if | test r register=%1 | true o immediate=+1 | false o immediate=+1");
  EXPECT_EQ(FieldsOf("alloc_tensor offset: 0 dtype: f32 shape: 2, 3 dst: %2"),
            "alloc_tensor | offset n immediate=0 | dtype d immediate=f32 | shape i immediate=2 | "
            "shape i immediate=3 | dst w register=%2")
      << "an operand that is left out of the text has no field";
  EXPECT_EQ(FieldsOf("kill %1"), "kill | registers k register=%1");
}

// Spans follow each other and hold what the operand is, whatever its name looks like.
TEST(InstructionFields, HoldOfRandomPrograms) {
  for (uint32_t seed = 0; seed < kPrograms; ++seed) {
    const ExecutablePtr executable = support::RandomProgram(seed);
    for (uint32_t i = 0; i < executable->instruction_count(); ++i) {
      const InstructionFields fields = FieldsOfInstruction(*executable, i);
      ASSERT_EQ(fields.text, InstructionText(*executable, i));
      size_t end = 0;
      for (const OperandField& field : fields.operands) {
        ASSERT_GE(field.begin, end) << fields.text;
        ASSERT_LE(field.end, fields.text.size());
        ASSERT_LT(field.begin, field.end);
        end = field.end;
        const std::string_view text(&fields.text[field.begin], field.end - field.begin);
        if (field.operand.is_register()) {
          ASSERT_EQ(text, StrCat("%", field.operand.value));
        } else if (field.operand.is_constant()) {
          ASSERT_EQ(text, StrCat("c[", field.operand.value, "]"));
        }
      }
    }
  }
}

std::string TextOf(std::string_view body, TextForm form) {
  const ExecutablePtr executable =
      MustAssemble(StrCat(".func @main(%0, %1)\n", body, "\nret ret %0\n.func @f(a)\nret ret %0"));
  return InstructionText(*executable, 0, form);
}

// The two forms of the register VM's document, instruction and assignment, and what they mean.
TEST(TextForms, A23_BothFormsOfTheDocument) {
  struct Case {
    std::string_view columns, instruction, assignment;
  };
  const Case cases[] = {
      {"move  %1 dst: %2", "Move $2, $1", "%2 = Move(%1)"},
      {"ret   ret %1", "Ret $1", "Ret(%1)"},
      {"get_field %1, 4 dst: %2", "GetField $2, $1, 4", "%2 = GetField(%1, 4)"},
      {"if %1 true: +1 false: +1", "If $1, +1, +1", "If(%1, +1, +1)"},
      {"goto +1", "Goto +1", "Goto(+1)"},
      {"invoke_packed p arity: 1 outputs: 1 in: %0, %1", "InvokePacked p, 1, 1, $0, $1",
       "InvokePacked(p, 1, 1, %0, %1)"},
      {"invoke @f in: %1 dst: %2", "Invoke $2, @f, $1", "%2 = Invoke(@f, %1)"},
      {"invoke_closure %1 in: %0 dst: %2", "InvokeClosure $2, $1, $0",
       "%2 = InvokeClosure(%1, %0)"},
      {"alloc_tensor offset: 0 dtype: f32 shape: 2, 3 dst: %2",
       "AllocTensor $2, void, 0, f32, 2, 3", "%2 = AllocTensor(void, 0, f32, 2, 3)"},
      {"alloc_adt tag: 1 in: %0, %1 dst: %2", "AllocAdt $2, 1, $0, $1", "%2 = AllocAdt(1, %0, %1)"},
      {"alloc_closure @f in: %0 dst: %2", "AllocClosure $2, @f, $0", "%2 = AllocClosure(@f, %0)"},
      {"call add in: %0, %vm, &q, @f", "Call void, add, $0, $vm, &q, @f",
       "Call(add, %0, %vm, &q, @f)"},
      {"call add{axis=1,2} in: dst: %2", "Call $2, add{axis=1,2}", "%2 = Call(add{axis=1,2})"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(TextOf(c.columns, TextForm::kInstructions), c.instruction);
    EXPECT_EQ(TextOf(c.columns, TextForm::kAssignments), c.assignment);
    EXPECT_EQ(TextOf(c.instruction, TextForm::kAssignments), c.assignment);
    EXPECT_EQ(TextOf(c.assignment, TextForm::kInstructions), c.instruction);
  }
}

std::string ErrorOf(std::string_view line) {
  const Result<ExecutablePtr> executable =
      Assemble(StrCat(".func @main(%0)\n", line, "\nret ret %0\n"), "t.tasm");
  return executable.ok() ? "" : text::RenderText(executable.status());
}

TEST(TextForms, A23_BadStatementsSayWhatWasExpected) {
  struct Case {
    std::string_view line, error, place;
  };
  const Case cases[] = {
      {"%1 = Ret(%0)", "'Ret' has no destination", "t.tasm:2:6"},
      {"Add(%0, 1)", "expected '%n =' in front of 'Add'", "t.tasm:2:1"},
      {"%1 = Add(%0 1)", "expected ','", "t.tasm:2:13"},
      {"%1 = Add(%0, 1", "expected ')'", "t.tasm:2:15"},
      {"%1 = Add %0, 1", "expected '('", "t.tasm:2:10"},
      {"%1 = add(%0, 1)", "unknown instruction 'add'", "t.tasm:2:6"},
      {"%1 Add(%0, 1)", "expected '='", "t.tasm:2:4"},
      {"Addd $1, $0, 1", "did you mean 'Add'?", "t.tasm:2:1"},
      {"Add $1, $0", "expected ','", "t.tasm:2:11"},
      {"Add $1, $0, 1, 2", "expected the end of the line", "t.tasm:2:14"},
      {"Kill", "needs at least one value", "t.tasm:2:5"},
      {"Kill()", "needs at least one value", "t.tasm:2:6"},
      {"Add void, $0, 1", "", "t.tasm:2:1"},
      {"$x = Add(%0, 1)", "", "t.tasm:2:2"},
  };
  for (const Case& c : cases) {
    const std::string error = ErrorOf(c.line);
    EXPECT_NE(error.find(c.error), std::string::npos) << c.line << "\n" << error;
    EXPECT_NE(error.find(c.place), std::string::npos) << c.line << "\n" << error;
  }
  EXPECT_EQ(ErrorOf("%1 = Add(%0, 1)"), "");
}

}  // namespace
}  // namespace tern::vm::random_program_test
