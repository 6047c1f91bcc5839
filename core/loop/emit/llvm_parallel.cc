// SPDX-License-Identifier: Apache-2.0
// Parallel loops. The loop becomes a function of its own, over a part of its range:
//
//   @f.loop0(what the body uses, i64 %first, i64 %end)       some of the iterations
//   @f.loop0.task(ptr %lent, i64 %task, i32 %worker)         one task's: TernParallel's callback
//
// Where there are workers (llvm_text.h) and more than one iteration, the function lends each task
// what the body uses, by pointers, and has them run; else it calls the first for the whole range.
// Every iteration is computed by the same code either way, so results are the same bits.
#include <algorithm>

#include "core/loop/emit/llvm_function.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

// More tasks than workers, so that a worker that was late or got the longer iterations does not
// keep the others waiting.
constexpr int kTasksPerWorker = 4;
// TernParallel, core/kernels/kernel.h.
constexpr std::string_view kParallelType = "{ ptr, i32, ptr }";

// Variables and buffers that a loop names, in the order of its text.
class Uses : public Visitor {
 public:
  explicit Uses(const For& loop) {
    VisitExpr(loop.range.step);
    VisitStmt(loop.body);
  }
  std::vector<const Var*> variables;
  std::vector<const Buffer*> buffers;

  void VisitExpr(const Expr& expr) override {
    if (const Var* var = expr->As<Var>()) AddNew(&variables, var);
    if (const Load* load = expr->As<Load>()) AddNew(&buffers, load->buffer.get());
    Descend(expr);
  }
  void VisitStmt(const Stmt& stmt) override {
    if (const Store* store = stmt->As<Store>()) AddNew(&buffers, store->buffer.get());
    if (const Assign* assign = stmt->As<Assign>()) AddNew(&variables, assign->var.get());
    Descend(stmt);
  }

 private:
  template <class T>
  static void AddNew(std::vector<T>* list, T item) {
    if (std::find(list->begin(), list->end(), item) == list->end()) list->push_back(item);
  }
};

}  // namespace

// What the loop uses and the function around declares; the part gets it as parameters. Mutable
// variables are given by their slots, though the parallel check has shown that no iteration assigns
// one.
std::vector<LlvmFunction::Captured> LlvmFunction::Capture(const For& loop,
                                                          LlvmFunction* part) const {
  std::vector<Captured> captured;
  const Uses uses(loop);
  for (const Buffer* buffer : uses.buffers) {
    const auto found = buffers_.find(buffer);
    if (found == buffers_.end()) continue;  // declared inside
    const char* attributes =
        buffer->access == Access::kIn ? " noalias nocapture readonly" : " noalias nocapture";
    const std::string name = StrCat("%", part->Fresh(buffer->name));
    captured.push_back({"ptr", attributes, found->second, name});
    part->buffers_[buffer] = name;
  }
  for (const Var* var : uses.variables) {
    const auto found = variables_.find(var);
    if (found == variables_.end() || var == loop.var.get()) continue;
    const bool is_mutable = mutable_.contains(var);
    const std::string name = StrCat("%", part->Fresh(var->name));
    captured.push_back({is_mutable ? "ptr" : LlvmType(var->type), "", found->second, name});
    part->variables_[var] = name;
    if (is_mutable) part->mutable_.insert(var);
  }
  return captured;
}

// Called on the part's own LlvmFunction. Not inlined, so that there is one copy of the loop.
void LlvmFunction::WritePart(const For& loop, const std::string& name,
                             std::span<const Captured> captured) {
  WriteSteps(loop, "%first", "%end");
  std::string parameters;
  for (const Captured& one : captured)
    StrAppend(&parameters, one.type, one.attributes, " ", one.name, ", ");
  StrAppend(&module_.outlined, "define internal void @", name, "(", parameters,
            "i64 %first, i64 %end) noinline #0 {\nentry:\n", slots_, "  br label %body\nbody:\n",
            body_, "  ret void\n}\n\n");
}

