#include "dsm/objects/quiet_streams.hpp"

#include <ctime>

// Of the C library, which fork() uses in the same way: the lock of the list of open streams, which its owner may take
// again.
extern "C" {
void _IO_list_lock();
void _IO_list_unlock();
}

namespace hetmp::dsm {

QuietStreams::QuietStreams() {
  constexpr int tries = 100;
  constexpr timespec moment{0, 100'000};
  _IO_list_lock();
  for (Standard& standard : streams_)
    for (int i = 0; i < tries && !standard.locked; ++i) {
      standard.locked = ftrylockfile(standard.stream) == 0;
      if (!standard.locked)
        nanosleep(&moment, nullptr);
    }
}

QuietStreams::~QuietStreams() {
  for (Standard& standard : streams_)
    if (standard.locked)
      funlockfile(standard.stream);
  _IO_list_unlock();
}

} // namespace hetmp::dsm
