#include "schedulers/learning/node_knowledge.hpp"

#include <algorithm>
#include <cmath>

namespace hetmp::schedulers {
namespace {

/// A time below this says more about the clock than about the node; it also keeps every quotient finite.
constexpr double shortest_probe_us = 0.1;

} // namespace

bool believable(const NodeMeasurement& measurement) {
  return measurement.threads > 0 && measurement.iterations > 0 && std::isfinite(measurement.thread_us) &&
         measurement.thread_us >= 0;
}

NodeKnowledge knowledge_from(const NodeMeasurement& measurement) {
  const double iterations = static_cast<double>(measurement.iterations);
  const double least = shortest_probe_us * measurement.threads;
  const double elapsed = std::max(measurement.thread_us, least);
  const bool busy_known = std::isfinite(measurement.busy_us) && measurement.busy_us >= 0;
  NodeKnowledge result;
  result.threads = measurement.threads;
  result.measured = true;
  result.iterations = iterations;
  result.us_per_iteration = elapsed / iterations;
  result.busy_us_per_iteration = (busy_known ? std::max(measurement.busy_us, least) : elapsed) / iterations;
  if (measurement.granted_cpus > 0)
    result.throttled = std::max(measurement.threads / measurement.granted_cpus, 1.0);
  result.faults_per_iteration = static_cast<double>(measurement.faults()) / iterations;
  result.faults_next_visit = result.faults_per_iteration;
  if (measurement.instructions > 0)
    result.misses_per_kilo_instruction =
        1000 * static_cast<double>(measurement.cache_misses) / static_cast<double>(measurement.instructions);
  return result;
}

} // namespace hetmp::schedulers
