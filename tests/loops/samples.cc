// SPDX-License-Identifier: Apache-2.0
// The functions share one shape: a loop in steps of the lanes, a mask of those below n.
#include "tests/loops/samples.h"

#include <functional>
#include <utility>

#include "core/base/strings.h"

namespace tern::loop {
namespace {

struct Frame {
  LoopFunction function;
  VarPtr n = MakeVar("n");
  VarPtr i = MakeVar("i");
  Lanes lanes;
  Expr index, mask;  // of the lanes from i on

  Frame(std::string name, Lanes count) : lanes(count) {
    function.name = std::move(name);
    function.sizes = {n};
    index = lanes.is_scalar() ? Expr(i.get()) : MakeRamp(i, MakeInt(1), lanes);
    if (!lanes.is_scalar()) mask = MakeLaneMask(i, n, lanes);
  }
  BufferPtr AddBuffer(const char* name, DType dtype, Access access) {
    function.buffers.push_back(MakeBuffer(name, dtype, {n}, access));
    return function.buffers.back();
  }
  Expr Read(const BufferPtr& buffer) const { return MakeLoad(buffer, {index}, mask); }
  LoopFunction Finish(Stmt body) {
    function.body = MakeFor({.role = LoopRole::kVectorMain}, i, {MakeInt(0), n, MakeLanes(lanes)},
                            std::move(body));
    return std::move(function);
  }
  LoopFunction Finish(const BufferPtr& to, Expr value) {
    return Finish(MakeStore(to, {index}, std::move(value), mask));
  }
};

LoopFunction Elementwise(std::string name, DType dtype, Lanes lanes, int inputs,
                         const std::function<Expr(const std::vector<Expr>&)>& compute) {
  Frame frame(std::move(name), lanes);
  std::vector<Expr> values;
  static constexpr const char* kNames[] = {"A", "B", "D"};
  for (int k = 0; k < inputs; ++k)
    values.push_back(frame.Read(frame.AddBuffer(kNames[k], dtype, Access::kIn)));
  const Expr value = compute(values);
  const BufferPtr to = frame.AddBuffer("C", value->type.element(), Access::kOut);
  return frame.Finish(to, value);
}

LoopFunction Add(DType dtype, Lanes lanes) {
  return Elementwise("vector_add", dtype, lanes, 2, [](const std::vector<Expr>& x) {
    return MakeBinary(BinaryOp::kAdd, x[0], x[1]);
  });
}

}  // namespace

Program PredicatedAdd(DType dtype, Lanes lanes) { return {{Add(dtype, lanes)}}; }
Program ScalarAdd(DType dtype) { return {{Add(dtype, Lanes{})}}; }

Program AllOperators(DType dtype, Lanes lanes) {
  Program program;
  const DataType type(dtype, lanes);
  for (const BinaryInfo& info : AllBinaryOps()) {
    if (!WhyNotBinary(info.op, type, type).empty()) continue;
    if (info.op == BinaryOp::kMod && dtype.is_float()) continue;
    program.functions.push_back(
        Elementwise(std::string(info.name), dtype, lanes, 2,
                    [&](const std::vector<Expr>& x) { return MakeBinary(info.op, x[0], x[1]); }));
  }
  for (const IntrinsicInfo& info : AllIntrinsics()) {
    if (!info.lowered || dtype.is_bool()) continue;
    if (info.types == IntrinsicTypes::kFloats && !dtype.is_float()) continue;
    program.functions.push_back(
        Elementwise(std::string(info.text), dtype, lanes, info.arity,
                    [&](const std::vector<Expr>& x) { return MakeCall(info.intrinsic, x); }));
  }
  return program;
}

void Append(Program* all, Program part, const std::string& suffix) {
  for (LoopFunction& function : part.functions) {
    function.name += suffix;
    all->functions.push_back(std::move(function));
  }
}

Program Casts(DType from, DType to, Lanes lanes) {
  return {{Elementwise("cast", from, lanes, 1, [&](const std::vector<Expr>& x) {
    return from == to ? x[0] : MakeCast(to, x[0]);
  })}};
}

Program Reduce(BinaryOp op, DType dtype, Lanes lanes) {
  Frame frame("reduce", lanes);
  const BufferPtr from = frame.AddBuffer("A", dtype, Access::kIn);
  const BufferPtr to = frame.AddBuffer("C", dtype, Access::kOut);
  const Expr identity = MakeBroadcast(IdentityOf(op, DataType(dtype)), lanes);
  const Expr value = MakeSelect(frame.mask, frame.Read(from), identity);
  frame.function.body = MakeBlock(
      {MakeLet(frame.i, MakeInt(0)), MakeStore(to, {MakeInt(0)}, MakeVectorReduce(op, value))});
  return {{std::move(frame.function)}};
}

Program Indexed(DType dtype, Lanes lanes) {
  Frame gather("gather", lanes);
  const BufferPtr a = gather.AddBuffer("A", dtype, Access::kIn);
  const BufferPtr where = gather.AddBuffer("I", kI32, Access::kIn);
  const BufferPtr c = gather.AddBuffer("C", dtype, Access::kOut);
  const Expr at = MakeCast(kI64, gather.Read(where));
  Program program;
  program.functions.push_back(gather.Finish(c, MakeLoad(a, {at}, gather.mask)));

  Frame scatter("scatter", lanes);
  const BufferPtr a2 = scatter.AddBuffer("A", dtype, Access::kIn);
  const BufferPtr where2 = scatter.AddBuffer("I", kI32, Access::kIn);
  const BufferPtr c2 = scatter.AddBuffer("C", dtype, Access::kInOut);
  const Expr at2 = MakeCast(kI64, scatter.Read(where2));
  program.functions.push_back(scatter.Finish(MakeStore(c2, {at2}, scatter.Read(a2), scatter.mask)));
  return program;
}

}  // namespace tern::loop
