/* Writes a machine with kinds of cores as hwloc's XML: make_machine FILE CPUS KIND ..., a KIND being
   RANK:CPULIST[:NAME=VALUE]. A rank of -1 is none. */
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_kind(hwloc_topology_t machine, char* text) {
  char* cpus = strchr(text, ':');
  char* info = cpus ? strchr(cpus + 1, ':') : NULL;
  char* value = info ? strchr(info + 1, '=') : NULL;
  if (!cpus || (info && !value))
    return -1;
  *cpus++ = '\0';
  if (info) {
    *info++ = '\0';
    *value++ = '\0';
  }
  struct hwloc_info_s infos = {info, value};
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  const int result = hwloc_bitmap_list_sscanf(set, cpus) == 0
                         ? hwloc_cpukinds_register(machine, set, atoi(text), info ? 1 : 0, info ? &infos : NULL, 0)
                         : -1;
  hwloc_bitmap_free(set);
  return result;
}

int main(int argc, char** argv) {
  if (argc < 3)
    return 2;
  char cpus[32];
  snprintf(cpus, sizeof cpus, "pu:%s", argv[2]);
  hwloc_topology_t machine;
  if (hwloc_topology_init(&machine) != 0 || hwloc_topology_set_synthetic(machine, cpus) != 0 ||
      hwloc_topology_load(machine) != 0)
    return 3;
  for (int i = 3; i < argc; ++i)
    if (add_kind(machine, argv[i]) != 0)
      return 4;
  const int result = hwloc_topology_export_xml(machine, argv[1], 0);
  hwloc_topology_destroy(machine);
  return result == 0 ? 0 : 5;
}
