// clang-format off
// It would put a _Pragma and the statement behind it on one line.
#include "overheads.h"

#include <omp.h>
#include <stddef.h>

enum { loop_trips = 1024, tasks_of_thread = 64, tree_depth = 8, rows = 8, columns = 64 };

static omp_lock_t contended;
static omp_lock_t own[256]; /* one a thread: it has a lock's cache line for itself */

/* A few cycles that no compiler leaves out. */
static inline void work(void) {
  __asm__ volatile("" ::: "memory");
}

static void alone(long executions) {
  for (long i = 0; i < executions; ++i)
    work();
}

/* Inside a region that is there already: only what is executed in it is measured. */
static void in_team(long executions) {
#pragma omp parallel
  for (long i = 0; i < executions; ++i)
    work();
}

static void run_parallel(long executions) {
  for (long i = 0; i < executions; ++i) {
#pragma omp parallel
    work();
  }
}

static void run_parallel_for(long executions) {
  for (long i = 0; i < executions; ++i) {
#pragma omp parallel for
    for (int j = 0; j < 8; ++j)
      work();
  }
}

static void run_nested_parallel(long executions) {
  omp_set_max_active_levels(2);
#pragma omp parallel
  for (long i = 0; i < executions; ++i) {
#pragma omp parallel num_threads(2)
    work();
  }
  omp_set_max_active_levels(1);
}

static void run_reduction(long executions) {
  double sum = 0;
  for (long i = 0; i < executions; ++i) {
#pragma omp parallel reduction(+ : sum)
    {
      work();
      sum += 1;
    }
  }
  if (sum < 0)
    work();
}

static void run_barrier(long executions) {
#pragma omp parallel
  for (long i = 0; i < executions; ++i) {
    work();
#pragma omp barrier
  }
}

static void run_for(long executions) {
#pragma omp parallel
  for (long i = 0; i < executions; ++i) {
#pragma omp for
    for (int j = 0; j < 8; ++j)
      work();
  }
}

static void run_single(long executions) {
#pragma omp parallel
  for (long i = 0; i < executions; ++i) {
#pragma omp single
    work();
  }
}

static void run_critical(long executions) {
#pragma omp parallel
  for (long i = 0; i < executions; ++i) {
#pragma omp critical
    work();
  }
}

static void run_lock(long executions) {
#pragma omp parallel
  for (long i = 0; i < executions; ++i) {
    omp_set_lock(&contended);
    work();
    omp_unset_lock(&contended);
  }
}

static void run_own_lock(long executions) {
#pragma omp parallel
  {
    omp_lock_t* lock = &own[omp_get_thread_num() * 16 % 256];
    for (long i = 0; i < executions; ++i) {
      omp_set_lock(lock);
      work();
      omp_unset_lock(lock);
    }
  }
}

static void run_ordered(long executions) {
#pragma omp parallel for ordered schedule(static, 1)
  for (long i = 0; i < executions; ++i) {
#pragma omp ordered
    work();
  }
}

/* Each iteration waits for the one above it, which is another thread's. */
static void run_doacross(long executions) {
#pragma omp parallel
  for (long i = 0; i < executions; ++i) {
#pragma omp for ordered(2) schedule(static, 1)
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
#pragma omp ordered depend(sink : row - 1, column)
        work();
#pragma omp ordered depend(source)
      }
  }
}

static void wave_alone(long executions) {
#pragma omp parallel
  for (long i = 0; i < executions; ++i)
    for (int j = 0; j < rows * columns / omp_get_num_threads(); ++j)
      work();
}

static void run_atomic(long executions) {
  long count = 0;
#pragma omp parallel
  for (long i = 0; i < executions; ++i) {
#pragma omp atomic
    ++count;
  }
  if (count < 0)
    work();
}

/* Loops without their barrier's cost in the figure of an iteration: it is one of loop_trips. */
#define LOOP(name, clause)                                                                                   \
  static void run_##name(long executions) {                                                                  \
    _Pragma("omp parallel") for (long i = 0; i < executions; ++i) {                                          \
      _Pragma(clause) for (int j = 0; j < loop_trips; ++j) work();                                           \
    }                                                                                                        \
  }
LOOP(static_1, "omp for schedule(static, 1)")
LOOP(dynamic_1, "omp for schedule(dynamic, 1)")
LOOP(dynamic_8, "omp for schedule(dynamic, 8)")
LOOP(guided_1, "omp for schedule(guided, 1)")

