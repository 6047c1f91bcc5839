// SPDX-License-Identifier: Apache-2.0
#include "native/platform/program_kind.h"

#include <algorithm>

#include "core/base/strings.h"

namespace tern::native {
namespace {

constexpr std::string_view kExecutableMagic = "\x89TERN";  // as core/vm/file/format.h begins a file

// A protobuf of ONNX has control characters in its first fields.
bool IsText(std::string_view bytes) {
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' && c != '\r';
  };
  return !bytes.empty() && std::none_of(bytes.begin(), bytes.end(), is_control);
}

// The first line that is neither empty nor a comment.
std::string_view FirstStatement(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = StrTrim(text.substr(0, end));
    if (!line.empty() && !line.starts_with(';') && !line.starts_with("//")) return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

}  // namespace

// For standard input, which has no name.
ProgramKind KindOfContents(std::string_view bytes) {
  if (bytes.starts_with(kExecutableMagic)) return ProgramKind::kExecutable;
  if (!IsText(bytes)) return ProgramKind::kOnnx;
  const std::string_view line = FirstStatement(bytes);
  if (line.starts_with('.')) return ProgramKind::kAssembly;
  if (line.starts_with("primfn ") || line.starts_with("te ")) return ProgramKind::kLoops;
  return ProgramKind::kSource;
}

ProgramKind KindOfName(std::string_view path) {
  if (path.ends_with(".tasm")) return ProgramKind::kAssembly;
  if (path.ends_with(".tn")) return ProgramKind::kSource;
  if (path.ends_with(".tloop")) return ProgramKind::kLoops;
  return path.ends_with(".tern") ? ProgramKind::kExecutable : ProgramKind::kOnnx;
}

// The magic wins over the name: a file may be called anything.
ProgramKind KindOfFile(std::string_view path, std::string_view bytes) {
  return bytes.starts_with(kExecutableMagic) ? ProgramKind::kExecutable : KindOfName(path);
}

}  // namespace tern::native
