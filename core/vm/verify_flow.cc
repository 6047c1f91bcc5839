// SPDX-License-Identifier: Apache-2.0
// The flow analysis of one function: blocks, then two bit sets per block by iteration to a fixed
// point (Kildall 1973), then one pass over each block with the sets it begins with. Functions
// without jumps, which are most kernels, take one pass without sets.
#include "core/vm/verify_flow.h"

#include <algorithm>
#include <utility>

#include "core/base/strings.h"

namespace tern::vm {
namespace {

// Two sets per block, so 2^29 bits are 64 MiB at most.
constexpr uint64_t kMaxFlowBits = uint64_t{1} << 29;
// Instructions and blocks looked at; real code needs a few sweeps.
constexpr uint64_t kMaxFlowSteps = 100'000'000;

class FlowVerifier {
 public:
  explicit FlowVerifier(const FlowInput& input) : in_(input) {}

  FlowError Run() {
    CheckFlow();
    return std::move(error_);
  }

 private:
  struct Block {
    uint32_t begin = 0;
    uint32_t end = 0;
    std::vector<uint32_t> successors;
  };
  // What this block has done to a register so far.
  enum class Local : uint8_t { kIncoming, kWritten, kKilled };

  bool ok() const { return error_.pc < 0; }
  // The first error is kept; loops ask ok().
  void Fail(uint32_t pc, std::string_view reason) {
    if (ok()) error_ = {pc, std::string(reason)};
  }

  // Always true: the instructions were decoded before.
  bool Decode(uint32_t pc) {
    return DecodeInstruction(in_.parts.InstructionWords(in_.function.first_instruction + pc),
                             &current_) == nullptr;
  }

  void CheckFlow() {
    if (in_.is_straight) return CheckStraightLine();
    MakeBlocks();
    FindGlobals();
    // 64 bits in a word, in two sets: 128 bits per word and block.
    const uint64_t words = (globals_.size() + 63) / 64;
    if (words * 128 * blocks_.size() > kMaxFlowBits) {
      return Fail(0, "the function has too many blocks and registers to verify");
    }
    words_ = static_cast<size_t>(words);
    Solve();
    for (size_t b = 0; ok() && b < blocks_.size(); ++b) {
      // Blocks that nothing reaches are never run, so they may read what they like.
      if (reached_[b]) CheckBlock(b);
    }
  }

  // A block begins at a jump's target or behind an instruction that does not go on.
  void MakeBlocks() {
    blocks_.clear();
    block_of_.assign(in_.function.instruction_count, 0);
    for (uint32_t pc = 0; pc < in_.function.instruction_count; ++pc) {
      if (in_.leaders[pc] || (pc > 0 && ends_block_)) {
        if (!blocks_.empty()) blocks_.back().end = pc;
        blocks_.push_back({pc, pc, {}});
      }
      block_of_[pc] = static_cast<uint32_t>(blocks_.size() - 1);
      ends_block_ = FlowAt(pc) != Flow::kNext;
    }
    ends_block_ = false;
    blocks_.back().end = in_.function.instruction_count;
    // After all blocks, as a jump may go forward.
    for (Block& block : blocks_) AddSuccessors(&block);
  }

  // The opcode without decoding operands: blocks need no more.
  Opcode OpcodeAt(uint32_t pc) const {
    const uint64_t word =
        in_.parts.instr_data[in_.parts.instr_offset[in_.function.first_instruction + pc]];
    return static_cast<Opcode>(word >> 56);
  }
  Flow FlowAt(uint32_t pc) const { return GetInfo(OpcodeAt(pc)).flow; }

  void AddSuccessors(Block* block) {
    const uint32_t last = block->end - 1;
    if (!Decode(last)) return;
    const InstructionInfo& info = *current_.info;
    // Flow::kEnd has no successors, Flow::kJump those of its offsets.
    if (info.flow == Flow::kNext) block->successors.push_back(block_of_[last + 1]);
    if (info.flow != Flow::kJump) return;
    for (size_t i = 0; i < info.operand_count; ++i) {
      if (info.operands()[i].role != Role::kOffset) continue;
      block->successors.push_back(
          block_of_[static_cast<size_t>(int64_t{last} + current_.operands[i].value)]);
    }
  }

  // Calls visit(effect, register) for what an instruction does, in order.
  template <typename Visit>
  void VisitRegisters(uint32_t pc, Visit visit) {
    for (const uint32_t word : in_.effects.Of(pc))
      visit(Effects::EffectOf(word), size_t{Effects::RegisterOf(word)});
  }

