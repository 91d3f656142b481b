/* hetmp.h: what hetmp offers programs beyond OpenMP. Nothing here is needed to use hetmp.
 *
 * All functions are weak: a program that is linked with another OpenMP runtime, or runs on one, finds null in their
 * place, and may ask first:
 *
 *   const int node = hetmp_get_node_num ? hetmp_get_node_num() : 0;
 */
#ifndef HETMP_H
#define HETMP_H

#ifdef __cplusplus
extern "C" {
#endif

/* Schedules of hetmp's own, for omp_set_schedule(), as OMP_SCHEDULE=hetprobe and hetprobe-i. The chunk is the
 * percentage of the iterations that probing takes; 0: as usual.
 *
 *   omp_set_schedule((omp_sched_t)hetmp_sched_hetprobe, 0);
 *
 * Other runtimes take them for unknown kinds. */
enum { hetmp_sched_hetprobe = 0x48500001, hetmp_sched_hetprobe_i = 0x48500002 };

/* Nodes that the program runs on (HETMP_NODES), whether or not they have work just now; at least 1. */
int hetmp_get_num_nodes(void) __attribute__((weak));

/* The node that the calling thread is on at the moment, from 0 to hetmp_get_num_nodes() - 1; 0 is the one where the
 * program began. A thread may be executed on another node later. */
int hetmp_get_node_num(void) __attribute__((weak));

/* Writes what has been measured of regions and loops so far, as HETMP_REPORT=destination does when the program ends:
 * "1" is the standard error output, otherwise it is the name of a file (.json and .html choose these forms). Outside of
 * parallel regions. Returns 0 or an errno value: EINVAL for no destination, EPERM on a node where the program did not
 * begin, or why the file could not be written. */
int hetmp_write_report(const char* destination) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
