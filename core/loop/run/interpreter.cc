// SPDX-License-Identifier: Apache-2.0
#include "core/loop/run/interpreter.h"

#include <string.h>

#include <algorithm>

#include "core/base/strings.h"
#include "core/loop/run/lane_math.h"
#include "core/loop/verifier.h"

namespace tern::loop {
namespace {

Status Refused(std::string_view message) {
  return InvalidArgument(message).SetErrorCode(kCannotRun);
}

// Loop ends near INT64_MAX must not wrap, or the loop would run for ever.
int64_t AddSaturated(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return b > 0 ? INT64_MAX : INT64_MIN;
  return sum;
}

// A buffer of the run; data is null in control runs.
struct Memory {
  uint8_t* data = nullptr;
  int64_t elements = 0;
};

// One run: registers, memory, counters. Registers are laid out one after the other by their lanes
// at this vscale. With a plan it is a control run, which computes only what control depends on.
class Machine {
 public:
  Machine(const Tape& tape, const RunOptions& options, const ControlPlan* plan = nullptr,
          const ControlOptions& control = {})
      : tape_(tape),
        vscale_(options.vscale),
        options_(options),
        observer_(options.observer),
        plan_(plan),
        control_(control) {
    int64_t total = 0;
    for (DataType type : tape.registers) {
      offsets_.push_back(total);
      total += type.lane_count().At(vscale_);
    }
    lanes_.resize(static_cast<size_t>(total));
  }

  // For ElementCounts: shapes without a body.
  Result<std::vector<int64_t>> Shapes(std::span<const int64_t> sizes) {
    std::vector<int64_t> elements;
    for (size_t i = 0; i < tape_.sizes.size(); ++i) At(tape_.sizes[i])->i = sizes[i];
    TERN_TRY(Execute(0, tape_.shape_end));
    for (size_t i = 0; i < tape_.shapes.size(); ++i) {
      TERN_TRY_ASSIGN(const int64_t count, CountElements(i));
      elements.push_back(count);
    }
    return elements;
  }

  Status Bind(const RunArguments& arguments) {
    TERN_TRY(BindNumbers(arguments.sizes, arguments.scalars));
    for (size_t i = 0; i < tape_.buffers.size(); ++i) {
      if (i < tape_.shapes.size())
        TERN_TRY(BindBuffer(i, arguments.buffers[i]));
      else
        BindLocal(*tape_.buffers[i]);
    }
    return OkStatus();
  }

  // Binds a control run, whose buffers have so many elements and no memory.
  Status BindControl(std::span<const int64_t> sizes, std::span<const uint64_t> scalars) {
    TERN_TRY(BindNumbers(sizes, scalars));
    for (size_t i = 0; i < tape_.buffers.size(); ++i) {
      int64_t elements = LocalElements(*tape_.buffers[i]);
      if (i < tape_.shapes.size()) {
        TERN_TRY_ASSIGN(elements, CountElements(i));
      }
      memory_.push_back({nullptr, elements});
      elements_.push_back(elements);
    }
    return OkStatus();
  }

  Status Run() { return Execute(tape_.shape_end, tape_.code.size()); }
  Counters counters() const {
    // Steps are granted in slices and counted when granted; those not used are taken off.
    Counters counters = counters_;
    counters.steps -= steps_left_;
    return counters;
  }

 private:
  Lane* At(int32_t reg) { return &lanes_[static_cast<size_t>(offsets_[static_cast<size_t>(reg)])]; }
  DataType TypeOf(int32_t reg) const { return tape_.registers[static_cast<size_t>(reg)]; }
  int64_t LanesOf(int32_t reg) const { return TypeOf(reg).lane_count().At(vscale_); }

