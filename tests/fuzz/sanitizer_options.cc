// SPDX-License-Identifier: Apache-2.0
// What all fuzzers ask of AddressSanitizer, unless ASAN_OPTIONS says otherwise.
//
// Programs are trees of small objects, made and ended in deep recursion: remembering how each
// allocation and each release was come to is half of a run. A few frames are kept; a report with
// all of them is had by running the crash again with ASAN_OPTIONS=malloc_context_size=30.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "malloc_context_size=3"; }
