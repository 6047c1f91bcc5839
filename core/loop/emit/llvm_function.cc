// SPDX-License-Identifier: Apache-2.0
// Names, statements and the two functions of a loop function.
#include "core/loop/emit/llvm_function.h"

#include <utility>

#include "core/loop/emit/steps.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

// Scratch memory of emitted code, in bytes; a thread's stack may be small.
constexpr int64_t kMaxStackBytes = 256 * 1024;
constexpr int kScratchAlignment = 64;

}  // namespace

// Letters, digits and underscores, which need no quotes.
std::string LlvmFunction::CleanName(std::string_view hint) {
  std::string clean;
  for (const char c : hint) {
    const bool keeps = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '.';
    clean += keeps ? c : '_';
  }
  if (clean.empty() || (clean[0] >= '0' && clean[0] <= '9')) clean.insert(0, "_");
  return clean;
}

// A name that the function does not have yet; without a hint a number.
std::string LlvmFunction::Fresh(std::string_view hint) {
  // All labels have names, because unnamed ones would share these numbers.
  if (hint.empty()) return StrCat(next_++);  // LLVM wants these in order
  const std::string clean = CleanName(hint);
  std::string name = clean;
  for (int i = 1; !names_.insert(name).second; ++i) name = StrCat(clean, ".", i);
  return name;
}

std::string LlvmFunction::Let(std::string_view right, std::string_view hint) {
  const std::string name = StrCat("%", Fresh(hint));
  Line(StrCat(name, " = ", right));
  return name;
}

// Begins a basic block. block_ is its name, which phi instructions ask for.
void LlvmFunction::Label(const std::string& name) {
  body_ += StrCat(name, ":\n");
  block_ = name;
}

void LlvmFunction::Branch(const std::string& condition, const std::string& yes,
                          const std::string& no) {
  Line(StrCat("br i1 ", condition, ", label %", yes, ", label %", no));
}

// Slots are made at the entry, so that a loop does not grow the stack.
std::string LlvmFunction::Slot(std::string_view type, std::string_view hint, int align) {
  const std::string name = StrCat("%", Fresh(hint));
  slots_ +=
      StrCat("  ", name, " = alloca ", type, align > 0 ? StrCat(", align ", align) : "", "\n");
  return name;
}

void LlvmFunction::NotLowered(std::string_view what) {
  Fail(InvalidArgument("loop function '", function_.name, "' is not lowered: it still has ", what)
           .AddNote("help: run the lowering passes before emitting code"));
}

void LlvmFunction::Statement(const Stmt& stmt) {
  if (!status_.ok()) return;
  values_.clear();
  switch (stmt->kind) {
    case StmtKind::kFor: return WriteFor(*stmt->As<For>());
    case StmtKind::kWhile: return WriteWhile(*stmt->As<While>());
    case StmtKind::kStore: return WriteStore(*stmt->As<Store>());
    case StmtKind::kIf: return WriteIf(*stmt->As<If>());
    case StmtKind::kBlock:
      for (const Stmt& inner : stmt->As<Block>()->stmts) Statement(inner);
      return;
    case StmtKind::kAllocate: return WriteAllocate(*stmt->As<Allocate>());
    case StmtKind::kLet: return WriteLet(*stmt->As<loop::Let>());
    case StmtKind::kAssign: {
      const auto& assign = *stmt->As<Assign>();
      return Line(StrCat("store ", Typed(assign.value), ", ptr ", variables_[assign.var.get()]));
    }
  }
}

// How many vectors run at once is the loop program's own choice (For::Traits::interleave), and an
// epilogue is short: LLVM is told to leave both as they are.
std::string LlvmFunction::LoopHint(LoopRole role, const Stmt& body) {
  if (HasLoops(body)) return {};
  if (role == LoopRole::kPlain) {
    module_.has_plain_loops = true;
    return {};
  }
  const size_t first = module_.metadata.size();
  module_.metadata.push_back(
      StrCat("distinct !{!", first, ", !", first + 1, ", !", first + 2, "}"));
  module_.metadata.push_back("!{!\"llvm.loop.unroll.disable\"}");
  module_.metadata.push_back("!{!\"llvm.loop.vectorize.enable\", i1 false}");
  return StrCat(", !llvm.loop !", first);
}

