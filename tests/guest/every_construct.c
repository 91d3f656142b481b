/* One of each construct, for tools that watch memory: regions with few and many arguments, loops, singles, reductions,
 * tasks, locks. */
#include <omp.h>
#include <stdio.h>

static long sum;

static void region(int a, long b, double c) {
#pragma omp parallel reduction(+ : sum) firstprivate(a, b, c)
  {
    sum += a + b + (long)c;
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 50; ++i)
      sum += i;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 50; ++i)
      sum += i;
#pragma omp for schedule(static) ordered
    for (int i = 0; i < 10; ++i) {
#pragma omp ordered
      sum += i;
    }
#pragma omp sections
    {
#pragma omp section
      sum += 1;
#pragma omp section
      sum += 2;
    }
  }
}

static long fibonacci(int n) {
  long one, two;
  if (n < 2)
    return n;
#pragma omp task shared(one)
  one = fibonacci(n - 1);
#pragma omp task shared(two)
  two = fibonacci(n - 2);
#pragma omp taskwait
  return one + two;
}

static long tasks(void) {
  long result = 0, first = 0, doubled = 0, looped = 0;
#pragma omp parallel
#pragma omp single
  {
    result = fibonacci(8);
#pragma omp task depend(out : first) shared(first)
    first = 7;
#pragma omp task depend(in : first) shared(first, doubled)
    doubled = 2 * first;
#pragma omp taskloop reduction(+ : looped) grainsize(5)
    for (int i = 0; i < 40; ++i)
      looped += i;
  }
  return result + doubled + looped;
}

static long locks(void) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  long locked = 0, nested = 0, critical = 0, counted = 0, inside = 0;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
  {
    long inner = 0;
    omp_set_lock(&lock);
    ++locked;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    ++nested;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp critical
    ++critical;
#pragma omp atomic
    ++counted;
#pragma omp parallel num_threads(2) reduction(+ : inner)
    inner += 1;
#pragma omp atomic
    inside += inner;
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  return locked + nested + critical + counted + inside;
}

int main(void) {
  for (int i = 0; i < 3; ++i)
    region(1, 2, 3.0);
  const long of_tasks = tasks(), of_locks = locks();
  printf("%ld %ld %ld\n", sum, of_tasks, of_locks);
  return 0;
}
