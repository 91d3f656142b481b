#include "dsm/space/core_dump.hpp"

#include <atomic>
#include <cstdint>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

constexpr size_t step = size_t(32) << 20;
constexpr size_t word_bits = 64;

/// A bit for each step of all slices: it is included. Private memory that costs nothing until it is used.
std::atomic<uint64_t> included[most_nodes * slice_bytes / step / word_bits];

size_t step_of(uintptr_t address) { return (address - slices_begin) / step; }

/// The system call itself: this library interposes the name.
void advise(uintptr_t begin, uintptr_t end, int advice) { syscall(SYS_madvise, begin, end - begin, advice); }

} // namespace

void leave_out_of_dumps(Segment range) {
  advise(range.begin, range.end, MADV_DONTDUMP);
  if (range.begin < slices_begin || range.begin >= slices_begin + most_nodes * slice_bytes)
    return;
  for (size_t word = step_of(range.begin) / word_bits; word < step_of(range.end) / word_bits; ++word)
    // relaxed: of a new mapping, which nobody uses yet. Not written where it is zero: that would take memory.
    if (included[word].load(std::memory_order_relaxed) != 0)
      included[word].store(0, std::memory_order_relaxed);
}

void include_in_dumps(Segment range) {
  bool fresh = false;
  for (size_t at = step_of(range.begin); at <= step_of(range.end - 1); ++at) {
    const uint64_t bit = uint64_t(1) << (at % word_bits);
    std::atomic<uint64_t>& word = included[at / word_bits];
    // relaxed: a hint to the kernel; whoever comes second may be early, and the dump of that moment lacks a step
    if (!(word.load(std::memory_order_relaxed) & bit))
      fresh |= !(word.fetch_or(bit, std::memory_order_relaxed) & bit);
  }
  if (fresh)
    advise(range.begin & ~(step - 1), ((range.end - 1) | (step - 1)) + 1, MADV_DODUMP);
}

} // namespace hetmp::dsm
