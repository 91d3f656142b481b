#include "dsm/process/errands.hpp"

#include "base/check.hpp"
#include "dsm/process/private_threads.hpp"

#include <sys/prctl.h>

namespace hetmp::dsm {

struct Errands::Errand {
  void (*body)(void*);
  void* argument;
  Errand* next;
};

Errands::Errand* Errands::in_order(Errand* latest) {
  Errand* first = nullptr;
  while (latest) {
    Errand* earlier = latest->next;
    latest->next = first;
    first = latest;
    latest = earlier;
  }
  return first;
}

void Errands::do_later(void (*body)(void*), void* argument) {
  Errand* errand = new Errand{body, argument, latest_.load(std::memory_order_relaxed)}; // checked by the exchange
  // release: the other thread sees what the errand is about
  while (!latest_.compare_exchange_weak(errand->next, errand, std::memory_order_release, std::memory_order_relaxed)) {
  }
  rung_.fetch_add(1, std::memory_order_release); // pairs with the acquire in take()
  futex_wake(rung_, 1);
}

Errands::Errand* Errands::take() {
  while (true) {
    const uint32_t seen = rung_.load(std::memory_order_acquire); // before the look: what is given later rings again
    if (Errand* errand = in_order(latest_.exchange(nullptr, std::memory_order_acquire))) // pairs with do_later()
      return errand;
    futex_wait(rung_, seen);
  }
}

void* Errands::thread(void* errands) {
  prctl(PR_SET_NAME, "hetmp-errands");
  while (true) {
    Errand* errand = static_cast<Errands*>(errands)->take();
    while (errand) {
      HETMP_CHECK(!on_service_thread()); // an errand may wait for pages
      errand->body(errand->argument);
      Errand* next = errand->next;
      delete errand;
      errand = next;
    }
  }
}

void Errands::start() { create_private_thread(thread, this); }

} // namespace hetmp::dsm