  Status BindNumbers(std::span<const int64_t> sizes, std::span<const uint64_t> scalars) {
    for (size_t i = 0; i < tape_.sizes.size(); ++i) At(tape_.sizes[i])->i = sizes[i];
    for (size_t i = 0; i < tape_.scalars.size(); ++i) {
      const DType type = tape_.registers[static_cast<size_t>(tape_.scalars[i])].element();
      uint8_t bytes[8];
      // The low bytes of the 64 bits are the value, as ReadLane takes them.
      memcpy(bytes, &scalars[i], sizeof(bytes));
      *At(tape_.scalars[i]) = ReadLane(type, bytes);
    }
    return Execute(0, tape_.shape_end);
  }

  // The elements of a buffer parameter, whose shape has been computed.
  Result<int64_t> CountElements(size_t index) {
    const Buffer& buffer = *tape_.buffers[index];
    int64_t elements = 1;
    bool overflow = false;
    for (int32_t reg : tape_.shapes[index]) {
      const int64_t extent = At(reg)->i;
      if (extent < 0)
        return Refused(StrCat("'", buffer.name, "' would have a dimension of ", extent));
      overflow |= __builtin_mul_overflow(elements, extent, &elements);
    }
    int64_t bytes = 0;
    overflow |= __builtin_mul_overflow(elements, buffer.dtype.size(), &bytes);
    if (overflow) return Refused(StrCat("'", buffer.name, "' would have more than 2^63 bytes"));
    return elements;
  }

  Status BindBuffer(size_t index, const BufferArgument& argument) {
    const Buffer& buffer = *tape_.buffers[index];
    TERN_TRY_ASSIGN(const int64_t elements, CountElements(index));
    const int64_t bytes = elements * buffer.dtype.size();
    if (argument.bytes < bytes)
      return Refused(StrCat("'", buffer.name, "' needs ", bytes, " bytes, got ", argument.bytes));
    memory_.push_back({static_cast<uint8_t*>(argument.data), elements});
    return OkStatus();
  }

  // The elements of a local buffer, whose shape is constant; 1 for a parameter, whose shape is
  // computed.
  static int64_t LocalElements(const Buffer& buffer) {
    int64_t elements = 1;
    if (buffer.access != Access::kLocal) return elements;
    for (const Expr& extent : buffer.shape) elements *= AsInt(extent)->value;
    return elements;
  }

  void BindLocal(const Buffer& buffer) {
    const int64_t elements = LocalElements(buffer);
    local_.emplace_back(static_cast<size_t>(elements * buffer.dtype.size()));
    memory_.push_back({local_.back().data(), elements});
  }

  // A limit and a way to stop, asked once per slice, because asking at every step would cost more
  // than the step.
  Status GrantSteps() {
    constexpr int64_t kSlice = int64_t{1} << 18;  // some milliseconds
    if (counters_.steps >= options_.max_steps)
      return Stopped("the limit of operations was reached").SetErrorCode("S0301");
    if (counters_.steps > 0 && options_.is_stopped != nullptr &&
        options_.is_stopped(options_.stop_context))
      return Stopped("the run is over").SetErrorCode("S0303");
    steps_left_ = std::min(kSlice, options_.max_steps - counters_.steps);
    counters_.steps += steps_left_;
    return OkStatus();
  }

  // The main loop. Jumps and accesses are here, because they change pc or can fail; the rest
  // cannot.
  Status Execute(size_t begin, size_t end) {
    size_t pc = begin;
    while (pc < end) {
      if (steps_left_ == 0) TERN_TRY(GrantSteps());
      --steps_left_;
      const TapeInstruction& op = tape_.code[pc++];
      switch (op.op) {
        case TapeOp::kJump:
          if (plan_ != nullptr) EndOfIteration(pc - 1);
          pc = static_cast<size_t>(op.imm);
          break;
        case TapeOp::kJumpUnless:
          // The test at a loop's top counts when it stays in the loop (tape.cc says why).
          if (At(op.a)->i != 0 || op.sub != 0) Count(op);
          if (At(op.a)->i != 0) break;
          pc = static_cast<size_t>(op.imm);
          // Left the loop: its iterations are counted anew when it begins again.
          if (loop_ != nullptr && pc > loop_->back) loop_ = nullptr;
          break;
        case TapeOp::kLoad:
        case TapeOp::kStore:
          Count(op);
          TERN_TRY(Access(op));
          break;
        case TapeOp::kLoopStep:
          if (At(op.b)->i <= 0) return BadStep(op);
          At(op.dst)->i = AddSaturated(At(op.a)->i, At(op.b)->i);
          Count(op);
          break;
#define TERN_TAPE_LANES(Name, meaning) case TapeOp::k##Name:
#define TERN_TAPE_WHOLE(Name, meaning) case TapeOp::k##Name:
#include "core/loop/run/tape_ops.def"
          Count(op);
          // A control run skips what only data depend on.
          if (plan_ == nullptr || op.dst < 0 || plan_->needed[pc - 1] != 0) Compute(op);
      }
    }
    return OkStatus();
  }

