// The C library's streams, while the process is copied by a system call of its own instead of fork().
#pragma once

#include <cstdio>

namespace hetmp::dsm {

/// While it exists no other thread is inside the C library's streams, as far as others let go of them: a thread may be
/// waiting for input and hold the lock of its stream. The calling thread may use them.
class QuietStreams {
 public:
  QuietStreams();
  ~QuietStreams();
  QuietStreams(const QuietStreams&) = delete;
  QuietStreams& operator=(const QuietStreams&) = delete;

 private:
  struct Standard {
    FILE* stream;
    bool locked = false;
  };
  Standard streams_[3] = {{stdout}, {stderr}, {stdin}};
};

} // namespace hetmp::dsm
