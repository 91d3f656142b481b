#include "runtime/calibration/experiment.hpp"

#include "base/message.hpp"
#include "dsm/fabric.hpp"
#include "perf/clock.hpp"
#include "runtime/calibration/compute.hpp"
#include "runtime/calibration/openmp.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <new>

namespace hetmp::calibration {
namespace {

/// The calling process's own; null if the program runs as one process.
dsm::Fabric* find_fabric() {
  using Find = dsm::Fabric* (*)();
  const auto find = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "hetmp_dsm_fabric"));
  return find ? find() : nullptr;
}

uint64_t faults_of(const dsm::Fabric& fabric) {
  dsm::FaultCounters counters;
  fabric.read_faults(&counters);
  return counters.faults();
}

double thread_cpu_us() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e6 + double(now.tv_nsec) * 1e-3;
}

char* allocate_pages(size_t count) {
  void* memory = aligned_alloc(page_bytes, count * page_bytes);
  if (!memory)
    die(1, "calibration: no memory for %zu pages", count);
  return static_cast<char*>(memory);
}

struct Job {
  const Share* shares;
  char* pages;
  char* outcomes;
  uint64_t operations_per_byte;
};

void work(const Share& share, const Job& job) {
  for (size_t page = share.first; page < share.first + share.count; ++page) {
    char* bytes = job.pages + page * page_bytes;
    // A write comes first, so that the page moves at once: a read would bring a copy, and the write another
    // fault.
    *static_cast<volatile float*>(static_cast<void*>(bytes)) = 0.5F;
    if (job.operations_per_byte)
      compute(bytes, job.operations_per_byte);
  }
}

/// Everything that lies in shared memory is copied before the clock starts, and written after it has stopped.
void run_job(Member member, const Job& shared_job) {
  const Job job = shared_job;
  const Share share = job.shares[member.number];
  const dsm::Fabric& fabric = *find_fabric();
  Outcome seen{};
  seen.node = fabric.node;
  seen.faults_before = faults_of(fabric);
  member.barrier();
  seen.begin_us = perf::monotonic_us();
  const double cpu_before = thread_cpu_us();
  work(share, job);
  seen.cpu_us = thread_cpu_us() - cpu_before;
  seen.end_us = perf::monotonic_us();
  member.barrier();
  seen.faults_after = faults_of(fabric);
  new (job.outcomes + member.number * page_bytes) Outcome(seen);
}

/// Operations a microsecond of CPU time: how busy the machine is does not make a core slow.
double speed_of(const Outcome& spell) { return spell.operations ? double(spell.operations) / spell.cpu_us : 0; }

struct Census {
  char* outcomes;
};

void count_member(Member member, const Census& census) {
  const dsm::Fabric* fabric = find_fabric();
  Outcome seen{};
  seen.node = fabric ? fabric->node : 0;
  new (census.outcomes + member.number * page_bytes) Outcome(seen);
}

/// Counts the operations of the fastest of several short spells: caches and clock frequencies take a while to
/// settle.
void measure_speed(Member member, const Census& census) {
  constexpr int spells = 10;
  constexpr double spell_us = 2000;
  constexpr uint64_t operations_per_byte = 1024;
  alignas(64) char page[page_bytes] = {};
  compute(page, operations_per_byte);
  member.barrier();
  Outcome best{};
  for (int i = 0; i < spells; ++i) {
    Outcome spell{};
    spell.node = find_fabric()->node;
    const double begin_us = thread_cpu_us();
    do {
      compute(page, operations_per_byte);
      spell.operations += operations_per_byte * page_bytes;
      spell.cpu_us = thread_cpu_us() - begin_us;
    } while (spell.cpu_us < spell_us);
    if (speed_of(spell) > speed_of(best))
      best = spell;
  }
  member.barrier();
  new (census.outcomes + member.number * page_bytes) Outcome(best);
}

} // namespace

Experiment::Experiment() {
  const size_t threads = size_t(omp_get_max_threads());
  outcomes_ = allocate_pages(threads);
  parallel<Census, count_member>({outcomes_});
  for (size_t thread = 0; thread < threads; ++thread)
    node_of_.push_back(outcome_of(thread).node);
  if (nodes() < 2)
    die(1, "calibration: all threads run on one node: it needs HETMP_NODES=proc:N and libhetmp.so");
}

void Experiment::provide_pages(size_t count) {
  if (count <= provided_)
    return;
  free(pages_);
  pages_ = allocate_pages(count);
  provided_ = count;
}

Outcome& Experiment::outcome_of(size_t thread) const {
  return *std::launder(reinterpret_cast<Outcome*>(outcomes_ + thread * page_bytes));
}

size_t Experiment::threads_on(uint32_t node) const {
  return size_t(std::count(node_of_.begin(), node_of_.end(), node));
}

std::vector<double> Experiment::measure_speeds() {
  parallel<Census, measure_speed>({outcomes_});
  std::vector<double> speeds(nodes());
  for (size_t thread = 0; thread < node_of_.size(); ++thread) {
    const Outcome& seen = outcome_of(thread);
    speeds[seen.node] += speed_of(seen) / double(threads_on(seen.node));
  }
  return speeds;
}

void Experiment::run(const std::vector<Share>& shares, uint64_t operations_per_byte) {
  parallel<Job, run_job>({shares.data(), pages_, outcomes_, operations_per_byte});
}

NodeOutcome Experiment::outcome(uint32_t node) const {
  NodeOutcome all;
  uint64_t before = 0, after = UINT64_MAX;
  const double threads = double(threads_on(node));
  for (size_t thread = 0; thread < node_of_.size(); ++thread) {
    const Outcome& seen = outcome_of(thread);
    if (seen.node != node)
      continue;
    all.begin_us = all.end_us == 0 ? seen.begin_us : std::min(all.begin_us, seen.begin_us);
    all.end_us = std::max(all.end_us, seen.end_us);
    all.thread_us += (seen.end_us - seen.begin_us) / threads;
    all.cpu_us += seen.cpu_us / threads;
    // The last reading before the work follows what every thread of the node read beforehand; the first one
    // after it precedes what they write about it.
    before = std::max(before, seen.faults_before);
    after = std::min(after, seen.faults_after);
  }
  all.faults = after - before;
  return all;
}

} // namespace hetmp::calibration
