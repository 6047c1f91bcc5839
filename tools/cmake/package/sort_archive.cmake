# SPDX-License-Identifier: Apache-2.0
# Run by CPack behind each generator. CPack writes a .tar.gz in the order in which the file system
# lists its folders and with this user's number: here it is written again, sorted and with root's,
# so that it has the same bytes wherever it is packed.
set(times)
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(times --mtime=@$ENV{SOURCE_DATE_EPOCH})
endif()
foreach(archive IN LISTS CPACK_PACKAGE_FILES)
  if(NOT archive MATCHES "[.]tar[.]gz$")
    continue()
  endif()
  set(folder ${archive}.unpacked)
  file(REMOVE_RECURSE ${folder})
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND tar -xzpf ${archive} -C ${folder} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB tops RELATIVE ${folder} ${folder}/*)
  execute_process(
    COMMAND tar --sort=name --owner=0 --group=0 --numeric-owner ${times} --format=gnu
      -C ${folder} -cf - ${tops}
    COMMAND gzip -9n
    OUTPUT_FILE ${archive} COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${folder})
endforeach()