  // --- control runs

  // At a jump back: counts the iterations that are like the one before it, without running them.
  void EndOfIteration(size_t back) {
    const TapeLoop* loop = plan_->LoopEndingAt(back);
    if (loop == nullptr) return;
    done_ = loop == loop_ ? done_ + 1 : 1;
    loop_ = loop;
    const int64_t wanted = StepsToNextShown();
    // Two iterations at least, so that `carried_` and `before_` belong to the one before.
    if (done_ >= std::max<int64_t>(control_.head, 2) && wanted > 0) {
      const RegisterView now{tape_, vscale_, offsets_, lanes_, elements_};
      AlikeIterations alike = CountAlike(*plan_, *loop, now, carried_, control_.tail);
      alike.count = std::min(alike.count, wanted);
      // Skipping a single one gains nothing.
      if (alike.count > 1) Skip(*loop, alike);
    }
    carried_.clear();
    for (int32_t reg : loop->carried) carried_.push_back(At(reg)->i);
    before_ = counters_;
  }
  // How many iterations there are before the next one that is asked for by its number.
  int64_t StepsToNextShown() const {
    if (control_.count <= 0 || iteration_ - control_.first >= control_.count) return INT64_MAX;
    return std::max<int64_t>(control_.first - iteration_, 0);
  }

  // counter += (counter - before) * times, saturated.
  static void AddTimes(int64_t before, int64_t times, int64_t* counter) {
    int64_t more = 0;
    const bool overflow = __builtin_mul_overflow(*counter - before, times, &more);
    *counter = overflow ? INT64_MAX : AddSaturated(*counter, more);
  }
  // Counters grow by what the last iteration added, registers by what it gained.
  void Skip(const TapeLoop& loop, const AlikeIterations& alike) {
    const int64_t times = alike.count;
    Counters& c = counters_;
    AddTimes(before_.vector_iterations, times, &c.vector_iterations);
    AddTimes(before_.scalar_iterations, times, &c.scalar_iterations);
    AddTimes(before_.active_lanes, times, &c.active_lanes);
    AddTimes(before_.issued_lanes, times, &c.issued_lanes);
    for (size_t i = 0; i < kInstructionClasses; ++i)
      AddTimes(before_.instructions[i], times, &c.instructions[i]);
    AddTimes(before_.bytes_loaded, times, &c.bytes_loaded);
    AddTimes(before_.bytes_stored, times, &c.bytes_stored);
    // In uint64_t, which may wrap; CountAlike has shown that the values which matter do not.
    for (size_t i = 0; i < loop.carried.size(); ++i) {
      Lane* lane = At(loop.carried[i]);
      const uint64_t gain = static_cast<uint64_t>(lane->i) - static_cast<uint64_t>(carried_[i]);
      lane->i = static_cast<int64_t>(static_cast<uint64_t>(lane->i) +
                                     gain * static_cast<uint64_t>(times));
    }
    iteration_ += times;
    if (observer_ != nullptr) observer_->OnAlike(alike);
  }

  // --- operations

  void Count(const TapeInstruction& op) {
    ++counters_.instructions[static_cast<size_t>(op.counts)];
  }

