// Becoming several nodes: what happens once, before main.
#pragma once

#include "perf/report/region_record.hpp"

namespace hetmp::runtime {

/// Whether the program, or a shared object it was linked with, refers to an OpenMP runtime. A process that does not (a
/// shell in between) is left alone.
bool refers_to_openmp();

/// Carries out the layout. For node processes this executes the program again under the DSM library, if that has not
/// happened yet. `may_execute_again`: false once the program runs; then there can be no node processes any more.
void set_up_nodes(bool may_execute_again);

/// What is between the nodes was decided when they joined: what is known of it holds from now on.
void read_chosen_interconnect();

/// Whether the user wants to know about the run when it is over: HETMP_REPORT, HETMP_EXPLAIN.
bool wants_report();
bool wants_explanation();

/// What was learned about the program's loops; one node and no regions if it runs on one.
perf::Report loop_report();

} // namespace hetmp::runtime
