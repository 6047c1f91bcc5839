// SPDX-License-Identifier: Apache-2.0
// tern convert: one form of a file made from another. The endings of the names say which.
#include <optional>

#include "core/base/strings.h"
#include "core/object/any.h"
#include "core/onnx/test_data.h"
#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "native/cli/api_json.h"
#include "native/cli/array.h"
#include "native/cli/command.h"
#include "native/cli/executable_bytes.h"
#include "native/cli/input_spec.h"
#include "native/cli/limits.h"
#include "native/cli/npz.h"
#include "native/cli/report.h"
#include "native/platform/mapped_file.h"
#include "native/proto/tree.h"

namespace tern::cli {
namespace {

struct ConvertOptions {
  std::vector<std::string> files;  // the last is written
  std::string to;                  // a form, where the last name's ending does not say it
  std::string name;
  std::vector<std::string> dims;
  uint64_t max_bytes = 0;
};

// What can be written. A program's form is the library's (tern_program_inspect), empty for the
// executable itself, or one of the Protobuf forms.
struct Target {
  std::string_view ending;
  bool is_program;
  const char* form;
};
constexpr Target kTargets[] = {
    {".tern", true, ""},         {".tasm", true, "columns"},   {".cc", true, "cpp"},
    {".js", true, "javascript"}, {".mjs", true, "javascript"}, {".json", true, "json"},
    {".pb", true, "pb"},         {".pbtxt", true, "pbtxt"},    {".npy", false, nullptr},
    {".npz", false, nullptr},
};

const Target* TargetOf(std::string_view path) {
  for (const Target& target : kTargets)
    if (path.ends_with(target.ending)) return &target;
  return nullptr;
}

Status NoSuchTarget(const std::string& output, const std::string& to) {
  std::vector<std::string_view> programs, arrays;
  for (const Target& target : kTargets)
    (target.is_program ? programs : arrays).push_back(target.ending);
  return UsageError("E0003", to.empty() ? StrCat("the ending of '", output,
                                                 "' says no form that can be made")
                                        : StrCat("--to ", to, " is no form that can be made"))
      .AddNote(StrCat("of a program: ", StrJoin(programs, ", ")))
      .AddNote(StrCat("of arrays: ", StrJoin(arrays, ", ")))
      .AddNote("help: tern lower makes the stages of a program, tern run its results")
      .Clone();
}

// --- arrays

bool IsArrayFile(std::string_view path) {
  // .pb is both: a tensor of test data where an array is wanted, a program where one is.
  return path.ends_with(".npy") || path.ends_with(".npz") || path.ends_with(".pb");
}

// "folder/x.npy" is named "x".
std::string NameOfFile(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

// A tensor of the standard's test data, input_0.pb.
Result<Array> ReadProtobuf(const std::string& path) {
  TERN_TRY_ASSIGN(const native::MappedFile file, native::MappedFile::Open(path));
  // Without a declared type: a tensor says its own.
  const Result<Any> value = onnx::ReadTestValue(file.bytes(), onnx::Type());
  Status status = value.status().Clone();
  if (value.ok()) {
    Result<Array> array = FromTensor(value->c_any());
    if (array.ok() && ElementSize(array->dtype) > 0) return array;
    status = array.ok() ? InvalidArgument("a tensor of ", array->dtype, " has no .npy form")
                        : array.status().Clone();
  }
  return Corrupt("'", path, "' is no ONNX tensor that can be converted: ", status.message())
      .SetErrorCode("E0502");
}

// A file, or a value in the grammar of --input.
Status ReadArrays(const std::string& input, const DimBindings& dims,
                  std::vector<NamedArray>* arrays) {
  const size_t first = arrays->size();
  if (input.ends_with(".pb") && !input.starts_with('@')) {
    NamedArray array{NameOfFile(input), input, {}, {}};
    TERN_TRY_ASSIGN(array.array, ReadProtobuf(input));
    arrays->push_back(std::move(array));
    return Status();
  }
  const bool is_file = IsArrayFile(input) && input.find('@') == std::string::npos;
  TERN_TRY(ParseInput(is_file ? StrCat("@", input) : input, dims, {}, arrays));
  for (size_t i = first; i < arrays->size(); ++i) {
    NamedArray& array = (*arrays)[i];
    // n=18 is a value of --input, but nothing that a file of arrays could hold.
    if (array.array.is_scalar)
      return UsageError("E0004", StrCat("'", input, "' is no array"))
          .AddNote("help: give a .npy, .npz or .pb file, or a value such as x=f32[2]:1,2")
          .Clone();
    if (array.name.empty()) array.name = is_file ? NameOfFile(input) : StrCat("arr_", i);
  }
  return Status();
}

Status KeepNamed(const std::string& name, std::vector<NamedArray>* arrays) {
  Status missing = UsageError("E0003", StrCat("--name: there is no array '", name, "'"));
  for (const NamedArray& array : *arrays) missing.AddNote(StrCat("array: ", array.name));
  // The list of names is made before, for the error.
  std::erase_if(*arrays, [&](const NamedArray& array) { return array.name != name; });
  return arrays->empty() ? std::move(missing) : Status();
}

Status CheckNamesDiffer(const std::vector<NamedArray>& arrays) {
  for (size_t i = 0; i < arrays.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (arrays[i].name == arrays[k].name)
        return UsageError("E0007", StrCat("two arrays are named '", arrays[i].name,
                                          "': ", arrays[k].origin, " and ", arrays[i].origin))
            .AddNote("help: give one another name: other=@FILE")
            .Clone();
  return Status();
}

Result<std::vector<uint8_t>> FormatArrays(const std::vector<NamedArray>& arrays, bool is_npz) {
  if (is_npz) {
    TERN_TRY(CheckNamesDiffer(arrays));
    return FormatNpz(arrays);
  }
  if (arrays.size() == 1) return FormatNpy(arrays[0].array);
  Status many = UsageError("E0003", StrCat("a .npy file holds one array, and there are ",
                                           arrays.size(), "; write an .npz, or pick one"));
  for (const NamedArray& array : arrays) many.AddNote(StrCat("--name ", array.name));
  return many;
}

Result<std::vector<uint8_t>> ConvertArrays(const ConvertOptions& options, const Target& target) {
  DimBindings dims;
  for (const std::string& dim : options.dims) TERN_TRY(ParseDim(dim, &dims));
  std::vector<NamedArray> arrays;
  for (size_t i = 0; i + 1 < options.files.size(); ++i)
    TERN_TRY(ReadArrays(options.files[i], dims, &arrays));
  if (!options.name.empty()) TERN_TRY(KeepNamed(options.name, &arrays));
  return FormatArrays(arrays, target.ending == ".npz");
}

// --- programs

bool IsProtobuf(std::string_view path) { return path.ends_with(".pb") || path.ends_with(".pbtxt"); }

Result<std::vector<uint8_t>> ReadProgramProtobuf(const std::string& path) {
  TERN_TRY_ASSIGN(const native::MappedFile file, native::MappedFile::Open(path));
  Result<proto::Tree> tree = path.ends_with(".pbtxt") ? proto::ReadText(AsText(file.bytes()))
                                                      : proto::ReadBinary(file.bytes());
  Result<vm::ExecutablePtr> executable =
      tree.ok() ? proto::ExecutableOf(*tree) : Result<vm::ExecutablePtr>(tree.status().Clone());
  if (executable.ok()) return vm::SaveExecutable(**executable);
  return executable.status()
      .Clone()
      .AddNote(StrCat("file: ", path, ", a program as docs/tern.proto says"))
      .Clone();
}

Result<std::vector<uint8_t>> WriteProgramProtobuf(std::string_view bytes, bool is_text) {
  TERN_TRY_ASSIGN(const vm::ExecutablePtr executable, vm::ReadExecutable(AsBytes(bytes), nullptr));
  const proto::Tree tree = proto::TreeOf(*executable);
  if (!is_text) return proto::WriteBinary(tree);
  const std::string text = proto::WriteText(tree);
  return std::vector<uint8_t>(text.begin(), text.end());
}

Status CheckOneProgram(const ConvertOptions& options) {
  if (options.files.size() != 2)
    return UsageError("E0003", StrCat("'", options.files.back(), "' is made of one program, got ",
                                      options.files.size() - 1));
  if (!options.name.empty() || !options.dims.empty())
    return UsageError("E0003", "--name and --dim are about arrays");
  const std::string& input = options.files[0];
  // Said in words of this verb: read as a program it would be a damaged executable.
  if ((IsArrayFile(input) && !IsProtobuf(input)) || input.find('@') != std::string::npos)
    return UsageError("E0003", StrCat("'", input, "' is an array, of which no program is made"))
        .AddNote("help: write a .npy or .npz file")
        .Clone();
  return Status();
}

Result<std::vector<uint8_t>> ConvertProgram(const ConvertOptions& options, const Target& target,
                                            const GlobalOptions& globals) {
  TERN_TRY(CheckOneProgram(options));
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals, options.max_bytes));
  std::vector<uint8_t> read;
  ExecutableBytes bytes;
  const bool is_protobuf = IsProtobuf(options.files[0]);
  if (is_protobuf) {
    TERN_TRY_ASSIGN(read, ReadProgramProtobuf(options.files[0]));
  } else {
    TERN_TRY_ASSIGN(bytes, ReadExecutable(engine, options.files[0]));
  }
  std::string_view text = is_protobuf ? AsText(read) : bytes.text();
  const std::string_view form = target.form;
  if (form == "pb" || form == "pbtxt") return WriteProgramProtobuf(text, form == "pbtxt");
  Buffer listing;
  if (!form.empty()) {
    TERN_TRY_ASSIGN(listing, ListExecutable(engine, text, target.form));
    text = Text(listing);
  } else if (!is_protobuf && bytes.made == nullptr) {
    // Bytes that nobody has looked at yet; what compiles or assembles has verified its own.
    const Result<Buffer> verified = ListExecutable(engine, text, "stats");
    TERN_TRY(verified.status().Clone());
  }
  return std::vector<uint8_t>(text.begin(), text.end());
}

// --- the verb

Status Convert(const ConvertOptions& options, const GlobalOptions& globals) {
  const std::string& output = options.files.back();
  if (options.files.size() < 2)
    return UsageError("E0003", "convert wants what is read and, last, what is written");
  const Target* const target = TargetOf(options.to.empty() ? output : StrCat(".", options.to));
  if (target == nullptr) return NoSuchTarget(output, options.to);
  for (size_t i = 0; i + 1 < options.files.size(); ++i)
    // No file is written over that is still read, mapped as it may be.
    TERN_TRY(CheckOutputPath(output, options.files[i]));
  TERN_TRY_ASSIGN(const std::vector<uint8_t> bytes, target->is_program
                                                        ? ConvertProgram(options, *target, globals)
                                                        : ConvertArrays(options, *target));
  TERN_TRY(native::WriteFile(output, bytes));
  if (output == "-") return Status();  // where there is no room for anything else
  if (globals.json())
    Print(AnswerOfFile(output, bytes.size()));
  else if (!globals.quiet)
    Print(StrCat("wrote ", output, ", ", FormatBytes(bytes.size()), "\n"));
  return Status();
}

}  // namespace

CommandAction SetupConvert(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<ConvertOptions>();
  app->add_option("files", options->files,
                  "what is read, then what is written. A program of any kind becomes .tern, .tasm, "
                  ".cc, .js, .json, .pb or .pbtxt (docs/tern.proto), and of the last two a program "
                  "is read; .npy, .npz, ONNX tensors (.pb) and values such as x=f32[2,3]@raw.bin "
                  "become .npy or .npz")
      ->required();
  app->add_option("--to", options->to,
                  "the form that is written, such as pb, whatever the name's ending says");
  app->add_option("--name", options->name, "of several arrays the one that is written");
  app->add_option("--dim", options->dims, "the value of a dimension of a value, such as n=18")
      ->allow_extra_args(false);  // what follows is a file
  AddCompileLimit(app, &options->max_bytes);
  return [options, globals] { return Convert(*options, *globals); };
}

}  // namespace tern::cli