// Tests at the head, in a block of its own; LLVM rotates the loop.
void LlvmFunction::WriteFor(const For& loop) {
  if (loop.traits.kind != ForKind::kSerial && loop.traits.kind != ForKind::kParallel)
    return NotLowered(
        StrCat("a ", ForKindName(loop.traits.kind), " loop over '", loop.var->name, "'"));
  if (loop.traits.kind == ForKind::kParallel && may_share_out_) return WriteParallelFor(loop);
  const std::string first = Value(loop.range.min);
  const std::string end = Let(StrCat("add i64 ", first, ", ", Value(loop.range.extent)),
                              StrCat(loop.var->name, ".end"));
  WriteSteps(loop, first, end);
}

// The phi takes its values from the block before and from the latch, so both have names.
void LlvmFunction::WriteSteps(const For& loop, const std::string& first, const std::string& end) {
  if (IsNarrow()) return WriteNarrowSteps(loop, first, end);
  const std::string& hint = loop.var->name;
  const std::string step = Value(loop.range.step);
  const std::string before = block_;
  const std::string head = Fresh(StrCat(hint, ".head")), body = Fresh(StrCat(hint, ".body"));
  const std::string latch = Fresh(StrCat(hint, ".next")), done = Fresh(StrCat(hint, ".done"));
  const std::string var = StrCat("%", Fresh(hint));
  const std::string next = StrCat("%", Fresh(StrCat(var.substr(1), ".after")));
  Jump(head);
  Label(head);
  Line(StrCat(var, " = phi i64 [ ", first, ", %", before, " ], [ ", next, ", %", latch, " ]"));
  Branch(Let(StrCat("icmp slt i64 ", var, ", ", end)), body, done);
  Label(body);
  variables_[loop.var.get()] = var;
  Statement(loop.body);
  Jump(latch);
  Label(latch);
  Line(StrCat(next, " = ", NextCounter(loop.range.step, var, step)));
  Line(StrCat("br label %", head, LoopHint(loop.traits.role, loop.body)));
  Label(done);
}

// As in the interpreter, a counter that has no room for its step is behind every end.
std::string LlvmFunction::NextCounter(const Expr& step, const std::string& counter,
                                      const std::string& by) {
  if (IsSmallStep(step)) return StrCat("add nsw i64 ", counter, ", ", by);
  module_.declarations.insert("declare i64 @llvm.sadd.sat.i64(i64, i64)\n");
  return StrCat("call i64 @llvm.sadd.sat.i64(i64 ", counter, ", i64 ", by, ")");
}

void LlvmFunction::WriteWhile(const While& loop) {
  const std::string head = Fresh("while"), body = Fresh("while.body"), done = Fresh("while.done");
  Jump(head);
  Label(head);
  Branch(Value(loop.condition), body, done);
  Label(body);
  Statement(loop.body);
  Line(StrCat("br label %", head, LoopHint(loop.role, loop.body)));
  Label(done);
}

void LlvmFunction::WriteIf(const If& branch) {
  const std::string yes = Fresh("then"), no = Fresh("else"), done = Fresh("endif");
  Branch(Value(branch.condition), yes, branch.else_body ? no : done);
  Label(yes);
  Statement(branch.then_body);
  Jump(done);
  if (branch.else_body) {
    Label(no);
    Statement(branch.else_body);
    Jump(done);
  }
  Label(done);
}

// An immutable variable is the value itself; a mutable one is a slot on the stack.
void LlvmFunction::WriteLet(const loop::Let& let) {
  const std::string value = Value(let.value);
  if (!let.is_mutable) {
    variables_[let.var.get()] = value;
    return;
  }
  const std::string slot = Slot(LlvmType(let.var->type), let.var->name);
  variables_[let.var.get()] = slot;
  mutable_.insert(let.var.get());
  Line(StrCat("store ", Typed(let.var->type, value), ", ptr ", slot));
}

// Scratch memory of constant size, on the stack.
void LlvmFunction::WriteAllocate(const Allocate& allocate) {
  const Buffer& buffer = *allocate.buffer;
  int64_t count = 1;
  for (const Expr& extent : buffer.shape) {
    const IntImm* constant = AsInt(extent);
    if (constant == nullptr) return NotLowered("scratch memory of variable size");
    if (__builtin_mul_overflow(count, constant->value, &count)) count = INT64_MAX;
  }
  if (count < 0 || count > kMaxStackBytes / buffer.dtype.size()) {
    return Fail(Unsupported("scratch buffer '", buffer.name, "' of loop function '", function_.name,
                            "' has ", count, " elements; at most ", kMaxStackBytes,
                            " bytes fit on the stack")
                    .AddNote("help: make it a workspace parameter"));
  }
  const std::string type = StrCat("[", count, " x ", LlvmMemoryType(DataType(buffer.dtype)), "]");
  buffers_[&buffer] = Slot(type, buffer.name, kScratchAlignment);
}

