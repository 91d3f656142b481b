// Thread-local objects with constructors: one for each thread number, kept over many regions.
#include "../../../microbench/traps/thread_objects.cpp"
