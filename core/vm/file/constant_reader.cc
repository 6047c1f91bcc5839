// SPDX-License-Identifier: Apache-2.0
// Constants one after another; sizes are checked before memory is taken for them.
#include "core/vm/file/constant_reader.h"

#include <utility>

#include "core/base/strings.h"

namespace tern::vm {
namespace {

// Reads the index of the constants section; tensor data follows the index and is used in place,
// copied, or left for later.
class ConstantReader {
 public:
  explicit ConstantReader(ConstantSection section)
      : file_(*section.file),
        entry_(section.entry),
        index_(section.index, "section 'constants'"),
        on_demand_(section.on_demand),
        keeper_(std::move(section.keeper)),
        // Data in the file is aligned to 64 relative to its start, so the start decides.
        in_place_(keeper_ &&
                  reinterpret_cast<uintptr_t>(section.index.data()) % kTensorAlignment == 0),
        // Tensor data begins behind the index.
        blob_end_(section.index.size()) {}

  Status Run(std::vector<Constant>* constants) {
    const uint64_t count = index_.BoundedVarint(index_.remaining(), "number of constants");
    for (uint64_t i = 0; i < count && ok(); ++i, ++number_) constants->push_back(ReadConstant());
    if (ok() && !index_.AtEnd()) index_.Fail("bytes are left over");
    // Both parts must be used up exactly.
    if (ok() && blob_end_ != entry_.bytes)
      index_.Fail("bytes are left over behind the tensor data");
    // A source that cannot be read is no damage of the file.
    if (!failure_.ok()) return std::move(failure_);
    Status status = index_.TakeStatus();
    return status.ok() ? std::move(status) : std::move(status.SetErrorCode("E0105"));
  }

  uint64_t blob_bytes() const { return blob_bytes_; }

 private:
  bool ok() const { return index_.ok(); }

  // In any case a sound constant: after an error the loop ends, but its result is destroyed.
  Constant ReadConstant() {
    Constant constant;
    const uint8_t kind = index_.U8();
    constant.kind = static_cast<ConstantKind>(kind);
    switch (constant.kind) {
      case ConstantKind::kNone: return constant;
      case ConstantKind::kInt: constant.value = Any(index_.SignedVarint()); return constant;
      case ConstantKind::kFloat: constant.value = Any(index_.F64()); return constant;
      case ConstantKind::kBool: {
        const uint8_t value = index_.U8();
        if (value > 1) index_.Fail("a bool that is neither 0 nor 1");
        constant.value = Any(value != 0);
        return constant;
      }
      case ConstantKind::kString: constant.value = Any(index_.PrefixedText()); return constant;
      case ConstantKind::kDType: constant.value = Any(ReadDType()); return constant;
      case ConstantKind::kShape: constant.value = Any(Shape::Make(ReadDims())); return constant;
      case ConstantKind::kTensor: ReadTensor(&constant); return constant;
      case ConstantKind::kSplat: ReadSplat(&constant); return constant;
      case ConstantKind::kTuple: ReadTuple(&constant); return constant;
    }
    index_.Fail(StrCat("constant of unknown kind ", kind));
    constant.kind = ConstantKind::kNone;
    return constant;
  }

  DType ReadDType() {
    const std::optional<DType> dtype = DType::FromWord(index_.U32());
    if (!dtype.has_value()) index_.Fail("an unknown data type");
    return dtype.value_or(kF32);
  }

  std::vector<int64_t> ReadDims() {
    // The rank bounds what is allocated.
    const uint64_t rank = index_.BoundedVarint(kMaxRank, "rank");
    std::vector<int64_t> dims;
    for (uint64_t i = 0; i < rank && ok(); ++i) dims.push_back(index_.SignedVarint());
    return dims;
  }

  // Sizes are checked before memory is: count, bytes, place of the data, in this order.
  void ReadTensor(Constant* constant) {
    const DType dtype = ReadDType();
    const std::vector<int64_t> dims = ReadDims();
    const std::optional<int64_t> count = ElementCount(dims);
    const std::optional<int64_t> bytes = count.has_value() ? dtype.bytes_for(*count) : std::nullopt;
    if (!bytes.has_value()) return index_.Fail(StrCat("a tensor of shape ", FormatDims(dims)));
    if (!ok()) return;
    if (dtype.is_string()) return ReadStrings(*count, dims, constant);
    // A tensor without bytes has no data in the file and no sum.
    if (*bytes == 0) return Keep(Tensor::FromBytes(dtype, dims, {}), constant);
    constant->content_sum = index_.U64();
    constant->has_content_sum = true;
    const uint64_t offset = index_.U64();
    const auto size = static_cast<uint64_t>(*bytes);
    if (!ok() || !TakeBlob(offset, size)) return;
    if (on_demand_ != nullptr) return ReadOnDemand(offset, size, dtype, dims, constant);
    const ByteSpan data = *file_.At(entry_.offset + offset, size);  // in memory: cannot fail
    Keep(in_place_ ? Tensor::FromMemory(data.data(), data.size(), keeper_, dtype, dims)
                   : Tensor::FromBytes(dtype, dims, data),
         constant);
  }

