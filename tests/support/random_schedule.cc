// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_schedule.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/run/workspace.h"
#include "core/loop/te/schedule.h"
#include "core/loop/text/parser.h"
#include "core/loop/text/printer.h"
#include "tests/support/choices.h"

namespace tern::support {
namespace {

using loop::Strategy;

// What is made backwards: a tensor's formula makes up the tensors that it reads, with the shapes
// that its indices need.
class ProgramMaker : public Choices {
 public:
  using Choices::Choices;

  std::string Head() {
    type_ = Pick(
        {"int32", "int32", "int8", "uint16", "int64", "float32", "float64", "float16", "uint8"});
    const size_t results = Byte() % 6 == 0 ? 2 : 1;
    for (size_t i = 0; i < results; ++i) {
      std::vector<std::string> shape;
      for (int rank = Rank(); rank > 0; --rank) shape.push_back(Extent());
      tensors_.push_back({StrCat("y", i), std::move(shape), true, {}});
    }
    most_ = results + 1 + Byte() % 3;
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const bool is_computed = i < results || tensors_[i].is_computed;
      if (is_computed) tensors_[i].formula = Formula(i);
    }
    return Text(results);
  }

 private:
  struct Tensor {
    std::string name;
    std::vector<std::string> shape;
    bool is_computed = false;
    std::string formula;
  };
  struct Axis {
    std::string name, extent;
  };

  int Rank() { return Byte() % 8 == 0 ? static_cast<int>(Byte() % 4) : 1 + Byte() % 2; }
  std::string Extent() { return Pick({"n", "n", "m", "4", "6", "n + 1", "2 * m", "1", "m", "n"}); }
  bool IsFloat() const { return type_.starts_with("float"); }

  static std::string ShapeText(const std::vector<std::string>& shape) {
    return StrCat("[", StrJoin(shape, ", "), "]");
  }

  std::string Text(size_t results) const {
    std::vector<std::string> inputs = {"I: int32[n, m]"}, outputs;
    std::string computes;
    for (const Tensor& tensor : tensors_) {
      const std::string declared = StrCat(tensor.name, ": ", type_, ShapeText(tensor.shape));
      if (!tensor.is_computed) inputs.push_back(declared);
    }
    for (size_t i = tensors_.size(); i-- > 0;) {
      const Tensor& tensor = tensors_[i];
      if (!tensor.is_computed) continue;
      std::vector<std::string> axes;
      for (size_t k = 0; k < tensor.shape.size(); ++k) axes.push_back(AxisName(k));
      const std::string type = i < results ? "" : StrCat(": ", type_, ShapeText(tensor.shape));
      StrAppend(&computes, "  compute ", tensor.name, ShapeText(axes), type, " = ", tensor.formula,
                "\n");
    }
    for (size_t i = 0; i < results; ++i)
      outputs.push_back(StrCat(tensors_[i].name, ": ", type_, ShapeText(tensors_[i].shape)));
    return StrCat("te random<n, m>(", StrJoin(inputs, ", "), ") -> (", StrJoin(outputs, ", "),
                  ") {\n", computes);
  }

  static std::string AxisName(size_t k) { return std::string(1, "ijk"[k]); }

  std::string Formula(size_t of) {
    std::vector<Axis> axes;
    for (size_t k = 0; k < tensors_[of].shape.size(); ++k)
      axes.push_back({AxisName(k), tensors_[of].shape[k]});
    if (Byte() % 5 >= 2) return Value(of, axes, 2);
    std::vector<std::string> reduced;
    const int count = 1 + Byte() % 5 / 4;
    for (int k = 0; k < count; ++k) {
      const std::string name = std::string(1, "pq"[k]);
      std::string extent = Pick({"n", "m", "3", "4", "5"});
      if (Byte() % 12 == 0 && !axes.empty())
        extent = StrCat(axes[Byte() % axes.size()].name, " + 1");  // known to its value only
      axes.push_back({name, extent});
      reduced.push_back(StrCat(name, " < ", extent));
    }
    const std::string op = type_ == "float16" ? Pick({"max", "min"}) : Pick({"sum", "sum", "max"});
    return StrCat(op, "(", StrJoin(reduced, ", "), ", ", Value(of, axes, 1), ")");
  }

