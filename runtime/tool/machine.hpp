// What this machine lets a program do: probes for `hetmp info` and for the checks of `hetmp run`. Nothing
// stays open.
#pragma once

#include <string>

namespace hetmp::tool {

/// How page faults of this process can be had as messages (userfaultfd).
struct FaultAccess {
  enum class Source { Device, SystemCall, UserModeOnly, Refused } source = Source::Refused;
  bool kernel_faults = false; ///< faults of system calls on shared memory, too; without, those fail with EFAULT
  bool write_protect = false; ///< faults on write-protected anonymous pages: the DSM needs them
  int error = 0;              ///< errno of the last attempt when refused
  bool usable() const { return source != Source::Refused && write_protect; }
};
FaultAccess probe_fault_access();

/// One phrase naming what would give the DSM all it wants.
extern const char* const fault_access_remedy;

/// An empty reason means that it works.
struct Permission {
  std::string reason;
  bool granted() const { return reason.empty(); }
};

/// Whether a thread may have real-time priority.
Permission probe_realtime_priority();

std::string kernel_release();
long page_bytes();

} // namespace hetmp::tool
