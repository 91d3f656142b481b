// What a program sets for its process by the C library: the locale, the environment, limits. Each node has a C library
// of its own, so what is set on the origin the other nodes are told, and they have it before the call returns. What
// cannot be told (what a C++ library keeps, or a locale that another machine lacks) keeps regions at home
// (RuntimeHooks::regions_stay). What a thread sets on another node holds for that node.
#pragma once

#include "dsm/process/changes.hpp"

#include <mutex>
#include <sys/resource.h>

namespace hetmp::dsm {

class NodeProcess;

/// The functions that would be called without this library. Found before there are threads: a search takes the dynamic
/// linker's lock.
struct StateFunctions {
  StateFunctions();
  char* (*setlocale)(int category, const char* name);
  int (*setenv)(const char* name, const char* value, int replace);
  int (*putenv)(char* entry);
  int (*unsetenv)(const char* name);
  int (*clearenv)();
  int (*setrlimit)(__rlimit_resource_t resource, const rlimit* limit);
  int (*prlimit)(pid_t process, __rlimit_resource resource, const rlimit* limit, rlimit* before);
};

/// Of the origin: sets for all nodes what the C library's functions of these names set for one. Any thread but the
/// service thread.
class ProcessState {
 public:
  explicit ProcessState(NodeProcess& process) : process_(process) {}

  char* setlocale(const StateFunctions& next, int category, const char* name);
  int setenv(const StateFunctions& next, const char* name, const char* value, int replace);
  int putenv(const StateFunctions& next, char* entry);
  int unsetenv(const StateFunctions& next, const char* name);
  int clearenv(const StateFunctions& next);
  int prlimit(const StateFunctions& next, int resource, const rlimit* limit, rlimit* before);

 private:
  void tell(const Change& change);
  void tell_with_text(Change change, const char* text);
  void tell_variable(const char* name, const char* before);
  void tell_time_zone(const char* name);
  bool has_shared_environment() const;

  NodeProcess& process_;
  /// The others hear of changes in the order in which they were made. They make them without it.
  std::mutex one_at_a_time_;
};

/// For the functions that have names of the C library's.
const StateFunctions& state_functions();

/// Whether the change is one that carry_out_state() makes, and names memory that nodes share where it has to.
bool is_of_state(Change::Kind kind);
bool can_be_read(const NodeProcess& process, const Change& change);
/// On another node, not on the service thread. Returns 0 or an errno value.
int carry_out_state(const Change& change);

} // namespace hetmp::dsm
