#include "runtime/regions/turn_keepers.hpp"

#include "base/check.hpp"
#include "base/machine/cpu_list.hpp"
#include "base/machine/time_slice.hpp"
#include "runtime/process/thread_factory.hpp"

#include <algorithm>
#include <ctime>
#include <sys/prctl.h>

namespace hetmp::runtime {
void TurnKeepers::begin(const std::vector<int>& cpus, uint32_t turns_us) {
  HETMP_CHECK(turns_us != 0);
  if (!turns_us_) {
    turns_us_ = new FutexWord(0);
    for (const int cpu : cpus) {
      auto* const keeper = new Keeper{turns_us_, cpu};
      if (make_posix_thread(body, keeper, 0) != 0)
        delete keeper;
    }
  }
  turns_us_->store(turns_us, std::memory_order_relaxed); // relaxed: the number alone; the system call follows it
  futex_wake(*turns_us_, int(std::min<size_t>(cpus.size(), INT32_MAX)));
}

void TurnKeepers::end() {
  turns_us_->store(0, std::memory_order_relaxed); // relaxed: the number alone
}

void* TurnKeepers::body(void* argument) {
  const std::unique_ptr<Keeper> keeper(static_cast<Keeper*>(argument));
  if (!bind_thread({keeper->cpu}))
    return nullptr;
  prctl(PR_SET_TIMERSLACK, 1); // nanosecond: the usual 50 us are as long as a turn
  ask_for_short_turns(true);   // so that it interrupts whoever computes
  while (true) {
    const uint32_t turns_us = keeper->turns_us->load(std::memory_order_relaxed); // relaxed: the number alone
    if (turns_us == 0) {
      futex_wait(*keeper->turns_us, 0);
      continue;
    }
    constexpr uint32_t second_us = 1'000'000;
    const timespec turn{time_t(turns_us / second_us), long(turns_us % second_us) * 1000};
    nanosleep(&turn, nullptr);
  }
}

} // namespace hetmp::runtime
