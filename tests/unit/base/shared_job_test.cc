// SPDX-License-Identifier: Apache-2.0
#include "core/base/shared_job.h"

#include <gtest/gtest.h>

#include <vector>

namespace tern::shared_job_test {
namespace {

using Order = std::vector<int64_t>;

void Note(void* data, int64_t index, int32_t) { static_cast<Order*>(data)->push_back(index); }

TEST(SharedJob, WorkersBeginWithTheTaskOfTheirNumber) {
  SharedJob job;
  for (int32_t worker = 0; worker < 6; ++worker) {
    Order order;
    job.Begin(4, Note, &order);
    EXPECT_EQ(job.Drain(worker), 4u);
    const int64_t first = worker % 4;
    EXPECT_EQ(order, (Order{first, (first + 1) % 4, (first + 2) % 4, (first + 3) % 4}));
    EXPECT_EQ(job.finished(), 4u);
  }
}

TEST(SharedJob, TasksThatAreClaimedAreLeftAlone) {
  SharedJob job;
  struct Both {
    SharedJob* job;
    Order order;
  } both{&job, {}};
  // The second worker comes while the first one is at its first task.
  const SharedJob::Task meet = [](void* data, int64_t index, int32_t worker) {
    Both* self = static_cast<Both*>(data);
    self->order.push_back(index);
    if (worker == 0 && index == 0) EXPECT_EQ(self->job->Drain(1), 2u);
  };
  job.Begin(3, meet, &both);
  EXPECT_EQ(job.Drain(0), 1u);
  EXPECT_EQ(both.order, (Order{0, 1, 2}));
}

TEST(SharedJob, MoreTasksThanLotsRunOnceEach) {
  SharedJob job;
  for (const uint32_t tasks : {0u, 1u, 255u, 256u, 257u, 1000u}) {
    Order order;
    job.Begin(tasks, Note, &order);
    EXPECT_EQ(job.Drain(0), tasks);
    ASSERT_EQ(order.size(), tasks);
    for (size_t i = 0; i < tasks; ++i) EXPECT_EQ(order[i], static_cast<int64_t>(i));
  }
}

TEST(SharedJob, WhereNothingIsLeftNothingRuns) {
  SharedJob job;
  EXPECT_EQ(job.Drain(1), 0u);
  Order order;
  for (const uint32_t tasks : {8u, 2u}) {
    const uint32_t before = job.epoch();
    job.Begin(tasks, Note, &order);
    EXPECT_NE(job.epoch(), before);
    EXPECT_EQ(job.Drain(0), tasks);
    EXPECT_EQ(job.Drain(1), 0u);
  }
}

TEST(ShortJobs, OnlySeveralInARowAreWorthWaking) {
  ShortJobs jobs;
  for (double now : {100.0, 141.0, 182.0, 223.0, 264.0}) EXPECT_FALSE(jobs.AreWorthWaking(now, 40));
  for (double now : {280.0, 300.0}) EXPECT_FALSE(jobs.AreWorthWaking(now, 40));
  EXPECT_TRUE(jobs.AreWorthWaking(310, 40));
  // It begins anew: workers that are awake now are not asked for.
  EXPECT_FALSE(jobs.AreWorthWaking(311, 40));
}

}  // namespace
}  // namespace tern::shared_job_test
