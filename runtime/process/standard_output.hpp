// What this node's threads have written to standard output, and is still here: each node process keeps its own until
// its buffer is full, or a line is complete.
#pragma once

#include "base/stream_buffering.hpp"
#include "runtime/process/nodes.hpp"

#include <cstdio>
#include <stdio_ext.h>

/// What `stdout` points to unless the program has changed it. That variable lies among the program's data, which may be
/// elsewhere.
extern "C" FILE _IO_2_1_stdout_;

namespace hetmp::runtime {

/// Of a line that is not complete: it has to go out before threads of another node may go on with it: where regions
/// end, nodes meet, an ordered chunk or a lock passes on.
inline void write_partial_line() {
  if (several_processes() && __fpending(&_IO_2_1_stdout_) != 0) [[unlikely]]
    fflush(&_IO_2_1_stdout_);
}

/// While one exists, threads of other nodes may write lines, so those of this node go out one by one, and those before
/// have. Node 0 keeps them until its buffer is full otherwise, as a program without nodes does, unless standard output
/// is a terminal or the program wants it so.
class LinesGoOut {
 public:
  LinesGoOut() : kept_(is_fully_buffered(&_IO_2_1_stdout_)) {
    if (kept_)
      setvbuf(&_IO_2_1_stdout_, nullptr, _IOLBF, 0);
    if (__fpending(&_IO_2_1_stdout_) != 0)
      fflush(&_IO_2_1_stdout_);
  }
  ~LinesGoOut() {
    if (kept_)
      setvbuf(&_IO_2_1_stdout_, nullptr, _IOFBF, 0);
  }
  LinesGoOut(const LinesGoOut&) = delete;
  LinesGoOut& operator=(const LinesGoOut&) = delete;

 private:
  const bool kept_;
};

} // namespace hetmp::runtime
