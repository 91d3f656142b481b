// HETMP_TRACE=FILE: what all nodes do, as a timeline that ui.perfetto.dev opens.
#pragma once

#include <cstddef>

namespace hetmp::runtime::timeline {

/// Whether HETMP_TRACE names a file.
bool is_wanted();

/// Before there are threads or further processes, with the fabric joined if nodes are processes. Reads HETMP_TRACE;
/// does nothing unless it names a file.
void start();

/// This process's events, as the number of those that did not fit, then perf::TraceEvents; for RuntimeHooks.
size_t read_events(void* to, size_t most_bytes);

/// On the origin at the program's end, or when a signal ends it: writes the file, or says in one line why not.
void write();

} // namespace hetmp::runtime::timeline
