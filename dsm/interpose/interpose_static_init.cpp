// Objects that a function creates at its first call (static local variables). The C++ library lets other
// threads wait for the one that creates the object on a futex of their own process, which another node would
// never wake. Here they look again and again, with growing pauses. All guards are kept this way, wherever
// they lie: there is one meaning of their bits, and a program in C, without that library, is served too (this
// library has such objects of its own).
//
// A guard's first byte is 1 once the object is there: compiled code reads it. The rest is ours: the second
// byte is 1 while a thread creates the object.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ctime>

namespace hetmp::dsm {
namespace {

constexpr uint32_t created = 1, being_created = 1 << 8;

std::atomic_ref<uint32_t> state_of(uint64_t* guard) { return std::atomic_ref(*reinterpret_cast<uint32_t*>(guard)); }

int acquire(std::atomic_ref<uint32_t> state) {
  constexpr long shortest_ns = 2'000, longest_ns = 500'000;
  for (long pause_ns = shortest_ns;; pause_ns = std::min(pause_ns * 2, longest_ns)) {
    uint32_t seen = 0;
    // acquire: pairs with the release of whoever created the object, or gave up.
    if (state.compare_exchange_strong(seen, being_created, std::memory_order_acquire))
      return 1;
    if (seen & created)
      return 0;
    const timespec pause{0, pause_ns};
    nanosleep(&pause, nullptr);
  }
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

int __cxa_guard_acquire(uint64_t* guard) { return acquire(state_of(guard)); }
// release: pairs with the acquire in acquire(), and with the look that compiled code takes at the first byte.
void __cxa_guard_release(uint64_t* guard) { state_of(guard).store(created, std::memory_order_release); }
void __cxa_guard_abort(uint64_t* guard) { state_of(guard).store(0, std::memory_order_release); }

} // extern "C"
#pragma GCC visibility pop
