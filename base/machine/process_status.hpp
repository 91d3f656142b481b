// What the kernel says of processes in /proc. Read by system calls: a stream's buffer would be allocated, perhaps where
// the program's memory is, and a stream may be locked by somebody else.
#pragma once

#include <string>
#include <sys/types.h>

namespace hetmp {

/// The beginning of a file of /proc, or of any that is small; empty if it cannot be read.
std::string text_of_file(const char* path, size_t most_bytes = 4096);

/// Whether a signal or a debugger has stopped it. Where /proc does not tell, nobody is.
bool is_stopped(pid_t process);

/// Whether a debugger traces this process.
bool is_traced();

/// What is_stopped() and is_traced() take from the texts of /proc/PID/stat and /proc/PID/status.
bool stat_says_stopped(const std::string& stat);
bool status_says_traced(const std::string& status);

} // namespace hetmp
