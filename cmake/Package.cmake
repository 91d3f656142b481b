# Debian packages, a component of Install.cmake each: `cmake --preset package && cmake --build --preset package`, then
# `cpack --config build/package/CPackConfig.cmake -B build/packages`; scripts/debian-packages does all three.
#
# libhetmp1 has the runtime, and recommends nothing: it is what a program needs. hetmp, the tool, recommends the plugins. Each plugin
# is a package, so that nobody has PAPI, libsodium, hwloc or rdma-core installed who does not want them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hetmp)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_PACKAGE_CONTACT "The hetmp developers <hetmp@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "OpenMP runtime for CPUs that share no memory")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# lintian's findings that stay, of a package. The maintainer's address is nobody's before there is one; libraries have no number in
# their names (docs/changelog.md), so neither do names of packages match them; CPack writes scripts that call ldconfig.
set(hetmp_of_libraries shared-library-lacks-version package-name-doesnt-match-sonames maintscript-calls-ldconfig)
function(hetmp_lintian component name)
  list(TRANSFORM ARGN PREPEND "${name}: ")
  list(TRANSFORM ARGN APPEND " *\n")
  list(JOIN ARGN "" lines)
  file(WRITE ${CMAKE_BINARY_DIR}/lintian/${name} "${lines}")
  install(FILES ${CMAKE_BINARY_DIR}/lintian/${name} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT ${component})
endfunction()

# `hetmp_package(component name summary text [finding...])`: the component's package, with the changelogs and the copyright that Debian's
# policy wants.
set(hetmp_components)
function(hetmp_package component name summary text)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  if(NOT summary STREQUAL CPACK_PACKAGE_DESCRIPTION_SUMMARY) # which comes first in all of them
    set(text "${summary}.\n${text}")
  endif()
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${text}" PARENT_SCOPE)
  hetmp_lintian(${component} ${name} bogus-mail-host bogus-mail-host-in-debian-changelog initial-upload-closes-no-bugs ${ARGN})
  install(FILES ${CMAKE_BINARY_DIR}/copyright ${CMAKE_BINARY_DIR}/changelog.gz ${CMAKE_BINARY_DIR}/changelog.Debian.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
  list(APPEND hetmp_components ${component})
  set(hetmp_components ${hetmp_components} PARENT_SCOPE)
endfunction()

file(WRITE ${CMAKE_BINARY_DIR}/copyright "hetmp ${PROJECT_VERSION}

Copyright: 2026 The hetmp developers
License: Apache-2.0

Licensed under the Apache License, Version 2.0. On Debian systems its text is in
/usr/share/common-licenses/Apache-2.0.
")
execute_process(COMMAND gzip -9nc ${CMAKE_SOURCE_DIR}/docs/changelog.md OUTPUT_FILE ${CMAKE_BINARY_DIR}/changelog.gz COMMAND_ERROR_IS_FATAL ANY)

string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${CMAKE_BINARY_DIR}/changelog.Debian "hetmp (${PROJECT_VERSION}-1) unstable; urgency=medium

  * Version ${PROJECT_VERSION}: see changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
execute_process(COMMAND gzip -9nkf ${CMAKE_BINARY_DIR}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)

# The dynamic linker learns of new libraries.
file(WRITE ${CMAKE_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")

hetmp_package(library libhetmp1 "OpenMP runtime for CPUs that share no memory"
  "hetmp has libomp's interface, and libgomp's: it runs unmodified OpenMP programs\non one machine, and on node processes and hosts that share no memory.\nThis package has the runtime and its distributed shared memory." ${hetmp_of_libraries})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/debian/triggers)
set(exact "libhetmp1 (= ${PROJECT_VERSION}-1)")
set(findings_of_sodium library-not-linked-against-libc) # it calls libsodium alone
foreach(plugin papi:PAPI:"hardware counters by" sodium:libsodium:"encryption by" hwloc:hwloc:"the machine's topology by" verbs:libibverbs:"RDMA by")
  string(REGEX MATCHALL "[^:]+" fields ${plugin})
  list(GET fields 0 component)
  list(GET fields 1 needs)
  list(GET fields 2 what)
  string(REPLACE "\"" "" what ${what})
  set(target_of_papi hetmp_papi)
  set(target_of_sodium hetmp_seal)
  set(target_of_hwloc hetmp_topology)
  set(target_of_verbs hetmp_verbs)
  if(TARGET ${target_of_${component}})
    hetmp_package(${component} libhetmp1-${component} "OpenMP runtime hetmp: ${what} ${needs}"
      "This plugin of libhetmp1 is loaded when it is needed, and if it is there." ${hetmp_of_libraries} ${findings_of_${component}})
    string(TOUPPER ${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${exact}")
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/debian/triggers)
    list(APPEND plugins libhetmp1-${component})
  endif()
endforeach()
hetmp_package(tool hetmp "runs OpenMP programs on CPUs that share no memory"
  "`hetmp run` starts a program under the runtime, on as many nodes as wanted;\n`hetmp report` shows what it learned, `hetmp calibrate` measures the machine."
  custom-library-search-path) # Debian's PMIx wants it
set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "${exact}")
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION devel)
list(JOIN plugins ", " plugins)
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS "${plugins}")
hetmp_package(dev libhetmp-dev "OpenMP runtime hetmp: files for building with it"
  "How CMake and pkg-config find libhetmp1.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${exact}")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)

set(CPACK_COMPONENTS_ALL ${hetmp_components})
include(CPack)
