# SPDX-License-Identifier: Apache-2.0
# Toolchain file: WebAssembly by Emscripten. Emscripten's own toolchain file does the work; which
# Emscripten that is (the private prefix's, the system's or EMSDK's), tools/setup has written down.
include("${CMAKE_CURRENT_LIST_DIR}/prefix.cmake")
if(NOT EXISTS "${TERN_PREFIX}/emscripten_root")
  message(FATAL_ERROR "there is no ${TERN_PREFIX}/emscripten_root: run tools/setup/setup.sh")
endif()
file(STRINGS "${TERN_PREFIX}/emscripten_root" EMSCRIPTEN_ROOT_PATH LIMIT_COUNT 1)
set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/../node.sh" CACHE FILEPATH "")
include("${EMSCRIPTEN_ROOT_PATH}/cmake/Modules/Platform/Emscripten.cmake")
