// SPDX-License-Identifier: Apache-2.0
// The file: what is written comes back, in place where it can; what is not such a file is refused
// with a reason.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "core/base/checksum.h"
#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "core/vm/text/disassembler.h"
#include "tests/support/read_file.h"
#include "tests/support/vm_file.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm::file_test {
namespace {

std::vector<uint8_t> Sample(size_t index = 1) {
  return SaveExecutable(*MustAssemble(support::SamplePrograms()[index]));
}

std::string ErrorOf(std::vector<uint8_t> file, bool reseal = true) {
  if (reseal) support::Reseal(&file);
  const Result<ExecutablePtr> executable = ReadExecutable(file, nullptr);
  return executable.ok() ? "" : executable.status().ToString();
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// B27: saved, loaded, saved again: the same bytes. And as text.
TEST(File, B27_RoundTrip) {
  for (size_t i = 0; i < support::SamplePrograms().size(); ++i) {
    const std::vector<uint8_t> bytes = Sample(i);
    const Result<ExecutablePtr> loaded = ReadExecutable(bytes, nullptr);
    ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
    EXPECT_EQ(SaveExecutable(**loaded), bytes);
    const std::string text = Disassemble(**loaded);
    EXPECT_EQ(SaveExecutable(*MustAssemble(text)), bytes) << text;
  }
}

// C19: every kind of constant.
TEST(File, C19_ConstantsSurvive) {
  const std::string_view text = R"(
.const c[0] = none
.const c[1] = int -9223372036854775808
.const c[2] = float -0
.const c[3] = float bits 0x7ff8000000000001
.const c[4] = bool false
.const c[5] = string ""
.const c[6] = dtype f32
.const c[7] = shape []
.const c[8] = f32[0, 3] []
.const c[9] = f64[] [inf]
.const c[10] = splat bf16[70, 2] hex 803f
.const c[11] = tuple (c[0], c[10])
.const c[12] = string[2] ["", "longer than seven"]
.const c[13] = u4[3] hex 2103
.func @f()
  ret   ret 0
)";
  const std::vector<uint8_t> bytes = SaveExecutable(*MustAssemble(text));
  const ExecutablePtr loaded = ReadExecutable(bytes, nullptr).value();
  EXPECT_EQ(SaveExecutable(*loaded), bytes);
  EXPECT_EQ(Disassemble(*loaded).substr(0, 30), ".const c[0] = none\n.const c[1]");
  EXPECT_EQ(loaded->ConstantValue(10)->TryCast<Tensor>()->dim(0), 70);
  EXPECT_EQ(*static_cast<const uint16_t*>(loaded->ConstantValue(10)->TryCast<Tensor>()->data()),
            0x3f80);
}

alignas(64) uint8_t aligned_file[1 << 16];

// Tensors of an aligned file are used in place and keep the file; elsewhere they are copies.
TEST(File, ConstantsInPlace) {
  const std::vector<uint8_t> bytes = Sample();
  ASSERT_LE(bytes.size(), sizeof(aligned_file));
  std::memcpy(aligned_file, bytes.data(), bytes.size());
  static int released;
  released = 0;
  const auto release = [](void*, void*, size_t) { ++released; };
  StoragePtr keeper = Storage::Wrap(aligned_file, bytes.size(), release, nullptr);
  ExecutablePtr executable = ReadExecutable({aligned_file, bytes.size()}, keeper).value();
  keeper = nullptr;
  Any constant = executable->ConstantValue(0).value();
  const auto* data = static_cast<const uint8_t*>(constant.TryCast<Tensor>()->data());
  EXPECT_GE(data, aligned_file);
  EXPECT_LT(data, aligned_file + bytes.size());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
  EXPECT_TRUE(constant.TryCast<Tensor>()->is_read_only());
  executable = nullptr;
  EXPECT_EQ(released, 0);
  constant.Reset();
  EXPECT_EQ(released, 1);

  std::memmove(aligned_file + 8, aligned_file, bytes.size());
  keeper = Storage::Wrap(aligned_file + 8, bytes.size(), nullptr, nullptr);
  executable = ReadExecutable({aligned_file + 8, bytes.size()}, keeper).value();
  data = static_cast<const uint8_t*>(executable->ConstantValue(0)->TryCast<Tensor>()->data());
  EXPECT_TRUE(data < aligned_file || data >= aligned_file + sizeof(aligned_file));
}

TEST(File, SinkErrorsEndTheWriting) {
  class Full : public ByteSink {
   public:
    Status Write(ByteSpan bytes) override {
      left -= static_cast<int64_t>(bytes.size());
      return left < 0 ? IoError("disk full") : OkStatus();
    }
    int64_t left = 500;
  };
  Full sink;
  EXPECT_EQ(WriteExecutable(*MustAssemble(support::SamplePrograms()[0]), &sink).code(),
            StatusCode::kIo);
}

TEST(File, NotAnExecutable) {
  EXPECT_TRUE(Contains(ErrorOf({}), "not a Tern executable"));
  EXPECT_TRUE(Contains(ErrorOf({'P', 'K', 3, 4}), "not a Tern executable"));
  std::vector<uint8_t> file = Sample();
  file.resize(40);
  EXPECT_TRUE(Contains(ErrorOf(file), "it was truncated"));
}

TEST(File, TruncationIsAlwaysNoticed) {
  const std::vector<uint8_t> file = Sample();
  for (size_t size = 0; size < file.size(); ++size) {
    const std::vector<uint8_t> part(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_NE(ErrorOf(part, false), "") << size;
  }
  std::vector<uint8_t> longer = file;
  longer.push_back(0);
  EXPECT_NE(ErrorOf(longer, false), "");
}

TEST(File, EveryFlippedBitIsNoticed) {
  std::vector<uint8_t> file = Sample();
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    file[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    EXPECT_NE(ErrorOf(file, false), "") << "bit " << bit;
    file[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
  }
}

TEST(File, VersionRule) {
  const std::vector<uint8_t> good = Sample();
  std::vector<uint8_t> file = good;
  file[8] = kFormatMajor + 1;
  EXPECT_TRUE(Contains(ErrorOf(file), "format version 2.0")) << ErrorOf(file);
  file = good;
  file[10] = 77;  // a newer minor version
  EXPECT_EQ(ErrorOf(file), "");
  file = good;
  file[14] = 77;  // the runtime it needs
  EXPECT_TRUE(Contains(ErrorOf(file), "needs a runtime of format version 1.77")) << ErrorOf(file);
  file = good;
  file[31] = 0x40;  // a feature, by a bit that comes late
  EXPECT_TRUE(Contains(ErrorOf(file), "needs features 0x4000000000000000")) << ErrorOf(file);
  file[30] = 1;  // another
  EXPECT_TRUE(Contains(ErrorOf(file), "needs features 0x4001000000000000")) << ErrorOf(file);
  support::Reseal(&file);
  EXPECT_EQ(ReadExecutable(file, nullptr).status().error_code(), "E0104");
}

// B25: the lowest version that tells what is used, so that older runtimes take what they can.
TEST(File, B25_WritersAskForNoMoreThanIsUsed) {
  struct Case {
    std::string_view text;
    uint16_t minor;
    uint64_t features;
  };
  constexpr Case kCases[] = {
      {".func @f(x)\n  device_copy %0 device: 0 dst: %0\n  ret ret %0\n", 0, 0},
      {".func @f(x)\n  device_copy %0 device: 1 dst: %0\n  ret ret %0\n", 1, kFeatureDevices},
      {".func @f()\n  alloc_storage size: 8 alignment: 64 dtype: u8 device: 0 dst: %0\n  ret ret "
       "%0\n",
       0, 0},
      {".func @f()\n  alloc_storage size: 8 alignment: 64 dtype: u8 device: 70000 dst: %0\n  ret "
       "ret %0\n",
       1, kFeatureDevices},
  };
  for (const Case& c : kCases) {
    const std::vector<uint8_t> bytes = SaveExecutable(*MustAssemble(c.text));
    const FileHeader header = ReadLayout(bytes)->header;
    EXPECT_EQ(header.required_major, kFormatMajor);
    EXPECT_EQ(header.required_minor, c.minor) << c.text;
    EXPECT_EQ(header.minor, c.minor) << c.text;
    EXPECT_EQ(header.features, c.features) << c.text;
    EXPECT_EQ(SaveExecutable(*ReadExecutable(bytes, nullptr).value()), bytes);
  }
}

// B25: a file with an instruction that version 1.0 did not have says so. 0x06, 0x29, … are the
// last numbers of 1.0 in their classes.
TEST(File, B25_LaterInstructionsAskForALaterRuntime) {
  for (const InstructionInfo& info : AllInstructions()) {
    const auto number = static_cast<uint8_t>(info.opcode);
    const uint8_t last = number < 0x20 ? 0x06 : number < 0x40 ? 0x29 : number < 0x60 ? 0x49 : 0x71;
    if (number <= last) continue;
    const std::string golden =
        ReadFile(StrCat(TERN_SOURCE_DIR "/tests/golden/vm/", info.mnemonic, ".tasm"));
    const ExecutablePtr program = MustAssemble(golden.substr(0, golden.find(";; expect")));
    EXPECT_NE(ReadLayout(SaveExecutable(*program))->header.features, 0u) << info.mnemonic;
  }
}

// B25: offsets have 64 bits; what lies past the end, or past what an address can hold, is refused.
TEST(File, B25_OffsetsHave64Bits) {
  std::vector<uint8_t> file = Sample();
  const size_t offset = kHeaderBytes + 6 * kSectionEntryBytes + 8;  // of the last section
  file[offset + 4] = 1;                                             // 4 GiB further on
  EXPECT_TRUE(Contains(ErrorOf(file), "section 7 ('debug info') begins at 4294")) << ErrorOf(file);
  file = Sample();
  file[offset + 8 + 5] = 1;  // so many bytes
  EXPECT_TRUE(Contains(ErrorOf(file), "section 7 ('debug info') is longer than the file"))
      << ErrorOf(file);
  file = Sample();
  file[32 + 7] = 0x80;  // bytes of the file
  EXPECT_TRUE(Contains(ErrorOf(file), "it was truncated")) << ErrorOf(file);
}

// Turns the last section (debug info) into one that nobody knows.
TEST(File, B25_UnknownSections) {
  std::vector<uint8_t> file = Sample();
  const size_t entry = kHeaderBytes + 6 * kSectionEntryBytes;
  file[entry] = 99;
  EXPECT_EQ(ErrorOf(file), "");
  file[entry + 4] = kSectionRequired;
  EXPECT_TRUE(Contains(ErrorOf(file), "section 99 ('unknown') is required")) << ErrorOf(file);
  file[entry] = static_cast<uint8_t>(SectionId::kCode);
  EXPECT_TRUE(Contains(ErrorOf(file), "'code' is there twice")) << ErrorOf(file);
  file = Sample();
  file[kHeaderBytes + 3 * kSectionEntryBytes] = 98;  // where the code was
  file[kHeaderBytes + 3 * kSectionEntryBytes + 4] = 0;
  EXPECT_TRUE(Contains(ErrorOf(file), "section 'code' is missing")) << ErrorOf(file);
}

TEST(File, SectionsAreInOrder) {
  const FileLayout layout = ReadLayout(Sample()).value();
  ASSERT_EQ(layout.sections.size(), 7u);
  for (uint32_t i = 0; i < 7; ++i) {
    EXPECT_EQ(layout.sections[i].id, i + 1);
    EXPECT_EQ(layout.sections[i].offset % kFileAlignment, 0u);
  }
}

// Damaged weights: found at load, or when asked for.
TEST(File, DamagedTensorData) {
  std::vector<uint8_t> file = Sample();
  const SectionEntry constants = ReadLayout(file)->sections[1];
  file[static_cast<size_t>(constants.offset + constants.bytes - 1)] ^= 1;
  EXPECT_TRUE(Contains(ErrorOf(file), "does not match its checksum: the file is damaged"))
      << ErrorOf(file);
  const Result<ExecutablePtr> unchecked =
      ReadExecutable(file, nullptr, {.checks = ConstantChecks::kNever});
  ASSERT_TRUE(unchecked.ok());
  EXPECT_EQ((*unchecked)->CheckConstants().error_code(), "E0105");
}

TEST(File, ContentSumSeesEveryBit) {
  std::vector<uint8_t> bytes(77, 0);
  const uint64_t sum = ContentSum(bytes);
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    EXPECT_NE(ContentSum(bytes), sum);
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
  }
  EXPECT_NE(ContentSum(ByteSpan(bytes).first(76)), sum);
  // The same on every target and for ever.
  EXPECT_EQ(ContentSum(AsBytes("The quick brown fox jumps over the lazy dog")),
            6415119116698817828u);
}

}  // namespace
}  // namespace tern::vm::file_test
