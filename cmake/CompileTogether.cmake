# Builds from nothing compile the files of a library sixteen at a time: headers take most of the time. The preset `debug` compiles file by
# file, so that a missing include shows; whoever changes the product wants -DHETMP_TOGETHER=OFF in `release`, too.

# Those that have a name in their unnamed namespace, or a macro, that another file of their library has as well. Whoever adds one sees a
# redefinition in the release: choose another name, or add it here. data_objects.cpp: that no other file refers to what it exports is read
# from its object file (scripts/checks/globals.py).
set(hetmp_compiled_alone
  dsm/interpose/interpose_allocation.cpp dsm/interpose/interpose_static_init.cpp dsm/migration/migration.cpp dsm/migration/past_gates.cpp
  dsm/objects/direct_binding.cpp dsm/observe/allocation_sites.cpp dsm/process/file_mapping.cpp dsm/process/forking.cpp
  dsm/process/node_process.cpp dsm/protocol/moves.cpp perf/papi/kernel_event.cpp
  runtime/abi/data_objects.cpp runtime/abi/kmpc/kmpc_parallel.cpp runtime/launch/agent_process.cpp runtime/launch/launcher.cpp runtime/launch/pmix.cpp
  runtime/launch/rank.cpp runtime/nodes/node_setup.cpp runtime/process/ending_signals.cpp runtime/regions/fork.cpp
  runtime/regions/league.cpp runtime/regions/travelling.cpp runtime/start/library.cpp runtime/tasking/away_tasks.cpp
  runtime/team/allocators.cpp runtime/team/thread.cpp runtime/tool/break_even.cpp runtime/tool/report.cpp
  schedulers/learning/loop_phase.cpp schedulers/policies/hetprobe.cpp schedulers/policies/hierarchical_dynamic.cpp
  schedulers/policies/policy_table.cpp) # a test stands in for the last
list(TRANSFORM hetmp_compiled_alone PREPEND ${CMAKE_SOURCE_DIR}/)

# Every library made in this folder and in those below it, but for one.
function(hetmp_compile_together folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    # Files of perf/ have small functions of one name for different types: together, another than the file's own might be called.
    if(type MATCHES "_LIBRARY$" AND NOT type STREQUAL "INTERFACE_LIBRARY" AND NOT target STREQUAL "hetmp_perf")
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    endif()
  endforeach()
  set_source_files_properties(${hetmp_compiled_alone} DIRECTORY ${folder} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(each IN LISTS below)
    hetmp_compile_together(${each})
  endforeach()
endfunction()
