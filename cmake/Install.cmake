# What `cmake --install` puts where: the libraries, the links that stand in for other runtimes, the tool, and the files by
# which CMake (find_package(hetmp)) and pkg-config (hetmp) find them; each belongs to a component, of which Package.cmake
# makes a package. Included last: it installs the targets that exist.
include(CMakePackageConfigHelpers)

set(hetmp_package ${CMAKE_INSTALL_LIBDIR}/cmake/hetmp)
set(hetmp_names libomp.so libomp.so.5 libiomp5.so libgomp.so libgomp.so.1)

# All that users run, in the places where it looks for its parts: what is installed, without tests and benchmarks.
add_custom_target(hetmp_complete)
foreach(target hetmp hetmp_dsm hetmp_papi hetmp_seal hetmp_topology hetmp_verbs hetmp_tool hetmp_calibration)
  if(TARGET ${target})
    add_dependencies(hetmp_complete ${target})
  endif()
endforeach()

foreach(pair hetmp:library hetmp_dsm:library hetmp_papi:papi hetmp_seal:sodium hetmp_topology:hwloc hetmp_verbs:verbs)
  string(REGEX MATCHALL "[^:]+" pair ${pair})
  list(GET pair 0 library)
  list(GET pair 1 component)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})
  endif()
endforeach()
if(TARGET hetmp_tool)
  install(TARGETS hetmp_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
  # The tool writes its own manual.
  set(manual ${CMAKE_BINARY_DIR}/manual)
  set(hetmp_pages hetmp hetmp-run hetmp-info hetmp-calibrate hetmp-report hetmp-knowledge)
  list(TRANSFORM hetmp_pages PREPEND ${manual}/)
  list(TRANSFORM hetmp_pages APPEND .1)
  add_custom_command(OUTPUT ${hetmp_pages} ${manual}/hetmp.7 ${manual}/hetmp.bash
    COMMAND ${CMAKE_COMMAND} -E make_directory ${manual}
    COMMAND hetmp_tool manual ${manual}
    DEPENDS hetmp_tool VERBATIM)
  add_custom_target(hetmp_manual ALL DEPENDS ${hetmp_pages})
  add_dependencies(hetmp_complete hetmp_manual)
  set(hetmp_variables_page ${manual}/hetmp.7)
  if(HETMP_BUILD_PACKAGES) # distributions want them small
    add_custom_command(TARGET hetmp_manual POST_BUILD COMMAND gzip -9nkf ${hetmp_pages} ${hetmp_variables_page} VERBATIM)
    list(TRANSFORM hetmp_pages APPEND .gz)
    set(hetmp_variables_page ${hetmp_variables_page}.gz)
  endif()
  install(FILES ${hetmp_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)
  install(FILES ${hetmp_variables_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 COMPONENT tool)
  install(FILES ${manual}/hetmp.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME hetmp COMPONENT tool)
endif()
if(TARGET hetmp_calibration)
  install(TARGETS hetmp_calibration RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/hetmp COMPONENT tool)
endif()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)

if(TARGET hetmp)
  # Relative links, as in the build folder: the installed tree may be moved.
  set(links ${CMAKE_BINARY_DIR}/install-links)
  file(MAKE_DIRECTORY ${links})
  foreach(name IN LISTS hetmp_names)
    file(CREATE_LINK ../libhetmp.so ${links}/${name} SYMBOLIC)
    install(FILES ${links}/${name} DESTINATION ${CMAKE_INSTALL_LIBDIR}/omp COMPONENT library)
  endforeach()

  install(FILES ${CMAKE_SOURCE_DIR}/runtime/abi/hetmp/hetmp.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)

  configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/hetmpConfig.cmake.in ${CMAKE_BINARY_DIR}/hetmpConfig.cmake
    INSTALL_DESTINATION ${hetmp_package} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/hetmpConfigVersion.cmake COMPATIBILITY SameMajorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/hetmpConfig.cmake ${CMAKE_BINARY_DIR}/hetmpConfigVersion.cmake
    DESTINATION ${hetmp_package} COMPONENT dev)

  # ${pcfiledir} keeps the file true wherever the tree is moved.
  file(RELATIVE_PATH hetmp_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/hetmp.pc.in ${CMAKE_BINARY_DIR}/hetmp.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/hetmp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endif()
