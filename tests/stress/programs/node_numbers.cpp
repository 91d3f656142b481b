// hetmp.h in a program that any OpenMP runtime may run: which node a thread is on, and reports on demand.
// run: HETMP_PLACEMENT=all
// run: HETMP_PLACEMENT=auto
// run: HETMP_PLACEMENT=journeys:1
#include "../../../runtime/abi/hetmp/hetmp.h"
#include "stress.hpp"

#include <cstdlib>
#include <omp.h>
#include <string>
#include <vector>

namespace {

int node_now() { return hetmp_get_node_num ? hetmp_get_node_num() : 0; }

/// A thread may move between two looks, even there and back, but not each time.
int node_here() {
  for (int looks = 0; looks < 10; ++looks) {
    const bool is_abroad = stress::is_abroad();
    const int node = node_now();
    if (!hetmp_get_node_num || is_abroad == (node != 0))
      return node;
  }
  return -1;
}

bool all_regions_leave() {
  const char* placement = getenv("HETMP_PLACEMENT");
  return placement && std::string(placement) == "all";
}

} // namespace

int main() {
  CHECK(!hetmp_get_node_num == !hetmp_get_num_nodes && !hetmp_get_node_num == !hetmp_write_report);
  const int nodes = hetmp_get_num_nodes ? hetmp_get_num_nodes() : 1;
  CHECK(nodes >= 1);
  const int threads = omp_get_max_threads();
  std::vector<int> node_of(threads, 0), seen(nodes, 0);
  for (int round = 0; round < 20; ++round) {
    CHECK_EQUAL(node_now(), 0);
#pragma omp parallel
    {
      stress::computes_abroad(50);
      const int here = node_here();
      CHECK(here >= 0 && here < nodes);
      CHECK(!hetmp_get_num_nodes || hetmp_get_num_nodes() == nodes);
      node_of[omp_get_thread_num()] = here;
    }
    for (const int node : node_of)
      ++seen[node];
  }
  if (!stress::threads_must_travel()) // where they do, all are waited for until they are elsewhere
    CHECK(seen[0] > 0);
  if (all_regions_leave())
    for (const int times : seen)
      CHECK(times > 0);
  if (hetmp_write_report) {
    CHECK_EQUAL(hetmp_write_report("/dev/null"), 0);
    CHECK(hetmp_write_report(nullptr) != 0);
  }
}
