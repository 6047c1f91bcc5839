// SPDX-License-Identifier: Apache-2.0
// The Protobuf form of an executable, binary and text: refused with a message, or a program that is
// saved, read again and written again as the same.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/text/diagnostics.h"
#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "native/proto/tree.h"

namespace {

void Exercise(const tern::Result<tern::proto::Tree>& tree) {
  using namespace tern;
  if (!tree.ok()) return TERN_CHECK(!text::RenderText(tree.status()).empty());
  const Result<vm::ExecutablePtr> made = proto::ExecutableOf(*tree);
  if (!made.ok()) return TERN_CHECK(!text::RenderText(made.status()).empty());
  const std::vector<uint8_t> file = vm::SaveExecutable(**made);
  const Result<vm::ExecutablePtr> read = vm::ReadExecutable(file, nullptr);
  TERN_CHECK(read.ok(), "what was made can be read");
  const std::string written = proto::WriteText(proto::TreeOf(**read));
  const Result<proto::Tree> again = proto::ReadText(written);
  TERN_CHECK(again.ok(), "what was written can be read");
  const Result<vm::ExecutablePtr> remade = proto::ExecutableOf(*again);
  TERN_CHECK(remade.ok() && vm::SaveExecutable(**remade) == file, "nothing is lost");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const tern::ByteSpan bytes(data, size);
  Exercise(tern::proto::ReadBinary(bytes));
  Exercise(tern::proto::ReadText(tern::AsText(bytes)));
  return 0;
}
