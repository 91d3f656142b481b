// An array sized by the first region's team, indexed by thread number in later regions.
#include "../../../microbench/traps/team_array.c"