static void loop_alone(long executions) {
#pragma omp parallel
  for (long i = 0; i < executions; ++i)
    for (int j = 0; j < loop_trips / omp_get_num_threads(); ++j)
      work();
}

static void run_taskloop(long executions) {
#pragma omp parallel
  for (long i = 0; i < executions; ++i) {
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (int j = 0; j < loop_trips; ++j)
      work();
  }
}

static void tasks_alone(long executions) {
#pragma omp parallel
  for (long i = 0; i < executions; ++i)
    for (int j = 0; j < tasks_of_thread; ++j)
      work();
}

static void run_tasks_of_all(long executions) {
#pragma omp parallel
  for (long i = 0; i < executions; ++i) {
    for (int j = 0; j < tasks_of_thread; ++j) {
#pragma omp task
      work();
    }
#pragma omp taskwait
  }
}

static void run_tasks_of_one(long executions) {
#pragma omp parallel
#pragma omp master
  for (long i = 0; i < executions; ++i) {
    for (int j = 0; j < tasks_of_thread; ++j) {
#pragma omp task
      work();
    }
#pragma omp taskwait
  }
}

static void run_taskwait(long executions) {
#pragma omp parallel
  for (long i = 0; i < executions; ++i)
    for (int j = 0; j < tasks_of_thread; ++j) {
#pragma omp task
      work();
#pragma omp taskwait
    }
}

static void run_undeferred_tasks(long executions) {
#pragma omp parallel
  for (long i = 0; i < executions; ++i)
    for (int j = 0; j < tasks_of_thread; ++j) {
#pragma omp task if (0)
      work();
    }
}

static void run_dependent_tasks(long executions) {
  static char places[tasks_of_thread];
#pragma omp parallel
#pragma omp master
  for (long i = 0; i < executions; ++i) {
    for (int j = 0; j < tasks_of_thread; ++j) {
#pragma omp task depend(inout : places[j % 4])
      work();
    }
#pragma omp taskwait
  }
}

static void tree(int depth) {
  if (depth == 0) {
    work();
    return;
  }
#pragma omp task
  tree(depth - 1);
#pragma omp task
  tree(depth - 1);
#pragma omp taskwait
}

static void tree_alone(int depth) {
  if (depth == 0) {
    work();
    return;
  }
  tree_alone(depth - 1);
  tree_alone(depth - 1);
}

static void run_task_tree(long executions) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < executions; ++i)
    tree(tree_depth);
}

static void run_tree_alone(long executions) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < executions; ++i)
    tree_alone(tree_depth);
}

const Construct constructs[] = {
  {"parallel", run_parallel, alone, 1},
  {"parallel for", run_parallel_for, alone, 1},
  {"parallel reduction", run_reduction, alone, 1},
  {"nested parallel", run_nested_parallel, in_team, 1},
  {"barrier", run_barrier, in_team, 1},
  {"for", run_for, in_team, 1},
  {"single", run_single, in_team, 1},
  {"critical", run_critical, in_team, 1},
  {"lock", run_lock, in_team, 1},
  {"uncontended lock", run_own_lock, in_team, 1},
  {"ordered", run_ordered, alone, 1},
  {"doacross, an iteration", run_doacross, wave_alone, rows * columns},
  {"atomic", run_atomic, in_team, 1},
  {"static 1, an iteration", run_static_1, loop_alone, loop_trips},
  {"dynamic 1, an iteration", run_dynamic_1, loop_alone, loop_trips},
  {"dynamic 8, an iteration", run_dynamic_8, loop_alone, loop_trips},
  {"guided 1, an iteration", run_guided_1, loop_alone, loop_trips},
  {"taskloop, an iteration", run_taskloop, loop_alone, loop_trips},
  {"task by all, a task", run_tasks_of_all, tasks_alone, tasks_of_thread},
  {"task by one, a task", run_tasks_of_one, tasks_alone, tasks_of_thread},
  {"task and taskwait, a task", run_taskwait, tasks_alone, tasks_of_thread},
  {"undeferred task, a task", run_undeferred_tasks, tasks_alone, tasks_of_thread},
  {"dependent task, a task", run_dependent_tasks, tasks_alone, tasks_of_thread},
  {"task tree, a task", run_task_tree, run_tree_alone, (2 << tree_depth) - 2},
  {NULL, NULL, NULL, 0},
};

void prepare_constructs(void) {
  omp_init_lock(&contended);
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
    omp_init_lock(&own[i]);
}
