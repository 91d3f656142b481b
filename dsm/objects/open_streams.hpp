// The C library's list of open streams: while the process is copied by a system call of its own instead of fork(), and
// where another node closes one.
#pragma once

#include "dsm/space/address_plan.hpp"

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

  /// In the copy, before its memory is divided: the process keeps no list of open streams that lie in memory of other
  /// nodes. Those are the origin's, which flushes them, and to which any node may write; but once it closes one, what
  /// is at its place is no stream any more, and this process would flush that too.
  void leave_to_origin(const AddressPlan& plan);

 private:
  struct Standard {
    FILE* stream;
    bool locked = false;
  };
  Standard streams_[3] = {{stdout}, {stderr}, {stdin}};
};

/// This process's C library is to keep the stream in its list of open ones no longer, if it does: another node is about
/// to close it. Waits for the stream's lock, and for its page.
void forget_stream(FILE* stream);

} // namespace hetmp::dsm