  // Straight-line code needs one pass and no sets: a register's state is simply what happened last.
  void CheckStraightLine() {
    local_.assign(in_.function.register_count, Local::kIncoming);
    std::fill_n(local_.begin(), in_.function.arity(), Local::kWritten);
    for (uint32_t pc = 0; ok() && pc < in_.function.instruction_count; ++pc)
      VisitRegisters(pc, [&](Effect effect, size_t index) { StepStraight(pc, effect, index); });
  }
  void StepStraight(uint32_t pc, Effect effect, size_t index) {
    if (effect != Effect::kWrite && local_[index] != Local::kWritten) [[unlikely]]
      FailRead(pc, effect, index, local_[index]);
    if (effect == Effect::kWrite) local_[index] = Local::kWritten;
    if (effect == Effect::kKill) local_[index] = Local::kKilled;
  }

  // Which of four mistakes it is: killed before it held anything, killed in this block, a parameter
  // killed elsewhere, or not written on every path.
  void FailRead(uint32_t pc, Effect effect, size_t index, Local state) {
    const std::string reg = RegisterText(static_cast<int64_t>(index));
    if (effect == Effect::kKill)
      return Fail(pc, StrCat("register ", reg, " is killed, but holds nothing on any path"));
    if (state == Local::kKilled)
      return Fail(pc, StrCat("register ", reg, " is read after it was killed"));
    if (index < in_.function.arity())
      return Fail(pc, StrCat("register ", reg, " is read after it was killed on some path"));
    Fail(pc, StrCat("register ", reg, " is read, but not written before on every path"));
  }

  // Finds registers that some block reads before it writes them. Only these need bits: what is
  // written and read inside of one block is decided there. In compiled code they are few.
  void FindGlobals() {
    global_index_.assign(in_.function.register_count, -1);
    globals_.clear();
    for (const Block& block : blocks_) {
      // An epoch per block instead of clearing the array for each.
      written_.resize(in_.function.register_count, 0);
      ++epoch_;
      for (uint32_t pc = block.begin; pc < block.end; ++pc) {
        VisitRegisters(pc, [&](Effect effect, size_t index) {
          if (effect == Effect::kWrite || effect == Effect::kKill) {
            if (effect == Effect::kKill && written_[index] != epoch_) AddGlobal(index);
            // A kill makes the register empty again, so a later read in this block needs a bit.
            written_[index] = effect == Effect::kWrite ? epoch_ : 0;
          } else if (written_[index] != epoch_) {
            AddGlobal(index);
          }
          // Phi asks about both sets, so its operands always have bits.
          if (effect == Effect::kPhi) AddGlobal(index);
        });
      }
    }
  }
  void AddGlobal(size_t index) {
    if (global_index_[index] >= 0) return;
    global_index_[index] = static_cast<int32_t>(globals_.size());
    globals_.push_back(static_cast<uint32_t>(index));
  }

  using Bits = std::vector<uint64_t>;
  static bool Get(const uint64_t* bits, size_t i) { return (bits[i / 64] >> (i % 64) & 1) != 0; }
  static void Set(uint64_t* bits, size_t i, bool on) {
    const uint64_t mask = uint64_t{1} << (i % 64);
    bits[i / 64] = on ? bits[i / 64] | mask : bits[i / 64] & ~mask;
  }
  uint64_t* Must(size_t block) { return must_.data() + block * words_; }
  uint64_t* May(size_t block) { return may_.data() + block * words_; }

  // Applies a block's kills and writes to the sets: afterwards they hold what is true at its end.
  void Transfer(const Block& block, uint64_t* must, uint64_t* may) {
    for (uint32_t pc = block.begin; pc < block.end; ++pc)
      VisitRegisters(pc, [&](Effect effect, size_t index) { Apply(effect, index, must, may); });
  }
  void Apply(Effect effect, size_t index, uint64_t* must, uint64_t* may) {
    if (effect != Effect::kWrite && effect != Effect::kKill) return;
    const int32_t g = global_index_[index];
    if (g < 0) return;
    Set(must, static_cast<size_t>(g), effect == Effect::kWrite);
    Set(may, static_cast<size_t>(g), effect == Effect::kWrite);
  }

