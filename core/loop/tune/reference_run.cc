// SPDX-License-Identifier: Apache-2.0
#include "core/loop/tune/reference_run.h"

#include <algorithm>
#include <cmath>

#include "core/base/strings.h"
#include "core/loop/run/lane_math.h"

namespace tern::loop::tune {
namespace {

// In bytes, of all buffers together. This class holds them twice, and the measurement holds them
// once more.
constexpr int64_t kMaxBytes = int64_t{1} << 27;
// How many units in the last place of the largest result may differ, beside what long sums take: a
// schedule changes contraction and the order of sums, nothing else.
constexpr double kRoundings = 64;

// The distance from 1 to the next number.
double EpsilonOf(DType type) {
  if (type.code == TERN_DTYPE_BFLOAT) return 0x1p-7;
  return type.bits == 16 ? 0x1p-10 : type.bits == 32 ? 0x1p-23 : 0x1p-52;
}

// NaN and infinity must be the same; what is finite may differ by the tolerance.
bool IsClose(double expected, double actual, double tolerance) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) == std::isnan(actual);
  if (std::isinf(expected) || std::isinf(actual)) return expected == actual;
  return std::abs(expected - actual) <= tolerance;
}

std::string TextOf(DType type, Lane lane) {
  return type.is_float() ? FormatDoubleDigits(lane.f, 9) : StrCat(lane.i);
}

double LargestOf(DType type, std::span<const uint8_t> bytes) {
  double largest = 0;
  const auto size = static_cast<size_t>(type.size());
  for (size_t at = 0; at < bytes.size(); at += size) {
    const double value = std::abs(ReadLane(type, bytes.data() + at).f);
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  return largest;
}

Status CheckMemory(const LoopFunction& function, std::span<const int64_t> sizes) {
  TERN_TRY_ASSIGN(const std::vector<int64_t> elements, ElementCounts(function, sizes));
  int64_t left = kMaxBytes;
  for (size_t i = 0; i < elements.size(); ++i) {
    const int64_t size = function.buffers[i]->dtype.size();
    if (elements[i] > left / size)
      return OutOfRange("'", function.buffers[i]->name, "' of ", elements[i],
                        " elements is too much: the buffers may have ", kMaxBytes,
                        " bytes together; give smaller sizes")
          .SetErrorCode(kCannotRun);
    left -= elements[i] * size;
  }
  return OkStatus();
}

}  // namespace

bool ReferenceRun::is_result(size_t index) const {
  const Access access = buffer(index).access;
  return access == Access::kOut || access == Access::kInOut;
}

Result<ReferenceRun> ReferenceRun::Make(const LoopFunction& as_written,
                                        std::span<const int64_t> sizes, int64_t max_steps) {
  TERN_TRY(CheckMemory(as_written, sizes));
  TERN_TRY_ASSIGN(Workspace before, Workspace::Make(as_written, sizes));
  TERN_TRY_ASSIGN(Workspace after, Workspace::Make(as_written, sizes));
  TERN_TRY_ASSIGN(const Interpreter interpreter, Interpreter::Make(as_written));
  RunOptions options;
  options.max_steps = max_steps;
  const Result<Counters> counters = interpreter.Run(after.arguments(), options);
  if (!counters.ok()) return counters.status().Clone();
  ReferenceRun made(as_written, std::move(before), std::move(after));
  // Errors of a sum of n terms in random order grow like sqrt(n); the bytes loaded bound n from
  // above.
  made.sum_steps_ = std::sqrt(static_cast<double>(counters->bytes_loaded));
  return made;
}

Status ReferenceRun::Compare(size_t index, std::span<const uint8_t> bytes) {
  const DType type = buffer(index).dtype;
  const std::span<const uint8_t> expected = after_.bytes(index);
  if (bytes.size() != expected.size())
    return InvalidArgument("'", buffer(index).name, "' has ", expected.size(), " bytes, got ",
                           bytes.size());
  // Relative to the largest element, not to each one: small results of sums that cancel have errors
  // of the terms' size.
  const double tolerance =
      type.is_float() ? LargestOf(type, expected) * EpsilonOf(type) * (kRoundings + sum_steps_) : 0;
  const auto size = static_cast<size_t>(type.size());
  for (size_t at = 0; at < bytes.size(); at += size) {
    const Lane want = ReadLane(type, expected.data() + at), got = ReadLane(type, bytes.data() + at);
    if (type.is_float() ? IsClose(want.f, got.f, tolerance) : want.i == got.i) continue;
    return Failed("its results differ: element ", at / size, " of '", buffer(index).name, "' is ",
                  TextOf(type, got), ", expected ", TextOf(type, want))
        .SetErrorCode(kOtherResults);
  }
  return OkStatus();
}

}  // namespace tern::loop::tune
