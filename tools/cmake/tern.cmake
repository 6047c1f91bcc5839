# SPDX-License-Identifier: Apache-2.0
# What every folder's CMakeLists.txt is written with:
#   tern_library(name SOURCES … [LINK …] [NATIVE] [ALONE …])   a static library; core flags unless
#                                                   NATIVE. ALONE: further sources, in no batch
#   tern_kernel_library(name SOURCES … [LINK …])        each source once per vector target
#   tern_executable(name SOURCES … [LINK …])            a program with its kernels
#   tern_test(name SOURCES … [LINK …] [LABELS …] [ARGS …] [ALONE …] [PLAIN] [COMPUTES])
#                                                   a GoogleTest binary for ctest
#   tern_fuzzer(name SOURCES … [LINK …])             a libFuzzer binary, in the preset `fuzz` only
#   tern_check_headers(FOLDER…)                         every header of the folders compiles alone
# Flags live in three INTERFACE targets: tern_warnings, tern_core_flags and tern_headers.

# tern_batch(out name limit source…) sets `out` to what the compiler is given for the sources:
# generated files that include several of them each. Most of the time of a compilation goes into
# headers, which a batch reads once. A batch ends before it exceeds `limit` bytes of source text, or
# TERN_BATCH_BYTES where that is empty, so that a change of one source is compiled again in seconds;
# TERN_BATCH_BYTES=0 compiles each source alone. Sources of a batch share unnamed namespaces: their
# names differ within a folder. The includes are relative to the root, so that ccache finds in one
# clone what another has compiled.
function(tern_batch out name limit)
  if(NOT TERN_BATCH_BYTES OR limit STREQUAL "")
    set(limit ${TERN_BATCH_BYTES})
  endif()
  set(result)
  set(batch)
  set(bytes 0)
  set(number 0)
  foreach(source IN LISTS ARGN ITEMS "")  # "" ends the last batch
    set(size 0)
    if(NOT source STREQUAL "")
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE
        OUTPUT_VARIABLE path)
      cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${path} generated)
      if(NOT limit OR generated OR NOT path MATCHES "[.]cc$")
        list(APPEND result ${source})
        continue()
      endif()
      file(SIZE ${path} size)
      cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    endif()
    math(EXPR total "${bytes} + ${size}")
    if(batch AND (source STREQUAL "" OR total GREATER limit))
      set(file ${PROJECT_BINARY_DIR}/batches/${name}_${number}.cc)
      file(CONFIGURE OUTPUT ${file} CONTENT "${batch}" @ONLY)
      list(APPEND result ${file})
      math(EXPR number "${number} + 1")
      set(batch)
      set(total ${size})
    endif()
    set(bytes ${total})
    if(NOT source STREQUAL "")
      string(APPEND batch "#include \"${path}\"  // NOLINT\n")
    endif()
  endforeach()
  set(${out} ${result} PARENT_SCOPE)
endfunction()

