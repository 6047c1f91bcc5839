// SPDX-License-Identifier: Apache-2.0
// Texts for terminals: without what would command one, and errors and warnings in colours. The
// library lays diagnostics out as plain text; this paints what is laid out, in the colours of
// core/text/render.cc, so that the text is one and the same with and without.
#ifndef TERN_NATIVE_CLI_STYLE_H_
#define TERN_NATIVE_CLI_STYLE_H_

#include <string>
#include <string_view>

namespace tern::cli {

// Names and texts come from files of anybody: what would move the cursor or paint a terminal is
// shown as \x1b.
std::string WithoutControls(std::string_view text);

// Whether text for this descriptor is painted. "always", "never", or "auto": on a terminal, unless
// NO_COLOR is set (https://no-color.org) or TERM is "dumb".
bool UsesColor(std::string_view choice, int descriptor);

// The same text with colours put in between.
std::string PaintDiagnostics(std::string_view text);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_STYLE_H_
