#include "schedulers/learning/measurement.hpp"

namespace hetmp::schedulers {

void add(NodeMeasurement& sum, const NodeMeasurement& more) {
  const bool busy_known = more.busy_us >= 0;
  if (sum.iterations == 0)
    sum.busy_us = busy_known ? 0 : -1;
  else if (busy_known && sum.busy_us < 0)
    sum.busy_us = sum.thread_us;
  if (sum.busy_us >= 0)
    sum.busy_us += busy_known ? more.busy_us : more.thread_us;
  sum.iterations += more.iterations;
  sum.thread_us += more.thread_us;
  sum.span_us += more.span_us;
  if (more.granted_cpus != 0)
    sum.granted_cpus = more.granted_cpus;
  sum.read_misses += more.read_misses;
  sum.write_misses += more.write_misses;
  sum.write_upgrades += more.write_upgrades;
  sum.asked_locks += more.asked_locks;
  sum.instructions += more.instructions;
  sum.cache_misses += more.cache_misses;
}

} // namespace hetmp::schedulers