add_library(tern_warnings INTERFACE)
target_compile_options(tern_warnings INTERFACE
  -Wall -Wswitch -Wimplicit-fallthrough -Werror
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wextra -Wconversion>
  $<$<COMPILE_LANG_AND_ID:C,Clang>:-Wextra -Wconversion>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overlaps and uninitialised parts inside its own std::string and std::optional, and
  # takes the sources of a batch for headers, whose classes must not hold those of unnamed
  # namespaces.
  target_compile_options(tern_warnings INTERFACE -Wno-restrict -Wno-array-bounds
    -Wno-stringop-overflow -Wno-stringop-overread -Wno-subobject-linkage
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
endif()

# The header-only packages (Highway, DLPack, CLI11) without the rest of /usr/include.
add_library(tern_headers INTERFACE)
if(NOT TERN_INCLUDE STREQUAL "/usr/include")
  target_include_directories(tern_headers SYSTEM INTERFACE "${TERN_INCLUDE}")
endif()

# LLVM's C headers, for native/jit alone; any version from 16 on will do.
if(TERN_LLVM AND NOT EMSCRIPTEN)
  find_path(TERN_LLVM_INCLUDE llvm-c/LLJIT.h
    PATHS /usr/lib/llvm-19/include /usr/lib/llvm-20/include /usr/lib/llvm-18/include
    NO_CMAKE_FIND_ROOT_PATH)
  mark_as_advanced(TERN_LLVM_INCLUDE)
endif()

# Contraction is off so that plain loops give the same bits on every target; kernels ask for FMA by
# name. Sections let the linker leave out functions one by one. Paths in programs are relative to
# the root, so that clones in different folders build the same bytes.
add_library(tern_common_flags INTERFACE)
target_include_directories(tern_common_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(tern_common_flags INTERFACE
  -ffp-contract=off -fno-math-errno -ffunction-sections -fdata-sections
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
target_link_libraries(tern_common_flags INTERFACE tern_warnings)

add_library(tern_core_flags INTERFACE)
target_compile_options(tern_core_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti -fno-threadsafe-statics>)
target_link_libraries(tern_core_flags INTERFACE tern_common_flags)

# The product's code goes into libtern.so too (native/library), wherever there are shared libraries.
function(tern_may_be_shared name)
  if(NOT EMSCRIPTEN)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()

function(tern_library name)
  cmake_parse_arguments(arg "NATIVE" "" "SOURCES;LINK;ALONE" ${ARGN})
  tern_batch(sources ${name} "" ${arg_SOURCES})
  add_library(${name} STATIC ${sources} ${arg_ALONE})
  tern_may_be_shared(${name})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  if(arg_NATIVE)
    target_link_libraries(${name} PRIVATE tern_common_flags)
  else()
    target_link_libraries(${name} PRIVATE tern_core_flags)
  endif()
endfunction()

# ---- vector targets: one line each
# name | flags. PCLMUL and AES are Highway's habit, not ours: with HWY_DISABLE_PCLMUL_AES, `sse4`
# runs on every processor with SSE4.2.
set(tern_flags_sse4 -msse4.2 -DHWY_DISABLE_PCLMUL_AES)
set(tern_flags_avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -DHWY_DISABLE_PCLMUL_AES)
set(tern_flags_avx512 ${tern_flags_avx2} -mavx512f -mavx512cd -mavx512bw -mavx512dq -mavx512vl
    -mprefer-vector-width=512)
set(tern_flags_neon -march=armv8-a)
set(tern_flags_sve -march=armv8.2-a+sve)
set(tern_flags_simd128 -msimd128)
set(tern_flags_relaxed -msimd128 -mrelaxed-simd)

if(EMSCRIPTEN)
  set(tern_all_targets simd128 relaxed)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(tern_all_targets neon sve)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(tern_all_targets sse4 avx2 avx512)
endif()
if(TERN_SIMD_TARGETS STREQUAL "auto")
  set(tern_targets ${tern_all_targets})
elseif(NOT TERN_SIMD_TARGETS STREQUAL "none")
  set(tern_targets ${TERN_SIMD_TARGETS})
endif()

# NAME_<target> holds the sources compiled for <target>, in the namespace TERN_TARGET_NAME.
# NAME_targets links all of them and tells its users which there are by TERN_TARGET_<TARGET>=1. A
# WebAssembly module with an instruction that the engine lacks does not load at all, so there one
# module holds one target: both builds use the namespace `wasm`, and programs choose which library
# they link (see tern_executable).
function(tern_kernel_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name}_targets INTERFACE)
  tern_batch(sources ${name}_target 80000 ${arg_SOURCES})
  foreach(target IN LISTS tern_targets)
    if(NOT DEFINED tern_flags_${target})
      message(FATAL_ERROR "TERN_SIMD_TARGETS: no '${target}' here, only ${tern_all_targets}")
    endif()
    set(namespace ${target})
    if(EMSCRIPTEN)
      set(namespace wasm)
    endif()
    add_library(${name}_${target} STATIC ${sources})
    tern_may_be_shared(${name}_${target})
    target_compile_options(${name}_${target} PRIVATE ${tern_flags_${target}})
    if(EMSCRIPTEN)  # the rest of the module is built for size
      target_compile_options(${name}_${target} PRIVATE -O2)
    endif()
    target_compile_definitions(${name}_${target} PRIVATE
      TERN_TARGET_NAME=${namespace} TERN_TARGET_LABEL="${target}" HWY_COMPILE_ONLY_STATIC)
    target_link_libraries(${name}_${target} PRIVATE tern_core_flags tern_headers PUBLIC ${arg_LINK})
    string(TOUPPER TERN_TARGET_${namespace} macro)
    target_compile_definitions(${name}_targets INTERFACE ${macro}=1)
    if(NOT EMSCRIPTEN)
      target_link_libraries(${name}_targets INTERFACE ${name}_${target})
    endif()
  endforeach()
endfunction()

# tern_use_kernels(program [target]): on WebAssembly, links the kernels of one target (default:
# relaxed).
function(tern_use_kernels program)
  set(target relaxed)
  if(ARGC GREATER 1)
    set(target ${ARGV1})
  endif()
  if(EMSCRIPTEN)
    target_link_libraries(${program} PRIVATE
      $<TARGET_NAME_IF_EXISTS:tern_kernels_${target}>)
  endif()
endfunction()

function(tern_executable name)
  cmake_parse_arguments(arg "" "LIMIT" "SOURCES;LINK;ALONE" ${ARGN})
  tern_batch(sources ${name} "${arg_LIMIT}" ${arg_SOURCES})
  add_executable(${name} ${sources} ${arg_ALONE})
  target_link_libraries(${name} PRIVATE ${arg_LINK} tern_common_flags tern_headers)
  tern_use_kernels(${name})
  if(EMSCRIPTEN)
    target_link_options(${name} PRIVATE
      -sNODERAWFS=1 -sALLOW_MEMORY_GROWTH=1 -sEXIT_RUNTIME=1 -sSTACK_SIZE=1MB)
  endif()
endfunction()

# ---- tests
# GoogleTest is built from Debian's sources for every target, with that target's flags and
# sanitizers.
function(tern_add_googletest)
  set(root /usr/src/googletest)
  if(NOT EXISTS ${root}/googlemock/src/gmock-all.cc)
    message(FATAL_ERROR "${root} is missing: run tools/setup/setup.sh, or set TERN_TESTS=OFF")
  endif()
  add_library(tern_gtest STATIC ${root}/googletest/src/gtest-all.cc
    ${root}/googlemock/src/gmock-all.cc ${root}/googlemock/src/gmock_main.cc)
  target_include_directories(tern_gtest SYSTEM
    PUBLIC ${root}/googletest/include ${root}/googlemock/include
    PRIVATE ${root}/googletest ${root}/googlemock)
  target_compile_options(tern_gtest PRIVATE -w -O0)
  if(EMSCRIPTEN)
    target_compile_definitions(tern_gtest PUBLIC GTEST_HAS_PTHREAD=0)
  else()
    find_package(Threads REQUIRED)
    target_link_libraries(tern_gtest PUBLIC Threads::Threads)
  endif()
endfunction()

# One of how many random programs, and of how many damaged files, is drawn (tests/support/rounds.h).
set(TERN_ROUNDS_SHARE 1)
set(TERN_MUTATIONS_SHARE 1)
if(EMSCRIPTEN)
  set(TERN_ROUNDS_SHARE 4)
  set(TERN_MUTATIONS_SHARE 4)
elseif(CMAKE_CROSSCOMPILING)  # under an emulator
  set(TERN_ROUNDS_SHARE 10)
  set(TERN_MUTATIONS_SHARE 10)
elseif(TERN_SANITIZE)
  set(TERN_ROUNDS_SHARE 4)
endif()

# Tests call what is compiled for users; their own code is compiled as fast as can be.
function(tern_use_test_flags target)
  set(level -O0)
  if(ARGC GREATER 1)
    set(level ${ARGV1})
  endif()
  target_compile_options(${target} PRIVATE ${level})
  target_compile_definitions(${target} PRIVATE
    TERN_ROUNDS_SHARE=${TERN_ROUNDS_SHARE} TERN_MUTATIONS_SHARE=${TERN_MUTATIONS_SHARE})
  if(EMSCRIPTEN)  # without Binaryen's passes
    target_link_options(${target} PRIVATE -O1)
  endif()
endfunction()

# COMPUTES: the test's own code takes longer to run than to compile optimised.
# PLAIN: an ordinary program whose exit code is the verdict. Tests run in the source folder, which
# TERN_SOURCE_DIR names: with a path of its own, every clone would compile them anew.
# UNSANITIZED: tests, as patterns of GoogleTest, that sanitizers would make long and learn nothing
# from: the work is done by another process, or is one loop taken until its limit.
function(tern_test name)
  cmake_parse_arguments(arg "PLAIN;COMPUTES" "" "SOURCES;LINK;ALONE;LABELS;ARGS;UNSANITIZED"
    ${ARGN})
  if(NOT TERN_TESTS)
    return()
  endif()
  tern_executable(${name} SOURCES ${arg_SOURCES} LINK ${arg_LINK} LIMIT 120000
    ALONE ${arg_ALONE})
  set(level -O0)
  if(arg_COMPUTES)
    set(level -O2)
  endif()
  tern_use_test_flags(${name} ${level})
  target_compile_definitions(${name} PRIVATE TERN_SOURCE_DIR=".")
  if(NOT arg_PLAIN)
    target_link_libraries(${name} PRIVATE tern_gtest)
    list(APPEND arg_ARGS --gtest_output=json:${PROJECT_BINARY_DIR}/test-results/${name}.json)
  endif()
  if(TERN_SANITIZE AND arg_UNSANITIZED)
    list(JOIN arg_UNSANITIZED ":" patterns)
    list(APPEND arg_ARGS "--gtest_filter=-${patterns}")
  endif()
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGS})
  set_tests_properties(${name} PROPERTIES
    LABELS "${arg_LABELS}" TIMEOUT 900 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()

function(tern_fuzzer name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  if(NOT "fuzzer" IN_LIST TERN_SANITIZE)
    return()
  endif()
  tern_executable(${name}
    SOURCES ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tests/fuzz/sanitizer_options.cc LINK ${arg_LINK})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzzers)
endfunction()

# One generated source per header, which includes nothing else. Headers are found by pattern,
# because a forgotten one is just what this is to catch. A header with a source of the same name is
# left out: that source includes it first (check_layers), and tools/check/check_alone compiles each
# source alone.
function(tern_check_headers)
  set(sources)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
         ${PROJECT_SOURCE_DIR}/${folder}/*.h)
    foreach(header IN LISTS headers)
      if(header STREQUAL "native/jit/llvm_library.h" AND NOT TERN_LLVM_INCLUDE)
        continue()
      endif()
      string(REGEX REPLACE "[.]h$" ".cc" twin ${header})
      if(EXISTS ${PROJECT_SOURCE_DIR}/${twin})
        continue()
      endif()
      string(REPLACE "/" "_" stem ${header})
      set(source ${PROJECT_BINARY_DIR}/header_check/${stem}.cc)
      file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"  // NOLINT\n" @ONLY)
      list(APPEND sources ${source})
      if(header MATCHES "^native/cpp/")  # for callers that have exceptions
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -fexceptions)
      endif()
    endforeach()
  endforeach()
  if(sources)
    add_library(tern_header_check OBJECT EXCLUDE_FROM_ALL ${sources})
    target_compile_options(tern_header_check PRIVATE -O0 -Wno-unused-const-variable)
    target_compile_definitions(tern_header_check PRIVATE
      TERN_TARGET_NAME=header_check TERN_TARGET_LABEL="header_check" HWY_COMPILE_ONLY_STATIC)
    target_link_libraries(tern_header_check PRIVATE tern_core_flags tern_headers)
    if(TERN_LLVM_INCLUDE)
      target_include_directories(tern_header_check SYSTEM PRIVATE ${TERN_LLVM_INCLUDE})
    endif()
  endif()
endfunction()
