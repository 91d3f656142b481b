// What hetmp.h declares.
#include "runtime/abi/hetmp/hetmp.h"

#include "perf/report/report.hpp"
#include "runtime/abi/entry.hpp"
#include "runtime/nodes/node_setup.hpp"
#include "runtime/process/library.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/team/current_thread.hpp"
#include "runtime/team/team_facts.hpp"

#include <cerrno>

using namespace hetmp;
using namespace hetmp::runtime;

HETMP_ENTRY int hetmp_get_num_nodes() {
  initialise_runtime();
  return int(layout().nodes());
}

/// With node processes it asks the process alone: a guest, which executes it as well, is no thread that this one knows.
HETMP_ENTRY int hetmp_get_node_num() {
  initialise_runtime();
  return int(several_processes() ? own_node() : node_of(current_thread()));
}

HETMP_ENTRY int hetmp_write_report(const char* destination) {
  if (!destination || !*destination)
    return EINVAL;
  initialise_runtime();
  if (own_node() != 0)
    return EPERM;
  return perf::write_report_to(loop_report(), destination) ? 0 : errno;
}