  Status BadStep(const TapeInstruction& op) {
    return Refused(StrCat("the loop over '", static_cast<const Var*>(op.origin)->name,
                          "' has a step of ", At(op.b)->i, "; it must be positive"));
  }

  void Compute(const TapeInstruction& op) {
    switch (op.op) {
      case TapeOp::kBeginIteration: iteration_active_ = 0; break;
      case TapeOp::kEndIteration: EndIteration(op); break;
      case TapeOp::kLoopEnd: At(op.dst)->i = AddSaturated(At(op.a)->i, At(op.b)->i); break;
      case TapeOp::kAllocate: {
        const Buffer& buffer = *tape_.buffers[static_cast<size_t>(op.buffer)];
        const Memory& memory = memory_[static_cast<size_t>(op.buffer)];
        if (memory.data == nullptr) break;  // a control run, or no elements
        memset(memory.data, 0xAA, static_cast<size_t>(memory.elements * buffer.dtype.size()));
        break;
      }
      case TapeOp::kReduce: Fold(op); break;
#define TERN_TAPE_LANES(Name, meaning) case TapeOp::k##Name:
#define TERN_TAPE_ACCESS(Name, meaning) case TapeOp::k##Name:
#define TERN_TAPE_STEP(Name, meaning) case TapeOp::k##Name:
#define TERN_TAPE_JUMP(Name, meaning) case TapeOp::k##Name:
#include "core/loop/run/tape_ops.def"
        ComputeLanes(op);
    }
  }

  // Lane by lane from lane 0: the order is part of the meaning (floats).
  void Fold(const TapeInstruction& op) {
    const DType type = TypeOf(op.a).element();
    Lane sum = At(op.a)[0];
    for (int64_t lane = 1; lane < LanesOf(op.a); ++lane)
      sum = LaneBinary(static_cast<BinaryOp>(op.sub), type, sum, At(op.a)[lane]);
    *At(op.dst) = sum;
  }

  void ComputeLanes(const TapeInstruction& op) {
    const DType type = TypeOf(op.dst).element();
    const int64_t lanes = LanesOf(op.dst);
    Lane* dst = At(op.dst);
    const Lane* a = op.a < 0 ? nullptr : At(op.a);
    const Lane* b = op.b < 0 ? nullptr : At(op.b);
    const Lane* c = op.c < 0 ? nullptr : At(op.c);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Lane& out = dst[lane];
      switch (op.op) {
        case TapeOp::kConstant: out.i = op.imm; break;
        case TapeOp::kVScale: out.i = vscale_; break;
        case TapeOp::kBinary:
          out = LaneBinary(static_cast<BinaryOp>(op.sub), TypeOf(op.a).element(), a[lane], b[lane]);
          break;
        case TapeOp::kNot: out.i = a[lane].i == 0; break;
        case TapeOp::kSelect: out = a[lane].i != 0 ? b[lane] : c[lane]; break;
        case TapeOp::kCast: out = LaneCast(TypeOf(op.a).element(), type, a[lane]); break;
        case TapeOp::kReinterpret:
          out = LaneReinterpret(TypeOf(op.a).element(), type, a[lane]);
          break;
        case TapeOp::kCall: {
          const Lane args[3] = {a[lane], b != nullptr ? b[lane] : Lane{0},
                                c != nullptr ? c[lane] : Lane{0}};
          out = LaneCall(static_cast<Intrinsic>(op.sub), type, args);
          break;
        }
        case TapeOp::kRamp:
          // In uint64_t: index arithmetic wraps, and lanes that are off may hold anything.
          out.i = WrapInt(type, static_cast<int64_t>(static_cast<uint64_t>(a->i) +
                                                     static_cast<uint64_t>(lane) *
                                                         static_cast<uint64_t>(b->i)));
          break;
        case TapeOp::kBroadcast: out = *a; break;
        // base + lane < bound without overflow of the sum.
        case TapeOp::kLaneMask: out.i = a->i < b->i && lane < DistanceUp(a->i, b->i); break;
        case TapeOp::kCopy: out = a[lane]; break;
#define TERN_TAPE_WHOLE(Name, meaning) case TapeOp::k##Name:
#define TERN_TAPE_ACCESS(Name, meaning) case TapeOp::k##Name:
#define TERN_TAPE_STEP(Name, meaning) case TapeOp::k##Name:
#define TERN_TAPE_JUMP(Name, meaning) case TapeOp::k##Name:
#include "core/loop/run/tape_ops.def"
          TERN_CHECK(false, "an operation without lanes");
      }
    }
  }

