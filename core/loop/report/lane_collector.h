// SPDX-License-Identifier: Apache-2.0
// LaneCollector: what a run shows of its iterations, lane by lane, in as few rows as tell it all:
// of iterations in a row whose lanes are alike the first and the last, and how many lie between.
#ifndef TERN_CORE_LOOP_REPORT_LANE_COLLECTOR_H_
#define TERN_CORE_LOOP_REPORT_LANE_COLLECTOR_H_

#include <deque>
#include <vector>

#include "core/base/json.h"
#include "core/loop/report/lane_footprint.h"
#include "core/loop/run/interpreter.h"

namespace tern::loop {

struct LaneAccess {
  size_t buffer = 0;
  bool is_store = false, is_masked = false;
  std::vector<int64_t> indices;
  std::vector<uint8_t> active;  // as many
};

struct LaneRow {
  int64_t number = 0;  // of the iteration
  int64_t folded = 1;  // stands for so many, of which it is the first
  bool is_vector = false;
  LoopRole role = LoopRole::kPlain;
  int64_t lanes = 0, active = 0;
  std::vector<LaneAccess> accesses;  // none in a row that stands for several
};

class LaneCollector : public Observer {
 public:
  // The rows that are kept are bounded, whatever the program does.
  static constexpr size_t kMaxRows = 400;
  static constexpr size_t kMaxShownLanes = size_t{1} << 18;  // of all accesses in all rows

  LaneCollector(const LoopFunction& function, const ControlOptions& shown);

  void OnAccess(const AccessEvent& event) override;
  void OnIteration(const IterationEvent& event) override;
  void OnAlike(const AlikeIterations& alike) override;

  // After the run. "buffers", "iterations" and "left_out" of the object that is open.
  void Write(std::span<const int64_t> elements, JsonWriter* json);

 private:
  struct Stream {
    const Buffer* buffer;
    int64_t bytes = 0;  // of its elements, as often as they are touched
    Footprint footprint;
  };

  bool IsAsked(int64_t number) const;
  size_t IndexOf(const Buffer* buffer);
  void Touch(const LaneAccess& access);
  void TouchAlike(const LaneAccess& access, int64_t step, int64_t times);
  void FinishRun();
  void Keep(LaneRow row);
  void WriteBuffers(std::span<const int64_t> elements, JsonWriter* json);
  void WriteRow(const LaneRow& row, JsonWriter* json) const;
  void WriteAccess(const LaneAccess& access, JsonWriter* json) const;

  const ControlOptions shown_;
  std::vector<Stream> streams_;
  LaneRow now_;       // the iteration under way
  LaneRow previous_;  // the last one
  // Iterations in a row whose lanes are alike.
  std::vector<LaneRow> head_;
  std::deque<LaneRow> tail_;
  int64_t run_length_ = 0;
  std::vector<LaneRow> rows_;
  size_t shown_lanes_ = 0;
  int64_t left_out_ = 0;  // iterations
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_REPORT_LANE_COLLECTOR_H_
