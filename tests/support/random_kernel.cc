// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_kernel.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/loop/run/workspace.h"
#include "core/loop/text/parser.h"
#include "core/loop_kernels/bind.h"
#include "tests/support/choices.h"

namespace tern::support {
namespace {

class Generator : public Choices {
 public:
  using Choices::Choices;

  std::string Kernel() {
    const std::string shapes[] = {Shape(2), Shape(2), Shape(1)};
    const std::string inputs = StrCat("A: ", In("float32"), shapes[0], ", B: ", In("float32"),
                                      "[n, m], J: ", In("int32"), "[n], U: ", In("uint8"), "[m]");
    return Byte() % 3 == 0 ? Loops(inputs, shapes[1]) : Definition(inputs, shapes[1], shapes[2]);
  }

 private:
  // How an input is declared is settled by what follows, so it is left to a mark.
  static std::string In(std::string_view type) { return StrCat("IN", type); }
  static std::string Declared(std::string text, std::string_view access) {
    for (size_t at; (at = text.find("IN")) != std::string::npos;) text.replace(at, 2, access);
    return text;
  }

  std::string Extent() {
    return Pick({"n", "m", "n + 1", "2 * n", "n * m", "4", "n / 2", "m + n", "min(n, m)", "8"});
  }
  std::string Shape(int rank) {
    if (Byte() % 4 != 0) return rank == 1 ? "[n]" : "[n, m]";  // so that some programs are right
    return rank == 1 ? StrCat("[", Extent(), "]") : StrCat("[", Extent(), ", ", Extent(), "]");
  }

  std::string Index(int depth) {
    if (depth <= 0 || Byte() % 3 == 0)
      return Pick({"i", "j", "0", "1", "n - 1 - i", "m - 1", "k", "cast(int64, J[i])",
                   "cast(int64, U[j])", "3", "i + 1", "2 * i"});
    const std::string a = Index(depth - 1), b = Index(depth - 1);
    switch (Byte() % 8) {
      case 0: return StrCat("(", a, " + ", b, ")");
      case 1: return StrCat("(", a, " - ", b, ")");
      case 2: return StrCat("(", a, " * ", Pick({"m", "n", "2", "3", "4611686018427387904"}), ")");
      case 3: return StrCat("(", a, " / ", Pick({"m", "n", "2", "4", "3"}), ")");
      case 4: return StrCat("(", a, " % ", Pick({"m", "n", "4", "8", "2"}), ")");
      case 5: return StrCat("min(", a, ", ", Pick({"n - 1", "m - 1", "3", "i"}), ")");
      case 6: return StrCat("max(", a, ", ", Pick({"0", "1", "j"}), ")");
      default: return a;
    }
  }
  // Right where i < n and j < m, so that some programs are.
  std::string LikelyRow() {
    return Pick({"i", "n - 1 - i", "i / 2", "i % n", "max(i - 1, 0)", "i * i / n",
                 "min(i + 1, n - 1)", "(i * 2 + 1) / 2", "(i * 3) % n"});
  }
  std::string LikelyColumn() {
    return Pick({"j", "m - 1 - j", "j / 3", "j % m", "max(j - 2, 0)", "min(j * 2, m - 1)",
                 "(j + i) % m", "(i * m + j) % m", "j - j % 2"});
  }
  std::string Load() {
    if (Byte() % 8 != 0) return StrCat("B[", LikelyRow(), ", ", LikelyColumn(), "]");
    return Byte() % 2 == 0 ? StrCat("A[", Index(2), ", ", Index(2), "]")
                           : StrCat("B[", Index(2), ", ", Index(2), "]");
  }
  // Without k where it is not there.
  static std::string Without(std::string text, bool has_k) {
    for (size_t at = 0; !has_k && (at = text.find('k', at)) != std::string::npos;) text[at] = 'i';
    return text;
  }

  std::string Definition(const std::string& inputs, const std::string& shape,
                         const std::string& row) {
    std::string text = StrCat("te f<n, m>(", Declared(inputs, ""), ") -> (Y: float32", shape,
                              ", Z: float32", row, ") {\n");
    const bool reduces = Byte() % 2 == 0;
    StrAppend(&text, "  compute T[i, j]: float32[n, m] = ", Without(Load(), false), "\n");
    const std::string value = StrCat(Without(Load(), reduces), " + T[min(i, n - 1), ",
                                     Pick({"j", "min(j, m - 1)", "j % m", "0"}), "]");
    StrAppend(&text, "  compute Y[i, j] = ",
              reduces ? StrCat("sum(k < ", Pick({"n", "m", "3"}), ", ", value, ")") : value, "\n");
    StrAppend(&text, "  compute Z[i] = sum(k < m, B[", LikelyRow(), ", k])\n");
    const std::string schedule =
        Pick({"", "split(Y, j, 4)\n", "fuse(Y, i, j)\n", "tile(Y, i, j, 2, 4)\n",
              "compute_inline(T)\n", "compute_at(T, Y, i)\n", "vectorize(Y, j, scalable = true)\n",
              "split(Z, i, 3)\nunroll(Z, i.inner)\n", "split(Y, i, 2)\nreorder(Y, j, i.inner)\n",
              "split(Y, j, 8)\ncompute_at(T, Y, j.outer)\nvectorize(Y, j.inner)\n"});
    if (!schedule.empty()) StrAppend(&text, "  schedule {\n", schedule, "  }\n");
    return text + "}\n";
  }