  std::string Value(size_t of, const std::vector<Axis>& axes, int depth) {
    if (depth <= 0) return Read(of, axes);
    const std::string a = Value(of, axes, depth - 1);
    switch (Byte() % 8) {
      case 0: return a;
      case 1: return StrCat("(", a, " * ", IsFloat() ? "2.0" : "3", ")");
      case 2: return StrCat("(", a, " + ", IsFloat() ? "1.0" : "1", ")");
      case 3: return StrCat("(", a, " - ", Value(of, axes, depth - 1), ")");
      case 4: return StrCat(Pick({"min", "max"}), "(", a, ", ", Value(of, axes, depth - 1), ")");
      case 5:
        if (axes.empty()) return a;
        return StrCat("select(", Any(axes).name, " < ", Pick({"n", "2", "m", "3"}), ", ", a, ", ",
                      Value(of, axes, 0), ")");
      case 6:
        if (axes.empty()) return a;
        return StrCat("(", a, " + cast(", type_, ", ", Any(axes).name, " % 5))");
      default: return StrCat("(", a, " + ", Value(of, axes, depth - 1), ")");
    }
  }

  const Axis& Any(const std::vector<Axis>& axes) { return axes[Byte() % axes.size()]; }

  // An index that lies below the extent beside it.
  Axis Index(const std::vector<Axis>& axes) {
    if (axes.empty()) return {"0", "1"};
    const Axis a = Any(axes), b = Any(axes);
    // An extent that is known to a value of another axis only is bounded by that axis' extent.
    const std::string x = Bound(axes, a), y = Bound(axes, b);
    switch (Byte() % 16) {
      case 0: return {StrCat(a.name, " + 1"), StrCat(x, " + 2")};
      case 1: return {StrCat(a.name, " + 2"), StrCat(x, " + 2")};
      case 2: return {StrCat("2 * ", a.name), StrCat("2 * (", x, ")")};
      case 3: return {StrCat("2 * ", a.name, " + 1"), StrCat("2 * (", x, ")")};
      case 4: return {StrCat(a.name, " + ", b.name), StrCat(x, " + ", y)};
      case 5: return {StrCat(x, " - 1 - ", a.name), x};
      case 6: return {StrCat(a.name, " / 2"), x};
      case 7: return {StrCat(a.name, " % 3"), "3"};
      case 8: return {StrCat("max(", a.name, " - 1, 0)"), x};
      case 9: return {StrCat("min(", a.name, " + 1, ", x, " - 1)"), x};
      case 10: return {"1", "2"};
      default: return {a.name, x};
    }
  }

  static std::string Bound(const std::vector<Axis>& axes, const Axis& axis) {
    for (const Axis& other : axes) {
      if (axis.extent == other.name + " + 1") return Bound(axes, other);
    }
    return axis.extent;
  }

  std::string Read(size_t of, const std::vector<Axis>& axes) {
    std::vector<std::string> indices, shape;
    for (int rank = Rank(); rank > 0; --rank) {
      Axis index = Index(axes);
      indices.push_back(index.name);
      shape.push_back(index.extent);
    }
    if (Byte() % 24 == 0 && HasRow(axes)) {
      indices = {StrCat("cast(int64, I[", axes[0].name, ", 0]) % 8")};
      shape = {"8"};
    }
    return StrCat(tensors_[FindOrMake(of, shape)].name, ShapeText(indices));
  }

  // Whether I[first axis, 0] is there: both sizes may be 0, and the loops then run not at all.
  static bool HasRow(const std::vector<Axis>& axes) {
    return axes.size() >= 2 && axes[0].extent == "n" && axes[1].extent == "m";
  }

