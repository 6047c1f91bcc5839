// SPDX-License-Identifier: Apache-2.0
// The console: the session of docs/debugging.md as it stands there, and commands one by one.
#include "core/vm/debug/debugger_console.h"

#include <gtest/gtest.h>

#include "core/vm/debug/debugger_heap.h"
#include "core/vm/debug/debugger_json.h"
#include "core/vm/debug/trace_file.h"
#include "tests/support/read_file.h"
#include "tests/unit/vm/debug_test_util.h"

namespace tern::vm::debugger_console_test {
namespace {

constexpr std::string_view kPrompt = "(tern) ";

// The blocks of one language, in order.
std::vector<std::string> Blocks(const std::string& page, const std::string& language) {
  std::vector<std::string> blocks;
  const std::string opening = "```" + language + "\n";
  for (size_t at = page.find(opening); at != std::string::npos; at = page.find(opening, at)) {
    at += opening.size();
    blocks.push_back(page.substr(at, page.find("```", at) - at));
  }
  return blocks;
}

TEST(DebugConsole, ThePageHappens) {
  const std::string page = ReadFile(TERN_SOURCE_DIR "/docs/debugging.md");
  const std::vector<std::string> programs = Blocks(page, "tasm");
  ASSERT_EQ(programs.size(), 1u);
  auto debugger = BeginDebugger(programs[0]);
  DebugConsole console(debugger.get(), "main", {});
  int commands = 0;
  for (const std::string& block : Blocks(page, "console")) {
    std::string happened;
    for (std::string_view line : StrSplit(block, '\n')) {
      if (!line.starts_with(kPrompt)) continue;
      ++commands;
      StrAppend(&happened, line, "\n", console.Execute(line.substr(kPrompt.size())));
    }
    EXPECT_EQ(happened, block);
  }
  EXPECT_GE(commands, 20);
  EXPECT_TRUE(console.done());
}

struct Session {
  std::unique_ptr<Debugger> debugger;
  DebugConsole console;

