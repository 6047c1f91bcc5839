// SPDX-License-Identifier: Apache-2.0
// What the loop tests share: programs from text, lowered, run.
#ifndef TERN_TESTS_UNIT_LOOP_LOOP_TEXT_H_
#define TERN_TESTS_UNIT_LOOP_LOOP_TEXT_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/loop/passes/pipeline.h"
#include "core/loop/run/workspace.h"
#include "core/loop/text/parser.h"
#include "core/loop/text/printer.h"

namespace tern::loop {

inline SourceFile MustParse(std::string_view text) {
  Result<SourceFile> file = ParseLoops("test.tloop", text);
  EXPECT_TRUE(file.ok()) << text::RenderText(file.status());
  return file.ok() ? *std::move(file) : SourceFile();
}

inline std::string ParseError(std::string_view text) {
  const Result<SourceFile> file = ParseLoops("test.tloop", text);
  return file.ok() ? "" : text::RenderText(file.status());
}

inline Result<LoopFunction> Lowered(std::string_view text, Strategy strategy,
                                    const Target& target = ReferenceTarget()) {
  TERN_TRY_ASSIGN(const SourceFile file, ParseLoops("test.tloop", text));
  LoweringOptions options;
  options.strategy = strategy;
  options.target = &target;
  TERN_TRY_ASSIGN(Program program, LowerFile(file, options));
  return program.functions.at(0);
}

inline std::string LoweredText(std::string_view text, Strategy strategy) {
  const Result<LoopFunction> function = Lowered(text, strategy);
  return function.ok() ? ToText(*function) : text::RenderText(function.status());
}

struct RunResult {
  Counters counters;
  std::vector<std::vector<uint8_t>> outputs;  // of every buffer that is not an input
  int broken_canary = -1;
};

inline Result<RunResult> RunOn(const Interpreter& interpreter, std::span<const int64_t> sizes,
                               RunOptions options = {}) {
  const LoopFunction& function = interpreter.function();
  TERN_TRY_ASSIGN(Workspace workspace, Workspace::Make(function, sizes));
  RunResult result;
  TERN_TRY_ASSIGN(result.counters, interpreter.Run(workspace.arguments(), options));
  result.broken_canary = workspace.FirstBrokenCanary();
  for (size_t i = 0; i < workspace.buffer_count(); ++i) {
    const Access access = function.buffers[i]->access;
    if (access != Access::kOut && access != Access::kInOut) continue;
    const std::span<uint8_t> bytes = workspace.bytes(i);
    result.outputs.emplace_back(bytes.begin(), bytes.end());
  }
  return result;
}

}  // namespace tern::loop

#endif  // TERN_TESTS_UNIT_LOOP_LOOP_TEXT_H_
