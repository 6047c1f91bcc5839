// SPDX-License-Identifier: Apache-2.0
// Building dependency graphs, and showing them. One pass per function finds the begins of blocks, a
// second adds a node per instruction; `written_by_` knows the last writer of each register within
// the block.
#include "core/vm/debug/dependency.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/vm/text/disassembler.h"

namespace tern::vm {
namespace {

// The builtins that write, into an argument or for people, and those that end the run: what comes
// before such an end has happened. Lists and maps that nobody else holds are changed in place.
constexpr std::string_view kBuiltinsWithEffects[] = {"vm.builtin.store_shape",
                                                     "vm.builtin.store_dim",
                                                     "vm.builtin.match_shape",
                                                     "vm.builtin.print",
                                                     "tern.print",
                                                     "tern.fail",
                                                     "tern.assert",
                                                     "tern.list.push",
                                                     "tern.list.put",
                                                     "tern.list.extend",
                                                     "tern.map.put",
                                                     "tern.map.drop"};

bool BuiltinHasEffects(std::string_view primitive) {
  return std::find(std::begin(kBuiltinsWithEffects), std::end(kBuiltinsWithEffects), primitive) !=
         std::end(kBuiltinsWithEffects);
}

// Builds the graph of one function.
class GraphBuilder {
 public:
  GraphBuilder(const Executable& executable, uint32_t function, const DependencyOptions& options)
      : executable_(executable),
        info_(executable.functions()[function]),
        has_effects_(options.has_effects != nullptr ? options.has_effects : &BuiltinHasEffects) {
    graph_.function = function;
  }

  Result<DependencyGraph> Build() {
    std::vector<Instruction> code;
    // One more, because the last instruction may end a block too.
    std::vector<uint8_t> leads(info_.instruction_count + 1, 0);
    for (uint32_t i = 0; i < info_.instruction_count; ++i) {
      TERN_TRY_ASSIGN(Instruction instruction,
                      executable_.GetInstruction(info_.first_instruction + i));
      FindLeaders(instruction, i, &leads);
      code.push_back(std::move(instruction));
    }
    uint32_t block = 0;
    for (uint32_t i = 0; i < info_.instruction_count; ++i) {
      if (leads[i] != 0 && i > 0) {
        ++block;
        BeginBlock(i);
      }
      AddNode(code[i], i, block);
    }
    return std::move(graph_);
  }

 private:
  // An instruction leads a block if something jumps to it or the one before it does not go on.
  static void FindLeaders(const Instruction& instruction, uint32_t at,
                          std::vector<uint8_t>* leads) {
    if (instruction.info->flow != Flow::kNext) (*leads)[at + 1] = 1;
    for (size_t k = 0; k < instruction.operands.size(); ++k) {
      if (OperandRole(instruction, k) != Role::kOffset) continue;
      const int64_t target = int64_t{at} + instruction.operands[k].value;
      if (target >= 0 && target < static_cast<int64_t>(leads->size()))
        (*leads)[static_cast<size_t>(target)] = 1;
    }
  }

  // All operands of the list have the last role.
  static Role OperandRole(const Instruction& instruction, size_t index) {
    const auto infos = instruction.info->operands();
    return infos[std::min(index, infos.size() - 1)].role;
  }

  // Nothing is known of what came before the block: registers written there are simply there.
  void BeginBlock(uint32_t at) {
    written_by_.clear();
    block_start_ = at;
    last_ordered_ = -1;
  }

  // Calls of functions may do anything; primitives say so, or are among those that are known to.
  bool IsOrdered(const Instruction& instruction) const {
    if (instruction.info->flow != Flow::kNext) return true;
    const Opcode opcode = instruction.info->opcode;
    if (opcode == Opcode::kInvoke || opcode == Opcode::kInvokeClosure ||
        opcode == Opcode::kInvokePacked)
      return true;
    for (const Operand& operand : instruction.operands) {
      // Who gets the machine, or a function as a value, may have effects through it.
      if (operand.is_vm() || operand.is_function()) return true;
      if (operand.is_primitive() &&
          has_effects_(executable_.primitives()[static_cast<size_t>(operand.function_index())]))
        return true;
    }
    return false;
  }

  void AddNode(const Instruction& instruction, uint32_t at, uint32_t block) {
    DependencyNode node;
    node.pc = info_.first_instruction + at;
    node.block = block;
    node.is_ordered = IsOrdered(instruction);
    node.is_call = instruction.info->opcode == Opcode::kCall && !node.is_ordered;
    for (size_t k = 0; k < instruction.operands.size(); ++k) {
      const Operand& operand = instruction.operands[k];
      // Reads and kills depend on the register's last writer.
      if (!operand.is_register() || OperandRole(instruction, k) == Role::kWrite) continue;
      const auto writer = written_by_.find(operand.value);
      if (writer != written_by_.end()) node.needs.push_back(writer->second);
    }
    // An ordered instruction waits for everything before it in the block, and everything after it
    // waits for it. What is before the last ordered one has that one behind it already.
    if (node.is_ordered) {
      const uint32_t first =
          last_ordered_ >= 0 ? static_cast<uint32_t>(last_ordered_) : block_start_;
      for (uint32_t before = first; before < at; ++before) node.needs.push_back(before);
    } else if (last_ordered_ >= 0) {
      node.needs.push_back(static_cast<uint32_t>(last_ordered_));
    }
    std::sort(node.needs.begin(), node.needs.end());
    node.needs.erase(std::unique(node.needs.begin(), node.needs.end()), node.needs.end());
    // The longest way: equal levels can have no way between them.
    for (uint32_t need : node.needs)
      node.level = std::max(node.level, graph_.nodes[need].level + 1);
    for (size_t k = 0; k < instruction.operands.size(); ++k) {
      const Role role = OperandRole(instruction, k);
      // A kill counts as a writer, so that a later read, which would be an error, keeps its order.
      if (instruction.operands[k].is_register() && (role == Role::kWrite || role == Role::kKill))
        written_by_[instruction.operands[k].value] = at;
    }
    if (node.is_ordered) last_ordered_ = at;
    graph_.nodes.push_back(std::move(node));
  }

