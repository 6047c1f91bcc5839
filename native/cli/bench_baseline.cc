// SPDX-License-Identifier: Apache-2.0
#include "native/cli/bench_baseline.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/strings.h"
#include "native/cli/api_json.h"

namespace tern::cli {
namespace {

// The nearest rank below, without interpolation: the value was measured.
double Percentile(const std::vector<double>& ascending, double p) {
  return ascending[static_cast<size_t>(p * static_cast<double>(ascending.size() - 1))];
}

double MedianDistance(const std::vector<double>& values, double median) {
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - median));
  std::sort(distances.begin(), distances.end());
  return Percentile(distances, 0.5);
}

// Of a median, by the deviation that a normal distribution of this MAD has.
double StandardError(const BenchFigures& figures) {
  constexpr double kDeviationOfMad = 1.4826, kMedianOverMean = 1.2533;
  return kMedianOverMean * kDeviationOfMad * figures.mad /
         std::sqrt(static_cast<double>(figures.runs));
}

struct Field {
  const char* name;
  double BenchFigures::*member;
};
// Read and written by one table, so that a baseline of today can be compared with tomorrow.
constexpr Field kFields[] = {
    {"cold_ms", &BenchFigures::cold}, {"min_ms", &BenchFigures::min},
    {"p50_ms", &BenchFigures::p50},   {"p90_ms", &BenchFigures::p90},
    {"p99_ms", &BenchFigures::p99},   {"mad_ms", &BenchFigures::mad},
};

Result<BenchFigures> ReadFigures(const JsonValue& json, const std::string& path) {
  BenchFigures figures;
  for (const Field& field : kFields) {
    const JsonValue* const value = json.Find(field.name);
    const std::optional<double> number = value != nullptr && value->is(JsonValue::Kind::kNumber)
                                             ? ParseDouble(value->text)
                                             : std::nullopt;
    if (!number)
      return Corrupt("'", path, "' is no benchmark: '", field.name, "' is missing or no number")
          .SetErrorCode("E0502")
          .AddNote("help: tern bench FILE --format json writes one")
          .Clone();
    figures.*field.member = *number;
  }
  const JsonValue* const runs = json.Find("runs");
  figures.runs = runs == nullptr ? 0 : ParseUint64(runs->text).value_or(0);
  if (figures.runs == 0)
    return Corrupt("'", path, "' is no benchmark: it counts no runs").SetErrorCode("E0502");
  if (const JsonValue* dims = json.Find("dims")) figures.dims = dims->text;
  return figures;
}

}  // namespace

BenchFigures FiguresOf(std::string dims, double cold, std::vector<double> warm) {
  // Runs are counted in seconds, reports are in milliseconds.
  for (double& value : warm) value *= 1e3;
  std::sort(warm.begin(), warm.end());
  BenchFigures figures;
  figures.dims = std::move(dims);
  figures.cold = cold * 1e3;
  figures.min = warm.front();
  figures.p50 = Percentile(warm, 0.5);
  figures.p90 = Percentile(warm, 0.9);
  figures.p99 = Percentile(warm, 0.99);
  figures.mad = MedianDistance(warm, figures.p50);
  figures.runs = warm.size();
  return figures;
}

void WriteFigures(const BenchFigures& figures, JsonWriter* json) {
  for (const Field& field : kFields) json->Field(field.name, figures.*field.member);
  json->Field("runs", figures.runs);
}

BenchChange Compare(const BenchFigures& now, const BenchFigures& before) {
  // Three errors are chance once in hundreds of runs; below two hundredths nobody would act.
  constexpr double kErrors = 3, kLeast = 0.02;
  BenchChange change;
  // A clock that saw nothing gives no ratio.
  if (before.p50 <= 0) return change;
  change.ratio = now.p50 / before.p50;
  const double error = std::hypot(StandardError(now), StandardError(before));
  const double distance = std::abs(now.p50 - before.p50);
  // Times that never differ come of a clock that is too coarse for them; a clock's tick is all that
  // is known then.
  change.errors = error > 0 ? distance / error : distance > 0 ? kErrors : 0;
  change.is_significant = change.errors >= kErrors && std::abs(change.ratio - 1) >= kLeast;
  return change;
}

Result<std::vector<BenchFigures>> ReadBaseline(const JsonValue& json, const std::string& path) {
  std::vector<BenchFigures> all;
  const JsonValue* const sweep = json.Find("sweep");
  if (sweep == nullptr) {
    TERN_TRY_ASSIGN(BenchFigures one, ReadFigures(json, path));
    all.push_back(std::move(one));
    return all;
  }
  for (const JsonValue& item : sweep->items) {
    TERN_TRY_ASSIGN(BenchFigures one, ReadFigures(item, path));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace tern::cli