  // `must` starts full and only shrinks, `may` starts empty and only grows, so the iteration ends.
  void Solve() {
    must_.assign(words_ * blocks_.size(), ~uint64_t{0});
    may_.assign(words_ * blocks_.size(), 0);
    reached_.assign(blocks_.size(), false);
    // At the entry only parameters are written.
    std::fill_n(must_.begin(), words_, 0);
    for (size_t g = 0; g < globals_.size(); ++g) {
      Set(Must(0), g, globals_[g] < in_.function.arity());
      Set(May(0), g, globals_[g] < in_.function.arity());
    }
    reached_[0] = true;
    std::vector<bool> dirty(blocks_.size(), false);
    dirty[0] = true;
    Bits must(words_), may(words_);
    uint64_t steps = 0;
    // Blocks lie roughly in the order of flow, so sweeps in order settle after about as many as
    // loops are nested (the usual argument for reverse postorder).
    for (bool again = true; again && ok();) {
      again = false;
      for (size_t b = 0; b < blocks_.size(); ++b) {
        // Counted also where nothing is to do: a chain of jumps backwards is a sweep for each.
        if (++steps > kMaxFlowSteps) return Fail(0, "the function's flow is too tangled to verify");
        if (!dirty[b]) continue;
        dirty[b] = false;
        steps += blocks_[b].end - blocks_[b].begin + words_;
        if (steps > kMaxFlowSteps) return Fail(0, "the function's flow is too tangled to verify");
        std::copy_n(Must(b), words_, must.begin());
        std::copy_n(May(b), words_, may.begin());
        Transfer(blocks_[b], must.data(), may.data());
        for (uint32_t next : blocks_[b].successors) {
          if (!Join(next, must, may)) continue;
          dirty[next] = true;
          // A successor behind b is still due in this sweep.
          again |= next <= b;
        }
      }
    }
  }

  // Merges what holds at the end of a predecessor. True if the block's incoming sets changed, or it
  // was never reached before.
  bool Join(uint32_t block, const Bits& must, const Bits& may) {
    bool changed = !reached_[block];
    reached_[block] = true;
    for (size_t i = 0; i < words_; ++i) {
      const uint64_t new_must = Must(block)[i] & must[i];
      const uint64_t new_may = May(block)[i] | may[i];
      changed |= new_must != Must(block)[i] || new_may != May(block)[i];
      Must(block)[i] = new_must;
      May(block)[i] = new_may;
    }
    return changed;
  }

  // Repeats the block with its final incoming sets, now with errors.
  void CheckBlock(size_t b) {
    Bits must(Must(b), Must(b) + words_), may(May(b), May(b) + words_);
    ++epoch_;
    killed_.resize(in_.function.register_count, 0);
    for (uint32_t pc = blocks_[b].begin; ok() && pc < blocks_[b].end; ++pc) {
      if (OpcodeAt(pc) == Opcode::kPhi) CheckPhi(pc, must.data(), may.data());
      VisitRegisters(pc, [&](Effect effect, size_t index) {
        // Registers without bits were seen to be written in this block before they are read.
        const int32_t g = global_index_[index];
        if (effect != Effect::kWrite && effect != Effect::kPhi) {
          // A kill only needs that the register may hold something: a loop whose head is a phi
          // kills on its way back what only some iterations wrote.
          const uint64_t* const set = effect == Effect::kKill ? may.data() : must.data();
          const bool holds = g < 0 || Get(set, static_cast<size_t>(g));
          if (!holds)
            FailRead(pc, effect, index,
                     killed_[index] == epoch_ ? Local::kKilled : Local::kIncoming);
        }
        if (effect == Effect::kKill) killed_[index] = epoch_;
        Apply(effect, index, must.data(), may.data());
      });
    }
  }

  // Exactly one operand must hold a value at run time. That cannot be decided here in general;
  // refused is what can never or must always fail.
  void CheckPhi(uint32_t pc, const uint64_t* must, const uint64_t* may) {
    const std::span<const uint32_t> effects = in_.effects.Of(pc);  // a, b, then the write
    const size_t a = Effects::RegisterOf(effects[0]);
    const size_t b = Effects::RegisterOf(effects[1]);
    const auto ga = static_cast<size_t>(global_index_[a]);
    const auto gb = static_cast<size_t>(global_index_[b]);
    for (const auto& [reg, g] : {std::pair(a, ga), std::pair(b, gb)}) {
      if (!Get(may, g))
        return Fail(pc, StrCat("register %", reg, " holds nothing on any path to the phi"));
    }
    if (Get(must, ga) && Get(must, gb)) {
      return Fail(pc, StrCat("registers %", a, " and %", b,
                             " both hold a value on every path; phi needs exactly one"));
    }
  }

  const FlowInput& in_;
  FlowError error_;
  Instruction current_;
  bool ends_block_ = false;
  std::vector<Block> blocks_;
  std::vector<uint32_t> block_of_;
  std::vector<Local> local_;
  std::vector<uint64_t> written_;
  std::vector<uint64_t> killed_;
  uint64_t epoch_ = 0;
  std::vector<int32_t> global_index_;
  std::vector<uint32_t> globals_;
  size_t words_ = 0;
  Bits must_;
  Bits may_;
  std::vector<bool> reached_;
};

}  // namespace

std::string RegisterText(int64_t index) { return StrCat("%", index); }

FlowError VerifyFlow(const FlowInput& input) { return FlowVerifier(input).Run(); }

}  // namespace tern::vm
