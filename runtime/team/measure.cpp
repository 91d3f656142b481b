#include "runtime/team/measure.hpp"

#include "base/check.hpp"
#include "runtime/global/global_level_instance.hpp"
#include "runtime/global/node_locks.hpp"
#include "runtime/process/fabric.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/wait/wait.hpp"

namespace hetmp::runtime {
namespace {

constexpr double ns_per_us = 1e3;

NodeFaults node_faults() {
  if (!fabric)
    return {};
  dsm::FaultCounters counters;
  fabric->read_faults(&counters);
  const GlobalLevel* const level = global_level();
  return {counters.read_misses, counters.write_misses, counters.write_upgrades, level ? level->locks.asked_locks() : 0};
}

} // namespace

void prepare_to_measure() { perf::counters_available(); }

ThreadSnapshot snapshot_of_thread(bool counts) {
  Thread& self = current_thread();
  ThreadSnapshot now;
  now.counts = counts;
  if (counts && perf::start_thread_counters(self.counters))
    now.counted = perf::read_thread_counters(self.counters);
  now.elapsed_ns = monotonic_nanoseconds();
  now.busy_ns = thread_cpu_nanoseconds();
  return now;
}

schedulers::ChunkMeasurement since(const ThreadSnapshot& before) {
  const ThreadSnapshot now = snapshot_of_thread(before.counts);
  // The same thread's clocks and counters, which never go back.
  HETMP_CHECK(now.elapsed_ns >= before.elapsed_ns && now.busy_ns >= before.busy_ns);
  schedulers::ChunkMeasurement chunk;
  chunk.elapsed_us = double(now.elapsed_ns - before.elapsed_ns) / ns_per_us;
  chunk.busy_us = double(now.busy_ns - before.busy_ns) / ns_per_us;
  chunk.instructions = now.counted.instructions - before.counted.instructions;
  chunk.cache_misses = now.counted.cache_misses - before.counted.cache_misses;
  return chunk;
}

NodeSnapshot snapshot_of_node() { return {monotonic_nanoseconds(), node_faults()}; }

void add_since(NodeSnapshot& before, schedulers::NodeMeasurement& sum) {
  const NodeSnapshot now = snapshot_of_node();
  HETMP_CHECK(now.elapsed_ns >= before.elapsed_ns);
  HETMP_CHECK(now.faults.read_misses >= before.faults.read_misses &&
              now.faults.write_misses >= before.faults.write_misses &&
              now.faults.write_upgrades >= before.faults.write_upgrades &&
              now.faults.asked_locks >= before.faults.asked_locks); // counters
  sum.granted_cpus = granted_cpus();
  sum.span_us += double(now.elapsed_ns - before.elapsed_ns) / ns_per_us;
  sum.read_misses += now.faults.read_misses - before.faults.read_misses;
  sum.write_misses += now.faults.write_misses - before.faults.write_misses;
  sum.write_upgrades += now.faults.write_upgrades - before.faults.write_upgrades;
  sum.asked_locks += now.faults.asked_locks - before.faults.asked_locks;
  before.faults = now.faults;
}

} // namespace hetmp::runtime