  const Executable& executable_;
  const FunctionInfo& info_;
  bool (*has_effects_)(std::string_view);
  DependencyGraph graph_;
  std::unordered_map<int64_t, uint32_t> written_by_;
  uint32_t block_start_ = 0;
  int64_t last_ordered_ = -1;
};

}  // namespace

Result<DependencyGraph> BuildDependencies(const Executable& executable, uint32_t function,
                                          const DependencyOptions& options) {
  if (function >= executable.functions().size()) {
    return OutOfRange("function ", function, " of an executable that has ",
                      executable.functions().size());
  }
  return GraphBuilder(executable, function, options).Build();
}

// Reachability within the block, in order of the instructions: needs always point backwards.
bool DependencyGraph::Independent(uint32_t a, uint32_t b) const {
  if (a == b || nodes[a].block != nodes[b].block) return false;
  const uint32_t low = std::min(a, b), high = std::max(a, b);
  std::vector<uint8_t> leads_to(nodes.size(), 0);  // from low
  leads_to[low] = 1;
  for (uint32_t at = low + 1; at <= high; ++at) {
    for (uint32_t need : nodes[at].needs) leads_to[at] |= leads_to[need];
  }
  return leads_to[high] == 0;
}

// Grouped by block and level. This is less than all pairs of independent calls, and enough to show.
std::vector<std::vector<uint32_t>> DependencyGraph::ParallelCalls() const {
  std::vector<std::vector<uint32_t>> groups;
  std::unordered_map<uint64_t, size_t> index;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].is_call) continue;
    const uint64_t key = uint64_t{nodes[i].block} << 32 | nodes[i].level;
    const auto [at, is_new] = index.try_emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(i);
  }
  std::erase_if(groups, [](const std::vector<uint32_t>& group) { return group.size() < 2; });
  return groups;
}

std::string DependencyText(const DependencyGraph& graph, const Executable& executable) {
  const uint32_t first = executable.functions()[graph.function].first_instruction;
  std::string text = StrCat("@", executable.functions()[graph.function].name, "\n");
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const DependencyNode& node = graph.nodes[i];
    StrAppend(&text, "  ", i, "  ", InstructionText(executable, node.pc));
    if (node.is_ordered)
      text += "  ; in order";
    else if (!node.needs.empty())
      text += "  ; after";
    // An ordered instruction needs all before it; listing them would say nothing.
    for (uint32_t need : node.is_ordered ? std::vector<uint32_t>() : node.needs)
      StrAppend(&text, " ", need);
    text += "\n";
  }
  for (const std::vector<uint32_t>& group : graph.ParallelCalls()) {
    text += "  independent calls:";
    for (uint32_t node : group) StrAppend(&text, " ", graph.nodes[node].pc - first);
    text += "\n";
  }
  return text;
}

std::string DependencyJson(const DependencyGraph& graph, const Executable& executable) {
  JsonWriter json;
  json.BeginObject();
  json.Field("function", std::string_view(executable.functions()[graph.function].name));
  json.Key("nodes").BeginArray();
  for (const DependencyNode& node : graph.nodes) {
    json.BeginObject()
        .Field("pc", node.pc)
        .Key("text")
        .String(InstructionText(executable, node.pc));
    json.Field("block", node.block).Field("level", node.level).Field("call", node.is_call);
    json.Field("ordered", node.is_ordered).Key("needs").BeginArray();
    for (uint32_t need : node.needs) json.Uint(graph.nodes[need].pc);
    json.EndArray().EndObject();
  }
  json.EndArray().Key("parallel").BeginArray();
  for (const std::vector<uint32_t>& group : graph.ParallelCalls()) {
    json.BeginArray();
    for (uint32_t node : group) json.Uint(graph.nodes[node].pc);
    json.EndArray();
  }
  json.EndArray().EndObject();
  return json.Take();
}

std::string DependencyDot(const DependencyGraph& graph, const Executable& executable) {
  std::string text = "digraph dependencies {\n  node [shape=box, fontname=monospace];\n";
  for (const DependencyNode& node : graph.nodes) {
    StrAppend(&text, "  n", node.pc, " [label=", JsonQuote(InstructionText(executable, node.pc)),
              node.is_call ? ", style=bold" : "", "];\n");
    for (uint32_t need : node.needs)
      StrAppend(&text, "  n", graph.nodes[need].pc, " -> n", node.pc, ";\n");
  }
  return text + "}\n";
}

}  // namespace tern::vm