  size_t FindOrMake(size_t of, const std::vector<std::string>& shape) {
    for (size_t i = of + 1; i < tensors_.size(); ++i) {
      if (tensors_[i].shape == shape && Byte() % 8 != 0) return i;
    }
    const auto computed = static_cast<size_t>(std::count_if(
        tensors_.begin(), tensors_.end(), [](const Tensor& tensor) { return tensor.is_computed; }));
    const bool is_computed = computed < most_ && Byte() % 4 != 0;
    tensors_.push_back({StrCat(is_computed ? "t" : "a", tensors_.size()), shape, is_computed, {}});
    return tensors_.size() - 1;
  }

  std::string type_;
  std::vector<Tensor> tensors_;
  size_t most_ = 0;
};

// The next line of a schedule, from the loops that the lines before it left.
class LineMaker : public Choices {
 public:
  explicit LineMaker(std::span<const uint8_t> bytes) : Choices(bytes) {}

  bool More() { return Byte() % 8 != 0; }

  std::string Line(std::span<const loop::te::Stage> stages) {
    const size_t at = Byte() % stages.size();
    const loop::te::Stage& stage = stages[at];
    const std::string t = stage.compute.tensor->name;
    switch (Byte() % 16) {
      case 0:
      case 1:
      case 2: return StrCat("split(", t, ", ", Loop(stage), ", ", Factor(), ")");
      case 3:
      case 4: {
        const std::vector<std::string> loops = Loops(stage);
        if (loops.size() < 2) return StrCat("fuse(", t, ", ", Loop(stage), ", ", Loop(stage), ")");
        const size_t first = Byte() % (loops.size() - 1);
        return StrCat("fuse(", t, ", ", loops[first], ", ", loops[first + 1], ")");
      }
      case 5:
      case 6: return StrCat("reorder(", t, ", ", StrJoin(Shuffled(stage), ", "), ")");
      case 7:
        return StrCat("tile(", t, ", ", Loop(stage), ", ", Loop(stage), ", ", Factor(), ", ",
                      Factor(), ")");
      case 8: return StrCat("unroll(", t, ", ", Loop(stage), ")");
      case 9: return StrCat("parallel(", t, ", ", Loop(stage), ")");
      case 10:
      case 11: return StrCat("vectorize(", t, ", ", Loop(stage), Options(), ")");
      case 12: return StrCat("compute_inline(", t, ")");
      default: {
        const loop::te::Stage& consumer = stages[Byte() % stages.size()];
        return StrCat("compute_at(", t, ", ", consumer.compute.tensor->name, ", ", Loop(consumer),
                      ")");
      }
    }
  }

