// Atomic operations on std::shared_ptr objects by threads of all nodes: the library keeps locks for them. Several
// objects, so that pairs of locks are taken in any order; a constructor uses them before main.
// run:
// run: HETMP_PLACEMENT=journeys:1
#include "stress.hpp"

#include <memory>
#include <omp.h>

namespace {

constexpr int objects = 24;
using Numbers = std::vector<long>;
std::shared_ptr<Numbers> shared[objects];

struct Before {
  Before() {
    for (auto& object : shared)
      std::atomic_store(&object, std::make_shared<Numbers>(3, 0));
  }
} const before;

void add_one(std::shared_ptr<Numbers>& object) {
  std::shared_ptr<Numbers> known = std::atomic_load(&object), next;
  do {
    next = std::make_shared<Numbers>(*known);
    for (long& number : *next)
      ++number;
  } while (!std::atomic_compare_exchange_strong(&object, &known, next));
  for (const long number : *next)
    CHECK_EQUAL(number, next->front());
}

/// Each takes what another one has left, and none is lost or kept twice.
void exchange_all(int thread) {
  auto mine = std::make_shared<Numbers>(1, 1000 + thread);
  for (int i = 0; i < objects; ++i)
    mine = std::atomic_exchange(&shared[(i * 7 + thread) % objects], mine);
  std::shared_ptr<Numbers> none;
  std::atomic_store(&mine, none);
}

} // namespace

int main() {
  const int each = stress::portion(4000);
  long threads = 0;
#pragma omp parallel reduction(+ : threads)
  {
    ++threads;
    for (int i = 0; i < each; ++i) {
      stress::compute(uint64_t(i), 4000);
      add_one(shared[stress::mix(uint64_t(omp_get_thread_num()), uint64_t(i)) % 3]);
    }
#pragma omp barrier
    for (int i = 0; i < objects; ++i)
      add_one(shared[i]);
  }
  long sum = 0;
  for (const auto& object : shared) {
    CHECK_EQUAL(object.use_count(), 1);
    sum += object->back();
  }
  CHECK_EQUAL(sum, threads * (each + objects));
#pragma omp parallel
  exchange_all(omp_get_thread_num());
  for (const auto& object : shared)
    CHECK_EQUAL(object.use_count(), 1);
}
