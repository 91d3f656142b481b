// Access to what the dynamic linker has made read-only.
#pragma once

#include "base/exit_codes.hpp"
#include "base/loaded_object.hpp"
#include "base/message.hpp"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {

/// The pages that the dynamic linker has made read-only, writable as long as this exists.
class OpenRelro {
 public:
  explicit OpenRelro(const LoadedObject& object) : begin_(object.relro_begin()), end_(object.relro_end()) {
    protect(PROT_READ | PROT_WRITE);
  }
  ~OpenRelro() { protect(PROT_READ); }
  OpenRelro(const OpenRelro&) = delete;
  OpenRelro& operator=(const OpenRelro&) = delete;

 private:
  void protect(int protection) {
    if (begin_ < end_ && syscall(SYS_mprotect, begin_, end_ - begin_, protection) != 0)
      die(exit_code::software, "cannot write to what a library is bound to: %s", strerrordesc_np(errno));
  }

  uintptr_t begin_, end_;
};

} // namespace hetmp::dsm
