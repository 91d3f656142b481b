// Threads that spin on flags of their own, which the runtime knows nothing of.
#include "../../../microbench/traps/flags.c"
