// gcc's target constructs. There is no device: target regions are executed on the host, by an initial thread of their
// own, where mapped variables are the variables themselves. What would only move data does nothing.
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/abi/entry.hpp"
#include "runtime/abi/gomp/gomp_task.hpp"
#include "runtime/abi/gomp_loop.hpp"
#include "runtime/regions/league.hpp"
#include "runtime/tasking/helping.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>

using namespace hetmp::runtime;

namespace {

// A kind: the low byte says what happens to the variable, the rest is the binary logarithm of its alignment.
constexpr unsigned kind_mask = 0xff, kind_firstprivate = 12, alignment_shift = 8;

/// Fortran's optional argument that is absent has no address, and stays without.
bool is_copied(unsigned short kind, const void* address) { return (kind & kind_mask) == kind_firstprivate && address; }

size_t aligned(size_t at, unsigned short kind) {
  const size_t alignment = size_t(1) << (kind >> alignment_shift);
  return (at + alignment - 1) / alignment * alignment;
}

/// Copies of the firstprivate variables, in the heap that nodes share: the addresses become theirs.
class Copies {
 public:
  Copies(size_t count, void** addresses, const size_t* sizes, const unsigned short* kinds) {
    size_t bytes = 0, largest = 1;
    for (size_t i = 0; i < count; i++) {
      if (!is_copied(kinds[i], addresses[i]))
        continue;
      bytes = aligned(bytes, kinds[i]) + sizes[i];
      largest = std::max(largest, size_t(1) << (kinds[i] >> alignment_shift));
    }
    if (bytes == 0)
      return;
    memory_ = static_cast<char*>(aligned_alloc(largest, (bytes + largest - 1) / largest * largest));
    if (!memory_)
      hetmp::die(hetmp::exit_code::no_resources, "no memory for %zu bytes of variables of a target region", bytes);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
      if (!is_copied(kinds[i], addresses[i]))
        continue;
      at = aligned(at, kinds[i]);
      addresses[i] = memcpy(memory_ + at, addresses[i], sizes[i]);
      at += sizes[i];
    }
  }
  ~Copies() { free(memory_); }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

 private:
  char* memory_ = nullptr;
};

// What the construct says besides, as a list that a null ends. An entry: for which device, what it is, and the value,
// in these bits or as the next entry.
constexpr uintptr_t device_mask = 0x7f, every_device = 0, value_follows = 0x80, what_mask = 0xff00,
                    what_thread_limit = 0x200;
constexpr unsigned value_shift = 16;

/// The thread_limit clause; 0 without one.
uint32_t thread_limit_of(void* const* arguments) {
  for (; arguments && *arguments; arguments++) {
    const auto entry = reinterpret_cast<uintptr_t>(*arguments);
    const auto value =
        entry & value_follows ? reinterpret_cast<intptr_t>(*++arguments) : intptr_t(entry) >> value_shift;
    if ((entry & device_mask) == every_device && (entry & what_mask) == what_thread_limit)
      return uint32_t(std::clamp<intptr_t>(value, 0, INT_MAX));
  }
  return 0;
}

void execute_on_host(GompFunction function, void** addresses, uint32_t thread_limit) {
  void* argument = addresses;
  League league;
  league.thread_limit = thread_limit;
  league.on_device = true;
  execute_league(current_thread(), nullptr, league, reinterpret_cast<void*>(function), 1, &argument, invoke_gomp);
}

void wait_for(void** depend) {
  if (depend)
    wait_for_dependences(current_thread(), gomp_dependences(depend), false);
}

} // namespace

/// Also with nowait: a task that is executed at once.
HETMP_ENTRY void GOMP_target_ext(int, GompFunction function, size_t count, void** addresses, size_t* sizes,
                                 unsigned short* kinds, unsigned, void** depend, void** arguments) {
  const Copies copies(count, addresses, sizes, kinds); // before it waits: the variables may change meanwhile
  wait_for(depend);
  execute_on_host(function, addresses, thread_limit_of(arguments));
}

HETMP_ENTRY void GOMP_target_data_ext(int, size_t, void**, size_t*, unsigned short*) {}

HETMP_ENTRY void GOMP_target_end_data() {}

HETMP_ENTRY void GOMP_target_update_ext(int, size_t, void**, size_t*, unsigned short*, unsigned, void** depend) {
  wait_for(depend);
}

HETMP_ENTRY void GOMP_target_enter_exit_data(int, size_t, void**, size_t*, unsigned short*, unsigned, void** depend) {
  wait_for(depend);
}

// ---- of older compilers

HETMP_ENTRY void GOMP_target(int, GompFunction function, const void*, size_t, void** addresses, size_t*,
                             unsigned char*) {
  execute_on_host(function, addresses, 0);
}

HETMP_ENTRY void GOMP_target_data(int, const void*, size_t, void**, size_t*, unsigned char*) {}

HETMP_ENTRY void GOMP_target_update(int, const void*, size_t, void**, size_t*, unsigned char*) {}

// ---- teams in a target region: its thread executes them in a loop

/// Whether there is a team (another one, if not `first`) to be executed.
HETMP_ENTRY bool GOMP_teams4(unsigned least, unsigned, unsigned thread_limit, bool first) {
  ImplicitTask& initial = current_task();
  if (!first) {
    const LeaguePlace last = league_place(initial);
    set_league_place(initial, {last.teams, last.number + 1});
    return last.number + 1 < last.teams;
  }
  set_league_place(initial, {std::max(least, 1u), 0});
  if (thread_limit != 0)
    initial.icvs.thread_limit = std::min(initial.icvs.thread_limit, thread_limit);
  return true;
}

/// Of older compilers: one team.
HETMP_ENTRY void GOMP_teams(unsigned, unsigned thread_limit) { GOMP_teams4(1, 1, thread_limit, true); }
