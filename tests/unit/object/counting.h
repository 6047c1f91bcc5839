// SPDX-License-Identifier: Apache-2.0
// What tests of the object model count: live objects, and memory asked of a platform.
#ifndef TERN_TESTS_UNIT_OBJECT_COUNTING_H_
#define TERN_TESTS_UNIT_OBJECT_COUNTING_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

#include "core/base/platform.h"
#include "core/object/object.h"

namespace tern {

// A fixture whose every test must leave as many objects as it found.
class CountedTest : public testing::Test {
 protected:
  void SetUp() override { before_ = LiveObjectCount(); }
  void TearDown() override { EXPECT_EQ(LiveObjectCount(), before_) << "objects were leaked"; }

  int64_t live() const { return LiveObjectCount() - before_; }

 private:
  int64_t before_ = 0;
};

// A platform that counts blocks and bytes, and fails where told to.
class CountingPlatform {
 public:
  CountingPlatform() {
    platform_.struct_size = sizeof platform_;
    platform_.context = this;
    platform_.allocate = [](void* context, size_t bytes, size_t alignment) -> void* {
      auto* self = static_cast<CountingPlatform*>(context);
      if (self->fail) return nullptr;
      ++self->allocations;
      ++self->blocks;
      self->bytes += static_cast<int64_t>(bytes);
      return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    };
    platform_.free = [](void* context, void* pointer, size_t bytes, size_t) {
      auto* self = static_cast<CountingPlatform*>(context);
      --self->blocks;
      self->bytes -= static_cast<int64_t>(bytes);
      std::free(pointer);
    };
  }
  const TernPlatform* get() const { return &platform_; }

  int64_t allocations = 0, blocks = 0, bytes = 0;
  bool fail = false;

 private:
  TernPlatform platform_ = {};
};

}  // namespace tern

#endif  // TERN_TESTS_UNIT_OBJECT_COUNTING_H_
