// Function-local static objects that all threads of all nodes reach for the first time at the same moment.
#include "stress.hpp"

#include <map>
#include <omp.h>
#include <string>

namespace {

int built;

struct Slow {
  Slow() {
    usleep(2000);
#pragma omp atomic
    built++;
    names[1] = "one";
    names[2] = "two, long enough to lie in the heap";
  }
  std::map<int, std::string> names;
};

template <int number> const Slow& instance() {
  static Slow slow;
  return slow;
}

template <int number> void race() {
#pragma omp parallel num_threads(6)
  {
    CHECK_EQUAL(instance<number>().names.size(), 2);
    CHECK(instance<number>().names.at(2) == "two, long enough to lie in the heap");
  }
  CHECK_EQUAL(built, number);
}

} // namespace

int main() {
  race<1>();
  race<2>();
  race<3>();
  race<4>();
  race<5>();
}
