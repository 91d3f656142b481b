// taskloop: its tasks have the values of the moment when the construct was met, also of what lastprivate changes when
// the last of them ends.
#include "check.h"

#include <omp.h>
#include <unistd.h>

/// Waits for the last iteration to have been executed, for a moment: with one thread that comes later.
void wait_for(const int& done) {
  for (int tries = 0; tries < 100; tries++) {
    int value;
#pragma omp atomic read
    value = done;
    if (value) {
      usleep(2000); // until its task has ended, too
      return;
    }
    usleep(1000);
  }
}

/// clang's code does not assign variables that are firstprivate as well, on its own library either.
void check_assigned([[maybe_unused]] int value, [[maybe_unused]] int last) {
#ifndef __clang__
  CHECK_EQUAL(value, last);
#endif
}

/// A reference: gcc's tasks look it up when they are given their copies.
int count_wrong(int& value) {
  constexpr int iterations = 16;
  int done = 0, wrong = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop grainsize(1) firstprivate(value) lastprivate(value) shared(done, wrong)
  for (int i = 0; i < iterations; i++) {
    if (value != 5)
      raise_by_one(&wrong);
    value = i;
    if (i == 0)
      wait_for(done);
    if (i == iterations - 1)
      raise_by_one(&done);
  }
  check_assigned(value, iterations - 1);
  return wrong;
}

/// An object that is copied by its class.
struct Object {
  explicit Object(int given) : value(given) {}
  Object(const Object& other) : value(other.value) {}
  Object& operator=(const Object& other) {
    value = other.value;
    return *this;
  }
  int value;
};

int count_wrong_objects() {
  constexpr int iterations = 16;
  int done = 0, wrong = 0;
  Object object(5);
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop grainsize(1) firstprivate(object) lastprivate(object) shared(done, wrong)
  for (int i = 0; i < iterations; i++) {
    if (object.value != 5)
      raise_by_one(&wrong);
    object.value = i;
    if (i == 0)
      wait_for(done);
    if (i == iterations - 1)
      raise_by_one(&done);
  }
  check_assigned(object.value, iterations - 1);
  return wrong;
}

int main() {
  int value = 5;
  CHECK_EQUAL(count_wrong(value), 0);
  CHECK_EQUAL(count_wrong_objects(), 0);
  return finish();
}
