// Thread-local variables that constructors have set. They run on the process's first thread, main on another one, which
// is to find what they have left, as if it were that thread.
//
// Of each of the program's objects the whole of the first thread's variables is copied to main's thread, and what
// points from there to there points to the copies. Not of an object that has registered a destructor for one of them:
// such variables may be known to others by their addresses. Those main's thread makes anew when it uses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hetmp::dsm {

class FirstVariables {
 public:
  /// By the first thread, before take(): for a variable of the object that `address` lies in there is a destructor.
  void note_destructor(const void* address);
  /// By the first thread, when the constructors have run.
  void take();
  /// To the calling thread, once; the first one has to wait meanwhile.
  void give() const;

 private:
  struct Block {
    size_t module; ///< as the dynamic linker counts them
    uintptr_t begin;
    size_t bytes;
  };
  static constexpr size_t most_destructors = 64;

  std::vector<Block> blocks_;
  uintptr_t with_destructors_[most_destructors] = {}; ///< addresses in such objects
  size_t destructors_ = 0;                            ///< more than there is room for: no object is copied
};

} // namespace hetmp::dsm
