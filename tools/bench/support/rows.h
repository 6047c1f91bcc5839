// SPDX-License-Identifier: Apache-2.0
// Rows of a benchmark table: ours beside its counterpart, timed interleaved in one run.
//
//   Bench bench("objects", argc, argv);        // --json FILE, --filter TEXT, --quick
//   bench.Compare({.name = "copy an Any", .rival_name = "shared_ptr", .target_ns = 10},
//                 [&](int64_t n) { while (n-- > 0) … }, [&](int64_t n) { while (n-- > 0) … });
//   return bench.Finish();                     // prints the table, writes the file
//
// Each side runs its loop `n` times, in samples of about a millisecond. Samples of both sides are
// interleaved, and the medians are compared, so that a busy machine disturbs both alike (timer.h).
// Runs natively and under node. Single-threaded.
#ifndef TERN_TOOLS_BENCH_SUPPORT_ROWS_H_
#define TERN_TOOLS_BENCH_SUPPORT_ROWS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern::bench {

// The value must be computed, and memory is as if read and written.
template <typename T>
inline void Keep(T&& value) {
#if defined(__clang__)
  asm volatile("" : "+r,m"(value) : : "memory");
#else
  asm volatile("" : "+m,r"(value) : : "memory");
#endif
}
inline void ClobberMemory() { asm volatile("" : : : "memory"); }

using Loop = std::function<void(int64_t iterations)>;

struct Case {
  std::string name;
  std::string rival_name = {};              // what the second loop is
  std::optional<double> limit = {};         // a bound of the machine, in the unit
  std::optional<double> target = {};        // ours must be at most this, in the unit
  std::optional<double> target_ratio = {};  // or ours / rival must be at most this
  double items_per_iteration = 1;           // the unit counts items
  std::string unit = "ns";
};

class Bench {
 public:
  Bench(std::string name, int argc, char** argv);

  // rival may be empty.
  void Compare(const Case& what, const Loop& ours, const Loop& rival = {});
  // A figure that is not a time, such as bytes per element.
  void Figure(const Case& what, double ours, std::optional<double> rival = {});
  // Whether --filter lets a row of this name through: what is costly to measure asks first.
  bool Wanted(std::string_view name) const;
  // Prints a summary, writes the JSON file if one was asked for. The exit code: 0 unless it could
  // not be written.
  int Finish();

 private:
  struct Row {
    Case what;
    double ours;
    std::optional<double> rival;
  };
  void Add(Row row);
  std::string Json() const;

  std::string name_, json_file_, filter_;
  int samples_ = 31;
  std::vector<Row> rows_;
};

}  // namespace tern::bench

#endif  // TERN_TOOLS_BENCH_SUPPORT_ROWS_H_
