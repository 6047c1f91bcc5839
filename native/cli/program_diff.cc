// SPDX-License-Identifier: Apache-2.0
#include "native/cli/program_diff.h"

#include <algorithm>
#include <map>

#include "core/base/strings.h"
#include "core/object/graph/structural_equal.h"
#include "core/vm/file/reader.h"
#include "core/vm/text/disassembler.h"
#include "core/vm/text/instruction_printer.h"
#include "native/cli/handles.h"

namespace tern::cli {
namespace {

// Above this the lines between the ends that agree are shown as replaced: the table of the longest
// common subsequence has a cell for each pair of lines.
constexpr size_t kMaxCells = size_t{1} << 24;

// Constants by value, not by number: a constant more renumbers all that come behind it.
std::string InstructionOf(const vm::Executable& executable, uint32_t instruction) {
  const vm::InstructionFields fields = vm::FieldsOfInstruction(executable, instruction);
  std::string text;
  size_t end = 0;
  for (const vm::OperandField& field : fields.operands) {
    if (vm::OperandKindName(field.operand) != "constant") continue;
    const std::string_view name =
        std::string_view(fields.text).substr(field.begin, field.end - field.begin);
    const std::optional<uint64_t> index = ParseUint64(name.substr(2, name.size() - 3));
    if (!index || *index >= executable.constants().size()) continue;
    StrAppend(&text, std::string_view(fields.text).substr(end, field.begin - end), "(",
              executable.constants()[*index].TypeText(), ")");
    end = field.end;
  }
  StrAppend(&text, std::string_view(fields.text).substr(end));
  // Columns move with the longest operand; they are no difference.
  std::string narrow;
  for (const char c : text) {
    if (c != ' ' || (!narrow.empty() && narrow.back() != ' ')) narrow += c;
  }
  return narrow;
}

std::vector<std::string> InstructionsOf(const vm::Executable& executable,
                                        const vm::FunctionInfo& info) {
  std::vector<std::string> lines;
  for (uint32_t i = 0; i < info.instruction_count; ++i)
    lines.push_back(InstructionOf(executable, info.first_instruction + i));
  return lines;
}

// For each pair of places how many lines their rests have in common, at most.
class CommonLines {
 public:
  CommonLines(std::span<const std::string> a, std::span<const std::string> b)
      : width_(b.size() + 1), counts_((a.size() + 1) * width_) {
    for (size_t i = a.size(); i-- > 0;) {
      for (size_t k = b.size(); k-- > 0;)
        counts_[i * width_ + k] =
            a[i] == b[k] ? At(i + 1, k + 1) + 1 : std::max(At(i + 1, k), At(i, k + 1));
    }
  }
  uint32_t At(size_t i, size_t k) const { return counts_[i * width_ + k]; }

 private:
  size_t width_;
  std::vector<uint32_t> counts_;
};

// The lines of one function, told as removed from a or added in b.
class FunctionDiff {
 public:
  FunctionDiff(std::string name, std::vector<std::string> a, std::vector<std::string> b)
      : name_(std::move(name)), a_(std::move(a)), b_(std::move(b)) {}

  void AppendTo(std::vector<ProgramChange>* changes) {
    changes_ = changes;
    size_t begin = 0, end = 0;
    const size_t both = std::min(a_.size(), b_.size());
    // What both begin and end with is cut off first: mostly that leaves a few lines.
    while (begin < both && a_[begin] == b_[begin]) ++begin;
    while (end < both - begin && a_[a_.size() - 1 - end] == b_[b_.size() - 1 - end]) ++end;
    const std::span<const std::string> a = std::span(a_).subspan(begin, a_.size() - begin - end);
    const std::span<const std::string> b = std::span(b_).subspan(begin, b_.size() - begin - end);
    if ((a.size() + 1) * (b.size() + 1) > kMaxCells) return AppendAll(begin, a.size(), b.size());
    const CommonLines common(a, b);
    size_t i = 0, k = 0;
    while (i < a.size() || k < b.size()) {
      if (i < a.size() && k < b.size() && a[i] == b[k]) {
        ++i, ++k;
      } else if (k == b.size() || (i < a.size() && common.At(i + 1, k) >= common.At(i, k + 1))) {
        // Of two ways that keep as many lines the removed ones come first, as in other tools.
        Removed(begin + i++);
      } else {
        Added(begin + k++);
      }
    }
  }

 private:
  void AppendAll(size_t begin, size_t removed, size_t added) {
    for (size_t i = 0; i < removed; ++i) Removed(begin + i);
    for (size_t k = 0; k < added; ++k) Added(begin + k);
  }
  void Removed(size_t i) {
    changes_->push_back({"instruction", StrCat("@", name_, ":", i), a_[i], ""});
  }
  void Added(size_t i) {
    changes_->push_back({"instruction", StrCat("@", name_, ":", i), "", b_[i]});
  }

