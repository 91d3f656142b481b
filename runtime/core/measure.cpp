#include "runtime/core/measure.hpp"

#include "runtime/core/wait.hpp"

namespace hetmp::runtime {
namespace {

constexpr double ns_per_us = 1e3;

NodeFaults no_faults() { return {}; }

} // namespace

NodeFaults (*node_faults)() = no_faults;

ThreadSnapshot snapshot_of_thread() { return {monotonic_nanoseconds(), thread_cpu_nanoseconds()}; }

schedulers::ChunkMeasurement since(const ThreadSnapshot& before) {
  const ThreadSnapshot now = snapshot_of_thread();
  schedulers::ChunkMeasurement chunk;
  chunk.elapsed_us = double(now.elapsed_ns - before.elapsed_ns) / ns_per_us;
  chunk.busy_us = double(now.busy_ns - before.busy_ns) / ns_per_us;
  return chunk;
}

NodeSnapshot snapshot_of_node() { return {monotonic_nanoseconds(), node_faults()}; }

void add_since(NodeSnapshot& before, schedulers::NodeMeasurement& sum) {
  const NodeSnapshot now = snapshot_of_node();
  sum.span_us += double(now.elapsed_ns - before.elapsed_ns) / ns_per_us;
  sum.read_misses += now.faults.read_misses - before.faults.read_misses;
  sum.write_misses += now.faults.write_misses - before.faults.write_misses;
  sum.write_upgrades += now.faults.write_upgrades - before.faults.write_upgrades;
  before.faults = now.faults;
}

} // namespace hetmp::runtime
