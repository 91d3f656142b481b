// Memory that each process has for itself and the program's own code reaches all the same: what the libraries of C++
// and Fortran keep, as the state of std::cout, whose members the compiler writes in place. While a node carries a
// guest, that memory is closed there: what touches it is an error, and the guest goes home with it (carriers.hpp),
// where the instruction happens again. Nothing of hetmp's uses those libraries.
#pragma once

#include "base/futex.hpp"
#include "dsm/objects/written_parts.hpp"

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace hetmp::dsm {

class ClosedMemory {
 public:
  /// Before there are guests.
  void consist_of(std::vector<WrittenPart> parts) { parts_ = std::move(parts); }

  bool contains(uintptr_t address) const { return contain(parts_, address); }

  /// A carrier, before its guest's context and after it.
  void guest_comes();
  void guest_has_gone();

  /// A thread of the program that is at work on this node itself has met it closed, and the guests have been called
  /// home: returns when they have gone. Also in a signal handler.
  void wait_until_open() const;

 private:
  void protect(int protection) const;

  std::vector<WrittenPart> parts_;
  std::mutex changing_;
  FutexWord guests_{0}; ///< written with `changing_` held. release, acquire: it is open when the last one has gone
};

} // namespace hetmp::dsm
