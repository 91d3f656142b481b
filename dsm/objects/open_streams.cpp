#include "dsm/objects/open_streams.hpp"

#include <ctime>

// Of the C library: the list of open streams, its lock, which its owner may take again and which fork() takes in the
// same way, and what fclose() does to the list.
extern "C" {
extern FILE* _IO_list_all;
void _IO_list_lock();
void _IO_list_unlock();
void _IO_un_link(FILE* stream);
}

namespace hetmp::dsm {
namespace {

/// The C library's _IO_lock_t. In a child of fork() it sets them anew in the same way.
struct StreamLock {
  int word;
  int count;
  void* owner;
};

} // namespace

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

void QuietStreams::leave_to_origin(const AddressPlan& plan) {
  for (FILE *stream = _IO_list_all, *next; stream; stream = next) {
    next = stream->_chain;
    if (!plan.is_shared(reinterpret_cast<uintptr_t>(stream)))
      continue;
    // What is written here is seen by this process alone, and not for long.
    if (stream->_lock)
      *static_cast<StreamLock*>(stream->_lock) = {}; // a thread that is not in the copy may hold it
    _IO_un_link(stream);
  }
}

void forget_stream(FILE* stream) { _IO_un_link(stream); }

} // namespace hetmp::dsm