  std::string Loops(const std::string& inputs, const std::string& shape) {
    std::string text =
        StrCat("primfn f<n, m>(", Declared(inputs, "in "), ", Y: out float32", shape,
               ") {\n  for (i, ", Pick({"0", "0", "1", "0 - 1"}), ", ",
               Pick({"n", "n", "m", "n * m", "n + 1"}), ") {\n    for (j, ",
               Pick({"0", "0", "i", "1"}), ", ", Pick({"m", "m", "n", "i + 1", "m - i"}), ") {\n");
    const std::string guard = StrCat(Without(Index(1), false), " ", Pick({"<", "<=", ">=", "=="}),
                                     " ", Pick({"n", "m", "0", "4"}));
    const std::string store = StrCat("Y[", Without(Index(2), false), ", ", Without(Index(2), false),
                                     "] = ", Without(Load(), false));
    switch (Byte() % 3) {
      case 0: StrAppend(&text, store); break;
      case 1: StrAppend(&text, "if (", guard, " & j >= 0 & j < m & i < n) { ", store, " }"); break;
      default:
        StrAppend(&text, "let k: int64 = ", Without(Index(1), false), "\nif (k >= 0 & k < n) { ",
                  StrCat("Y[", Index(1), ", ", Index(1), "] = B[k, ", Index(1), "]"), " }");
    }
    return text + "\n    }\n  }\n}\n";
  }
};

uint64_t Next(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

// As many parameters as the text has inputs, of any type.
Result<vm::Signature> SignatureFor(std::string_view text) {
  TERN_TRY_ASSIGN(const loop::SourceFile file, loop::ParseLoops("f.tloop", text));
  size_t inputs = 0;
  for (const loop::te::Definition& te : file.definitions)
    inputs = te.inputs.size() + te.scalars.size();
  for (const loop::LoopFunction& function : file.program.functions) {
    inputs = function.scalars.size();
    for (const loop::BufferPtr& buffer : function.buffers)
      inputs += buffer->access == loop::Access::kIn ? 1 : 0;
  }
  return vm::Signature::OfArity(static_cast<uint32_t>(inputs));
}

constexpr std::string_view kTargets[] = {"reference", "aarch64", "x86_64+avx2"};
constexpr int64_t kN[] = {0, 1, 2, 5}, kM[] = {0, 1, 3, 9};

class Runner {
 public:
  Runner(const loop::LoopFunction& lowered, uint64_t* state, KernelCheck* check)
      : lowered_(lowered), state_(*state), check_(*check) {}

  void Run(KernelRuns runs) {
    const Result<loop::Interpreter> interpreter = loop::Interpreter::Make(lowered_);
    if (!interpreter.ok()) return Complain(interpreter.status());
    if (runs == KernelRuns::kFew) {
      const uint64_t choice = Next(&state_);
      RunOnce(*interpreter, kN[choice >> 8 & 3], kM[choice >> 12 & 3]);
      return RunOnce(*interpreter, kN[3], kM[choice >> 16 & 3]);
    }
    for (const int64_t n : kN) {
      for (const int64_t m : kM) RunOnce(*interpreter, n, m);
    }
  }

 private:
  void Complain(const Status& status) {
    if (check_.wrong.empty()) check_.wrong = StrCat(status.ToString(), "\n");
  }

  void RunOnce(const loop::Interpreter& interpreter, int64_t n, int64_t m) {
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < lowered_.sizes.size(); ++i) sizes.push_back(i % 2 == 0 ? n : m);
    const Result<std::vector<int64_t>> counts = loop::ElementCounts(lowered_, sizes);
    if (!counts.ok()) return;  // a call with these sizes is refused
    int64_t total = 0;
    for (const int64_t count : *counts) {
      if (count > kMaxElements) return;
      total += count;
    }
    if (total > kMaxElements) return;
    Result<loop::Workspace> memory = loop::Workspace::Make(lowered_, sizes, Next(&state_));
    if (!memory.ok()) return Complain(memory.status());
    for (size_t i = 0; i < memory->buffer_count(); ++i) {
      for (uint8_t& byte : memory->bytes(i)) byte = static_cast<uint8_t>(Next(&state_) >> 5);
    }
    loop::RunOptions options;
    options.vscale = 1 + static_cast<int64_t>(Next(&state_) % 4);
    options.max_steps = kMaxSteps;
    const Result<loop::Counters> ran = interpreter.Run(memory->arguments(), options);
    ++check_.runs;
    if (!ran.ok() && ran.status().error_code() != "S0301") Complain(ran.status());
    if (memory->FirstBrokenCanary() >= 0) Complain(Failed("a byte beside a buffer was written"));
  }

  static constexpr int64_t kMaxElements = 1 << 16, kMaxSteps = 1 << 18;
  const loop::LoopFunction& lowered_;
  uint64_t& state_;
  KernelCheck& check_;
};

}  // namespace

std::string RandomKernel(std::span<const uint8_t> choices) { return Generator(choices).Kernel(); }

KernelCheck CheckKernel(std::string_view text, uint64_t seed, KernelRuns runs) {
  KernelCheck check;
  const Result<vm::Signature> signature = SignatureFor(text);
  if (!signature.ok()) return check;
  const Result<loop::BoundKernel> bound = loop::BindKernel({"f", text, &*signature});
  check.bound = bound.ok();
  if (!bound.ok()) return check;
  check.proven = bound->proof.ok();
  if (!check.proven) return check;
  uint64_t state = seed * 2 + 1;
  const uint64_t only = Next(&state) % std::size(kTargets);
  for (size_t i = 0; i < std::size(kTargets); ++i) {
    if (runs == KernelRuns::kFew && i != only) continue;
    const auto lowered = loop::LowerKernel(*bound, *loop::FindTarget(kTargets[i]));
    if (lowered.ok()) Runner(*lowered, &state, &check).Run(runs);
  }
  if (!check.wrong.empty()) check.wrong += text;
  return check;
}

}  // namespace tern::support
