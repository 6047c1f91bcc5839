// SPDX-License-Identifier: Apache-2.0
// Text of the loop IR. The explicit form writes `vscale * 4` and reads back as the same program;
// the VL form is the founding document's, for reading: `for (i, 0, 17; i+=VL)`, `int8xVL`.
#ifndef TERN_CORE_LOOP_TEXT_PRINTER_H_
#define TERN_CORE_LOOP_TEXT_PRINTER_H_

#include <string>

#include "core/loop/source_file.h"

namespace tern::loop {

enum class PrintForm : int8_t { kExplicit, kVL };

std::string ToText(const Expr& expr);
std::string ToText(const Stmt& stmt);  // names as in the nodes; for messages
std::string ToText(const LoopFunction& function, PrintForm form = PrintForm::kExplicit);
std::string ToText(const Program& program, PrintForm form = PrintForm::kExplicit);
std::string ToText(const te::Definition& definition);
std::string ToText(const te::Directive& directive);
std::string ToText(const SourceFile& file);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_TEXT_PRINTER_H_
