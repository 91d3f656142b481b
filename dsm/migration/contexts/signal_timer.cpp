#include "dsm/migration/contexts/signal_timer.hpp"

#include "dsm/migration/contexts/raw_calls.hpp"
#include "dsm/migration/journeys/travel.hpp"

#include <csignal>

namespace hetmp::dsm {

namespace {
constexpr int64_t second = 1'000'000'000;
}

void* SignalTimer::mark() {
  static const char here = 0;
  return const_cast<char*>(&here);
}

bool SignalTimer::make() {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = travel_signal();
  event.sigev_value.sival_ptr = mark();
  event._sigev_un._tid = pid_t(raw::call(SYS_gettid));
  int id = -1;
  if (raw::call(SYS_timer_create, CLOCK_MONOTONIC, long(&event), long(&id)) != 0)
    return false;
  id_ = id;
  return true;
}

void SignalTimer::set(int64_t delay_ns, int64_t then_each_ns) const {
  const itimerspec when{{then_each_ns / second, then_each_ns % second}, {delay_ns / second, delay_ns % second}};
  if (id_ >= 0)
    raw::call(SYS_timer_settime, id_, 0, long(&when), 0);
}

void SignalTimer::set_at(int64_t when_ns) const {
  const itimerspec when{{0, 0}, {when_ns / second, when_ns % second}};
  if (id_ >= 0)
    raw::call(SYS_timer_settime, id_, TIMER_ABSTIME, long(&when), 0);
}

} // namespace hetmp::dsm