// The parameters of the body: buffers, sizes, scalars. names: with their names, as a definition
// needs.
std::string LlvmFunction::Signature(bool names) const {
  std::string text;
  const auto add = [&](std::string_view type, const std::string& name) {
    text += StrCat(text.empty() ? "" : ", ", type, names ? " " : "", names ? name : "");
  };
  for (const BufferPtr& buffer : function_.buffers) {
    // Nothing writes an `in` buffer, because WhyNotStore refuses such stores.
    const bool read_only = buffer->access == Access::kIn;
    add(read_only ? "ptr noalias nocapture readonly" : "ptr noalias nocapture",
        buffers_.at(buffer.get()));
  }
  for (const VarPtr& size : function_.sizes) add("i64", variables_.at(size.get()));
  for (const VarPtr& scalar : function_.scalars)
    add(LlvmType(scalar->type), variables_.at(scalar.get()));
  return text;
}

// The entry by the calling convention of core/loop/stmt.h: takes the arguments out of their slots
// and calls the body, whose parameters tell LLVM that buffers do not alias.
std::string LlvmFunction::Entry(bool takes_workers) const {
  std::string text = StrCat("define i32 @", CleanName(function_.name),
                            takes_workers ? kParallelEntry : std::string_view(),
                            "(ptr nocapture readonly %buffers, ptr nocapture readonly %sizes",
                            takes_workers ? ", ptr %workers" : "", ") #0 {\n");
  std::string arguments;
  int index = 0;
  const auto take = [&](const char* base, DataType type, bool pointer) {
    const std::string name = StrCat("%", pointer ? "b" : "s", index);
    const std::string spelled = pointer ? "ptr" : LlvmMemoryType(type);
    const std::string unit = pointer ? "ptr" : "i64";
    text += StrCat("  ", name, ".at = getelementptr inbounds ", unit, ", ptr %", base, ", i64 ",
                   index, "\n  ", name, " = load ", spelled, ", ptr ", name, ".at\n");
    std::string value = name;
    if (!pointer && type.is_bool()) {
      value += ".bool";
      text += StrCat("  ", value, " = icmp ne i8 ", name, ", 0\n");
    }
    arguments +=
        StrCat(arguments.empty() ? "" : ", ", pointer ? "ptr" : LlvmType(type), " ", value);
    ++index;
  };
  for (size_t i = 0; i < function_.buffers.size(); ++i) take("buffers", kIndexType, true);
  index = 0;
  for (const VarPtr& size : function_.sizes) take("sizes", size->type, false);
  for (const VarPtr& scalar : function_.scalars) take("sizes", scalar->type, false);
  if (parallel_loops_ > 0)
    arguments += StrCat(arguments.empty() ? "" : ", ", "ptr ", takes_workers ? "%workers" : "null");
  return text + StrCat("  call void @", CleanName(function_.name), ".body(", arguments,
                       ")\n  ret i32 0\n}\n");
}

Result<std::string> LlvmFunction::Write() {
  // Names that Write uses itself.
  for (const char* taken : {"entry", "body", "workers"}) names_.insert(taken);
  for (const BufferPtr& buffer : function_.buffers)
    buffers_[buffer.get()] = StrCat("%", Fresh(buffer->name));
  for (const VarPtr& size : function_.sizes)
    variables_[size.get()] = StrCat("%", Fresh(size->name));
  for (const VarPtr& scalar : function_.scalars)
    variables_[scalar.get()] = StrCat("%", Fresh(scalar->name));
  Statement(Legalized(function_.body));
  if (!status_.ok()) return std::move(status_);
  std::string signature = Signature(true);
  if (parallel_loops_ > 0) StrAppend(&signature, signature.empty() ? "" : ", ", "ptr %workers");
  // The slots stand ahead of the body, but are only known when the body is written.
  return StrCat("define internal void @", CleanName(function_.name), ".body(", signature,
                ") #0 {\nentry:\n", slots_, "  br label %body\nbody:\n", body_, "  ret void\n}\n\n",
                Entry(false), parallel_loops_ > 0 ? StrCat("\n", Entry(true)) : std::string());
}

}  // namespace tern::loop
