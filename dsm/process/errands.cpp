#include "dsm/process/errands.hpp"

#include "base/check.hpp"
#include "base/futex.hpp"
#include "dsm/process/private_threads.hpp"

#include <atomic>
#include <sys/prctl.h>

namespace hetmp::dsm {
namespace {

struct Errand {
  void (*body)(void*);
  void* argument;
  Errand* next;
};

std::atomic<Errand*> given{nullptr}; // the latest first; released by do_later(), acquired by errands_thread()
FutexWord rung;                      // counts errands given; likewise

Errand* in_order(Errand* latest) {
  Errand* first = nullptr;
  while (latest) {
    Errand* earlier = latest->next;
    latest->next = first;
    first = latest;
    latest = earlier;
  }
  return first;
}

void* errands_thread(void*) {
  prctl(PR_SET_NAME, "hetmp-errands");
  while (true) {
    const uint32_t seen = rung.load(std::memory_order_acquire); // before the look: what is given later rings again
    Errand* errand = in_order(given.exchange(nullptr, std::memory_order_acquire)); // pairs with do_later()
    if (!errand)
      futex_wait(rung, seen);
    while (errand) {
      HETMP_CHECK(!is_service_thread); // an errand may wait for pages
      errand->body(errand->argument);
      Errand* next = errand->next;
      delete errand;
      errand = next;
    }
  }
}

} // namespace

void start_errands() { create_private_thread(errands_thread, nullptr); }

void do_later(void (*body)(void*), void* argument) {
  Errand* errand = new Errand{body, argument, given.load(std::memory_order_relaxed)}; // checked by the exchange
  // release: the other thread sees what the errand is about
  while (!given.compare_exchange_weak(errand->next, errand, std::memory_order_release, std::memory_order_relaxed)) {
  }
  rung.fetch_add(1, std::memory_order_release);
  futex_wake(rung, 1);
}

} // namespace hetmp::dsm