 private:
  static std::vector<std::string> Loops(const loop::te::Stage& stage) {
    std::vector<std::string> names;
    for (const int leaf : stage.leaves) names.push_back(stage.axes[static_cast<size_t>(leaf)].name);
    return names;
  }
  // Now and then an axis that is no loop any more.
  std::string Loop(const loop::te::Stage& stage) {
    if (stage.axes.empty()) return "i";
    if (Byte() % 32 == 0) return stage.axes[Byte() % stage.axes.size()].name;
    const std::vector<std::string> loops = Loops(stage);
    return loops[Byte() % loops.size()];
  }
  std::vector<std::string> Shuffled(const loop::te::Stage& stage) {
    std::vector<std::string> loops = Loops(stage);
    while (loops.size() < 2) loops.push_back("i");
    for (size_t i = loops.size(); i-- > 1;) std::swap(loops[i], loops[Byte() % (i + 1)]);
    loops.resize(2 + Byte() % (loops.size() - 1));
    return loops;
  }
  std::string Factor() { return Pick({"1", "2", "3", "4", "4", "5", "8", "16"}); }
  std::string Options() {
    return StrCat(Pick({"", "", ", 2", ", 4", ", 1"}), Pick({"", "", ", scalable = true"}),
                  Pick({"", "", ", predicated = true", ", predicated = false"}),
                  Pick({"", "", "", ", interleave = 2", ", interleave = 3"}));
  }
};

// What is wrong with how something was refused; "" where it was refused as it should be.
std::string WhyBadRefusal(const Status& status, std::initializer_list<std::string_view> codes) {
  const text::Diagnostics* diagnostics = text::DiagnosticsOf(status);
  bool good = diagnostics != nullptr;
  for (size_t i = 0; good && i < diagnostics->items().size(); ++i) {
    const text::Diagnostic& each = diagnostics->items()[i];
    good = std::find(codes.begin(), codes.end(), each.code) != codes.end() && each.span.valid();
  }
  return good ? "" : text::RenderText(status);
}

Result<loop::LoopFunction> Lower(const std::string& text, Strategy strategy) {
  TERN_TRY_ASSIGN(const loop::SourceFile file, loop::ParseLoops("random.tloop", text));
  loop::LoweringOptions options;
  options.strategy = strategy;
  TERN_TRY_ASSIGN(loop::Program program, loop::LowerFile(file, options));
  return std::move(program.functions.at(0));
}

std::string WithSchedule(const std::string& head, std::span<const std::string> lines) {
  if (lines.empty()) return head + "}\n";
  std::string text = head + "  schedule {\n";
  for (const std::string& line : lines) StrAppend(&text, "    ", line, "\n");
  return text + "  }\n}\n";
}

// A schedule may compute a tensor again and again; a run that takes longer proves nothing.
constexpr int64_t kMaxSteps = 2'000'000, kFewSteps = 100'000;
constexpr std::string_view kTooManySteps = "S0301";

// One run: the memory of results, or why there is none.
struct Outcome {
  std::string bytes, error;
  bool is_long = false;
};
Outcome RunOnce(const loop::LoopFunction& function, std::span<const int64_t> sizes, int64_t vscale,
                int64_t max_steps) {
  Outcome out;
  Result<loop::Interpreter> interpreter = loop::Interpreter::Make(function);
  if (!interpreter.ok()) return {"", interpreter.status().ToString()};
  Result<loop::Workspace> workspace = loop::Workspace::Make(function, sizes);
  if (!workspace.ok()) return {"", workspace.status().ToString()};
  loop::RunOptions options;
  options.vscale = vscale;
  options.max_steps = max_steps;
  const Result<loop::Counters> ran = interpreter->Run(workspace->arguments(), options);
  if (!ran.ok() && ran.status().error_code() == kTooManySteps) {
    out.is_long = true;
    return out;
  }
  if (!ran.ok()) return {"", text::RenderText(ran.status())};
  if (workspace->FirstBrokenCanary() >= 0) return {"", "a byte beside a buffer was written"};
  for (size_t i = 0; i < function.buffers.size(); ++i) {
    if (function.buffers[i]->access != loop::Access::kOut) continue;
    const std::span<uint8_t> bytes = workspace->bytes(i);
    out.bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return out;
}

constexpr Strategy kStrategies[] = {Strategy::kScalar,  Strategy::kSchedule,
                                    Strategy::kFixed,   Strategy::kFixedPredicated,
                                    Strategy::kCleanup, Strategy::kPredicated};

struct Round {
  int64_t sizes[2];
  Outcome wanted;
};

std::vector<Round> PlainRuns(const loop::LoopFunction& plain, uint64_t seed, ScheduleRuns runs) {
  static constexpr int64_t kSizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 13};
  std::vector<Round> rounds(runs == ScheduleRuns::kAll ? 3 : 1);
  uint64_t round = 0;
  for (Round& made : rounds) {
    const uint64_t pick = seed / (round * 7 + 1) + round * 5;
    ++round;
    made.sizes[0] = kSizes[pick % 9];
    made.sizes[1] = kSizes[pick / 9 % 9];
    made.wanted = RunOnce(plain, made.sizes, 1, runs == ScheduleRuns::kAll ? kMaxSteps : kFewSteps);
  }
  return rounds;
}

// Of few runs the scalar program's are always there, and those of two others.
bool IsChosen(size_t strategy, uint64_t seed, ScheduleRuns runs) {
  constexpr size_t kOthers = std::size(kStrategies) - 1;
  const size_t first = seed / 5 % kOthers;
  return runs == ScheduleRuns::kAll || strategy == 0 || strategy == 1 + first ||
         strategy == 1 + (first + 1) % kOthers;
}

void CompareRuns(const loop::LoopFunction& plain, uint64_t seed, ScheduleRuns runs,
                 ScheduleCheck* out) {
  const std::vector<Round> rounds = PlainRuns(plain, seed, runs);
  for (size_t i = 0; i < std::size(kStrategies); ++i) {
    if (!IsChosen(i, seed, runs)) continue;
    const Strategy strategy = kStrategies[i];
    const Result<loop::LoopFunction> made = Lower(out->schedule.text, strategy);
    if (!made.ok()) {
      // What cannot be vectorized runs without vectors.
      out->wrong = strategy == Strategy::kScalar ? text::RenderText(made.status())
                                                 : WhyBadRefusal(made.status(), {"E0512", "E0513"});
      if (!out->wrong.empty()) return;
      continue;
    }
    for (const Round& round : rounds) {
      const int64_t vscale = 1 + static_cast<int64_t>(seed % 5);
      const Outcome got =
          RunOnce(*made, round.sizes, vscale, runs == ScheduleRuns::kAll ? kMaxSteps : kFewSteps);
      const Outcome& wanted = round.wanted;
      if (wanted.is_long || got.is_long) continue;
      ++out->runs;
      if (wanted.error.empty() && wanted.bytes == got.bytes && got.error.empty()) continue;
      out->wrong = StrCat(loop::StrategyName(strategy), ", n ", round.sizes[0], ", m ",
                          round.sizes[1], ", vscale ", vscale, ": ",
                          !wanted.error.empty() ? StrCat("the plain program: ", wanted.error)
                          : got.error.empty()   ? std::string("other results")
                                                : got.error,
                          "\n", loop::ToText(*made));
      return;
    }
  }
}

}  // namespace

