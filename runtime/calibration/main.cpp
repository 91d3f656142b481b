// The microbenchmark of the paper's section 3.4, started by `hetmp calibrate` on several node processes.
//
// Usage: hetmp-calibration [--quick]
// Prints, one a line, for each node but the origin:
//   pair NODE THREADS SPEED                  its threads, and the speed of one of them, the origin's being 1
//   point NODE OPERATIONS MOPS PERIOD ELAPSED GAIN    see perf/profile.hpp for the figures
//   share NODE PART                          of the time in which the origin computed without a fault, the
//   part that it
//                                            had a CPU: below 1, other programs were running
// and at the end "end": output without it is not complete.
#include "base/message.hpp"
#include "perf/clock.hpp"
#include "runtime/calibration/compute.hpp"
#include "runtime/calibration/experiment.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string_view>

namespace {

using namespace hetmp::calibration;
using hetmp::page_bytes;

/// How much is measured.
struct Effort {
  unsigned last_power;  ///< points are 2^0 .. 2^last_power operations a byte
  size_t most_pages;    ///< of a thread
  unsigned repetitions; ///< of each point, at least
  unsigned most_repetitions;
  double point_us; ///< above the least, a point is repeated while it has taken less
};

constexpr Effort thorough = {20, 256, 3, 7, 400'000};
constexpr Effort quick = {16, 64, 3, 3, 0};

/// A thread computes about so long in a run, where pages can be divided so finely.
constexpr double work_us = 25'000;
/// What would take longer on a single page is left out.
constexpr double longest_page_us = 500'000;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The repetitions of one point.
struct Samples {
  std::vector<double> mops, fault_period_us, elapsed_us, gain, cpu_share;
};

double per_fault(double us, uint64_t faults) {
  return faults ? us / double(faults) : std::numeric_limits<double>::infinity();
}

/// The time of the last run from its first thread's beginning to its last one's end, on the nodes that
/// worked.
double span_of(const Experiment& experiment, uint32_t node) {
  const NodeOutcome origin = experiment.outcome(0), other = experiment.outcome(node);
  return std::max(origin.end_us, other.end_us) - std::min(origin.begin_us, other.begin_us);
}

class Pair {
 public:
  Pair(Experiment& experiment, uint32_t node, const Split& split)
      : experiment_(experiment), node_(node), split_(split) {
    experiment.provide_pages(count_pages(experiment.node_of(), node, split));
    on_origin_ = deal(Workers::Origin);
    on_node_ = deal(Workers::Node);
    on_both_ = deal(Workers::Both);
  }

  void measure(uint64_t operations_per_byte, Samples& samples) {
    bring_home();
    experiment_.run(on_node_, operations_per_byte);
    const NodeOutcome seen = experiment_.outcome(node_);
    const double pages = double(split_.node * experiment_.threads_on(node_));
    samples.mops.push_back(double(operations_per_byte * page_bytes) * pages / seen.span_us());
    samples.fault_period_us.push_back(per_fault(seen.cpu_us, seen.faults));
    samples.elapsed_us.push_back(per_fault(seen.thread_us, seen.faults));

    bring_home();
    experiment_.run(on_origin_, operations_per_byte); // leaves all pages where they were
    const NodeOutcome alone = experiment_.outcome(0);
    samples.cpu_share.push_back(alone.cpu_us / alone.thread_us);
    experiment_.run(on_both_, operations_per_byte);
    samples.gain.push_back(alone.span_us() / span_of(experiment_, node_));
  }

 private:
  std::vector<Share> deal(Workers workers) const { return deal_pages(workers, experiment_.node_of(), node_, split_); }
  void bring_home() { experiment_.run(on_origin_, 0); }

  Experiment& experiment_;
  uint32_t node_;
  Split split_;
  std::vector<Share> on_origin_, on_node_, on_both_;
};

Samples measure_point(Pair& pair, uint64_t operations_per_byte, const Effort& effort) {
  Samples samples;
  const double begin = hetmp::perf::monotonic_us();
  for (unsigned done = 0; done < effort.most_repetitions; ++done) {
    if (done >= effort.repetitions && hetmp::perf::monotonic_us() - begin > effort.point_us)
      break;
    pair.measure(operations_per_byte, samples);
  }
  return samples;
}

void measure_pair(Experiment& experiment, uint32_t node, const std::vector<double>& speeds, const Effort& effort) {
  const double slower = std::min(speeds[0], speeds[node]);
  printf("pair %u %zu %.6g\n", node, experiment.threads_on(node), speeds[node] / speeds[0]);
  std::vector<double> cpu_shares;
  for (unsigned power = 0; power <= effort.last_power; ++power) {
    const uint64_t operations_per_byte = uint64_t(1) << power;
    const double page_us = double(operations_per_byte * page_bytes) / slower;
    if (page_us > longest_page_us)
      break;
    const size_t pages = size_t(std::clamp(work_us / page_us, 1.0, double(effort.most_pages)));
    Pair pair(experiment, node, split_pages(pages, speeds[node] / speeds[0]));
    const Samples samples = measure_point(pair, operations_per_byte, effort);
    printf("point %u %llu %.6g %.6g %.6g %.6g\n", node, static_cast<unsigned long long>(operations_per_byte),
           median(samples.mops), median(samples.fault_period_us), median(samples.elapsed_us), median(samples.gain));
    cpu_shares.push_back(median(samples.cpu_share));
    fflush(nullptr); // a reader shows them as they come
  }
  printf("share %u %.6g\n", node, cpu_shares.empty() ? 1 : median(cpu_shares));
}

} // namespace

int main(int argc, char** argv) {
  const bool is_quick = argc == 2 && std::string_view(argv[1]) == "--quick";
  if (argc > 1 && !is_quick) {
    hetmp::say("calibration: usage: hetmp-calibration [--quick]");
    return 2;
  }
  Experiment experiment;
  const std::vector<double> speeds = experiment.measure_speeds();
  for (uint32_t node = 1; node < experiment.nodes(); ++node)
    measure_pair(experiment, node, speeds, is_quick ? quick : thorough);
  puts("end");
  return 0;
}
