/* What a DSM fault cannot do without, measured by itself: see primitives.c. */
#pragma once

#include <stddef.h>

/* Measures and prints `count` events of each kind; `cpus`: the home's and the faulting node's. Returns an
 * exit code. */
int measure_primitives(size_t count, const int cpus[2]);

/* Pins the calling thread to a CPU; ends the program if that is impossible. */
void pin_thread(int cpu);

/* SCHED_FIFO 1, as the DSM's service threads have where it is allowed; whether it was. */
int raise_priority(void);

/* One half each of measure_primitives(). */
int measure_user_faults(size_t count, int cpu);
int measure_exchange(size_t count, const int cpus[2]);
