# SPDX-License-Identifier: Apache-2.0
# Makes the one public header, <tern/tern.h>, of the headers that the sources include:
#   cmake -DROOT=DIR -DHEADERS=ONE,TWO -DOUTPUT=FILE -P join_headers.cmake
# A header comes behind those that it includes. Guards, includes and SPDX lines go, all else stays
# as it is written, so that there is one text to keep.
string(REPLACE "," ";" headers "${HEADERS}")
set(text "/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface of Tern: C11, and C++. Joined from the headers of the sources, whose names and
 * pages comments mention; <tern/tern.hpp> is the same for C++17. */
#ifndef TERN_TERN_H_
#define TERN_TERN_H_

#include <stddef.h>
#include <stdint.h>
")
foreach(header IN LISTS headers)
  file(READ "${ROOT}/${header}" part)
  string(REGEX REPLACE "^/[*] SPDX-License-Identifier: Apache-2[.]0 [*]/\n" "" part "${part}")
  string(REGEX REPLACE "#ifndef TERN_[A-Z0-9_]+_H_\n#define TERN_[A-Z0-9_]+_H_\n" "" part "${part}")
  string(REGEX REPLACE "\n#endif /[*] TERN_[A-Z0-9_]+_H_ [*]/\n$" "" part "${part}")
  string(REGEX REPLACE "\n#include [<\"][^\n]*" "" part "${part}")
  string(REGEX REPLACE "\n\n\n+" "\n\n" part "${part}")
  if(part MATCHES "_H_\n")
    message(FATAL_ERROR "${header}: its guard is not TERN_…_H_ at both ends")
  endif()
  string(APPEND text "\n/* ---- ${header} ---- */\n\n${part}")
endforeach()
string(APPEND text "\n#endif /* TERN_TERN_H_ */\n")
file(WRITE "${OUTPUT}" "${text}")
