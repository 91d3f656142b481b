// Exceptions thrown, passed through frames, caught, and carried from thread to thread.
#include "stress.hpp"

#include <exception>
#include <omp.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int team = 6;

struct Guard {
  explicit Guard(int& alive) : alive_(alive) {
#pragma omp atomic
    alive_++;
  }
  ~Guard() {
#pragma omp atomic
    alive_--;
  }
  int& alive_;
};

struct Base {
  virtual ~Base() = default;
  virtual int value() const = 0;
};
struct Derived : Base {
  explicit Derived(int value) : value_(value) {}
  int value() const override { return value_; }
  int value_;
};

int descend(int depth, int number, int& alive) {
  Guard guard(alive);
  std::string text = "a string for the heap at depth " + std::to_string(depth);
  if (depth == 0) {
    switch (number % 4) {
    case 0:
      throw number;
    case 1:
      throw std::runtime_error("number " + std::to_string(number));
    case 2:
      throw Derived(number);
    default:
      return std::vector<int>(3).at(size_t(number)); // out_of_range, thrown by the C++ library
    }
  }
  return descend(depth - 1, number, alive) + int(text.size());
}

void in_all_threads(int rounds) {
  int alive = 0;
  int caught[4] = {};
#pragma omp parallel for num_threads(team) schedule(dynamic)
  for (int i = 0; i < rounds; ++i) {
    const int number = i + 4;
    try {
      descend(i % 9, number, alive);
    } catch (int thrown) {
      CHECK_EQUAL(thrown, number);
#pragma omp atomic
      caught[0]++;
    } catch (const std::out_of_range&) {
#pragma omp atomic
      caught[3]++;
    } catch (const std::exception& error) {
      CHECK(error.what() == "number " + std::to_string(number));
#pragma omp atomic
      caught[1]++;
    } catch (const Base& base) {
      CHECK_EQUAL(base.value(), number);
#pragma omp atomic
      caught[2]++;
    }
  }
  CHECK_EQUAL(alive, 0);
  for (int count : caught)
    CHECK_EQUAL(count, rounds / 4);
}

/// Thrown on one node, rethrown on all of them, in turn and nested.
void carried(int rounds) {
  for (int round = 0; round < rounds; ++round) {
    std::exception_ptr carried[team];
#pragma omp parallel num_threads(team)
    {
      const int me = omp_get_thread_num();
      try {
        throw std::runtime_error("from thread " + std::to_string(me));
      } catch (...) {
        carried[me] = std::current_exception();
      }
#pragma omp barrier
      const int theirs = (me + round) % team;
      int inner = 0;
      try {
        std::rethrow_exception(carried[theirs]);
      } catch (const std::runtime_error& error) {
        CHECK(error.what() == "from thread " + std::to_string(theirs));
        try {
          throw Derived(me);
        } catch (const Derived& derived) {
          inner = derived.value();
        }
        CHECK(std::current_exception() != nullptr);
      }
      CHECK_EQUAL(inner, me);
    }
    try {
      std::rethrow_exception(carried[round % team]);
    } catch (const std::exception& error) {
      CHECK(error.what() == "from thread " + std::to_string(round % team));
    }
  }
}

/// Out of a critical section's inside, caught within it: the lock must still work.
void inside_critical(int rounds) {
  int count = 0;
#pragma omp parallel num_threads(team)
  for (int i = 0; i < rounds; ++i) {
#pragma omp critical
    try {
      count++;
      throw std::string("a");
    } catch (const std::string& text) {
      count += text == "a";
    }
  }
  CHECK_EQUAL(count, 2 * team * rounds);
}

} // namespace

int main() {
  in_all_threads(200);
  carried(12);
  inside_critical(40);
}
