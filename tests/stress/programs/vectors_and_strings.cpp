// std::vector and std::string that grow inside regions on all nodes: each thread its own, all threads the same ones,
// made on one node and destroyed on another, moved, swapped, thrown.
#include "stress.hpp"

#include <algorithm>
#include <numeric>
#include <omp.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int team = 6;

std::string word(uint64_t number) {
  const uint64_t bits = stress::mix(stress::seed(), number);
  return std::string(bits % 40, char('a' + bits / 64 % 26)) + std::to_string(number);
}

/// As programs collect results: each thread pushes into its own, then all go into one.
void collected(int count) {
  std::vector<long> all;
  std::string text;
#pragma omp parallel num_threads(team)
  {
    std::vector<long> own;
    std::string own_text;
#pragma omp for schedule(dynamic, 50)
    for (int i = 0; i < count; ++i) {
      own.push_back(long(i) * i);
      own_text += word(uint64_t(i)).back();
    }
#pragma omp critical
    {
      all.insert(all.end(), own.begin(), own.end());
      text += own_text;
    }
  }
  std::sort(all.begin(), all.end());
  CHECK_EQUAL(all.size(), count);
  CHECK_EQUAL(text.size(), count);
  for (int i = 0; i < count; ++i)
    CHECK_EQUAL(all[size_t(i)], long(i) * i);
}

/// Vectors of vectors of strings, handed round: each thread adds to what another has begun, and the last destroys it.
void handed_round() {
  std::vector<std::vector<std::string>> lists(team);
#pragma omp parallel num_threads(team)
  for (int round = 0; round < 3 * team; ++round) {
    const size_t which = size_t(omp_get_thread_num() + round) % team;
    std::vector<std::string>& list = lists[which];
    if (round % team == team - 1) {
      for (size_t i = 0; i < list.size(); ++i)
        CHECK(list[i] == word(which * 10'000 + i));
      std::vector<std::string>().swap(list);
    } else {
      for (int i = 0; i < 40; ++i)
        list.push_back(word(which * 10'000 + list.size()));
    }
#pragma omp barrier
  }
  for (const auto& list : lists)
    CHECK(list.empty());
}

/// One vector under a lock: it moves to other memory now and then, of whichever node pushes.
void pushed_by_all(int each) {
  std::vector<std::string> all;
  size_t moved = 0;
#pragma omp parallel num_threads(team)
  for (int i = 0; i < each; ++i) {
    std::string text = word(uint64_t(omp_get_thread_num() * each + i));
#pragma omp critical
    {
      const std::string* before = all.data();
      all.push_back(std::move(text));
      moved += before != all.data();
    }
  }
  CHECK(moved > 5);
  std::vector<std::string> expected;
  for (int i = 0; i < team * each; ++i)
    expected.push_back(word(uint64_t(i)));
  std::sort(all.begin(), all.end());
  std::sort(expected.begin(), expected.end());
  CHECK(all == expected);
}

/// Growth that fails leaves everything as it was; what an exception carries arrives whole.
void thrown_across() {
  std::vector<std::string> caught(team);
#pragma omp parallel num_threads(team)
  {
    const size_t me = size_t(omp_get_thread_num());
    std::vector<int> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), 0);
    try {
      numbers.reserve(numbers.max_size() + 1);
    } catch (const std::length_error&) {
      CHECK_EQUAL(std::accumulate(numbers.begin(), numbers.end(), 0L), 499'500);
      try {
        throw std::runtime_error(std::string(300, char('a' + me)));
      } catch (const std::exception& error) {
        caught[(me + 1) % team] = error.what();
      }
    }
#pragma omp barrier
    CHECK(caught[me] == std::string(300, char('a' + (me + team - 1) % team)));
  }
}

} // namespace

int main() {
  collected(20'000);
  handed_round();
  pushed_by_all(300);
  thrown_across();
}
