// SPDX-License-Identifier: Apache-2.0
#include "native/platform/mapped_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

namespace tern::native::mapped_file_test {
namespace {

class MappedFileTest : public testing::Test {
 protected:
  MappedFileTest() {
    char name[] = "/tmp/tern-file-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~MappedFileTest() override { EXPECT_EQ(system(("rm -r " + folder_).c_str()), 0); }
  std::string Path(const char* name) const { return folder_ + "/" + name; }
  std::string folder_;
};

std::string TextOf(const MappedFile& file) { return {file.bytes().begin(), file.bytes().end()}; }

TEST_F(MappedFileTest, ReadsBackWhatWasWritten) {
  ASSERT_TRUE(WriteFile(Path("a"), "some text").ok());
  Result<MappedFile> file = MappedFile::Open(Path("a"));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(TextOf(*file), "some text");
}

TEST_F(MappedFileTest, ReplacesAFileWhileItIsMapped) {
  ASSERT_TRUE(WriteFile(Path("a"), "old").ok());
  Result<MappedFile> old = MappedFile::Open(Path("a"));
  ASSERT_TRUE(WriteFile(Path("a"), "replaced").ok());
  Result<MappedFile> now = MappedFile::Open(Path("a"));
  ASSERT_TRUE(old.ok() && now.ok());
  EXPECT_EQ(TextOf(*old), "old");
  EXPECT_EQ(TextOf(*now), "replaced");
}

TEST_F(MappedFileTest, EmptyFileAndMove) {
  ASSERT_TRUE(WriteFile(Path("empty"), "").ok());
  Result<MappedFile> file = MappedFile::Open(Path("empty"));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->bytes().empty());
  ASSERT_TRUE(WriteFile(Path("full"), "x").ok());
  MappedFile moved = *std::move(MappedFile::Open(Path("full")));
  *file = std::move(moved);
  EXPECT_EQ(TextOf(*file), "x");
}

TEST_F(MappedFileTest, SaysWhatIsMissing) {
  const Result<MappedFile> file = MappedFile::Open(Path("nothing"));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), StatusCode::kNotFound);
  EXPECT_NE(file.status().message().find("nothing': No such file"), std::string_view::npos);
}

TEST_F(MappedFileTest, RefusesAFolder) {
  const Result<MappedFile> file = MappedFile::Open(folder_);
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.status().message().find("is a folder"), std::string_view::npos);
}

TEST_F(MappedFileTest, CannotWriteIntoAMissingFolder) {
  const Status status = WriteFile(Path("no/such/folder/x"), "text");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace tern::native::mapped_file_test
