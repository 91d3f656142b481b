// What a node's threads have written to standard output of a line that is not complete. Each node process keeps its own
// until the line is, so it has to go out before threads of another node may go on with the line: where regions spread
// and end, nodes meet, an ordered chunk or a lock passes on.
#pragma once

#include "runtime/process/nodes.hpp"

#include <cstdio>
#include <stdio_ext.h>

/// What `stdout` points to unless the program has changed it. That variable lies among the program's data, which may be
/// elsewhere.
extern "C" FILE _IO_2_1_stdout_;

namespace hetmp::runtime {

inline void write_partial_line() {
  if (several_processes() && __fpending(&_IO_2_1_stdout_) != 0) [[unlikely]]
    fflush(&_IO_2_1_stdout_);
}

} // namespace hetmp::runtime
