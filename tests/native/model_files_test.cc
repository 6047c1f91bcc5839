// SPDX-License-Identifier: Apache-2.0
// The files of large models: written piece by piece, given back and read again, and no others than
// those of the model's folder.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "core/api/c_api.h"
#include "native/platform/external_data.h"
#include "native/platform/mapped_file.h"
#include "native/platform/scratch_file.h"

namespace tern::native::model_files_test {
namespace {

class ModelFilesTest : public testing::Test {
 protected:
  ModelFilesTest() {
    char name[] = "/tmp/tern-model-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~ModelFilesTest() override { EXPECT_EQ(system(("rm -r " + folder_).c_str()), 0); }
  std::string Path(const char* name) const { return folder_ + "/" + name; }
  std::string folder_;
};

std::vector<uint8_t> Bytes(size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 251);
  return bytes;
}

std::string TextAt(const std::string& path) {
  const Result<MappedFile> file = MappedFile::Open(path);
  return file.ok() ? std::string(file->bytes().begin(), file->bytes().end()) : "nothing";
}

std::span<const uint8_t> Span(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// --- FileWriter

TEST_F(ModelFilesTest, PiecesBecomeAFileAtTheEnd) {
  Result<FileWriter> writer = FileWriter::Open(Path("out"));
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->Write(Span("one ")).ok());
  ASSERT_TRUE(writer->Write(Span("two")).ok());
  EXPECT_EQ(TextAt(Path("out")), "nothing");
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(TextAt(Path("out")), "one two");
}

// Small pieces are gathered, large ones are not: their order must stay.
TEST_F(ModelFilesTest, PiecesOfAllSizesKeepTheirOrder) {
  Result<FileWriter> writer = FileWriter::Open(Path("out"));
  ASSERT_TRUE(writer.ok());
  std::string expected;
  constexpr size_t kSizes[] = {1, 3, 20000, 0, 5, 16383, 16384, 16383, 16383, 16383, 16383, 7};
  for (const size_t size : kSizes) {
    const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
    ASSERT_TRUE(writer->Write(Span(piece)).ok());
    expected += piece;
  }
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(TextAt(Path("out")), expected);
}

TEST_F(ModelFilesTest, ADiskThatIsFullIsNoticedAtTheEnd) {
  Result<FileWriter> writer = FileWriter::Open("/dev/full");
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->Write(Span("few")).ok());
  EXPECT_EQ(writer->Finish().error_code(), "E0102");
}

TEST_F(ModelFilesTest, WhatIsNotFinishedLeavesNothing) {
  ASSERT_TRUE(WriteFile(Path("out"), "old").ok());
  {
    Result<FileWriter> writer = FileWriter::Open(Path("out"));
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(writer->Write(Span("half")).ok());
  }
  EXPECT_EQ(TextAt(Path("out")), "old");
  ASSERT_EQ(unlink(Path("out").c_str()), 0);
  EXPECT_EQ(rmdir(folder_.c_str()), 0);  // so there is nothing else
  ASSERT_EQ(mkdir(folder_.c_str(), 0755), 0);
}

TEST_F(ModelFilesTest, NoFileInAFolderThatIsNotThere) {
  const Result<FileWriter> writer = FileWriter::Open(Path("no/out"));
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.status().error_code(), "E0102");
}

// --- pages that are given back

TEST_F(ModelFilesTest, DroppedPagesAreReadAgain) {
  const std::vector<uint8_t> bytes = Bytes(100000);
  ASSERT_TRUE(WriteFile(Path("a"), bytes).ok());
  const Result<MappedFile> file = MappedFile::Open(Path("a"));
  ASSERT_TRUE(file.ok());
  file->DropPages(file->bytes().data(), bytes.size());
  file->DropPages(file->bytes().data() + 5, 10);  // no whole page
  EXPECT_EQ(std::memcmp(file->bytes().data(), bytes.data(), bytes.size()), 0);
}

TEST_F(ModelFilesTest, MemoryOfOthersIsLeftAlone) {
  std::vector<uint8_t> bytes = Bytes(100000);
  ASSERT_TRUE(WriteFile(Path("a"), bytes).ok());
  const Result<MappedFile> file = MappedFile::Open(Path("a"));
  ScratchFile scratch;
  ASSERT_TRUE(file.ok());
  file->DropPages(bytes.data(), bytes.size());
  scratch.DropPages(bytes.data(), bytes.size());
  EXPECT_EQ(bytes, Bytes(100000));
}