RandomSchedule MakeRandomSchedule(std::span<const uint8_t> choices) {
  RandomSchedule out;
  const size_t half = choices.size() / 2;
  const std::string head = ProgramMaker(choices.first(half)).Head();
  LineMaker maker(choices.subspan(half));
  std::vector<std::string> lines;
  out.text = out.plain_text = WithSchedule(head, {});
  while (out.accepted + out.refused < 12 && maker.More()) {
    const Result<loop::SourceFile> file = loop::ParseLoops("random.tloop", out.text);
    if (!file.ok()) {
      out.wrong = text::RenderText(file.status());
      return out;
    }
    text::Diagnostics diagnostics(file->sources);
    const auto stages = loop::te::ApplySchedule(file->definitions[0], &diagnostics);
    lines.push_back(maker.Line(stages));
    const std::string longer = WithSchedule(head, lines);
    const Result<loop::LoopFunction> lowered = Lower(longer, Strategy::kScalar);
    if (lowered.ok()) {
      out.text = longer;
      ++out.accepted;
      continue;
    }
    ++out.refused;
    out.wrong = WhyBadRefusal(lowered.status(), {"E0510", "E0514", "E0531"});
    if (!out.wrong.empty()) {
      out.text = longer;
      return out;
    }
    lines.pop_back();
  }
  return out;
}

ScheduleCheck CheckRandomSchedule(std::span<const uint8_t> choices, uint64_t seed,
                                  ScheduleRuns runs) {
  ScheduleCheck out;
  out.schedule = MakeRandomSchedule(choices);
  out.wrong = out.schedule.wrong;
  if (!out.wrong.empty()) return out;
  const Result<loop::LoopFunction> plain = Lower(out.schedule.plain_text, Strategy::kScalar);
  if (!plain.ok())
    out.wrong = text::RenderText(plain.status());
  else
    CompareRuns(*plain, seed, runs, &out);
  return out;
}

}  // namespace tern::support
