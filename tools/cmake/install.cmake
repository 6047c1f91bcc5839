# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` installs, in three components, and what CPack packs of it:
#   runtime      libtern.so.0
#   development  headers, libtern.so, libtern.a, what CMake and pkg-config read, examples
#   tools        the program tern, its manual pages, completions for bash, zsh and fish; the page,
#                where it has been built (tools/build_web.sh), for `tern play`
# Each has the licences and what has changed. Everything is found from where it lies, so a folder
# may be moved. With SOURCE_DATE_EPOCH in the environment two packings give the same bytes
# (tools/package.sh).
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "")
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(templates ${PROJECT_SOURCE_DIR}/tools/cmake/package)
set(made ${PROJECT_BINARY_DIR}/package)

# What libtern.a needs of the system, for CMake and for pkg-config.
set(tern_static_libraries "stdc++;m;dl;pthread")
list(TRANSFORM tern_static_libraries PREPEND "-l" OUTPUT_VARIABLE tern_static_flags)
list(JOIN tern_static_flags " " tern_static_flags)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(tern_processor aarch64)
  set(debian_architecture arm64)
else()
  set(tern_processor x86_64)
  set(debian_architecture amd64)
endif()

configure_package_config_file(${templates}/tern-config.cmake.in ${made}/tern-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tern)
configure_file(${templates}/tern-config-version.cmake.in ${made}/tern-config-version.cmake @ONLY)
configure_file(${templates}/tern.pc.in ${made}/tern.pc @ONLY)
configure_file(${templates}/tern-static.pc.in ${made}/tern-static.pc @ONLY)

# ---- what the program prints of itself; under an emulator where it is for another processor
set(share ${PROJECT_BINARY_DIR}/share)
set(prints)
foreach(shell bash zsh fish)
  list(APPEND prints COMMAND tern_cli completion ${shell} > ${share}/tern.${shell})
endforeach()
add_custom_command(OUTPUT ${share}/done
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${share}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${share}
  COMMAND tern_cli man --all ${share}/man1
  COMMAND gzip -9nr ${share}/man1
  ${prints}
  COMMAND ${CMAKE_COMMAND} -E touch ${share}/done
  DEPENDS tern_cli)
add_custom_target(tern_reference ALL DEPENDS ${share}/done)

# ---- runtime
install(TARGETS tern_shared
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)

# ---- development
install(FILES ${PROJECT_BINARY_DIR}/include/tern/tern.h ${PROJECT_BINARY_DIR}/include/tern/tern.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tern COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/lib/libtern.a
  DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(FILES ${made}/tern-config.cmake ${made}/tern-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tern COMPONENT development)
install(FILES ${made}/tern.pc ${made}/tern-static.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES examples/library/CMakeLists.txt examples/library/digit.c examples/library/digit.cc
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libtern-dev/examples COMPONENT development)

# ---- tools
install(TARGETS tern_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
install(DIRECTORY ${share}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tools)
install(FILES ${share}/tern.bash RENAME tern COMPONENT tools
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES docs/tern.proto DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tern COMPONENT tools)
install(DIRECTORY docs/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tern COMPONENT tools)
install(DIRECTORY web/dist/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tern/page COMPONENT tools OPTIONAL)
foreach(folder site-functions vendor-completions)  # where zsh looks, and where Debian's does
  install(FILES ${share}/tern.zsh RENAME _tern COMPONENT tools
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder})
endforeach()
install(FILES ${share}/tern.fish COMPONENT tools
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# ---- licences and what has changed, in the folder where Debian looks for them
set(TERN_MAINTAINER "The Tern authors <tern@example.org>" CACHE STRING
  "Who made the Debian packages: a name and an address for mail")
set(changelog ${made}/changelog)
# Written when it is installed, because the time of a version that has no date yet is the packing's.
install(CODE "
  string(TIMESTAMP now \"%a, %d %b %Y %H:%M:%S +0000\" UTC)  # or SOURCE_DATE_EPOCH
  execute_process(COMMAND awk -v package=tern -v \"maintainer=${TERN_MAINTAINER}\"
      -v \"now=\${now}\" -f ${templates}/debian_changelog.awk ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    COMMAND gzip -9n OUTPUT_FILE ${changelog}.gz COMMAND_ERROR_IS_FATAL ANY)" ALL_COMPONENTS)
foreach(pair "runtime libtern${PROJECT_VERSION_MAJOR}" "development libtern-dev" "tools tern")
  separate_arguments(pair)
  list(GET pair 0 component)
  list(GET pair 1 package)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  install(FILES docs/third-party-notices.txt RENAME copyright COMPONENT ${component}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package})
  install(FILES ${changelog}.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
    COMPONENT ${component})
endforeach()

# ---- packages: one .tar.gz of all, a .deb of each component
execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE libc ERROR_QUIET)
string(REGEX MATCH "[0-9]+[.][0-9]+" libc "${libc}")
set(libc "libc6 (>= ${libc})")
set(exact "libtern${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION})")
set(CPACK_PACKAGE_NAME tern)
set(CPACK_PACKAGE_VENDOR "The Tern authors")
set(CPACK_PACKAGE_CONTACT "${TERN_MAINTAINER}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_FILE_NAME tern-${PROJECT_VERSION}-linux-${tern_processor})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_GENERATOR "TGZ;DEB")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development tools)
set(CPACK_ARCHIVE_THREADS 1)
set(CPACK_POST_BUILD_SCRIPTS ${templates}/sort_archive.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${debian_architecture})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libtern${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "${libc}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "libllvm19")
# The linker's cache learns of the library when it comes and when it goes; packages that are built
# with the library learn from `shlibs` what they depend on.
file(WRITE ${made}/shlibs "libtern ${PROJECT_VERSION_MAJOR} libtern${PROJECT_VERSION_MAJOR} \
(>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${templates}/triggers;${made}/shlibs")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtern-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${exact}")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME tern)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${libc}")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "libllvm19")
# The first line is the title, in front of which CPack would put its own summary.
set(about "Tern compiles machine-learning models (ONNX) and programs of a small language
to one executable file and runs it on any processor.")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "portable tensor runtime, shared library
${about}
This package has the library that programs in C and C++ are linked with. With
LLVM beside it, loops are compiled for the processor at hand.")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "portable tensor runtime, headers and static library
${about}
This package has what programs in C11 and C++17 are built with: headers, the
static library, what CMake and pkg-config read, and examples.")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "portable tensor runtime, command line
${about}
This package has the program that compiles, runs, inspects, debugs, times and
compares them, and the page with which it shows them in a browser.")
include(CPack)