TEST_F(ModelFilesTest, CopiesAreAlignedAndSurviveBeingDropped) {
  const std::vector<uint8_t> bytes = Bytes(100001);
  ScratchFile scratch;
  const std::span<const uint8_t> odd = std::span(bytes).subspan(1);
  const void* first = scratch.Copy(odd);
  const void* second = scratch.Copy(bytes);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0u);
  scratch.DropPages(first, odd.size());
  scratch.DropPages(second, bytes.size());
  EXPECT_EQ(std::memcmp(first, odd.data(), odd.size()), 0);
  EXPECT_EQ(std::memcmp(second, bytes.data(), bytes.size()), 0);
}

TEST_F(ModelFilesTest, WhatWasCopiedIsTold) {
  constexpr size_t kPiece = size_t{1} << 18;
  const std::vector<uint8_t> bytes = Bytes(2 * kPiece + 5);
  std::vector<size_t> told;
  const PageHints read = {&told, [](void* sizes, const void*, size_t size) {
                            static_cast<std::vector<size_t>*>(sizes)->push_back(size);
                          }};
  ScratchFile scratch;
  const void* copy = scratch.Copy(bytes, read);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(std::memcmp(copy, bytes.data(), bytes.size()), 0);
  EXPECT_EQ(std::accumulate(told.begin(), told.end(), size_t{0}), bytes.size());
  EXPECT_LE(*std::max_element(told.begin(), told.end()), kPiece);
}

TEST_F(ModelFilesTest, NoCopyWithoutAFolder) {
  const char* before = getenv("TMPDIR");
  const std::string saved = before == nullptr ? "" : before;
  setenv("TMPDIR", Path("no/such/folder").c_str(), 1);
  ScratchFile scratch;
  EXPECT_EQ(scratch.Copy(Bytes(10)), nullptr);
  EXPECT_EQ(scratch.Copy({}), nullptr);
  if (before == nullptr)
    unsetenv("TMPDIR");
  else
    setenv("TMPDIR", saved.c_str(), 1);
}

// --- external data

int32_t Read(const std::string& model, const char* location, uint64_t offset, uint64_t size) {
  ExternalData external(model);
  const void* data = nullptr;
  return ExternalData::Read(&external, location, offset, &size, &data);
}

TEST_F(ModelFilesTest, ExternalDataStaysInTheFolder) {
  ASSERT_EQ(mkdir(Path("model").c_str(), 0755), 0);
  const std::string model = Path("model/model.onnx");
  ASSERT_TRUE(WriteFile(Path("secret"), "secret").ok());
  ASSERT_TRUE(WriteFile(Path("model/weights"), "weights!").ok());
  ASSERT_EQ(symlink("../secret", Path("model/link").c_str()), 0);
  ASSERT_EQ(symlink("weights", Path("model/inside").c_str()), 0);
  ASSERT_EQ(symlink("..", Path("model/up").c_str()), 0);
  EXPECT_EQ(Read(model, "weights", 0, 8), 0);
  EXPECT_EQ(Read(model, "inside", 4, 4), 0);
  EXPECT_EQ(Read(model, "link", 0, 6), TERN_EXTERNAL_OUTSIDE);
  EXPECT_EQ(Read(model, "up/secret", 0, 6), TERN_EXTERNAL_OUTSIDE);
  EXPECT_EQ(Read(model, "../secret", 0, 6), TERN_EXTERNAL_OUTSIDE);
  EXPECT_EQ(Read(model, "gone", 0, 6), 1);
}

TEST_F(ModelFilesTest, ExternalDataEndsWithItsFile) {
  ASSERT_TRUE(WriteFile(Path("weights"), "weights!").ok());
  const std::string model = Path("model.onnx");
  EXPECT_EQ(Read(model, "weights", 0, UINT64_MAX), 0);
  EXPECT_EQ(Read(model, "weights", 4, 5), TERN_EXTERNAL_TOO_SHORT);
  EXPECT_EQ(Read(model, "weights", 9, 0), TERN_EXTERNAL_TOO_SHORT);
  EXPECT_EQ(Read(model, "weights", UINT64_MAX, 1), TERN_EXTERNAL_TOO_SHORT);
}

}  // namespace
}  // namespace tern::native::model_files_test
