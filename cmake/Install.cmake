# What `cmake --install` puts where: the libraries, the links that stand in for other runtimes, the tool, and the files by
# which CMake (find_package(hetmp)) and pkg-config (hetmp) find them. Included last: it installs the targets that exist.
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

foreach(library hetmp hetmp_dsm hetmp_papi hetmp_seal hetmp_topology hetmp_verbs)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
if(TARGET hetmp_tool)
  install(TARGETS hetmp_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET hetmp_calibration)
  install(TARGETS hetmp_calibration RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/hetmp)
endif()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET hetmp)
  # Relative links, as in the build folder: the installed tree may be moved.
  set(links ${CMAKE_BINARY_DIR}/install-links)
  file(MAKE_DIRECTORY ${links})
  foreach(name IN LISTS hetmp_names)
    file(CREATE_LINK ../libhetmp.so ${links}/${name} SYMBOLIC)
    install(FILES ${links}/${name} DESTINATION ${CMAKE_INSTALL_LIBDIR}/omp)
  endforeach()

  configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/hetmpConfig.cmake.in ${CMAKE_BINARY_DIR}/hetmpConfig.cmake
    INSTALL_DESTINATION ${hetmp_package} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/hetmpConfigVersion.cmake COMPATIBILITY SameMajorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/hetmpConfig.cmake ${CMAKE_BINARY_DIR}/hetmpConfigVersion.cmake
    DESTINATION ${hetmp_package})

  # ${pcfiledir} keeps the file true wherever the tree is moved.
  file(RELATIVE_PATH hetmp_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/hetmp.pc.in ${CMAKE_BINARY_DIR}/hetmp.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/hetmp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
