// An object that the program loads while it runs: its global data, constructors, calls, virtual functions and
// exceptions, used by the threads of all nodes; loaded by the first node, and by whichever node comes to it first.

// loads: late_object_part.cpp
// loads: late_object_other_part.cpp
// loads: late_object_third_part.cpp
#include "late_object_part.hpp"
#include "stress.hpp"

#include <dlfcn.h>
#include <memory>
#include <omp.h>
#include <stdexcept>

namespace {

constexpr int team = 6, rounds = 200;

late::Interface* load(const char* name) {
  void* object = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (!object)
    dprintf(2, "%s\n", dlerror());
  CHECK(object != nullptr);
  const auto get = reinterpret_cast<late::Interface* (*)()>(dlsym(object, "late_interface"));
  CHECK(get != nullptr);
  return get();
}

void use_in_all_threads(late::Interface& late) {
  CHECK_EQUAL(late.constructions(), 1);
#pragma omp parallel num_threads(team)
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < rounds; ++i) {
      late.count();
      late.store(i * team + me, i);
    }
    int caught = 0;
    for (int i = 0; i < 20; ++i)
      try {
        late.throw_at_depth(i % 5, me);
      } catch (const std::runtime_error& error) {
        caught += error.what() == "thrown by thread " + std::to_string(me);
      } catch (const late::Odd& odd) {
        caught += odd.number == me;
      }
    CHECK_EQUAL(caught, 20);
    const std::unique_ptr<late::Shape> shape = late.make_shape(me);
    CHECK_EQUAL(shape->area(), me * me);
    CHECK_EQUAL(late.name()->rfind("built by a constructor", 0), 0);
#pragma omp barrier
#pragma omp critical
    *late.name() += "!";
  }
  CHECK_EQUAL(late.counted(), team * rounds);
  for (int i = 0; i < team * rounds; ++i)
    CHECK_EQUAL(late.stored(i), i / team);
  CHECK_EQUAL(late.sum_by_own_region(team), (rounds - 1) * rounds / 2 * team);
  CHECK_EQUAL(late.run_own_tasks(team), 1);
  CHECK_EQUAL(late.name()->size(), 30 + team);
}

/// Another object, loaded inside a region, by a thread of another node if there is one.
void load_in_region() {
  late::Interface *late = nullptr, *third = nullptr;
#pragma omp parallel num_threads(team)
  {
    if (omp_get_thread_num() == team - 1)
      late = load("liblate_object_other_part.so");
#pragma omp barrier
    void* again = dlopen("liblate_object_other_part.so", RTLD_NOW);
    CHECK(again != nullptr);
    const auto get = reinterpret_cast<late::Interface* (*)()>(dlsym(again, "late_interface"));
    CHECK(get() == late);
    const auto get_third = reinterpret_cast<late::Interface* (*)()>(dlsym(again, "late_interface_of_third"));
#pragma omp critical
    third = get_third();
    dlclose(again);
  }
  use_in_all_threads(*late);
  use_in_all_threads(*third);
}

} // namespace

int main() {
  CHECK(dlopen("there is no such object.so", RTLD_NOW) == nullptr);
  CHECK(dlerror() != nullptr);
  late::Interface* late = load("liblate_object_part.so");
  use_in_all_threads(*late);
  CHECK(load("liblate_object_part.so") == late);
  load_in_region();
#pragma omp parallel num_threads(team)
  CHECK(dlsym(RTLD_DEFAULT, "malloc") != nullptr);
}
