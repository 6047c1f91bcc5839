// SPDX-License-Identifier: Apache-2.0
#include "native/platform/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST_F(MappedFileTest, LeavesDevicesInTheirPlace) {
  ASSERT_TRUE(WriteFile("/dev/null", "text").ok());
  struct stat info;
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

TEST_F(MappedFileTest, WritesIntoAPipe) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  const int reader = open(Path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_TRUE(WriteFile(Path("pipe"), "text").ok());
  char got[8] = {};
  EXPECT_EQ(read(reader, got, sizeof got), 4);
  EXPECT_STREQ(got, "text");
  close(reader);
}

TEST_F(MappedFileTest, ReplacesWhatALinkLeadsTo) {
  ASSERT_TRUE(WriteFile(Path("file"), "old").ok());
  ASSERT_EQ(symlink("file", Path("link").c_str()), 0);
  ASSERT_TRUE(WriteFile(Path("link"), "new").ok());
  struct stat info;
  ASSERT_EQ(lstat(Path("link").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
  EXPECT_EQ(TextOf(*MappedFile::Open(Path("file"))), "new");
}

TEST_F(MappedFileTest, MakesTheFileThatALinkNames) {
  ASSERT_EQ(symlink("later", Path("link").c_str()), 0);
  ASSERT_TRUE(WriteFile(Path("link"), "text").ok());
  EXPECT_EQ(TextOf(*MappedFile::Open(Path("later"))), "text");
}

TEST_F(MappedFileTest, KeepsPermissions) {
  ASSERT_TRUE(WriteFile(Path("file"), "old").ok());
  ASSERT_EQ(chmod(Path("file").c_str(), 0640), 0);
  ASSERT_TRUE(WriteFile(Path("file"), "new").ok());
  struct stat info;
  ASSERT_EQ(stat(Path("file").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(MappedFileTest, KnowsOneFileByTwoNames) {
  ASSERT_TRUE(WriteFile(Path("file"), "text").ok());
  ASSERT_TRUE(WriteFile(Path("other"), "text").ok());
  ASSERT_EQ(symlink("file", Path("link").c_str()), 0);
  EXPECT_TRUE(IsSameFile(Path("file"), Path("link")));
  EXPECT_FALSE(IsSameFile(Path("file"), Path("other")));
  EXPECT_FALSE(IsSameFile(Path("nothing"), Path("nothing")));
  EXPECT_FALSE(IsSameFile("/dev/null", "/dev/null"));
}

TEST_F(MappedFileTest, DoesNotWriteOverAFolder) {
  const Status status = WriteFile(folder_, "text");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error_code(), "E0102");
  EXPECT_NE(status.message().find("is a folder"), std::string_view::npos);
}

TEST_F(MappedFileTest, AFullDeviceIsAnError) {
  const Status status = WriteFile("/dev/full", "text");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error_code(), "E0102");
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
