// SPDX-License-Identifier: Apache-2.0
// The machine around the interpreter: begin and end of runs, errors with their place, and the state
// that debuggers and hosts look at.
#include "core/vm/vm.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/object/graph/print.h"
#include "core/object/regions.h"
#include "core/text/diagnostics.h"
#include "core/vm/interpreter.h"
#include "core/vm/registers.h"
#include "core/vm/text/disassembler.h"

namespace tern::vm {
namespace {

// A deep recursion has thousands of callers; the innermost few say enough.
constexpr size_t kMaxCallersNamed = 8;
// What one instruction of the limit, or one nanosecond of time, lets kernels do (run_context.h): as
// much as the fastest processor can. On slower ones the clock stops kernels while they work.
constexpr int64_t kWorkOfInstruction = 1 << 20;
constexpr int64_t kWorkOfNanosecond = 1 << 10;
// Enough for small programs without growth; doubled by Push when needed.
constexpr uint32_t kFirstStack = 256;  // registers
constexpr uint32_t kFirstFrames = 16;

ObjectPtr<Allocator> AllocatorOf(const VmOptions& options) {
  return options.allocator ? options.allocator : MakePooledAllocator(options.platform);
}

std::string_view StateName(VirtualMachine::State state) {
  switch (state) {
    case VirtualMachine::State::kIdle: return "idle";
    case VirtualMachine::State::kPaused: return "paused";
    case VirtualMachine::State::kReturned: return "returned";
    case VirtualMachine::State::kFailed: return "failed";
  }
  return "";
}

// Whether a value is only lent, so that a register needs a copy. (DLPack tensors, handles and moved
// references are meant too.)
bool IsBorrowedText(const AnyView& value) {
  const TernTypeCode code = value.type_code();
  return code == TERN_TYPE_RAW_STRING || code == TERN_TYPE_DL_TENSOR ||
         code == TERN_TYPE_OBJECT_HANDLE || code == TERN_TYPE_RVALUE_REF;
}

// What the run may have in bytes: the caller's own limit, else the platform's. 0: no limit.
uint64_t MostBytes(const VmOptions& options) {
  if (options.max_bytes != 0 || options.platform == nullptr) return options.max_bytes;
  return options.platform->memory_limit;
}

// The reason to stop that a run's error stands for. Codes are used because the text is for people.
StopReason ReasonOf(const Status& status, const VmOptions& options) {
  if (status.code() == StatusCode::kOutOfMemory && MostBytes(options) != 0)
    return StopReason::kByteLimit;
  if (status.error_code() == "S0301") return StopReason::kInstructionLimit;
  if (status.error_code() == "S0302") return StopReason::kCancelled;
  if (status.error_code() == "S0303") return StopReason::kTimeLimit;
  if (status.error_code() == "E0303") return StopReason::kDepthLimit;
  return StopReason::kFailed;
}

// Limits of centuries end where the clock does, and not before now.
int64_t TimeAfter(int64_t begin, int64_t ns) {
  return ns > 0 && begin > INT64_MAX - ns ? INT64_MAX : begin + ns;
}

}  // namespace

// Sets what kernels may do in a run of these limits. Limits so high that the product would overflow
// count as none.
void LimitWork(const VmOptions& options, RunContext* context) {
  constexpr int64_t kMost = RunContext::kMostWork;
  const uint64_t instructions = options.max_instructions;
  const bool counts = instructions != 0 && instructions < kMost / kWorkOfInstruction;
  const bool times = options.max_time_ns != 0 && options.max_time_ns < kMost / kWorkOfNanosecond;
  const int64_t by_count = counts ? static_cast<int64_t>(instructions) * kWorkOfInstruction : kMost;
  const int64_t by_time = times ? options.max_time_ns * kWorkOfNanosecond : kMost;
  // The error names the limit that is reached first.
  context->set_work_left(std::min(by_count, by_time), by_time < by_count ? "S0303" : "S0301");
}

// Passes the allocator's events on to the hooks, only while the machine runs: results may be
// released at any time afterwards.
class VmAllocationObserver final : public AllocationObserver {
 public:
  explicit VmAllocationObserver(VirtualMachine* vm) : vm_(*vm) {}
  ~VmAllocationObserver() { vm_.context_.allocator()->set_observer(nullptr); }
  void OnAllocation(const AllocationEvent& event) override {
    if (vm_.running_ && vm_.hooks_ != nullptr) vm_.hooks_->OnAllocation(vm_, event);
  }