  // Makes a tensor that gets its memory later (on_demand.h).
  void ReadOnDemand(uint64_t offset, uint64_t bytes, DType dtype, Dims dims, Constant* constant) {
    if (bytes > SIZE_MAX)
      return index_.Fail(StrCat("a tensor of ", bytes, " bytes: too large for this machine"));
    on_demand_->Add(number_, entry_.offset + offset);
    Keep(Tensor::FromMemory(nullptr, static_cast<size_t>(bytes), nullptr, dtype, dims), constant);
  }

  // Constants are shared by all machines of the program, so nobody may write to them.
  void Keep(Result<TensorPtr> tensor, Constant* constant) {
    if (!tensor.ok()) return index_.Fail(tensor.status().message());
    (*tensor)->set_read_only();
    constant->value = Any(std::move(tensor).value());
  }

  void ReadStrings(int64_t count, Dims dims, Constant* constant) {
    // Each string takes at least one byte, its length.
    if (static_cast<uint64_t>(count) > index_.remaining())
      return index_.Fail("more strings than bytes");
    std::vector<std::string_view> texts;
    for (int64_t i = 0; i < count && ok(); ++i) texts.push_back(index_.PrefixedText());
    if (ok()) Keep(Tensor::FromStrings(texts, dims), constant);
  }

  // Takes the next piece of tensor data. Data lies in the order of the index, each at the next
  // multiple of 64, with zeros between, so its place is known and the stored one only confirms it.
  bool TakeBlob(uint64_t offset, uint64_t bytes) {
    const uint64_t expected = (blob_end_ + kFileAlignment - 1) / kFileAlignment * kFileAlignment;
    if (offset != expected || offset > entry_.bytes || bytes > entry_.bytes - offset) {
      index_.Fail(StrCat("tensor data at ", offset, ", expected at ", expected, " within ",
                         entry_.bytes, " bytes"));
      return false;
    }
    const Result<bool> is_gap = file_.IsGap(entry_.offset + blob_end_, offset - blob_end_);
    if (!is_gap.ok()) return CannotRead(is_gap.status().Clone());
    if (!*is_gap) index_.Fail("the bytes between tensor data are not zero");
    blob_end_ = offset + bytes;
    blob_bytes_ += bytes;
    return ok();
  }

  bool CannotRead(Status failure) {
    failure_ = std::move(failure);
    index_.Fail("tensor data cannot be read");
    return false;
  }

  void ReadSplat(Constant* constant) {
    const DType dtype = ReadDType();
    const std::vector<int64_t> dims = ReadDims();
    if (!ok()) return;
    // A splat is copied as bytes when it is made (executable.cc).
    if (dtype.is_string() || dtype.bits % 8 != 0) return index_.Fail("a splat of this data type");
    const ByteSpan element = index_.Bytes(static_cast<size_t>(dtype.size()));
    if (!ok()) return;
    Result<TensorPtr> scalar = Tensor::FromBytes(dtype, Dims(), element);
    if (!scalar.ok()) return index_.Fail(scalar.status().message());
    Result<Constant> splat = Constant::Splat(std::move(scalar).value(), dims);
    if (!splat.ok()) return index_.Fail(splat.status().message());
    *constant = std::move(splat).value();
  }

  void ReadTuple(Constant* constant) {
    const uint64_t count = index_.BoundedVarint(index_.remaining(), "number of tuple elements");
    for (uint64_t i = 0; i < count && ok(); ++i) {
      // That elements lie before their tuple is checked by the verifier.
      constant->elements.push_back(
          static_cast<uint32_t>(index_.BoundedVarint(UINT32_MAX, "constant")));
    }
  }

  FileBytes& file_;
  const SectionEntry& entry_;
  ByteReader index_;
  OnDemandConstants* on_demand_;
  ObjectPtr<Object> keeper_;
  bool in_place_;
  uint64_t blob_end_;
  uint64_t blob_bytes_ = 0;
  size_t number_ = 0;  // of the constant being read
  Status failure_;     // of the file, not of what it says
};

}  // namespace

Result<uint64_t> ReadConstants(ConstantSection section, std::vector<Constant>* constants) {
  ConstantReader reader(std::move(section));
  TERN_TRY(reader.Run(constants));
  return reader.blob_bytes();
}

}  // namespace tern::vm
