// The real side of random programs (random_model.hpp): what they work on, and how each operation is carried
// out.
#pragma once

#include "random_model.hpp"

#include <cstring>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

namespace {

using namespace stress;

struct Slot {
  uint8_t* memory = nullptr;
  Kept kept;
};

uint64_t fixed_cells[most_cells];
uint64_t* cells[areas] = {fixed_cells, nullptr}; ///< the second array is on the heap and changes its size
uint64_t length[areas] = {most_cells, least_cells};
Counters counted;
uint64_t tickets, ticket_sum;
alignas(4096) uint64_t deposits[accounts];
alignas(4096) volatile uint64_t balance[accounts]; ///< on another page than what must fit to it
alignas(4096) volatile uint64_t holder[accounts];
Slot kept[slots];
std::vector<uint64_t> pushed;
std::string letters;
Model model; ///< changed by one thread at a time while nobody reads it

void count(uint64_t place, uint64_t value) {
  const uint64_t quarter = place / 4;
  if (place % 4 == 0) {
#pragma omp atomic
    counted.small[quarter] += uint32_t(value);
  } else if (place % 4 == 1) {
    __atomic_fetch_add(&counted.large[quarter], value, __ATOMIC_ACQ_REL);
  } else if (place % 4 == 2) {
    uint64_t seen = __atomic_load_n(&counted.most[quarter], __ATOMIC_ACQUIRE);
    while (seen < value &&
           !__atomic_compare_exchange_n(&counted.most[quarter], &seen, value, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      ;
  } else {
#pragma omp atomic
    counted.real[quarter] += double(value % 1000); // whole numbers: exact in any order
  }
}

void draw_ticket() {
  uint64_t ticket;
#pragma omp atomic capture
  ticket = ++tickets;
  const uint64_t part = mix(ticket);
#pragma omp atomic
  ticket_sum += part;
}

void add_to_account(uint64_t place, uint64_t value) {
  CHECK_EQUAL(holder[place], 0);
  holder[place] = value | 1;
  ++deposits[place];
  balance[place] = balance[place] + value;
  CHECK_EQUAL(holder[place], value | 1);
  holder[place] = 0;
}

omp_lock_t lock;
omp_nest_lock_t nest_lock;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
std::atomic<uint32_t> flag{0};

/// Each account has another kind of lock.
void deposit(uint64_t place, uint64_t value) {
  switch (place) {
  case 0:
    omp_set_lock(&lock);
    add_to_account(place, value);
    omp_unset_lock(&lock);
    break;
  case 1:
    omp_set_nest_lock(&nest_lock);
    CHECK_EQUAL(omp_test_nest_lock(&nest_lock), 2);
    add_to_account(place, value);
    omp_unset_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
    break;
  case 2:
    pthread_mutex_lock(&mutex);
    add_to_account(place, value);
    pthread_mutex_unlock(&mutex);
    break;
  case 3:
    while (flag.exchange(1, std::memory_order_acquire))
      sched_yield(); // there are more threads than processors
    add_to_account(place, value);
    flag.store(0, std::memory_order_release);
    break;
  case 4:
#pragma omp critical(fourth)
    add_to_account(place, value);
    break;
  default:
#pragma omp critical
    add_to_account(place, value);
  }
}

void check_content(const Slot& slot, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i)
    CHECK_EQUAL(slot.memory[i], slot.kept.content(i));
}

void* obtain(const Kept& what) {
  switch (what.way) {
  case Kept::Malloc:
    return malloc(what.bytes);
  case Kept::Calloc:
    return calloc(what.bytes, 1);
  case Kept::New:
    return operator new(what.bytes);
  case Kept::Aligned:
    return aligned_alloc(64, (what.bytes + 63) / 64 * 64);
  default: {
    void* memory = mmap(nullptr, what.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
  }
  }
}

void release(const Slot& slot) {
  if (slot.kept.way == Kept::New)
    operator delete(slot.memory);
  else if (slot.kept.way == Kept::Mapped)
    CHECK_EQUAL(munmap(slot.memory, slot.kept.bytes), 0);
  else
    free(slot.memory);
}

/// The memory of the block in another size, with what was in it as far as that fits.
void* in_size(const Slot& slot, const Kept& wanted) {
  if (wanted.way != Kept::New && wanted.way != Kept::Mapped)
    return realloc(slot.memory, wanted.bytes);
  void* memory = obtain(wanted);
  CHECK(memory != nullptr);
  memcpy(memory, slot.memory, std::min(wanted.bytes, slot.kept.bytes));
  release(slot);
  return memory;
}

/// The slot is this worker's alone in this region; others have filled it before.
void keep(Slot& slot, uint64_t value) {
  const Kept wanted = next(slot.kept, value);
  check_content(slot, slot.kept.bytes);
  if (!wanted.bytes) {
    release(slot);
    slot = {};
    return;
  }
  if (!slot.memory)
    slot.memory = static_cast<uint8_t*>(obtain(wanted));
  else if (wanted.bytes != slot.kept.bytes)
    slot.memory = static_cast<uint8_t*>(in_size(slot, wanted));
  CHECK(slot.memory != nullptr);
  check_content(slot, std::min(wanted.bytes, slot.kept.bytes));
  slot.kept = wanted;
  for (uint64_t i = 0; i < wanted.bytes; ++i)
    slot.memory[i] = wanted.content(i);
}

void push(uint64_t value) {
#pragma omp critical(pushed)
  {
    pushed.push_back(value);
    letters += letter(value);
  }
}

void perform(const Region& region, const Operation& what) {
  switch (what.kind) {
  case Operation::Write:
    cells[region.area][what.place] = what.value;
    return;
  case Operation::Read:
    CHECK_EQUAL(cells[region.area][what.place], model.cells[region.area][what.place]);
    return;
  case Operation::Count:
    return count(what.place, what.value);
  case Operation::Ticket:
    return draw_ticket();
  case Operation::Deposit:
    return deposit(what.place, what.value);
  case Operation::Keep:
    return keep(kept[what.place], what.value);
  case Operation::Push:
    return push(what.value);
  }
}

/// The work of one worker; returns 1, to be counted.
uint64_t work(const Region& region, uint64_t worker) {
  for (uint64_t i = 0; i < region.operations; ++i)
    perform(region, operation(region, worker, i));
  return 1;
}

void check_rest() {
  for (uint64_t i = 0; i < counters / 4; ++i) {
    CHECK_EQUAL(counted.small[i], model.counted.small[i]);
    CHECK_EQUAL(counted.large[i], model.counted.large[i]);
    CHECK_EQUAL(counted.most[i], model.counted.most[i]);
    CHECK_EQUAL(counted.real[i], model.counted.real[i]);
  }
  CHECK_EQUAL(tickets, model.tickets);
  CHECK_EQUAL(ticket_sum, model.ticket_sum);
  for (uint64_t i = 0; i < accounts; ++i) {
    CHECK_EQUAL(deposits[i], model.deposits[i]);
    CHECK_EQUAL(balance[i], model.balance[i]);
  }
  for (uint64_t i = 0; i < slots; ++i) {
    CHECK(kept[i].kept == model.kept[i]);
    check_content(kept[i], kept[i].kept.bytes);
  }
  for (auto* each : {&pushed, &model.pushed})
    std::sort(each->begin(), each->end());
  CHECK(pushed == model.pushed);
  for (auto* each : {&letters, &model.letters})
    std::sort(each->begin(), each->end());
  CHECK(letters == model.letters);
}

} // namespace
