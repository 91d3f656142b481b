// Containers of the standard library built by one node, changed by all, taken apart by another.
#include "stress.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <omp.h>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

constexpr int team = 6;

std::vector<std::string> names; // constructed before main, by the origin
std::map<std::string, std::vector<int>> places;

void grow_together(int rounds) {
  std::unordered_map<int, std::string> by_number;
  std::deque<std::unique_ptr<std::string>> queue;
  std::string text;
#pragma omp parallel num_threads(team)
  for (int i = 0; i < rounds; ++i) {
    const int number = i * team + omp_get_thread_num();
    const std::string name = "number " + std::to_string(number) + (number % 3 ? "" : ", too long for the short form");
#pragma omp critical(names)
    names.push_back(name);
#pragma omp critical(places)
    places[name.substr(0, 8)].push_back(number);
#pragma omp critical(by_number)
    by_number[number] = name;
#pragma omp critical(text)
    text += char('a' + number % 26);
#pragma omp critical(queue)
    {
      queue.push_back(std::make_unique<std::string>(name));
      if (queue.size() > 10) {
        CHECK(queue.front()->rfind("number ", 0) == 0);
        queue.pop_front();
      }
    }
  }
  const int count = rounds * team;
  CHECK_EQUAL(names.size(), count);
  CHECK_EQUAL(by_number.size(), count);
  CHECK_EQUAL(text.size(), count);
  size_t placed = 0;
  for (const auto& [name, numbers] : places)
    for (int number : numbers) {
      CHECK(by_number.at(number).rfind(name, 0) == 0);
      ++placed;
    }
  CHECK_EQUAL(placed, count);
}

/// Each thread builds a tree of its own; another checks it, a third destroys it.
void pass_on(int rounds) {
  using Tree = std::map<int, std::shared_ptr<std::string>>;
  std::vector<std::unique_ptr<Tree>> trees(team);
  const auto common = std::make_shared<std::string>("shared by all trees");
#pragma omp parallel num_threads(team)
  for (int round = 0; round < rounds; ++round) {
    const int me = omp_get_thread_num();
    auto tree = std::make_unique<Tree>();
    for (int i = 0; i < 30; ++i)
      (*tree)[(i * 7) % 30] = i % 2 ? common : std::make_shared<std::string>(std::to_string(me + i));
    trees[size_t(me)] = std::move(tree);
#pragma omp barrier
    const int theirs = (me + 1) % team;
    int expected = 0;
    for (const auto& [key, value] : *trees[size_t(theirs)]) {
      CHECK_EQUAL(key, expected++);
      const int i = key * 13 % 30; // 7 * 13 = 1 modulo 30
      CHECK(*value == (i % 2 ? *common : std::to_string(theirs + i)));
    }
#pragma omp barrier
    trees[size_t(me + 2) % team].reset();
#pragma omp barrier
    CHECK_EQUAL(common.use_count(), 1);
#pragma omp barrier
  }
}

/// Sorting and formatting, function objects and virtual calls on objects of other nodes.
void use_elsewhere() {
  struct Shape {
    virtual ~Shape() = default;
    virtual double area() const { return 0; }
  };
  struct Square : Shape {
    explicit Square(double side) : side_(side) {}
    double area() const override { return side_ * side_; }
    double side_;
  };
  std::unique_ptr<Shape> shapes[team];
  std::function<std::string(int)> functions[team];
  std::vector<int> numbers[team];
#pragma omp parallel num_threads(team)
  {
    const int me = omp_get_thread_num();
    shapes[me] = std::make_unique<Square>(me);
    functions[me] = [captured = std::string("made by thread ") + std::to_string(me)](int by) {
      return captured + ", called by " + std::to_string(by);
    };
    stress::Random random(stress::seed(), uint64_t(me));
    for (int i = 0; i < 500; ++i)
      numbers[me].push_back(int(random.below(1000)));
#pragma omp barrier
    const int theirs = (me + 3) % team;
    CHECK(shapes[theirs]->area() == double(theirs * theirs));
    CHECK(functions[theirs](me) == "made by thread " + std::to_string(theirs) + ", called by " + std::to_string(me));
    std::sort(numbers[theirs].begin(), numbers[theirs].end());
    std::ostringstream stream;
    stream << "sum " << theirs * 1.5;
    CHECK(dynamic_cast<Square*>(shapes[theirs].get()) != nullptr);
#pragma omp barrier
    CHECK(std::is_sorted(numbers[me].begin(), numbers[me].end()));
    CHECK_EQUAL(numbers[me].size(), 500);
  }
}

} // namespace

int main() {
  grow_together(stress::portion(80));
  pass_on(stress::portion(6));
  use_elsewhere();
}
