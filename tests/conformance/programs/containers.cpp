// Containers shared by threads: push_back in a critical section, a map, strings, iterator loops, new and
// delete across.
#include "check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <omp.h>
#include <string>
#include <vector>

namespace {

void push_in_critical() {
  std::vector<int> numbers;
  std::map<std::string, int> names;
#pragma omp parallel for schedule(dynamic, 5)
  for (int i = 0; i < 200; ++i) {
#pragma omp critical
    {
      numbers.push_back(i);
      names["a name too long for the small buffer of a string " + std::to_string(i % 10)] += 1;
    }
  }
  std::sort(numbers.begin(), numbers.end());
  CHECK_EQUAL(numbers.size(), 200);
  for (int i = 0; i < int(numbers.size()); ++i)
    CHECK_EQUAL(numbers[i], i);
  CHECK_EQUAL(names.size(), 10);
  for (const auto& [name, count] : names)
    CHECK_EQUAL(count, 20);
}

void iterators() {
  std::vector<double> values(501);
  std::iota(values.begin(), values.end(), 0.0);
#pragma omp parallel for
  for (auto it = values.begin(); it < values.end(); ++it)
    *it *= 2;
  double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(guided)
  for (auto it = values.rbegin(); it < values.rend(); it += 2)
    sum += *it;
  CHECK(sum == 2 * 250.0 * 251.0);
#pragma omp parallel for
  for (double& value : values)
    value = -1;
  CHECK(std::count(values.begin(), values.end(), -1.0) == 501);
}

void ownership() {
  std::vector<std::unique_ptr<std::vector<int>>> owned(40);
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 40; ++i)
    owned[i] = std::make_unique<std::vector<int>>(100 + i, i);
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < 40; ++i) {
    CHECK_EQUAL(owned[i]->size(), 100 + i);
    CHECK_EQUAL(owned[i]->back(), i);
    owned[i] = std::make_unique<std::vector<int>>(1, -i); // frees another thread's, allocates this one's
  }
  for (int i = 0; i < 40; ++i)
    CHECK_EQUAL(owned[i]->at(0), -i);
}

} // namespace

int main() {
  push_in_critical();
  iterators();
  ownership();
  return finish();
}
