// mprotect on memory that nodes share: what one thread sets holds for all nodes; reserving and committing, guards,
// madvise, mremap. Accesses that must fail are made by a handler's way out.
#include "stress.hpp"

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <initializer_list>
#include <omp.h>
#include <sys/mman.h>

namespace {

constexpr int team = 6;
constexpr size_t page = 4096;

thread_local sigjmp_buf way_out;

void on_fault(int) { siglongjmp(way_out, 1); }

bool can_read(const volatile uint8_t* address) {
  if (sigsetjmp(way_out, 1))
    return false;
  (void)*address;
  return true;
}

bool can_write(volatile uint8_t* address) {
  if (sigsetjmp(way_out, 1))
    return false;
  *address = *address;
  return true;
}

uint8_t* map(size_t bytes, int protection) {
  void* memory = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  return static_cast<uint8_t*>(memory);
}

/// Protected by a thread of one node and given back by one of another, before anything else here protects memory:
/// whoever gets it next may use it.
void given_back_by_another() {
  constexpr size_t bytes = 8 * page;
  uint8_t* memory = map(bytes, PROT_READ | PROT_WRITE);
#pragma omp parallel num_threads(team)
  {
    if (omp_get_thread_num() == 0)
      CHECK_EQUAL(mprotect(memory, bytes, PROT_NONE), 0);
#pragma omp barrier
    if (omp_get_thread_num() == team - 1)
      CHECK_EQUAL(munmap(memory, bytes), 0);
  }
  for (int block = 0; block < 16; ++block) {
    uint8_t* next = map(bytes, PROT_READ | PROT_WRITE);
    for (size_t at = 0; at < bytes; at += page)
      CHECK(can_write(next + at));
  }
}

/// One thread after the other sets the protection; all of them feel it.
void felt_by_all() {
  constexpr size_t pages = 5;
  uint8_t* memory = map(pages * page, PROT_READ | PROT_WRITE);
  memset(memory, 9, pages * page);
#pragma omp parallel num_threads(team)
  for (int round = 0; round < 3 * team; ++round) {
    const int me = omp_get_thread_num();
    static const int protections[] = {PROT_READ, PROT_NONE, PROT_READ | PROT_WRITE};
    const int protection = protections[round % 3];
    if (me == round % team)
      CHECK_EQUAL(mprotect(memory + page, 2 * page, protection), 0);
#pragma omp barrier
    for (size_t at : {page, 2 * page + 17, 3 * page - 1}) {
      CHECK_EQUAL(can_read(memory + at), protection != PROT_NONE);
      CHECK_EQUAL(can_write(memory + at), (protection & PROT_WRITE) != 0);
    }
    CHECK(can_write(memory + page - 1) && can_write(memory + 3 * page)); // its neighbours
#pragma omp barrier
  }
  for (size_t i = 0; i < pages * page; ++i)
    CHECK_EQUAL(memory[i], 9);
  CHECK_EQUAL(munmap(memory, pages * page), 0);
}

/// A large reservation of which threads of all nodes commit a part each, by mprotect or by mapping over it.
void reserve_and_commit() {
  constexpr size_t part = 16 * page, reserved = size_t(64) << 30;
  uint8_t* memory = map(reserved, PROT_NONE);
#pragma omp parallel num_threads(team)
  {
    const size_t me = size_t(omp_get_thread_num());
    uint8_t* own = memory + me * (reserved / team / page * page);
    CHECK(!can_read(own));
#pragma omp barrier
    if (me % 2) {
      CHECK_EQUAL(mprotect(own, part, PROT_READ | PROT_WRITE), 0);
    } else {
      const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
      CHECK(mmap(own, part, PROT_READ | PROT_WRITE, flags, -1, 0) == own);
    }
    for (size_t i = 0; i < part; i += 100) {
      CHECK_EQUAL(own[i], 0);
      own[i] = uint8_t(me + i);
    }
    CHECK(!can_write(own + part));
#pragma omp barrier
    const size_t theirs = (me + 1) % team;
    const uint8_t* other = memory + theirs * (reserved / team / page * page);
    for (size_t i = 0; i < part; i += 100)
      CHECK_EQUAL(other[i], uint8_t(theirs + i));
#pragma omp barrier
    // Decommitted: what comes back later is zeros.
    CHECK(mmap(own, part, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == own);
#pragma omp barrier
    CHECK(!can_read(other));
#pragma omp barrier
    CHECK_EQUAL(mprotect(own, part, PROT_READ | PROT_WRITE), 0);
#pragma omp barrier
    for (size_t i = 0; i < part; i += 100)
      CHECK_EQUAL(other[i], 0);
  }
  CHECK_EQUAL(munmap(memory, reserved), 0);
}

/// After madvise(MADV_DONTNEED) every node reads zeros, whoever wrote last and whoever asked.
void given_back() {
  constexpr size_t pages = 8;
  uint8_t* memory = map(pages * page, PROT_READ | PROT_WRITE);
#pragma omp parallel num_threads(team)
  for (int round = 0; round < 2 * team; ++round) {
    const int me = omp_get_thread_num();
    if (me == (round + 1) % team)
      memset(memory, 3, pages * page);
#pragma omp barrier
    CHECK_EQUAL(memory[size_t(me) * page], 3);
#pragma omp barrier
    if (me == round % team)
      CHECK_EQUAL(madvise(memory + page, (pages - 2) * page, MADV_DONTNEED), 0);
#pragma omp barrier
    for (size_t i = 0; i < pages * page; i += 50)
      CHECK_EQUAL(memory[i], i < page || i >= (pages - 1) * page ? 3 : 0);
#pragma omp barrier
  }
  CHECK_EQUAL(munmap(memory, pages * page), 0);
}

/// Grown and shrunk in turn, by threads of any node.
void resized() {
  static uint8_t* memory;
  size_t bytes = 4 * page;
  memory = map(bytes, PROT_READ | PROT_WRITE);
  for (size_t i = 0; i < bytes; ++i)
    memory[i] = uint8_t(i % 251);
  static const size_t sizes[] = {40, 3, 17, 2, 90, 4};
#pragma omp parallel num_threads(team) firstprivate(bytes)
  for (size_t turn = 0; turn < sizeof sizes / sizeof *sizes; ++turn) {
    const size_t wanted = sizes[turn] * page;
#pragma omp barrier
    if (omp_get_thread_num() == int(turn) % team) {
      void* moved = mremap(memory, bytes, wanted, MREMAP_MAYMOVE);
      CHECK(moved != MAP_FAILED);
      memory = static_cast<uint8_t*>(moved);
    }
#pragma omp barrier
    for (size_t i = 0; i < 2 * page; i += 11)
      CHECK_EQUAL(memory[i], i % 251);
    if (wanted > bytes)
      CHECK_EQUAL(memory[wanted - 1], 0);
    bytes = wanted;
  }
}

} // namespace

int main() {
#pragma omp parallel num_threads(team)
  signal(SIGSEGV, on_fault); // holds for the node where it is called
  given_back_by_another();
  felt_by_all();
  reserve_and_commit();
  given_back();
  resized();
}
