// SPDX-License-Identifier: Apache-2.0
// One function per hint, in a table; each looks at the operators of the profile alone, so that a
// hint is never more than what its figures say.
#include "native/cli/profile_hints.h"

#include <array>
#include <optional>

#include "core/base/strings.h"
#include "core/ops/ops.h"
#include "native/cli/api_json.h"
#include "native/cli/profile_rows.h"

namespace tern::cli {
namespace {

// The operators of a run, by name and by name with shapes, and what they took together.
struct Figures {
  const ProfiledRun& run;
  std::vector<ProfileRow> by_op, by_shape;
  double total_ns = 0;      // of the run
  double operators_ns = 0;  // in instructions
  uint64_t calls = 0;

  double share(double ns) const { return operators_ns > 0 ? ns / operators_ns : 0; }
};

using Found = std::optional<ProfileHint>;

std::string Percent(double share) { return StrCat(FormatDoubleDigits(100 * share, 3), " %"); }
std::string Micros(double ns) { return StrCat(FormatDoubleDigits(ns / 1e3, 3), " us"); }

// Products and convolutions, whose kernels split their work over workers and are worth it.
bool UsesThreads(const ops::OpInfo& op) {
  if (op.family == ops::Family::matmul) return op.parameters.starts_with("a b");
  return op.family == ops::Family::image && op.parameters.starts_with("x w");
}

// What computes nothing but changes the place of elements, or their type.
bool MovesOnly(const ops::OpInfo& op) {
  if (op.family == ops::Family::shape || op.movement != ops::Movement::computes) return true;
  if (op.family == ops::Family::index) return op.parameters.starts_with("x indices");
  return op.op == ops::Op::k_cast;
}

// Whether the row is of an operator that is meant; other functions are none.
bool IsOf(const ProfileRow& row, bool (*is_meant)(const ops::OpInfo&)) {
  const ops::OpInfo* op = ops::FindOp(row.name);
  return op != nullptr && is_meant(*op);
}

double SumOf(const Figures& figures, bool (*is_meant)(const ops::OpInfo&)) {
  double ns = 0;
  for (const ProfileRow& row : figures.by_op)
    if (IsOf(row, is_meant)) ns += row.ns;
  return ns;
}

Found InterpretedKernels(const Figures& figures) {
  std::string names, why;
  size_t count = 0;
  for (const JsonValue& kernel : figures.run.kernels.items) {
    if (OptionalTextOf(kernel, "backend") != "interpreter") continue;
    // Three names are enough to find the others.
    if (++count <= 3) StrAppend(&names, names.empty() ? "" : ", ", TextOf(kernel, "name"));
    why = OptionalTextOf(kernel, "why");
  }
  if (count == 0) return std::nullopt;
  return ProfileHint{
      "loop kernels are interpreted",
      StrCat(count, " of ", figures.run.kernels.items.size(), ": ", names, count > 3 ? ", …" : "",
             why.empty() ? "" : StrCat("; ", why)),
      "install libLLVM, which compiles them, or put native code into the executable: tern compile "
      "--native-kernels"};
}

Found OneOperator(const Figures& figures) {
  if (figures.by_shape.empty() || figures.by_op.size() < 2) return std::nullopt;
  const ProfileRow& row = figures.by_shape[0];
  // Half of the time: less than that, other operators still count.
  if (figures.share(row.ns) < 0.5) return std::nullopt;
  return ProfileHint{StrCat("one operator takes most of the time: ", row.name),
                     StrCat(Percent(figures.share(row.ns)), " in ", row.count, " calls of ",
                            row.shapes.empty() ? "no tensors" : row.shapes),
                     "other operators are not worth a change before this one"};
}

Found OneThread(const Figures& figures) {
  const double ns = SumOf(figures, &UsesThreads);
  // Of less than a millisecond in all there is little to save.
  if (figures.run.threads > 1 || figures.run.processors < 2 || figures.share(ns) < 0.3 || ns < 1e6)
    return std::nullopt;
  return ProfileHint{"one processor computes while others wait",
                     StrCat(Percent(figures.share(ns)),
                            " is in convolutions and products, which share their work; ",
                            figures.run.processors, " processors, 1 thread"),
                     "--threads 0 uses every processor"};
}

Found BetweenInstructions(const Figures& figures) {
  const double between = figures.total_ns - figures.operators_ns;
  if (figures.total_ns <= 0 || between / figures.total_ns < 0.25) return std::nullopt;
  return ProfileHint{
      "much of the time is between instructions",
      StrCat(Percent(between / figures.total_ns), " of ", Micros(figures.total_ns), ", with ",
             figures.calls, " instructions (some of it is the profiler's own, tens of ns each)"),
      "the calls are small: larger batches, or fewer and larger operators, pay for it"};
}

Found SmallCalls(const Figures& figures) {
  // A call of that length is about as much checking and allocating as work.
  constexpr double kSmallNs = 2000;
  double ns = 0;
  uint64_t count = 0;
  for (const ProfileRow& row : figures.by_shape) {
    if (row.count == 0 || row.ns / static_cast<double>(row.count) >= kSmallNs) continue;
    ns += row.ns;
    count += row.count;
  }
  if (figures.share(ns) < 0.4 || count < 20) return std::nullopt;
  return ProfileHint{
      "most calls are short",
      StrCat(count, " calls below ", Micros(kSmallNs), " take ", Percent(figures.share(ns))),
      "checks and allocation weigh as much as the work: batch several inputs"};
}

Found Movement(const Figures& figures) {
  const double ns = SumOf(figures, &MovesOnly);
  if (figures.share(ns) < 0.15) return std::nullopt;
  std::string names;
  for (const ProfileRow& row : figures.by_op)
    if (IsOf(row, &MovesOnly) && figures.share(row.ns) > 0.02)
      StrAppend(&names, names.empty() ? "" : ", ", row.name, " ", Percent(figures.share(row.ns)));
  return ProfileHint{"data is moved rather than computed with",
                     StrCat(Percent(figures.share(ns)), " in operators that only move: ", names),
                     "see with tern lower --stage choose_layout which of them the compiler keeps, "
                     "and where the model transposes or casts to and fro"};
}

Found Varying(const Figures& figures) {
  for (const ProfileRow& row : figures.by_shape) {
    if (!row.shapes_vary || figures.share(row.ns) < 0.1) continue;
    return ProfileHint{
        StrCat("shapes change from call to call: ", row.name),
        StrCat(Percent(figures.share(row.ns)), " in ", row.count, " calls, first of ", row.shapes),
        "--by pc tells which calls are the long ones"};
  }
  return std::nullopt;
}

// The order in which they are shown: first what changes most.
constexpr std::array kRules = {&InterpretedKernels, &OneOperator, &OneThread, &BetweenInstructions,
                               &SmallCalls,         &Movement,    &Varying};

}  // namespace

std::vector<ProfileHint> HintsOf(const ProfiledRun& run) {
  Figures figures{run, {}, {}};
  const auto rows = [&](std::string_view by) {
    Result<std::vector<ProfileRow>> found = RowsOf(run.profile, by, "");
    return found.ok() ? *std::move(found) : std::vector<ProfileRow>();
  };
  figures.by_op = rows("op");
  figures.by_shape = rows("shape");
  figures.total_ns = ParseDouble(OptionalTextOf(run.profile, "totalNs")).value_or(0);
  for (const ProfileRow& row : figures.by_op) {
    figures.operators_ns += row.ns;
    figures.calls += row.count;
  }
  std::vector<ProfileHint> hints;
  for (const auto rule : kRules)
    if (Found hint = rule(figures)) hints.push_back(*std::move(hint));
  return hints;
}

std::string HintsText(const std::vector<ProfileHint>& hints) {
  if (hints.empty()) return "hints: nothing stands out\n";
  std::string text = "hints\n";
  for (const ProfileHint& hint : hints)
    StrAppend(&text, "  ", hint.finding, "\n     why: ", hint.evidence, "\n     try: ", hint.advice,
              "\n");
  return text;
}

}  // namespace tern::cli
