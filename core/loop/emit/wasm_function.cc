// SPDX-License-Identifier: Apache-2.0
// Statements, variables and locals.
#include "core/loop/emit/wasm_function.h"

#include "core/loop/emit/steps.h"

namespace tern::loop {
namespace {

constexpr uint32_t kBuffersParameter = 0;
constexpr uint32_t kSizesParameter = 1;
// In bytes, of all scratch buffers of a function.
constexpr int64_t kMaxScratchBytes = 16 << 20;
constexpr uint32_t kWasmScratchAlignment = 16;

}  // namespace

// Reports a node that a pass should have removed. Statement emits nothing after an error.
void WasmFunction::NotLowered(std::string_view what) {
  Fail(InvalidArgument("loop function '", function_.name, "' is not lowered: it still has ", what)
           .AddNote("help: run the lowering passes before emitting code"));
}

void WasmFunction::GetVariable(const Var& var, int part) {
  const auto found = variables_.find(&var);
  if (found != variables_.end()) return code_.Get(found->second.locals[static_cast<size_t>(part)]);
  Fail(InvalidArgument("loop function '", function_.name, "' uses '", var.name,
                       "' where it is not declared"));
}

bool WasmFunction::CheckLanes(DataType type) {
  const int count = CountOf(type);
  if ((count & (count - 1)) == 0) return true;
  Fail(Unsupported("loop function '", function_.name, "' has vectors of type ", type.ToString(),
                   "; WebAssembly takes lanes by powers of two")
           .SetErrorCode("E0802"));
  return false;
}

// Locals are reused between statements, because engines limit their number and each one takes stack
// space.
uint32_t WasmFunction::Temporary(WasmType type) {
  std::vector<uint32_t>& free = free_[type];
  uint32_t local;
  if (free.empty()) {
    local = code_.AddLocal(type);
  } else {
    local = free.back();
    free.pop_back();
  }
  taken_.emplace_back(type, local);
  return local;
}

// Called ahead of the expressions that are about to be computed, in any order, with no statement in
// between. What was saved before may have changed.
void WasmFunction::BeginStatement(std::initializer_list<Expr> roots) {
  saved_.clear();
  addresses_.clear();
  uses_.clear();
  kept_.clear();
  for (const Expr& root : roots) {
    if (root) CountUses(root, &uses_);
  }
}

void WasmFunction::Statement(const Stmt& stmt) {
  if (!status_.ok()) return;
  const size_t taken_before = taken_.size();
  switch (stmt->kind) {
    case StmtKind::kFor: WriteFor(*stmt->As<For>()); break;
    case StmtKind::kWhile: WriteWhile(*stmt->As<While>()); break;
    case StmtKind::kStore: WriteStore(*stmt->As<Store>()); break;
    case StmtKind::kIf: WriteIf(*stmt->As<If>()); break;
    case StmtKind::kBlock:
      for (const Stmt& inner : stmt->As<Block>()->stmts) Statement(inner);
      break;
    case StmtKind::kAllocate: WriteAllocate(*stmt->As<Allocate>()); break;
    case StmtKind::kLet: {
      const auto& let = *stmt->As<Let>();
      BeginStatement({let.value});
      Bind(let.var, let.value);
      break;
    }
    case StmtKind::kAssign: {
      const auto& assign = *stmt->As<Assign>();
      BeginStatement({assign.value});
      AssignTo(variables_[assign.var.get()], assign.value);
      break;
    }
  }
  for (; taken_.size() > taken_before; taken_.pop_back())
    free_[taken_.back().first].push_back(taken_.back().second);
}

// As narrow as a vector of so many lanes allows, so that a mask takes few registers.
int WasmFunction::VariableMaskBits(DataType type) {
  return std::clamp(kPartBits / CountOf(type), 8, 64);
}

// Variables have locals of their own, which no later statement reuses.
void WasmFunction::Bind(const VarPtr& var, const Expr& value) {
  const DataType type = var->type;
  Variable variable;
  if (type.is_scalar()) {
    variable.locals = {code_.AddLocal(WasmScalarType(type))};
  } else if (CheckLanes(type)) {
    const int bits = type.is_bool() ? VariableMaskBits(type) : type.bits();
    for (int i = 0; i < PartsOf(type, bits); ++i)
      variable.locals.push_back(code_.AddLocal(WasmType::kV128));
  }
  AssignTo(variable, value);
  variables_[var.get()] = std::move(variable);
}

// All parts are computed before the first is changed, because the value may use the variable. They
// wait on the stack, so they are taken off from the last to the first.
void WasmFunction::AssignTo(const Variable& variable, const Expr& value) {
  const DataType type = value->type;
  if (type.is_scalar()) {
    Scalar(value);
    return code_.Set(variable.locals[0]);
  }
  const auto parts = static_cast<int>(variable.locals.size());
  for (int i = 0; i < parts; ++i) {
    if (type.is_bool())
      Mask(value, VariableMaskBits(type), i);
    else
      Part(value, i);
  }
  for (int i = parts - 1; i >= 0; --i) code_.Set(variable.locals[static_cast<size_t>(i)]);
}

// The loop is tested at its foot, behind a test of the first iteration: one branch per iteration.
// The counter has 64 bits; its low half is kept in a local for addresses.
void WasmFunction::WriteFor(const For& loop) {
  if (loop.traits.kind != ForKind::kSerial && loop.traits.kind != ForKind::kParallel)
    return NotLowered(
        StrCat("a ", ForKindName(loop.traits.kind), " loop over '", loop.var->name, "'"));
  BeginStatement({loop.range.min, loop.range.extent, loop.range.step});
  const uint32_t counter = code_.AddLocal(WasmType::kI64), end = code_.AddLocal(WasmType::kI64);
  Scalar(loop.range.min);
  code_.Tee(counter);
  Scalar(loop.range.extent);
  code_.Op(WasmOp::kI64Add);
  code_.Set(end);
  const IntImm* constant_step = AsInt(loop.range.step);
  uint32_t step = 0;
  if (constant_step == nullptr) {
    step = code_.AddLocal(WasmType::kI64);
    Scalar(loop.range.step);
    code_.Set(step);
  }
  Variable variable{{counter}, code_.AddLocal(WasmType::kI32), true};
  const uint32_t low_half = variable.low_half;
  variables_[loop.var.get()] = std::move(variable);
  const auto unfinished = [&] {
    code_.Get(counter);
    code_.Get(end);
    code_.Op(WasmOp::kI64LtS);
  };
  unfinished();
  code_.If();
  code_.Loop();
  code_.Get(counter);
  code_.Op(WasmOp::kI32WrapI64);
  code_.Set(low_half);
  Statement(loop.body);
  const auto by = [&] {
    if (constant_step != nullptr) return code_.I64(constant_step->value);
    code_.Get(step);
  };
  const bool is_small = IsSmallStep(loop.range.step);
  if (!is_small) {  // asks whether the step stays below the end, while it has room to do so
    by();
    code_.Get(end);
    code_.Get(counter);
    code_.Op(WasmOp::kI64Sub);
    code_.Op(WasmOp::kI64LtU);
  }
  code_.Get(counter);
  by();
  code_.Op(WasmOp::kI64Add);
  code_.Set(counter);
  if (is_small) unfinished();
  code_.BranchIf(0);
  code_.End();
  code_.End();
}

// A block around the loop is where the test at the head leaves to.
void WasmFunction::WriteWhile(const While& loop) {
  code_.Block();
  code_.Loop();
  BeginStatement({loop.condition});
  Scalar(loop.condition);
  code_.Op(WasmOp::kI32Eqz);
  code_.BranchIf(1);
  Statement(loop.body);
  code_.Branch(0);
  code_.End();
  code_.End();
}

void WasmFunction::WriteIf(const If& branch) {
  BeginStatement({branch.condition});
  Scalar(branch.condition);
  code_.If();
  Statement(branch.then_body);
  if (branch.else_body) {
    code_.Else();
    Statement(branch.else_body);
  }
  code_.End();
}

void WasmFunction::WriteAllocate(const Allocate& allocate) {
  const Buffer& buffer = *allocate.buffer;
  // Scratch buffers lie one after the other; none ends before the function does.
  int64_t bytes = buffer.dtype.size();
  for (const Expr& extent : buffer.shape) {
    const IntImm* constant = AsInt(extent);
    if (constant == nullptr) return NotLowered("scratch memory of variable size");
    if (__builtin_mul_overflow(bytes, constant->value, &bytes)) bytes = INT64_MAX;
  }
  if (bytes < 0 || bytes > kMaxScratchBytes - int64_t{scratch_bytes_}) {
    return Fail(Unsupported("scratch buffer '", buffer.name, "' of loop function '", function_.name,
                            "' has ", bytes, " bytes; at most ", kMaxScratchBytes, " are lent")
                    .AddNote("help: make it a workspace parameter"));
  }
  const uint32_t local = code_.AddLocal(WasmType::kI32);
  code_.GlobalGet(0);
  code_.I32(static_cast<int32_t>(scratch_bytes_));
  code_.Op(WasmOp::kI32Add);
  code_.Set(local);
  buffers_[&buffer] = local;
  const auto size = static_cast<uint32_t>(bytes);
  scratch_bytes_ +=
      (size + kWasmScratchAlignment - 1) / kWasmScratchAlignment * kWasmScratchAlignment;
}

// Loads every parameter into a local once, at the beginning.
void WasmFunction::LoadParameters() {
  uint32_t at = 0;
  for (const BufferPtr& buffer : function_.buffers) {
    const uint32_t local = code_.AddLocal(WasmType::kI32);
    code_.Get(kBuffersParameter);
    // By the calling convention of core/loop/stmt.h: pointers of 32 bits, then slots of 64.
    code_.Memory(WasmOp::kI32Load, {.offset = at, .align_log2 = 2});
    code_.Set(local);
    buffers_[buffer.get()] = local;
    at += sizeof(uint32_t);
  }
  at = 0;
  const auto take = [&](const VarPtr& var) {
    const DataType type = var->type.is_bool() ? DataType(kU8) : var->type;
    const uint32_t local = code_.AddLocal(WasmScalarType(type));
    code_.Get(kSizesParameter);
    code_.Memory(LoadOp(type), {.offset = at});
    if (var->type.is_bool()) {
      code_.I32(0);
      code_.Op(WasmOp::kI32Ne);
    }
    code_.Set(local);
    variables_[var.get()] = {{local}};
    at += sizeof(int64_t);
  };
  for (const VarPtr& size : function_.sizes) take(size);
  for (const VarPtr& scalar : function_.scalars) take(scalar);
}

Status WasmFunction::Write() {
  LoadParameters();
  Statement(PrepareForWasm(function_.body));
  // Functions return 0, the status of success.
  code_.I32(0);
  return std::move(status_);
}

}  // namespace tern::loop
