// Addresses of threadprivate variables in a shared array, used by other threads and the serial part.
#include "../../../microbench/traps/kept_address.c"
