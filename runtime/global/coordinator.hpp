// The origin's side of the global level: a pure state machine that takes the requests of node leaders and says who gets
// which answer. No threads, no clocks, no memory but its own; its two drivers are coordinated_level.cpp's (nodes in one
// process, node processes). Not synchronised: one caller at a time.
#pragma once

#include "perf/region_record.hpp"
#include "runtime/global/global_level.hpp"
#include "schedulers/hetprobe.hpp"
#include "schedulers/pool.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hetmp::runtime {

struct Request {
  enum class Kind : uint32_t {
    Barrier,     ///< sequence, word
    Join,        ///< sequence; answered on node 0 only
    Fetch,       ///< sequence = loop, shape, local_threads
    OrderedWait, ///< sequence = loop, word = index
    OrderedPost, ///< sequence = loop, word = next; no answer
    Plan,        ///< sequence = loop, word = call site, trips, source
    Probe,       ///< sequence = loop, report
    Lock,        ///< word = key
    TryLock,     ///< word = key; the answer's word is 1 if the lock was free
    Unlock,      ///< word = key; no answer
  };
  static constexpr uint32_t longest_source = 512;

  Kind kind = Kind::Barrier;
  uint32_t node = 0;
  uint32_t ticket = 0; ///< of the waiting thread on its node; comes back with the answer
  uint32_t nodes = 1;  ///< of the team
  uint32_t threads = 1;
  uint32_t local_threads = 1;
  uint64_t team = 0;
  uint64_t sequence = 0;
  uint64_t word = 0;
  uint64_t trips = 0;
  PoolShape shape;
  ProbeReport report;
  uint32_t source_length = 0;
  char source[longest_source] = {}; ///< last, so that only the used part travels

  size_t bytes() const { return offsetof(Request, source) + source_length; }
};

struct Answer {
  uint32_t node = 0;
  uint32_t ticket = 0;
  uint64_t word = 0;
  schedulers::Range range;
  LoopPlan plan;
};

class Coordinator {
public:
  /// `threshold_us`: the fault period from which several nodes pay.
  explicit Coordinator(double threshold_us) : threshold_us_(threshold_us) {}

  /// Appends the answers that become possible by this request, in the order they are to be given. A request that no
  /// correct node sends is ignored, and false returned.
  bool handle(const Request& request, std::vector<Answer>& answers);

  /// What was learned about loops, in the order they were first met.
  perf::Report report(uint32_t nodes) const;

private:
  using ConstructName = std::pair<uint64_t, uint64_t>; ///< team, sequence

  struct Meeting { ///< a barrier or join under way
    uint32_t arrived = 0;
    uint64_t word = 0;
    std::vector<Answer> waiting;
  };
  struct Pool {
    schedulers::IterationPool iterations;
    uint32_t nodes_done = 0;
  };
  struct Ordered {
    uint64_t next = 0;
    std::vector<std::pair<uint64_t, Answer>> waiting; ///< by index
  };
  struct Region {
    schedulers::RegionHistory history;
    perf::RegionRecord record;
  };
  struct ProbedLoop { ///< one visit of a HetProbe loop
    size_t region = 0;
    LoopPlan plan;
    uint32_t asked = 0;
    uint32_t reported = 0;
    std::vector<schedulers::NodeMeasurement> measurements;
    std::vector<Answer> waiting;
  };
  struct Lock {
    bool held = false;
    std::deque<Answer> waiting;
  };

  void barrier(const Request& request, std::vector<Answer>& answers);
  void join(const Request& request, std::vector<Answer>& answers);
  void fetch(const Request& request, std::vector<Answer>& answers);
  void ordered(const Request& request, std::vector<Answer>& answers);
  void plan(const Request& request, std::vector<Answer>& answers);
  bool probe(const Request& request, std::vector<Answer>& answers);
  void lock(const Request& request, std::vector<Answer>& answers);
  void forget_team(uint64_t team);
  size_t region_of(const Request& request);
  static LoopPlan plan_from(const schedulers::Decision& decision, uint32_t nodes);
  void record_decision(Region& region, const ProbedLoop& loop);

  double threshold_us_;
  std::map<ConstructName, Meeting> meetings_;
  std::map<ConstructName, Pool> pools_;
  std::map<ConstructName, Ordered> ordered_;
  std::map<ConstructName, ProbedLoop> probed_loops_;
  std::unordered_map<uint64_t, Lock> locks_;
  std::vector<Region> regions_;
  std::map<std::pair<std::string, uint64_t>, size_t> region_by_name_;
};

} // namespace hetmp::runtime