  // b - a for a < b, without overflow.
  static int64_t DistanceUp(int64_t a, int64_t b) {
    const uint64_t distance = static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
    return distance > INT64_MAX ? INT64_MAX : static_cast<int64_t>(distance);
  }

  Status Access(const TapeInstruction& op) {
    const bool loads = op.op == TapeOp::kLoad;
    const Buffer& buffer = *tape_.buffers[static_cast<size_t>(op.buffer)];
    const Memory& memory = memory_[static_cast<size_t>(op.buffer)];
    const int64_t lanes = LanesOf(op.a), bytes = buffer.dtype.size();
    const Lane* index = At(op.a);
    const Lane* mask = op.b < 0 ? nullptr : At(op.b);
    int64_t active = 0;
    // Lanes are stored in order, so that of equal indices the last active lane wins.
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const bool on = mask == nullptr || mask[lane].i != 0;
      active += on;
      // Lanes that are off load 0.
      if (loads) At(op.dst)[lane].i = 0;
      if (!on) continue;
      const int64_t at = index[lane].i;
      if (at < 0 || at >= memory.elements) return OutOfBounds(op, at, lane);
      if (plan_ != nullptr) continue;
      uint8_t* address = memory.data + at * bytes;
      if (loads)
        At(op.dst)[lane] = ReadLane(buffer.dtype, address);
      else
        WriteLane(buffer.dtype, At(op.c)[lane], address);
    }
    (loads ? counters_.bytes_loaded : counters_.bytes_stored) += active * bytes;
    if (TypeOf(op.a).is_vector()) {
      iteration_active_ = std::max(iteration_active_, active);
      iteration_lanes_ = lanes;
    }
    if (observer_ != nullptr) Show(op, buffer, lanes);
    return OkStatus();
  }

  Status OutOfBounds(const TapeInstruction& op, int64_t index, int64_t lane) {
    const Buffer& buffer = *tape_.buffers[static_cast<size_t>(op.buffer)];
    Status status = OutOfRange(op.op == TapeOp::kLoad ? "a load of '" : "a store to '", buffer.name,
                               "' at element ", index, ", which has ",
                               memory_[static_cast<size_t>(op.buffer)].elements, " elements");
    if (TypeOf(op.a).is_vector()) status.AddNote(StrCat("in lane ", lane, " of ", LanesOf(op.a)));
    return std::move(status).SetErrorCode(kCannotRun);
  }

  void Show(const TapeInstruction& op, const Buffer& buffer, int64_t lanes) {
    indices_.clear();
    active_.clear();
    for (int64_t lane = 0; lane < lanes; ++lane) {
      indices_.push_back(At(op.a)[lane].i);
      active_.push_back(op.b < 0 || At(op.b)[lane].i != 0);
    }
    observer_->OnAccess({iteration_, op.counts, &buffer, op.b >= 0, indices_, active_});
  }

  void EndIteration(const TapeInstruction& op) {
    const bool is_vector = op.sub != 0;
    const auto role = static_cast<LoopRole>(op.imm);
    // Without vector accesses the body had no lanes to speak of.
    const int64_t lanes = is_vector ? std::max<int64_t>(iteration_lanes_, 1) : 1;
    const int64_t active = is_vector ? iteration_active_ : 1;
    if (is_vector) {
      ++counters_.vector_iterations;
      counters_.last_active = active;
      counters_.active_lanes += active;
      counters_.issued_lanes += lanes;
    } else {
      ++counters_.scalar_iterations;
    }
    if (observer_ != nullptr) observer_->OnIteration({iteration_, is_vector, role, lanes, active});
    ++iteration_;
  }

