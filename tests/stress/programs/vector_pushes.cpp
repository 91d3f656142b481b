// A program as people write them: threads push what they find into vectors, their own and common ones, with
// as many threads as OMP_NUM_THREADS says. What was found is known by arithmetic, and by doing the same
// without threads.
//
// stdout: 1 lines of verification: successful
#include "stress.hpp"

#include <algorithm>
#include <omp.h>
#include <string>
#include <vector>

namespace {

struct Hit {
  uint64_t number;
  std::string name;
  bool operator==(const Hit& other) const { return number == other.number && name == other.name; }
  bool operator<(const Hit& other) const { return number < other.number; }
};

/// Some of the numbers, with names of any length.
bool is_hit(uint64_t number) { return stress::mix(stress::seed(), number) % 5 == 0; }

Hit hit(uint64_t number) {
  return {number, std::string(number % 50, char('a' + number % 26)) + std::to_string(number)};
}

std::vector<Hit> expected_below(uint64_t limit) {
  std::vector<Hit> found;
  for (uint64_t i = 0; i < limit; ++i)
    if (is_hit(i))
      found.push_back(hit(i));
  return found;
}

/// Each thread into its own vector, which is then moved into a common one.
std::vector<Hit> found_apart(uint64_t limit) {
  std::vector<Hit> all;
#pragma omp parallel
  {
    std::vector<Hit> own;
#pragma omp for schedule(runtime) nowait
    for (uint64_t i = 0; i < limit; ++i)
      if (is_hit(i))
        own.push_back(hit(i));
#pragma omp critical
    for (Hit& each : own)
      all.push_back(std::move(each));
  }
  return all;
}

/// All threads into one vector, one at a time.
std::vector<Hit> found_together(uint64_t limit) {
  std::vector<Hit> all;
#pragma omp parallel for schedule(dynamic, 20)
  for (uint64_t i = 0; i < limit; ++i)
    if (is_hit(i)) {
      const Hit found = hit(i);
#pragma omp critical
      all.push_back(found);
    }
  return all;
}

/// A vector for each thread, into which every thread pushes in its turn, so that all nodes make all of them
/// grow.
std::vector<Hit> found_in_turns(uint64_t limit) {
  const uint64_t team = uint64_t(omp_get_max_threads());
  std::vector<std::vector<Hit>> lists(team);
#pragma omp parallel num_threads(int(team))
  for (uint64_t turn = 0; turn < team; ++turn) {
    const uint64_t which = (uint64_t(omp_get_thread_num()) + turn) % team;
    for (uint64_t i = which * team + turn; i < limit; i += team * team)
      if (is_hit(i))
        lists[which].push_back(hit(i));
#pragma omp barrier
  }
  std::vector<Hit> all;
  for (const auto& list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

} // namespace

int main() {
  constexpr uint64_t limit = 6000;
  const std::vector<Hit> expected = expected_below(limit);
  CHECK(expected.size() > limit / 10);
  for (auto* search : {found_apart, found_together, found_in_turns})
    for (int visit = 0; visit < 2; ++visit) {
      std::vector<Hit> found = search(limit);
      std::sort(found.begin(), found.end());
      CHECK(found == expected);
    }
  printf("verification: successful\n");
}
