// SPDX-License-Identifier: Apache-2.0
// docs/isa.md as made from the instruction table, and docs/format.md's example as made from a real
// file.
#ifndef TERN_TOOLS_GEN_ISA_MARKDOWN_H_
#define TERN_TOOLS_GEN_ISA_MARKDOWN_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "core/vm/isa.h"

namespace tern::gen {

// 64-bit words of an instruction as the encoder writes it, each operand in short form and `extra`
// of them in its list.
size_t EncodedWords(const vm::InstructionInfo& info, size_t extra);

// The tables of docs/isa.md: what stands there between the marks <!-- isa-begin --> and <!--
// isa-end -->.
std::string IsaTables();
// The part of docs/format.md between <!-- example-begin --> and <!-- example-end -->: a small
// program, its file in hex, and its sections.
std::string FormatExample();

// `document` with what stands between the marks replaced; empty where a mark is missing.
std::string ReplaceBetween(std::string_view document, std::string_view name, std::string_view text);

}  // namespace tern::gen

#endif  // TERN_TOOLS_GEN_ISA_MARKDOWN_H_
