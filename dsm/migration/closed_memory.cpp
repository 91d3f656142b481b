#include "dsm/migration/closed_memory.hpp"

#include "base/check.hpp"
#include "dsm/migration/contexts/raw_calls.hpp"

#include <climits>
#include <sys/mman.h>

namespace hetmp::dsm {

void ClosedMemory::guest_comes() {
  const std::lock_guard guard(changing_);
  // relaxed: written with the lock held
  if (guests_.load(std::memory_order_relaxed) == 0)
    protect(PROT_NONE);
  guests_.fetch_add(1, std::memory_order_relaxed);
}

void ClosedMemory::guest_has_gone() {
  const std::lock_guard guard(changing_);
  const uint32_t before = guests_.load(std::memory_order_relaxed); // written with the lock held
  HETMP_CHECK(before != 0);
  if (before == 1)
    protect(PROT_READ | PROT_WRITE);
  guests_.store(before - 1, std::memory_order_release); // pairs with wait_until_open()
  if (before == 1)
    futex_wake(guests_, INT_MAX);
}

void ClosedMemory::wait_until_open() const {
  // acquire: pairs with guest_has_gone()
  while (const uint32_t guests = guests_.load(std::memory_order_acquire))
    futex_wait(guests_, guests);
}

void ClosedMemory::protect(int protection) const {
  for (const WrittenPart& part : parts_)
    raw::call(SYS_mprotect, long(part.begin), long(part.end - part.begin), protection);
}

} // namespace hetmp::dsm
