// Objects that the program loads while it runs on several nodes (dlopen).
//
// Only the origin's dynamic linker loads them: constructors run once. It puts them into a window that all nodes keep
// free (late_window.hpp), and then their pages, code included, are shared memory like any other: another node gets a
// page of the object when it first runs or reads it. For that to be enough, nothing may be left that a node would have
// to look up by itself: symbols are bound at once (RTLD_NOW), the object stays (RTLD_NODELETE), the other nodes'
// unwinders are told of its tables. Handles are addresses in shared memory, so dlsym works with them everywhere.
//
// Thread-local variables and the C and C++ libraries' own data are what cannot be shared like that. An object that has
// or brings such is said, in one line, to be the origin's alone; the other nodes' access to it ends the program.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace hetmp::dsm {

/// Of the origin: what it has loaded for all nodes.
class LateObjects {
 public:
  /// As dlopen of a file that has been found.
  void* load(const char* file, int flags);

 private:
  std::recursive_mutex loading_;      ///< constructors may load more; never taken by the service thread
  std::vector<uintptr_t> dealt_with_; ///< where objects begin with which nested loads have dealt; guarded by the lock
};

/// As dlopen. `caller`: an address in the object that calls, whose search path counts. On any node.
void* load_late(const char* file, int flags, const void* caller);

/// The same while constructors run that come before main, in a process that will be a node: an object like those that
/// the program starts with.
void* load_early(const char* file, int flags, const void* caller);

/// Service thread of the origin: another node asks for it; the answer goes to it when it is done.
struct Change;
void load_for(unsigned node, const Change& change);

} // namespace hetmp::dsm
