// SPDX-License-Identifier: Apache-2.0
// The table, as text and as JSON.
#include "tools/bench/support/rows.h"

#include <cstdio>
#include <cstring>
#include <utility>

#include "core/base/json.h"
#include "tools/bench/support/timer.h"

namespace tern::bench {
namespace {

std::optional<double> RatioOf(double ours, std::optional<double> rival) {
  if (!rival.has_value() || *rival <= 0) return std::nullopt;
  return ours / *rival;
}

std::optional<bool> Met(const Case& what, double ours, std::optional<double> rival) {
  const std::optional<double> ratio = RatioOf(ours, rival);
  std::optional<bool> met;
  if (what.target.has_value()) met = ours <= *what.target;
  if (what.target_ratio.has_value() && ratio.has_value())
    met = met.value_or(true) && *ratio <= *what.target_ratio;
  return met;
}

std::string Text(std::optional<double> value) {
  char text[32] = "-";
  if (value.has_value()) std::snprintf(text, sizeof text, "%.2f", *value);
  return text;
}

}  // namespace

Bench::Bench(std::string name, int argc, char** argv) : name_(std::move(name)) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) json_file_ = argv[++i];
    if (std::strcmp(argv[i], "--filter") == 0 && i + 1 < argc) filter_ = argv[++i];
    if (std::strcmp(argv[i], "--quick") == 0) samples_ = 5;
  }
  std::printf("%-52s %10s %10s %7s %8s  %s\n", name_.c_str(), "tern", "rival", "ratio", "target",
              "met");
}

bool Bench::Wanted(std::string_view name) const { return name.find(filter_) != name.npos; }

void Bench::Compare(const Case& what, const Loop& ours, const Loop& rival) {
  if (!Wanted(what.name)) return;
  const double scale = 1e9 / what.items_per_iteration;
  const Times times = TimeLoops(ours, rival, samples_);
  std::optional<double> rival_time;
  if (times.rival.has_value()) rival_time = *times.rival * scale;
  Add({what, times.ours * scale, rival_time});
}

void Bench::Figure(const Case& what, double ours, std::optional<double> rival) {
  if (Wanted(what.name)) Add({what, ours, rival});
}

void Bench::Add(Row row) {
  const std::optional<bool> met = Met(row.what, row.ours, row.rival);
  const std::string name = row.what.name + (row.what.unit == "ns" ? "" : ", " + row.what.unit);
  std::printf("%-52s %10.2f %10s %7s %8s  %s%s%s\n", name.c_str(), row.ours,
              Text(row.rival).c_str(), Text(RatioOf(row.ours, row.rival)).c_str(),
              Text(row.what.target).c_str(),
              !met.has_value() ? ""
              : *met           ? "yes"
                               : "no",
              row.what.rival_name.empty() ? "" : "  rival: ", row.what.rival_name.c_str());
  std::fflush(stdout);
  rows_.push_back(std::move(row));
}

std::string Bench::Json() const {
  JsonWriter json(1);
  const auto number = [&json](std::string_view key, std::optional<double> value) {
    json.Key(key);
    value.has_value() ? json.Double(*value) : json.Null();
  };
  json.BeginArray();
  for (const Row& row : rows_) {
    json.BeginObject();
    json.Field("bench", name_).Field("case", row.what.name).Field("unit", row.what.unit);
    number("tern", row.ours);
    number("rival", row.rival);
    number("limit", row.what.limit);
    number("ratio", RatioOf(row.ours, row.rival));
    number("target", row.what.target);
    const std::optional<bool> met = Met(row.what, row.ours, row.rival);
    json.Key("met");
    met.has_value() ? json.Bool(*met) : json.Null();
    json.EndObject();
  }
  return json.EndArray().Take();
}

int Bench::Finish() {
  int64_t missed = 0;
  for (const Row& row : rows_) missed += Met(row.what, row.ours, row.rival) == false ? 1 : 0;
  std::printf("%zu rows, %lld above their target\n", rows_.size(), static_cast<long long>(missed));
  if (json_file_.empty()) return 0;
  std::FILE* file = std::fopen(json_file_.c_str(), "wb");
  const std::string text = Json() + "\n";
  const bool written =
      file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr && std::fclose(file) == 0 && written) return 0;
  std::fprintf(stderr, "%s: cannot write '%s'\n", name_.c_str(), json_file_.c_str());
  return 1;
}

}  // namespace tern::bench