 private:
  VirtualMachine& vm_;
};

VirtualMachine::VirtualMachine(ProgramPtr program, const VmOptions& options)
    : program_(std::move(program)),
      options_(options),
      context_(AllocatorOf(options), options.parallel),
      account_(context_.allocator()) {
  context_.set_kernels(options.kernels);
  args_.resize(program_->max_args());
  // Lines that programs print go to the platform's log, which outlives the machine.
  if (options_.platform != nullptr && options_.platform->log != nullptr) {
    const auto write = [](void* platform, std::string_view line) {
      const auto* to = static_cast<const TernPlatform*>(platform);
      to->log(to->context, TERN_LOG_OUTPUT, line.data(), line.size());
    };
    context_.set_writer(write, const_cast<TernPlatform*>(options_.platform));
  }
  const auto is_stopped = [](void* machine) {
    return static_cast<VirtualMachine*>(machine)->StopCauseNow();
  };
  context_.set_stop_query(is_stopped, this);
  // The program's code at first; kernels and replacements put other copies in its place.
  code_ = program_->code().data();
  plain_code_ = program_->plain_code().data();
  UseKernels(program_->kernels());
  stack_capacity_ = std::min(kFirstStack, options_.max_registers);
  stack_ = std::make_unique<Any[]>(stack_capacity_);
  frame_capacity_ = std::min(kFirstFrames, options_.max_depth);
  frames_ = std::make_unique<Frame[]>(frame_capacity_);
  // Each machine has allocators of its own, so that it counts what it takes of each device.
  DeviceList devices;
  for (const DevicePtr& device : options_.devices)
    devices.push_back(ObjectPtr<DeviceAllocator>::Adopt(new DeviceAllocator(device)));
  LimitMemory(devices);
  context_.set_devices(std::move(devices));
}

void VirtualMachine::LimitMemory(const DeviceList& devices) {
  const uint64_t most = MostBytes(options_);
  if (most == 0) return;
  // kNoLimit itself would switch the account off.
  const auto limit = static_cast<int64_t>(std::min<uint64_t>(most, MemoryAccount::kNoLimit - 1));
  account_.set_limit(limit);
  // The account calls this in the middle of an allocation: it may only set a flag, which the loop
  // looks at after the instruction.
  const auto attend = [](void* machine) {
    static_cast<VirtualMachine*>(machine)->attend_.fetch_or(kAttendMemory,
                                                            std::memory_order_relaxed);
  };
  account_.set_passed(attend, this);
  // Devices are limited one by one; objects and host tensors share one account.
  for (const ObjectPtr<DeviceAllocator>& device : devices) device->set_limit(limit);
}

VirtualMachine::~VirtualMachine() { PopAll(); }

void VirtualMachine::UseKernels(KernelTablePtr kernels) {
  if (kernels == nullptr) return;
  // Held by this machine, so the tables stay although the program gets newer ones.
  kernels_ = std::move(kernels);
  code_ = kernels_->code.data();
  plain_code_ = kernels_->plain_code.data();
  for (const KernelBackend& backend : kernels_->backends)
    replacements_.push_back(backend.replacement);
}

Result<std::unique_ptr<VirtualMachine>> VirtualMachine::Create(ProgramPtr program,
                                                               const VmOptions& options) {
  if (program == nullptr) return InvalidArgument("a machine needs a program");
  // Checked here once, so that the loop need not test for a clock.
  if (options.max_time_ns != 0 &&
      (options.platform == nullptr || options.platform->clock_ns == nullptr)) {
    return InvalidArgument("a time limit needs a platform with a clock");
  }
  if (options.max_time_ns < 0)
    return InvalidArgument("a time limit of ", options.max_time_ns, " ns");
  if (options.max_depth == 0) return InvalidArgument("a depth limit of 0 frames lets nothing run");
  return std::unique_ptr<VirtualMachine>(new VirtualMachine(std::move(program), options));
}

// --- runs

void VirtualMachine::Reset() {
  PopAll();
  result_.Reset();
  error_ = OkStatus();
  state_ = State::kIdle;
  steps_ = 0;
  max_depth_seen_ = 0;
  used_ns_ = 0;
  skip_breakpoint_ = false;
  attend_.store(options_.max_time_ns != 0 ? kAttendTime : 0, std::memory_order_relaxed);
  LimitWork(options_, &context_);
  account_.Reset();
}

// Asked by kernels from any thread: it only reads.
RunContext::StopCause VirtualMachine::StopCauseNow() const {
  const uint32_t attend = attend_.load(std::memory_order_relaxed);
  if ((attend & kAttendCancel) != 0) return RunContext::kCancelled;
  const bool is_over = (attend & kAttendTime) != 0 && Now() >= deadline_ns_;
  return is_over ? RunContext::kOutOfTime : RunContext::kGoesOn;
}

int64_t VirtualMachine::Now() const {
  return options_.platform->clock_ns(options_.platform->context);
}

Status VirtualMachine::Begin(std::string_view function, AnyArgs args) {
  TERN_TRY_ASSIGN(const uint32_t index, executable().FunctionIndex(function));
  return Begin(index, args);
}

Status VirtualMachine::Begin(uint32_t function, AnyArgs args) {
  return Prepare(function, args, false);
}

// `borrow`: the caller keeps the arguments alive while the run has frames, or calls OwnAll.
Status VirtualMachine::Prepare(uint32_t function, AnyArgs args, bool borrow) {
  // A primitive may call back into the machine that runs it; its frames are in use.
  if (running_) [[unlikely]] {
    return InvalidArgument(
        "the machine runs: a function it calls cannot begin another run of it; "
        "make another machine");
  }
  // Ends the run before, whatever its state.
  Reset();
  if (function >= executable().functions().size()) [[unlikely]] {
    return OutOfRange("function ", function, " of an executable that has ",
                      executable().functions().size());
  }
  const FunctionInfo& info = executable().functions()[function];
  // Checked once; bytecode then calls functions with types that the verifier or the entries
  // guarantee.
  TERN_TRY(info.signature.CheckArguments(info.name, args));
  TERN_TRY(executable().LoadConstants(function));
  if (program_->entries()[function].places != nullptr) OpenArena(function, args);
  // Push without its checks: the stack is empty, so depth is 1 and the frame begins at 0.
  if (info.register_count <= stack_capacity_) [[likely]] {
    frames_[0] = {function, 0, 0, -1, 0};
    depth_ = 1;
    max_depth_seen_ = 1;
    stack_top_ = info.register_count;
  } else {
    TERN_TRY(Interpreter(this).Push(function, 0, -1));
  }
  // Lending saves a count per argument and call. Only for Call, whose caller waits until the run
  // has ended, and for functions that leave their parameters alone.
  const bool lends = borrow && program_->entries()[function].borrows &&
                     std::none_of(args.begin(), args.end(), IsBorrowedText);
  char* to = reinterpret_cast<char*>(stack_.get());
  for (size_t i = 0; i < args.size(); ++i, to += sizeof(Any)) {
    if (!lends && (args[i].is_object() || IsBorrowedText(args[i]))) {
      stack_[i] = Any(args[i]);
      continue;
    }
    // Words instead of Any's copy: no count changes, and numbers need none.
    const auto* from = reinterpret_cast<const char*>(&args[i].c_any());
    SetWords(to, HeadAt(from), PayloadAt(from));
  }
  if (lends) top().borrowed = static_cast<uint32_t>(args.size());
  pc_ = info.first_instruction;
  state_ = State::kPaused;
  return OkStatus();
}

// Where memory is short a run does without: its tensors then come one by one.
void VirtualMachine::OpenArena(uint32_t function, AnyArgs args) {
  layout_.Prepare(*program_->entries()[function].places,
                  executable().functions()[function].signature, args);
  // The lists of small blocks serve a small one as well.
  if (layout_.bytes() > Regions::kSmallest && context_.OpenArena(layout_.bytes()))
    arena_function_ = function;
}

// The run itself, between two looks at the clock. Time is counted over all slices of a run, and
// only while it runs.
Result<StopReason> VirtualMachine::Run(uint64_t max_instructions) {
  const int64_t begin = options_.max_time_ns != 0 ? Now() : 0;
  deadline_ns_ = TimeAfter(begin, options_.max_time_ns - used_ns_);
  running_ = true;
  // Objects made by this thread count for this run as long as the scope lives.
  const MemoryAccount::Scope counts(&account_);
  Result<StopReason> stopped = Interpreter(this).Run(max_instructions);
  running_ = false;
  if (options_.max_time_ns != 0) used_ns_ += Now() - begin;
  // A failed run keeps its frames to be looked at, so they must own what they borrowed: the
  // caller's arguments end now.
  if (!stopped.ok()) {
    OwnAll();
    Fail(std::move(stopped).status());
    return error_.Clone();
  }
  stop_reason_ = *stopped;
  if (*stopped == StopReason::kReturned) {
    state_ = State::kReturned;
    context_.CloseArena();
  }
  // Resuming must not stop at the same breakpoint again.
  skip_breakpoint_ = *stopped == StopReason::kBreakpoint;
  return stopped;
}

Result<StopReason> VirtualMachine::Resume(uint64_t max_instructions) {
  if (state_ != State::kPaused || running_) {
    return InvalidArgument("there is no run to resume: it has ",
                           running_ ? "not stopped" : StateName(state_), "; begin one first");
  }
  return Run(max_instructions);
}

Result<Any> VirtualMachine::Call(std::string_view function, AnyArgs args) {
  TERN_TRY_ASSIGN(const uint32_t index, executable().FunctionIndex(function));
  return Call(index, args);
}

// One call from begin to end; arguments are borrowed.
Result<Any> VirtualMachine::Call(uint32_t function, AnyArgs args) {
  TERN_TRY(Prepare(function, args, true));
  // Before any bytecode: the first function itself may be replaced.
  if (IsReplaced(function) && TakesCall(function, args)) return CallReplaced(function, args);
  TERN_TRY_ASSIGN(const StopReason stopped, Run(0));
  if (stopped == StopReason::kReturned) [[likely]]
    return TakeResult();
  // Call has nobody who would resume, so a pause is an error.
  OwnAll();
  const bool cancelled = stopped == StopReason::kCancelled;
  Fail(Stopped(cancelled ? "the run was cancelled" : "the run was paused").SetErrorCode("S0302"));
  return error_.Clone();
}

// A call of a function that something replaces: no bytecode runs, but the run has the same limits
// and leaves the same states.
Result<Any> VirtualMachine::CallReplaced(uint32_t function, AnyArgs args) {
  running_ = true;
  const MemoryAccount::Scope counts(&account_);
  if (options_.max_time_ns != 0) deadline_ns_ = TimeAfter(Now(), options_.max_time_ns);
  Any result;
  Status status = Interpreter(this).CallNative(function, args, &result);
  running_ = false;
  if (status.ok()) {
    // The frame was prepared for a look at it after an error.
    PopAll();
    state_ = State::kReturned;
    stop_reason_ = StopReason::kReturned;
    return result;
  }
  OwnAll();
  Fail(std::move(status));
  return error_.Clone();
}

// --- errors

// Makes the run's error: adds where it happened (function, instruction, source, callers), so that
// every error of a program has the same form.
void VirtualMachine::Fail(Status status) {
  state_ = State::kFailed;
  stop_reason_ = ReasonOf(status, options_);
  text::Diagnostics kept;
  text::Diagnostic d;
  // An error that has a diagnostic already keeps its code and contexts.
  if (const text::Diagnostics* inner = text::DiagnosticsOf(status);
      inner != nullptr && !inner->empty()) {
    d = inner->items()[0];
  } else {
    d.message = std::string(status.message());
    for (const std::string& note : status.notes()) d.Note(note);
  }
  // Every error has a code, if only the general one.
  if (d.code.empty()) d.code = std::string(status.error_code());
  if (d.code.empty()) d.code = status.code() == StatusCode::kOutOfMemory ? "E0302" : "E0301";
  const size_t depth = depth_;
  for (size_t i = depth; i > 0 && depth - i < kMaxCallersNamed; --i) {
    const FrameView view = frame(i - 1);
    const FunctionInfo& info = executable().functions()[view.function];
    const uint32_t pc = view.pc - info.first_instruction;
    if (i < depth) {
      // Outer frames are notes; the innermost is the place.
      d.Note(StrCat("called from @", info.name, " at instruction ", pc));
      continue;
    }
    d.InFunction(info.name, pc);
    d.Context("instruction", InstructionText(executable(), view.pc));
    const DebugEntry* source = executable().FindDebug(view.pc);
    if (source == nullptr) continue;
    // With a line it is a source file's place, without it the name of a graph's node.
    if (source->line > 0)
      d.InFile(StrCat(source->text(), ":", source->line, ":", source->column));
    else
      d.InNode(source->text());
  }
  if (depth > kMaxCallersNamed) d.Note(StrCat("and ", depth - kMaxCallersNamed, " more frames"));
  kept.Add(std::move(d));
  error_ = kept.ToStatus(status.code());
}

// --- looking on

// A frame ends where the next one begins, so frames need not keep their size.
FrameView VirtualMachine::frame(size_t index) const {
  TERN_CHECK(index < depth_);
  const Frame& at = frames_[index];
  const bool is_top = index + 1 == depth_;
  const uint32_t end = is_top ? stack_top_ : frames_[index + 1].base;
  FrameView view;
  view.function = at.function;
  // An outer frame stands at its call, one before where it goes on.
  view.pc = is_top ? pc_ : frames_[index + 1].return_op - 1;
  view.registers = std::span<const Any>(stack_.get() + at.base, end - at.base);
  return view;
}

void VirtualMachine::WriteState(JsonWriter* json) const {
  json->BeginObject().Field("state", std::string_view(StateName(state_))).Field("steps", steps_);
  json->Key("frames").BeginArray();
  for (size_t i = depth_; i > 0; --i) {
    const FrameView view = frame(i - 1);
    const FunctionInfo& info = executable().functions()[view.function];
    json->BeginObject().Field("function", std::string_view(info.name)).Field("pc", view.pc);
    json->Key("registers").BeginArray();
    for (uint32_t r = 0; r < view.registers.size(); ++r) {
      json->BeginObject().Field("index", r).Field("name", info.RegisterName(r)).Key("value");
      WriteValueJson(view.registers[r], json);
      json->EndObject();
    }
    json->EndArray().EndObject();
  }
  json->EndArray().Key("memory").BeginObject();
  const AllocatorStats stats = memory();
  json->Field("live", stats.live_bytes).Field("peak", stats.peak_bytes).EndObject().EndObject();
}

void VirtualMachine::SetBreakpoint(uint32_t pc, bool on) {
  // Kept sorted for HasBreakpoint, which the stepping loop asks at each instruction.
  const auto at = std::lower_bound(breakpoints_.begin(), breakpoints_.end(), pc);
  const bool there = at != breakpoints_.end() && *at == pc;
  if (on && !there) breakpoints_.insert(at, pc);
  if (!on && there) breakpoints_.erase(at);
}

void VirtualMachine::ClearBreakpoints() { breakpoints_.clear(); }
bool VirtualMachine::HasBreakpoint(uint32_t pc) const {
  return std::binary_search(breakpoints_.begin(), breakpoints_.end(), pc);
}

void VirtualMachine::SetHooks(Hooks* hooks) {
  hooks_ = hooks;
  hook_events_ = hooks != nullptr ? hooks->wants() : 0;
  // The old observer ends before a new one is set, because its destructor removes itself from the
  // allocator.
  allocation_observer_ = nullptr;
  if ((hook_events_ & kHookAllocations) == 0) return;
  allocation_observer_ = std::make_unique<VmAllocationObserver>(this);
  context_.allocator()->set_observer(allocation_observer_.get());
}

}  // namespace tern::vm
