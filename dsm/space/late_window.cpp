#include "dsm/space/late_window.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "dsm/space/memory_map.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace hetmp::dsm {
namespace {

constexpr size_t window_bytes = size_t(4) << 30;
constexpr uintptr_t nowhere = ~uintptr_t(0);

/// Address space without memory. At `where`, unless something is there; anywhere if that is null.
uintptr_t reserve_pages(uintptr_t where, size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (where ? MAP_FIXED_NOREPLACE : 0);
  const long place = syscall(SYS_mmap, where, bytes, PROT_NONE, flags, -1, 0);
  return place == -1 ? nowhere : uintptr_t(place);
}

/// So that nothing lands above `limit` any more.
void fill_gaps_above(uintptr_t limit) {
  for (size_t bytes = window_bytes; bytes >= page_bytes; bytes /= 2)
    while (true) {
      const uintptr_t place = reserve_pages(0, bytes);
      if (place == nowhere)
        break;
      if (place < limit) {
        syscall(SYS_munmap, place, bytes);
        break;
      }
    }
}

} // namespace

LateWindow& LateWindow::instance() {
  static LateWindow window;
  return window;
}

void LateWindow::reserve() {
  // A round address: small differences between hosts, in what is mapped by now, must not matter.
  const uintptr_t place = reserve_pages(0, 2 * window_bytes);
  if (place == nowhere)
    die(exit_code::software, "no address space for objects that are loaded later: %s", strerrordesc_np(errno));
  range_.begin = (place + window_bytes - 1) / window_bytes * window_bytes;
  range_.end = range_.begin + window_bytes;
  HETMP_CHECK(range_.end <= place + 2 * window_bytes);
  syscall(SYS_munmap, place, range_.begin - place);
  unsettled_end_ = range_.end;
  free_end_.store(range_.end, std::memory_order_relaxed);
  fill_gaps_above(range_.begin);
}

void LateWindow::open() {
  close(); // a constructor of an object that is being loaded loads another: what has come so far stays
  const uintptr_t free_end = used_from();
  HETMP_CHECK(range_.begin <= free_end && free_end <= range_.end);
  // All of it is mapped. Without /proc nobody could say afterwards what has come.
  open_ = !mappings_within({range_.begin, range_.begin + 1}).empty();
  if (open_ && free_end > range_.begin)
    syscall(SYS_munmap, range_.begin, free_end - range_.begin);
}

void LateWindow::close() {
  if (!std::exchange(open_, false))
    return;
  const uintptr_t end = used_from(); // what lies behind stays as it is
  uintptr_t free_end = end;
  for (bool missed = true; missed;) { // another thread may map something there while this one looks
    missed = false;
    uintptr_t at = range_.begin;
    free_end = end;
    for (const Mapping& mapping : mappings_within({range_.begin, end})) {
      const bool ours = at == range_.begin && mapping.protection == PROT_NONE && !mapping.file; // from the last look
      if (!ours)
        free_end = std::min(free_end, mapping.range.begin);
      if (mapping.range.begin > at && reserve_pages(at, mapping.range.begin - at) == nowhere)
        missed = true;
      at = mapping.range.end;
    }
    if (at < end && reserve_pages(at, end - at) == nowhere)
      missed = true;
  }
  // Pages are made known to userfaultfd in pieces, as they are mapped then: nothing new may come into one.
  free_end = std::max(free_end & ~(publish_bytes - 1), range_.begin);
  HETMP_CHECK(free_end <= range_.end);
  free_end_.store(free_end, std::memory_order_relaxed);
}

} // namespace hetmp::dsm
