// Class objects in data clauses: constructions and destructions match; static locals are initialised once;
// user reductions.
#include "check.h"

#include <omp.h>
#include <string>

namespace {

int alive, made;

struct Counted {
  int value = 0;
  std::string text = "a text that lives on the heap, not in the object";
  Counted() { note(); }
  explicit Counted(int v) : value(v) { note(); }
  Counted(const Counted& other) : value(other.value), text(other.text) { note(); }
  Counted& operator=(const Counted&) = default;
  ~Counted() { __atomic_fetch_sub(&alive, 1, __ATOMIC_RELAXED); }
  Counted& operator+=(const Counted& other) {
    value += other.value;
    return *this;
  }
  static void note() {
    raise_by_one(&alive);
    raise_by_one(&made);
  }
};
#pragma omp declare reduction(+ : Counted : omp_out += omp_in) initializer(omp_priv = Counted(0))

int initialisations;

int once() {
  raise_by_one(&initialisations);
  return 7;
}

int with_static_local() {
  static const int value = once();
  return value;
}

} // namespace

int main() {
  {
    Counted first(5), last(0), fresh(9), sum(100);
#pragma omp parallel num_threads(4) firstprivate(first) private(fresh)
    {
      CHECK_EQUAL(first.value, 5);
      CHECK_EQUAL(fresh.value, 0);
      first.value = fresh.value = omp_get_thread_num();
      CHECK_EQUAL(with_static_local(), 7);
    }
    CHECK_EQUAL(first.value, 5);
    CHECK_EQUAL(fresh.value, 9);
#pragma omp parallel for lastprivate(last) reduction(+ : sum)
    for (int i = 0; i < 50; ++i) {
      last.value = i;
      sum.value += i;
    }
    CHECK_EQUAL(last.value, 49);
    CHECK_EQUAL(sum.value, 100 + 1225);
    CHECK_EQUAL(alive, 4);
    CHECK(made >= 4 + 8);
  }
  CHECK_EQUAL(alive, 0);
  CHECK_EQUAL(initialisations, 1);
  return finish();
}