// What is lent: pointers to the captured values, then to the loop's first value, end, step, number
// of steps and of tasks.
void LlvmFunction::WriteTask(const std::string& name, std::span<const Captured> captured) {
  std::string text = StrCat("define internal void @", name,
                            ".task(ptr nocapture readonly %lent, i64 %task, i32 %worker) #0 {\n");
  std::string arguments;
  int index = 0;
  const auto take = [&](std::string_view type, const std::string& value) {
    StrAppend(&text, "  ", value, ".at = getelementptr inbounds ptr, ptr %lent, i64 ", index,
              "\n  ", value, ".lent = load ptr, ptr ", value, ".at\n  ", value, " = load ", type,
              ", ptr ", value, ".lent\n");
    ++index;
  };
  for (const Captured& one : captured) {
    const std::string value = StrCat("%c", index);
    take(one.type, value);
    StrAppend(&arguments, one.type, " ", value, ", ");
  }
  for (const char* value : {"%begin", "%limit", "%step", "%steps", "%tasks"}) take("i64", value);
  // Task t runs steps [steps * t / tasks, steps * (t + 1) / tasks), which differ by one step at
  // most.
  for (const char* side : {"first", "end"}) {
    const bool is_first = side[0] == 'f';
    const std::string task = is_first ? "%task" : "%next";
    if (!is_first) text += "  %next = add nsw i64 %task, 1\n";
    StrAppend(&text, "  %", side, ".share = mul i64 %steps, ", task, "\n  %", side,
              ".steps = udiv i64 %", side, ".share, %tasks\n  %", side, ".far = mul i64 %", side,
              ".steps, %step\n  %", side, ".sum = add i64 %begin, %", side, ".far\n  %", side,
              " = call i64 @llvm.smin.i64(i64 %", side, ".sum, i64 %limit)\n");
  }
  module_.declarations.insert("declare i64 @llvm.smin.i64(i64, i64)\n");
  StrAppend(&module_.outlined, text, "  call void @", name, "(", arguments,
            "i64 %first, i64 %end)\n  ret void\n}\n\n");
}

// Stores what tasks are lent and has the workers run them.
// Slots at the function's entry outlive the call, because TernParallel's run returns when all tasks
// have.
void LlvmFunction::ShareOut(const std::string& name, std::span<const Captured> captured,
                            const std::string& steps) {
  const auto member = [&](int index, std::string_view type) {
    const std::string at = Let(
        StrCat("getelementptr inbounds ", kParallelType, ", ptr %workers, i32 0, i32 ", index));
    return Let(StrCat("load ", type, ", ptr ", at));
  };
  const std::string context = member(0, "ptr");
  const std::string workers = Let(StrCat("sext i32 ", member(1, "i32"), " to i64"));
  const std::string run = member(2, "ptr");
  const std::string most = Let(StrCat("mul nsw i64 ", workers, ", ", kTasksPerWorker));
  const std::string tasks =
      CallIntrinsic("smin.i64", "i64", {StrCat("i64 ", steps), StrCat("i64 ", most)});
  const std::string lent = Slot(StrCat("[", captured.size() + 1, " x ptr]"), "lent");
  size_t index = 0;
  const auto lend = [&](std::string_view type, const std::string& value) {
    const std::string slot = Slot(type, "lent");
    Line(StrCat("store ", type, " ", value, ", ptr ", slot));
    const std::string at = Let(StrCat("getelementptr inbounds ptr, ptr ", lent, ", i64 ", index++));
    Line(StrCat("store ptr ", slot, ", ptr ", at));
  };
  for (const Captured& one : captured) lend(one.type, one.value);
  lend("i64", tasks);
  Line(StrCat("call void ", run, "(ptr ", context, ", i64 ", tasks, ", ptr @", name, ".task, ptr ",
              lent, ")"));
}

void LlvmFunction::WriteParallelFor(const For& loop) {
  const std::string name = StrCat(CleanName(function_.name), ".loop", parallel_loops_++);
  const std::string first = Value(loop.range.min), extent = Value(loop.range.extent);
  const std::string step = Value(loop.range.step);
  const std::string end =
      Let(StrCat("add i64 ", first, ", ", extent), StrCat(loop.var->name, ".end"));
  LlvmFunction part(function_, flavor_, &module_);
  // Workers do not share out again: loops inside are serial.
  part.may_share_out_ = false;
  for (const char* taken : {"entry", "body", "first", "end"}) part.names_.insert(taken);
  std::vector<Captured> captured = Capture(loop, &part);
  part.WritePart(loop, name, captured);
  Fail(std::move(part.status_));
  WriteTask(name, captured);
  // The number of steps, rounded up.
  const std::string rounded =
      Let(StrCat("add i64 ", extent, ", ", Let(StrCat("sub i64 ", step, ", 1"))));
  const std::string steps = Let(StrCat("sdiv i64 ", rounded, ", ", step));
  const std::string there = Let("icmp ne ptr %workers, null");
  const std::string several = Let(StrCat("icmp sgt i64 ", steps, ", 1"));
  const std::string shared = Fresh("share.out"), alone = Fresh("alone"), done = Fresh("shared");
  std::string arguments;
  for (const Captured& one : captured) StrAppend(&arguments, one.type, " ", one.value, ", ");
  Branch(Let(StrCat("and i1 ", there, ", ", several)), shared, alone);
  Label(shared);
  for (const std::string& value : {first, end, step, steps})
    captured.push_back({"i64", "", value, ""});
  ShareOut(name, captured, steps);
  Jump(done);
  Label(alone);
  Line(StrCat("call void @", name, "(", arguments, "i64 ", first, ", i64 ", end, ")"));
  Jump(done);
  Label(done);
}

}  // namespace tern::loop
