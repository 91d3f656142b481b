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
void lower_priority(void);

/* One half each of measure_primitives(). */
int measure_user_faults(size_t count, int cpu);
int measure_exchange(size_t count, const int cpus[2]);

/* Pages copied into a ring by one process, out of it by another: ring_copy.c. */
int measure_ring(size_t mebibytes, const int cpus[2]);

/* An exchange over TCP, sockets.c: between two processes on the loopback; or the answering and the asking one by
 * themselves, `address` being "ADDRESS:PORT". */
int measure_sockets(size_t count, const int cpus[2]);
int serve_sockets(const char* address, int cpu);
int ask_sockets(const char* address, size_t count, int cpu);
