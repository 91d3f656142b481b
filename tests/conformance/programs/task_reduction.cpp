// Reductions by tasks: of a taskgroup, a taskloop, a parallel region and a loop; operators of one's own, objects.
#include "check.h"

#include <omp.h>
#include <vector>

struct Sum {
  long value = 0;
  std::vector<int> parts;
  Sum() : parts(3) {}
  void add(int i) {
    value += i;
    parts[size_t(i % 3)] += i;
  }
  void add(const Sum& other) {
    value += other.value;
    for (size_t i = 0; i < 3; i++)
      parts[i] += other.parts[i];
  }
};
#pragma omp declare reduction(add:Sum : omp_out.add(omp_in)) initializer(omp_priv = Sum())

static void descend(int depth, long& sum) {
#pragma omp task in_reduction(+ : sum) if (depth > 1)
  {
    sum += depth;
    if (depth > 0) {
      descend(depth - 1, sum);
      descend(depth - 1, sum);
    }
#pragma omp taskwait
  }
}

int main() {
  for (int round = 0; round < 10; round++) {
    long sum = 1000, product = 1;
    Sum object;
    int array[8] = {};
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum, array) task_reduction(* : product) task_reduction(add : object)
      {
        for (int i = 1; i <= 100; i++)
#pragma omp task in_reduction(+ : sum, array) in_reduction(add : object)
        {
          sum += i;
          object.add(i);
          array[i % 8] += i;
        }
#pragma omp task in_reduction(* : product)
        product *= 6;
#pragma omp task in_reduction(* : product)
        product *= 7;
      }
      CHECK_EQUAL(sum, 6050);
      CHECK_EQUAL(product, 42);
      CHECK_EQUAL(object.value, 5050);
      CHECK_EQUAL(object.parts[0] + object.parts[1] + object.parts[2], 5050);
      int all = 0;
      for (int part : array)
        all += part;
      CHECK_EQUAL(all, 5050);
    }

    long deep = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : deep)
    descend(6, deep);
    CHECK_EQUAL(deep, 120); // sum over d of d * 2^(6-d)

    long looped = 5;
    Sum looped_object;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : looped) reduction(add : looped_object) grainsize(7)
    for (int i = 0; i < 200; i++) {
      looped += i;
      looped_object.add(i);
    }
    CHECK_EQUAL(looped, 5 + 19900);
    CHECK_EQUAL(looped_object.value, 19900);

    long of_region = 0;
    int team = 0;
#pragma omp parallel reduction(task, + : of_region)
    {
#pragma omp single nowait
      team = omp_get_num_threads();
      of_region += 1;
      for (int i = 0; i < 20; i++)
#pragma omp task in_reduction(+ : of_region)
        of_region += 10;
    }
    CHECK_EQUAL(of_region, 201L * team);

    long of_loop = 0, of_second = 0;
#pragma omp parallel
    {
#pragma omp for reduction(task, + : of_loop)
      for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : of_loop)
        of_loop += i;
      }
#pragma omp for reduction(task, + : of_second)
      for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : of_second)
        of_second += 1;
      }
    }
    CHECK_EQUAL(of_loop, 780);
    CHECK_EQUAL(of_second, 40);
  }
  return finish();
}