  explicit Session(const char* text, int64_t n = 3)
      : debugger(BeginDebugger(text, {n})), console(debugger.get(), "main", {Any(n)}) {}
};

TEST(DebugConsole, PrefixesAliasesAndCompletion) {
  Session session(kFrames);
  EXPECT_EQ(session.console.Execute("s"), session.console.Where());
  EXPECT_EQ(session.console.Execute("co"), "error: 'co' may be continue, complete\n");
  EXPECT_EQ(session.console.Execute("complete r"),
            "rnext\nrfinish\nrcontinue\nregisters\nrewind\nresult\nrestart\n");
  EXPECT_EQ(session.console.Execute("complete zz"), "");
  EXPECT_EQ(session.console.Execute("stpe"),
            "error: there is no command 'stpe'; did you mean 'step'?\n");
  EXPECT_EQ(session.console.Execute("  "), "");
  EXPECT_EQ(session.console.Execute("# nothing"), "");
  EXPECT_EQ(session.console.Execute("help fini"),
            "finish\n  run until this frame returns\n  short: f\n");
  const std::string help = session.console.Execute("help");
  for (const char* name : {"step", "rcontinue", "history", "budget", "quit"})
    EXPECT_NE(help.find(name), std::string::npos) << name;
}

TEST(DebugConsole, BudgetsRestartAndIgnore) {
  Session session(kFrames);
  EXPECT_EQ(session.console.Execute("budget steps 10"), "steps 10, bytes 0, depth 10000, ms 0\n");
  EXPECT_TRUE(session.console.Execute("continue").starts_with("step-limit: the budget of 10 "));
  EXPECT_TRUE(session.console.Execute("budget steps 0").starts_with("steps 0,"));
  EXPECT_EQ(session.console.Execute("continue"), "returned: the result is (6, 6, 6)\n");
  EXPECT_EQ(session.console.Execute("result"), "(6, 6, 6)\n");
  EXPECT_EQ(session.console.Execute("frames"), "there is no frame: the run has ended\n");
  EXPECT_TRUE(session.console.Execute("restart").starts_with("step 0  @main:0  invoke"));
  session.console.Execute("break @factorial");
  EXPECT_EQ(session.console.Execute("ignore 1 2"), "");
  EXPECT_TRUE(session.console.Execute("continue").starts_with("breakpoint 1: @factorial\n"));
  EXPECT_EQ(session.console.Execute("breakpoints"), "1  @factorial  met 3\n");
  EXPECT_EQ(session.console.Execute("frame 1"),
            "frame 1  @factorial:3  invoke @factorial  in: %1  dst: %1\n");
  EXPECT_EQ(session.console.Execute("print %n"), "2\n");
  EXPECT_EQ(session.console.Execute("disable 1"), "");
  EXPECT_EQ(session.console.Execute("breakpoints"), "1  @factorial  (off)  met 3\n");
}

TEST(DebugConsole, MistakesAreText) {
  Session session(kFrames);
  for (const char* line :
       {"step x",     "step 0",        "until nowhere", "seek",   "seek -1",     "break",
        "delete",     "delete 5",      "enable 9",      "ignore", "frame 7",     "print",
        "history %9", "list @nobody",  "heap 3",        "heap x", "set 3 = 4",   "set %0",
        "set %0 = ",  "budget love 3", "budget steps",  "result", "help nothing"}) {
    const std::string before = StateText(*session.debugger);
    EXPECT_TRUE(session.console.Execute(line).starts_with("error: ")) << line;
    EXPECT_EQ(StateText(*session.debugger), before) << line;
  }
}

constexpr const char* kObjects = R"(
.func @main(n: int)
  alloc_tensor offset: 0 dtype: f32 shape: 16 dst: %1
  move  %1 dst: %2
  alloc_adt tag: 0 in: %1, %0 dst: %3
  alloc_closure @inner in: %3 dst: %4
  ret   ret %4
.func @inner(x: any)
  ret   ret %0
)";

TEST(DebugHeap, ObjectsWithCountsAndHolders) {
  auto debugger = BeginDebugger(kObjects, {3});
  MustRun(debugger.get(), DebugCommand::kStep, 4);
  const HeapListing heap = ListHeap(*debugger);
  ASSERT_EQ(heap.objects.size(), 3u);
  const HeapObject& tensor = heap.objects[0];
  EXPECT_GE(tensor.bytes, 64u);
  ASSERT_EQ(tensor.holders.size(), 3u);
  EXPECT_EQ(tensor.holders[0].text, "@main %1");
  EXPECT_EQ(tensor.holders[1].text, "@main %2");
  EXPECT_EQ(tensor.holders[2].text, "object 2, field 0");
  EXPECT_EQ(tensor.holders[2].object, 2u);
  EXPECT_EQ(tensor.by_trace, 1);
  EXPECT_EQ(tensor.elsewhere, 0);
  EXPECT_EQ(tensor.references, 4);
  EXPECT_EQ(heap.objects[2].holders[0].text, "@main %4");
  EXPECT_EQ(heap.objects[1].holders.size(), 2u);
  EXPECT_EQ(heap.objects[1].holders[1].text, "object 3, captured value 0");
  // In the past there are holders, but no counts.
  MustRun(debugger.get(), DebugCommand::kStepBack, 2);
  const HeapListing past = ListHeap(*debugger);
  ASSERT_EQ(past.objects.size(), 1u);
  EXPECT_EQ(past.objects[0].holders.size(), 2u);
  EXPECT_EQ(past.objects[0].references, 0);
}

TEST(DebugJson, WhatThePlaygroundReads) {
  auto debugger = BeginDebugger(kObjects, {3});
  ASSERT_TRUE(debugger->AddBreakpoint("@main:2").ok());
  MustRun(debugger.get(), DebugCommand::kContinue);
  JsonWriter stop, state, breakpoints, heap, trace;
  WriteStopJson(*debugger, &stop);
  EXPECT_EQ(stop.text(),
            "{\"reason\":\"breakpoint\",\"text\":\"@main:2\",\"breakpoint\":1,\"step\":2,"
            "\"first\":0,\"end\":2,\"past\":false,\"depth\":1}");
  WriteStateJson(*debugger, &state);
  EXPECT_NE(state.text().find("{\"index\":2,\"name\":\"\",\"changed\":true,"), std::string::npos);
  WriteBreakpointsJson(*debugger, &breakpoints);
  EXPECT_NE(breakpoints.text().find("\"text\":\"@main:2\",\"enabled\":true,\"hits\":1"),
            std::string::npos);
  WriteHeapJson(*debugger, &heap);
  EXPECT_NE(heap.text().find("\"holders\":[{\"text\":\"@main %1\",\"object\":0}"),
            std::string::npos);
  WriteTraceStatsJson(*debugger, &trace);
  EXPECT_NE(trace.text().find("\"first\":0,\"end\":2"), std::string::npos);
}

uint32_t WordAt(const std::vector<uint8_t>& bytes, size_t at) {
  uint32_t word = 0;
  for (size_t i = 4; i-- > 0;) word = word << 8 | bytes[at + i];
  return word;
}

TEST(TraceFile, BytesAreLaidOutAsTold) {
  auto debugger = BeginDebugger(kFrames, {3});
  MustRun(debugger.get(), DebugCommand::kContinue);
  const Trace& trace = debugger->trace();
  const std::vector<uint8_t> bytes = SaveTrace(trace, debugger->executable());
  ASSERT_GT(bytes.size(), 40u);
  EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 8), "TERNTRC1");
  const uint32_t steps = WordAt(bytes, 16), events = WordAt(bytes, 20), keys = WordAt(bytes, 24),
                 words = WordAt(bytes, 28), json = WordAt(bytes, 36);
  EXPECT_EQ(steps, trace.end_step());
  EXPECT_EQ(events, trace.stats().events);
  EXPECT_EQ(keys, 1u);
  EXPECT_EQ(bytes.size(), 40 + 4 * (2 * size_t{steps} + 1 + 4 * size_t{events} + words) + json);
  for (uint32_t step = 0; step < steps; ++step)
    EXPECT_EQ(WordAt(bytes, 40 + 4 * step), trace.pc(step));
  EXPECT_EQ(WordAt(bytes, 40 + 4 * (2 * size_t{steps})), events);
  const std::string text(bytes.end() - static_cast<std::ptrdiff_t>(json), bytes.end());
  EXPECT_TRUE(
      text.starts_with("{\"functions\":[{\"name\":\"main\",\"first\":0,\"count\":5,"
                       "\"registers\":[\"n\","));
  const std::string whole = TraceJson(trace, debugger->executable());
  EXPECT_TRUE(whole.starts_with(StrCat("{\"first\":0,\"end\":", steps, ",")));
  // The tables are those of the JSON form; digests and the call are in the binary form alone.
  const size_t digests = text.find(",\"digests\":[\"\",");
  ASSERT_NE(digests, std::string::npos);
  EXPECT_NE(whole.find(text.substr(1, digests - 1)), std::string::npos);
  EXPECT_NE(text.find(",\"call\":{\"function\":\"main\",\"arguments\":\"{"), std::string::npos);
  EXPECT_EQ(whole.find("\"digests\""), std::string::npos);
}

TEST(TraceFile, WritesInPlaceAreTold) {
  auto debugger = BeginDebugger(R"(
.func @main()
  call  vm.builtin.alloc_shape_heap in: 1 dst: %0
  call  vm.builtin.store_dim in: %0, 0, 7 dst: void
  ret   ret %0
)");
  MustRun(debugger.get(), DebugCommand::kContinue);
  const std::string json = TraceJson(debugger->trace(), debugger->executable());
  EXPECT_NE(json.find("\"contents\":[{\"step\":2,\"value\":1,\"now\":{"), std::string::npos)
      << json;
  const size_t values = json.find("\"values\":"), contents = json.find("\"contents\":");
  EXPECT_NE(json.substr(values, contents - values).find("\"elements\":[0]"), std::string::npos);
  EXPECT_NE(json.substr(contents).find("\"elements\":[7]"), std::string::npos);
}

}  // namespace
}  // namespace tern::vm::debugger_console_test
