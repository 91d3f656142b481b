// getopt() and the variables that programs know it by: read and written by threads that are elsewhere, and what the
// function makes of that.
// run: HETMP_PLACEMENT=journeys:1
// run: HETMP_PLACEMENT=journeys:2 OMP_NUM_THREADS=7
#include "stress.hpp"

#include <omp.h>
#include <unistd.h>

namespace {

using stress::computes_abroad;
using stress::is_abroad;

std::atomic<long> seen_abroad{0};

char words[][8] = {"program", "-a", "-b", "value", "-c", "rest"};
char* arguments[] = {words[0], words[1], words[2], words[3], words[4], words[5], nullptr};
constexpr int count = 6;

int next_option() { return getopt(count, arguments, "ab:c"); }

void one_round() {
  opterr = 0;
  optind = 0; // anew, with nothing left of the last time
  CHECK_EQUAL(next_option(), 'a');
  CHECK_EQUAL(next_option(), 'b');
#pragma omp parallel
  {
#pragma omp barrier // otherwise the first thread might do the others' parts as well
    computes_abroad();
    CHECK_EQUAL(optind, 4);
    CHECK(optarg == words[3] && optarg[0] == 'v');
    CHECK_EQUAL(opterr, 0);
    seen_abroad += is_abroad();
#pragma omp barrier
    computes_abroad();
    if (omp_get_thread_num() == 1) {
      computes_abroad();
      optind = 5; // past the last option
    }
  }
  CHECK_EQUAL(optind, 5);
  CHECK_EQUAL(next_option(), -1);
  CHECK_EQUAL(optind, 5);
}

} // namespace

int main() {
  for (int round = 0; round < 5; ++round)
    one_round();
  if (stress::threads_must_travel())
    for (int more = 0; seen_abroad == 0; ++more) {
      CHECK(more < 100);
      one_round();
    }
}
