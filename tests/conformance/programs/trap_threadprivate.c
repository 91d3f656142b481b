// threadprivate values of each thread number, kept over many regions and serial parts.
#include "../../../microbench/traps/threadprivate.c"
