// What the kernel says of processes in /proc. Read by system calls: a stream's buffer would be allocated, perhaps where
// the program's memory is, and a stream may be locked by somebody else.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace hetmp {

/// The beginning of a file of /proc, or of any that is small; empty if it cannot be read.
std::string text_of_file(const char* path, size_t most_bytes = 4096);

/// Whether a signal or a debugger has stopped it. Where /proc does not tell, nobody is.
bool is_stopped(pid_t process);

/// Whether a debugger traces this process.
bool is_traced();

/// How many threads this process has. Where /proc does not tell, 0.
uint32_t threads_of_process();

/// How much memory this process has in use. Where /proc does not tell, 0.
uint64_t resident_bytes();

/// What these take from the texts of /proc/PID/stat, /proc/PID/status and /proc/PID/statm.
bool stat_says_stopped(const std::string& stat);
uint32_t stat_says_threads(const std::string& stat);
bool status_says_traced(const std::string& status);
uint64_t statm_says_resident_pages(const std::string& statm);

} // namespace hetmp
