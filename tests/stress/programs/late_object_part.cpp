#include "late_object_part.hpp"

#include <omp.h>
#include <stdexcept>

namespace {

int constructions;
std::string own_name = (constructions++, "built by a constructor, for me");
static_assert(sizeof "built by a constructor, for me" == 31);
long counter;
int table[40000] = {7};
int* inside = &table[0]; // an address that the dynamic linker has to fill in

struct Square final : late::Shape {
  explicit Square(int side) : side_(side) {}
  long area() const override { return long(side_) * side_; }
  int side_;
};

struct Watch {
  ~Watch() { asm volatile("" ::: "memory"); } // something to clean up on the way of an exception
};

[[noreturn]] __attribute__((noinline)) void descend(int depth, int first, int number) {
  Watch watch;
  if (depth > 0)
    descend(depth - 1, first, number);
  if (first % 2)
    throw late::Odd{number};
  throw std::runtime_error("thrown by thread " + std::to_string(number));
}

class Implementation final : public late::Interface {
  int constructions() const override { return ::constructions; }
  void count() override {
#pragma omp atomic
    counter++;
  }
  long counted() const override { return counter; }
  void store(int index, int value) override { inside[index] = value; }
  int stored(int index) const override { return table[index]; }
  long sum_by_own_region(int team) const override {
    long sum = 0;
#pragma omp parallel for num_threads(team) reduction(+ : sum)
    for (int i = 0; i < int(sizeof table / sizeof *table); ++i)
      sum += table[i];
    return sum;
  }
  int run_own_tasks(int team) const override {
    constexpr int tasks = 48;
    int executed = 0;
#pragma omp parallel num_threads(team)
    if (omp_get_thread_num() == omp_get_num_threads() - 1)
      for (int i = 0; i < tasks; ++i)
#pragma omp task shared(executed)
      {
        const double until = omp_get_wtime() + 5e-4; // long enough that another node may take one
        while (omp_get_wtime() < until)
          ;
#pragma omp atomic
        executed++;
      }
    return executed / tasks;
  }
  std::string* name() override { return &own_name; }
  std::unique_ptr<late::Shape> make_shape(int side) const override { return std::make_unique<Square>(side); }
  void throw_at_depth(int depth, int number) const override { descend(depth, depth, number); }
};

Implementation implementation;

} // namespace

extern "C" late::Interface* late_interface() { return &implementation; }
