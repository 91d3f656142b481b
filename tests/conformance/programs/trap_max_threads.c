// omp_get_max_threads() entries that the team of each region writes, all read by the serial part.
#include "../../../microbench/traps/max_threads.c"
