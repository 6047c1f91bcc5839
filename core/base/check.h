// SPDX-License-Identifier: Apache-2.0
// TERN_CHECK and TERN_DCHECK: for our own broken invariants only, never reachable by any input.
// A failed check calls the platform's abort hook (platform.h) with file and line, and ends the
// process.
#ifndef TERN_CORE_BASE_CHECK_H_
#define TERN_CORE_BASE_CHECK_H_

namespace tern {

// Reports and does not return.
[[noreturn]] void CheckFailed(const char* file, int line, const char* message);

}  // namespace tern

// TERN_CHECK(condition) or TERN_CHECK(condition, "what it means"); the text is a string literal.
#define TERN_CHECK(condition, ...)                                                            \
  (__builtin_expect(!(condition), 0)                                                          \
       ? ::tern::CheckFailed(__FILE__, __LINE__, "check failed: " #condition " " __VA_ARGS__) \
       : void(0))

#ifdef NDEBUG
#define TERN_DCHECK(condition, ...) (sizeof(!(condition)) ? void(0) : void(0))
#else
#define TERN_DCHECK(condition, ...) TERN_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#endif

#endif  // TERN_CORE_BASE_CHECK_H_
