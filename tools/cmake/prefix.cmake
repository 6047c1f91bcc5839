# SPDX-License-Identifier: Apache-2.0
# Finds the private prefix that tools/setup fills: TERN_PREFIX, its TERN_INCLUDE folder of
# header-only packages, and Emscripten. The version is read from the set-up script, so that it is
# written once.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../setup/lib.sh" tern_version_line
     REGEX "^tern_toolchain_version=")
string(REPLACE "tern_toolchain_version=" "" TERN_TOOLCHAIN_VERSION "${tern_version_line}")
if(DEFINED ENV{XDG_CACHE_HOME})
  set(TERN_PREFIX "$ENV{XDG_CACHE_HOME}/tern/toolchain-${TERN_TOOLCHAIN_VERSION}")
else()
  set(TERN_PREFIX "$ENV{HOME}/.cache/tern/toolchain-${TERN_TOOLCHAIN_VERSION}")
endif()
set(TERN_INCLUDE "${TERN_PREFIX}/include")
if(NOT EXISTS "${TERN_PREFIX}/version")
  if(CMAKE_SYSTEM_NAME AND NOT CMAKE_SYSTEM_NAME STREQUAL CMAKE_HOST_SYSTEM_NAME)
    message(FATAL_ERROR "the toolchain ${TERN_PREFIX} is missing: run tools/setup/setup.sh")
  endif()
  set(TERN_INCLUDE "/usr/include")
endif()
