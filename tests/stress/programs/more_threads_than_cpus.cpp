// One thread more than the nodes have CPUs: when the other nodes' have nothing to do any more, one of those that share
// the origin's goes on there.
// run: HETMP_PLACEMENT=auto
#include "stress.hpp"

#include <omp.h>

namespace {

/// One visit, in which threads whose CPUs are other nodes' have less to do; whether one of the others has been there.
bool moves(int threads, int first_elsewhere) {
  bool moved = false;
#pragma omp parallel num_threads(threads) shared(moved)
  {
    const int self = omp_get_thread_num();
    const bool is_elsewheres = self >= first_elsewhere && self < threads - 1;
    const int most = is_elsewheres ? 200 : 3000; // some 0.1 ms each
    bool left = false;
    for (int i = 0; i < most && !left; ++i) {
      stress::compute(uint64_t(i));
      left = !is_elsewheres && stress::is_abroad();
    }
    if (left)
#pragma omp atomic write
      moved = true;
  }
  return moved;
}

} // namespace

int main() {
  const char* const nodes = getenv("HETMP_NODES");
  const int cpus = omp_get_num_procs();
  const bool must_move = nodes && strcmp(nodes, "proc:2") == 0 && cpus >= 2 && cpus % 2 == 0;
  for (int visits = 0; !moves(cpus + 1, cpus / 2); ++visits) {
    if (!must_move)
      return 0;
    CHECK(visits < 100);
  }
}
