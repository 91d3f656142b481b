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

/// Errands that the thread for them has not taken yet.
class GivenErrands {
 public:
  /// Without a lock that the errands' thread could hold.
  void give(void (*body)(void*), void* argument);
  /// All of them, in the order in which they came; blocks for as long as there is none.
  Errand* take();

 private:
  std::atomic<Errand*> latest_{nullptr}; ///< the latest first; released by give(), acquired by take()
  FutexWord rung_{0};                    ///< counts errands given; likewise
};

constinit GivenErrands given;

void GivenErrands::give(void (*body)(void*), void* argument) {
  Errand* errand = new Errand{body, argument, latest_.load(std::memory_order_relaxed)}; // checked by the exchange
  // release: the other thread sees what the errand is about
  while (!latest_.compare_exchange_weak(errand->next, errand, std::memory_order_release, std::memory_order_relaxed)) {
  }
  rung_.fetch_add(1, std::memory_order_release); // pairs with the acquire in take()
  futex_wake(rung_, 1);
}

Errand* GivenErrands::take() {
  while (true) {
    const uint32_t seen = rung_.load(std::memory_order_acquire); // before the look: what is given later rings again
    if (Errand* errand = in_order(latest_.exchange(nullptr, std::memory_order_acquire))) // pairs with give()
      return errand;
    futex_wait(rung_, seen);
  }
}

void* errands_thread(void*) {
  prctl(PR_SET_NAME, "hetmp-errands");
  while (true) {
    Errand* errand = given.take();
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

void do_later(void (*body)(void*), void* argument) { given.give(body, argument); }

} // namespace hetmp::dsm