  std::string name_;
  std::vector<std::string> a_, b_;
  std::vector<ProgramChange>* changes_ = nullptr;
};

void CompareFunctions(const vm::Executable& a, const vm::Executable& b,
                      std::vector<ProgramChange>* changes) {
  // By name: the order of functions in a file has no meaning.
  for (const vm::FunctionInfo& in_a : a.functions()) {
    const vm::FunctionInfo* in_b = b.FindFunction(in_a.name);
    const std::string place = StrCat("@", in_a.name);
    if (in_b == nullptr) {
      changes->push_back({"function", place, in_a.signature.ToText(), ""});
      continue;
    }
    if (in_a.signature.ToText() != in_b->signature.ToText())
      changes->push_back({"signature", place, in_a.signature.ToText(), in_b->signature.ToText()});
    FunctionDiff(in_a.name, InstructionsOf(a, in_a), InstructionsOf(b, *in_b)).AppendTo(changes);
  }
  for (const vm::FunctionInfo& in_b : b.functions()) {
    if (a.FindFunction(in_b.name) == nullptr)
      changes->push_back({"function", StrCat("@", in_b.name), "", in_b.signature.ToText()});
  }
}

// --- constants

// Tensors with a difference that can be told by element; otherwise where the values differ.
Result<std::string> ConstantDifference(const Any& a, const Any& b, const DiffTolerance& tolerance) {
  const std::optional<Difference> found = FirstDifference(a, b);
  if (!found) return std::string();
  const Result<Array> array_a = FromTensor(a.c_any()), array_b = FromTensor(b.c_any());
  if (!array_a.ok() || !array_b.ok() || ElementSize(array_a->dtype) == 0 ||
      ElementSize(array_b->dtype) == 0)
    return StrCat(found->path, found->path.empty() ? "" : ": ", found->what);
  const ArrayDifference difference = CompareArrays(*array_a, *array_b, tolerance);
  return difference.equal() ? std::string() : DifferenceText(difference, *array_a);
}

Status CompareConstants(const vm::Executable& a, const vm::Executable& b,
                        const DiffTolerance& tolerance, std::vector<ProgramChange>* changes) {
  const auto count_a = static_cast<uint32_t>(a.constants().size());
  const auto count_b = static_cast<uint32_t>(b.constants().size());
  // By number, since constants have no names; one more in the middle makes all behind it differ.
  for (uint32_t i = 0; i < std::max(count_a, count_b); ++i) {
    ProgramChange change{"constant", StrCat("c[", i, "]"), "", ""};
    if (i < count_a) change.a = a.constants()[i].TypeText();
    if (i < count_b) change.b = b.constants()[i].TypeText();
    if (i < count_a && i < count_b && change.a == change.b) {
      TERN_TRY_ASSIGN(const Any value_a, a.ConstantValue(i));
      TERN_TRY_ASSIGN(const Any value_b, b.ConstantValue(i));
      TERN_TRY_ASSIGN(change.b, ConstantDifference(value_a, value_b, tolerance));
      if (change.b.empty()) continue;
    }
    changes->push_back(std::move(change));
  }
  return OkStatus();
}

// --- named texts: kernels and metadata

using Texts = std::map<std::string, std::string>;

void CompareTexts(const char* kind, const Texts& a, const Texts& b, bool shows_text,
                  std::vector<ProgramChange>* changes) {
  const auto shown = [&](const std::string& text) {
    // Kernels are long or no text at all: their size has to do.
    return shows_text ? JsonQuote(text) : StrCat(text.size(), " bytes");
  };
  for (const auto& [name, text] : a) {
    const auto at = b.find(name);
    if (at == b.end())
      changes->push_back({kind, name, shown(text), ""});
    else if (at->second != text)
      changes->push_back({kind, name, shown(text), shown(at->second)});
  }
  for (const auto& [name, text] : b) {
    if (a.count(name) == 0) changes->push_back({kind, name, "", shown(text)});
  }
}

Texts KernelsOf(const vm::Executable& executable) {
  Texts texts;
  for (const vm::KernelInfo& kernel : executable.kernels())
    // A kernel may be there in several formats.
    texts[StrCat(kernel.name, " (", kernel.format, ")")] = kernel.bytes;
  return texts;
}

Texts MetadataOf(const vm::Executable& executable) {
  return {executable.metadata().begin(), executable.metadata().end()};
}

}  // namespace

Result<std::vector<ProgramChange>> ComparePrograms(ByteSpan bytes_a, ByteSpan bytes_b,
                                                   const DiffTolerance& tolerance) {
  TERN_TRY_ASSIGN(const vm::ExecutablePtr a, vm::ReadExecutable(bytes_a, nullptr));
  TERN_TRY_ASSIGN(const vm::ExecutablePtr b, vm::ReadExecutable(bytes_b, nullptr));
  std::vector<ProgramChange> changes;
  CompareFunctions(*a, *b, &changes);
  TERN_TRY(CompareConstants(*a, *b, tolerance, &changes));
  CompareTexts("kernel", KernelsOf(*a), KernelsOf(*b), false, &changes);
  CompareTexts("metadata", MetadataOf(*a), MetadataOf(*b), true, &changes);
  return changes;
}

std::string ChangesText(std::span<const ProgramChange> changes) {
  std::string text;
  for (const ProgramChange& change : changes) {
    StrAppend(&text, change.kind, " ", change.place, "\n");
    if (!change.a.empty()) StrAppend(&text, "  - ", change.a, "\n");
    if (!change.b.empty()) StrAppend(&text, "  + ", change.b, "\n");
  }
  return text;
}

void WriteChanges(std::span<const ProgramChange> changes, JsonWriter* json) {
  json->BeginArray();
  for (const ProgramChange& change : changes) {
    json->BeginObject().Field("kind", change.kind).Field("place", change.place);
    if (!change.a.empty()) json->Field("a", change.a);
    if (!change.b.empty()) json->Field("b", change.b);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace tern::cli
