// Sums of each thread's part, used by the next region's team of the same size.
#include "../../../microbench/traps/partial_sums.c"
