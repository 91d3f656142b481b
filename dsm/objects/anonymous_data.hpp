// Data of objects as anonymous memory: userfaultfd serves only such memory here, and the dynamic linker maps files.
//
// What a mapping becomes while threads use it is a copy of it, taken a moment before: what they write in that moment is
// lost. So it is done before any code of the object can run: for the objects that a program starts with, by the first
// constructor of all (this library's, `-z initfirst`); for those that a thread loads later, by the allocations that the
// dynamic linker makes between mapping them and relocating them (the list of what it is to initialise is one).
#pragma once

#include "dsm/space/address_plan.hpp"

#include <mutex>
#include <vector>

namespace hetmp::dsm {

/// Of a node process: mappings of files that are the program's data.
class FileData {
 public:
  /// Replaces them by anonymous memory with the same content, each once. To be called where the objects that are new
  /// since the last call have no threads yet.
  void make_anonymous();

 private:
  std::mutex lock_;           ///< constructors may load from several threads; never taken by the service thread
  std::vector<Segment> done_; ///< guarded by the lock
};

/// Replaces one mapping in one step: others see the old content or the new one.
void make_anonymous(Segment range, int protection);

/// While it exists, `adopt` is called by this thread's first allocation after each object that the dynamic linker adds.
class LoadingWatch {
 public:
  explicit LoadingWatch(void (*adopt)());
  ~LoadingWatch();
  LoadingWatch(const LoadingWatch&) = delete;
  LoadingWatch& operator=(const LoadingWatch&) = delete;

  void look();

 private:
  void (*adopt_)();
  LoadingWatch* outer_;
  unsigned long long objects_; ///< ever loaded, at the last look
};

/// Of the calling thread, null for none.
extern constinit thread_local LoadingWatch* loading_watch;

} // namespace hetmp::dsm
