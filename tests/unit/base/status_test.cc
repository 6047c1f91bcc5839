// SPDX-License-Identifier: Apache-2.0
// Status: one pointer, move-only, with code, message, notes and payload.
#include "core/base/status.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "core/base/json.h"

namespace tern::status_test {
namespace {

static_assert(sizeof(Status) == sizeof(void*));
static_assert(!std::is_copy_constructible_v<Status> &&
              std::is_nothrow_move_constructible_v<Status>);

TEST(Status, DefaultIsOk) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kOk);
  EXPECT_EQ(status.message(), "");
  EXPECT_EQ(status.ToString(), "ok");
  EXPECT_TRUE(status.notes().empty());
}

TEST(Status, MakersJoinTheirArguments) {
  const Status status = OutOfRange("axis ", 3, " of rank ", size_t{2}, ", factor ", 0.5f, '!');
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(status.message(), "axis 3 of rank 2, factor 0.5!");
}

TEST(Status, NotesAreAddedOnTheWayUp) {
  Status status = Corrupt("bad").AddNote("in section code").SetErrorCode("E0105");
  status.AddNote("while loading 'x.tern'");
  ASSERT_EQ(status.notes().size(), 2u);
  EXPECT_EQ(status.error_code(), "E0105");
  EXPECT_EQ(status.ToString(),
            "corrupt: bad\n  note: in section code\n  note: while loading 'x.tern'");
}

TEST(Status, NotesOnSuccessAreDropped) {
  Status status;
  status.AddNote("nothing").SetErrorCode("E0001");
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.error_code(), "");
}

TEST(Status, MovedFromIsOk) {
  Status a = IoError("gone");
  Status b = std::move(a);
  EXPECT_TRUE(a.ok());  // NOLINT: the point
  EXPECT_EQ(b.code(), StatusCode::kIo);
}

TEST(Status, AssignmentReplacesTheError) {
  Status a = IoError("gone");
  Status& same = a;
  a = std::move(same);
  EXPECT_EQ(a.message(), "gone");
  a = NotFound("lost");
  EXPECT_EQ(a.message(), "lost");
  a = OkStatus();
  EXPECT_TRUE(a.ok());
}

TEST(Status, CloneIsDeep) {
  Status a = NotFound("x").AddNote("one").SetErrorCode("E0206");
  const Status b = a.Clone();
  a.AddNote("two");
  EXPECT_EQ(b.notes().size(), 1u);
  EXPECT_EQ(b.error_code(), "E0206");
  EXPECT_TRUE(Status().Clone().ok());
}

TEST(Status, Json) {
  JsonWriter json;
  TypeError("say \"hi\"").AddNote("n").SetErrorCode("E0205").WriteJson(&json);
  EXPECT_EQ(json.text(),
            R"({"status":"type error","code":"E0205","message":"say \"hi\"","notes":["n"]})");
  JsonWriter ok;
  Status().WriteJson(&ok);
  EXPECT_EQ(ok.text(), R"({"status":"ok"})");
}

TEST(Status, EveryCodeHasAName) {
  for (int code = 0; code <= static_cast<int>(StatusCode::kInternal); ++code) {
    EXPECT_NE(StatusCodeName(static_cast<StatusCode>(code)), "unknown error") << code;
  }
  EXPECT_EQ(StatusCodeName(static_cast<StatusCode>(999)), "unknown error");
}

}  // namespace
}  // namespace tern::status_test