  const Tape& tape_;
  const int64_t vscale_;
  const RunOptions options_;
  Observer* observer_;
  int64_t steps_left_ = 0;  // of those that counters_.steps counts already
  std::vector<int64_t> offsets_;
  std::vector<Lane> lanes_;
  std::vector<Memory> memory_;
  std::vector<std::vector<uint8_t>> local_;
  Counters counters_;
  int64_t iteration_ = 0, iteration_active_ = 0, iteration_lanes_ = 0;
  std::vector<int64_t> indices_;
  std::vector<uint8_t> active_;
  // Of control runs. The plan is null in others.
  const ControlPlan* plan_;
  const ControlOptions control_;
  std::vector<int64_t> elements_;   // by buffer
  const TapeLoop* loop_ = nullptr;  // the innermost loop that runs
  int64_t done_ = 0;                // iterations of it
  std::vector<int64_t> carried_;    // its carried registers when the last one began
  Counters before_;                 // and the counters
};

Status CheckCounts(const LoopFunction& function, const RunArguments& arguments) {
  const struct {
    std::string_view what;
    size_t wanted, got;
  } counts[] = {{"buffers", function.buffers.size(), arguments.buffers.size()},
                {"sizes", function.sizes.size(), arguments.sizes.size()},
                {"scalars", function.scalars.size(), arguments.scalars.size()}};
  for (const auto& count : counts) {
    if (count.wanted != count.got)
      return Refused(StrCat("'", function.name, "' takes ", count.wanted, " ", count.what, ", got ",
                            count.got));
  }
  for (size_t i = 0; i < arguments.sizes.size(); ++i) {
    if (arguments.sizes[i] < 0)
      return Refused(StrCat("the size '", function.sizes[i]->name, "' is ", arguments.sizes[i]));
  }
  return OkStatus();
}

Status CheckVScale(int64_t vscale) {
  if (vscale >= 1 && vscale <= kMaxVScale) return OkStatus();
  return Refused(StrCat("vscale must be from 1 to ", kMaxVScale, ", got ", vscale));
}

}  // namespace

Result<std::vector<int64_t>> ElementCounts(const LoopFunction& function,
                                           std::span<const int64_t> sizes) {
  TERN_CHECK(sizes.size() == function.sizes.size());
  // Without a body, the tape is the shapes alone.
  LoopFunction head = function;
  head.body = MakeBlock({});
  const Tape tape = MakeTape(head);
  return Machine(tape, {}).Shapes(sizes);
}

Result<Interpreter> Interpreter::Make(const LoopFunction& function) {
  TERN_TRY(VerifyLowered(function));
  return Interpreter(function, MakeTape(function));
}

Result<Counters> Interpreter::Run(const RunArguments& arguments, const RunOptions& options) const {
  TERN_TRY(CheckCounts(function_, arguments));
  TERN_TRY(CheckVScale(options.vscale));
  Machine machine(tape_, options);
  TERN_TRY(machine.Bind(arguments));
  TERN_TRY(machine.Run());
  return machine.counters();
}

Result<Counters> Interpreter::RunControl(std::span<const int64_t> sizes,
                                         std::span<const uint64_t> scalars,
                                         const RunOptions& options,
                                         const ControlOptions& control) const {
  TERN_CHECK(!plan_.reads_memory, "control depends on memory");
  const std::vector<BufferArgument> none(function_.buffers.size());
  TERN_TRY(CheckCounts(function_, {none, sizes, scalars}));
  TERN_TRY(CheckVScale(options.vscale));
  Machine machine(tape_, options, &plan_, control);
  TERN_TRY(machine.BindControl(sizes, scalars));
  TERN_TRY(machine.Run());
  return machine.counters();
}

}  // namespace tern::loop
