// Containers, an exception that stays in its region, a reduction of a class.
#include <omp.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

struct Words {
  std::vector<std::string> all;
  void add(const Words& other) { all.insert(all.end(), other.all.begin(), other.all.end()); }
};
#pragma omp declare reduction(join:Words : omp_out.add(omp_in))

int main() {
  Words words;
  int caught = 0;
#pragma omp parallel for num_threads(3) reduction(join : words) reduction(+ : caught)
  for (int i = 0; i < 300; i++) {
    words.all.push_back(std::to_string(i));
    try {
      if (i % 3 == 0)
        throw std::runtime_error(words.all.back());
    } catch (const std::runtime_error&) {
      caught++;
    }
  }
  if (words.all.size() != 300 || caught != 100)
    return 1;
  std::puts("done");
}
