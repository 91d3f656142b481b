// One visit of a simulated loop, as discrete events.
#pragma once

#include "schedulers/policies/node_work.hpp"
#include "schedulers/simulation/scenario.hpp"

#include <cstdint>
#include <optional>
#include <queue>
#include <string>
#include <vector>

namespace hetmp::simulation {

/// Assignments that stand for further visits (Assignment::repeats), by node.
struct StandingPlan {
  uint32_t repeats = 0; ///< visits that it still holds for
  std::vector<schedulers::Assignment> assignments;
  std::vector<schedulers::NodeMeasurement> measured; ///< on the visits that it held for: times and iterations
};

/// Events are handled in the order of their times; those of one time in the order in which they came about.
class Visit {
 public:
  /// `policy` may be null if `plan` stands for this visit.
  Visit(const Scenario& scenario, DataPlaces& data, std::vector<schedulers::NodeWork>& nodes,
        schedulers::LoopPolicy* policy, StandingPlan& plan, double start_us);

  /// Runs the visit. Returns what was wrong with the policy; empty = nothing.
  std::string run(VisitResult& result);

 private:
  enum class Kind : uint8_t { ThreadContinues, Question, Answer, Report };
  struct Event {
    double time_us = 0;
    uint64_t number = 0; ///< in order of coming about
    Kind kind = Kind::ThreadContinues;
    uint32_t node = 0;
    uint32_t thread = 0;                       ///< ThreadContinues
    schedulers::NodeMeasurement measurement{}; ///< Question, Report
    schedulers::Assignment assignment{};       ///< Answer
    bool operator<(const Event& other) const { // the queue's top is its largest element
      return time_us != other.time_us ? time_us > other.time_us : number > other.number;
    }
  };
  struct Thread {
    double finished_us = 0; ///< when the chunk in hand is done
    schedulers::Range chunk;
    bool timed = false; ///< as the assignment said that the chunk came from, which may have been replaced since
    schedulers::ChunkMeasurement measured;
  };
  struct Node {
    std::vector<Thread> threads;
    std::vector<uint32_t> waiting; ///< threads, until the next answer
    uint32_t inside = 0;           ///< threads that have not left
    double answered_us = 0;
    double reported_faults = 0; ///< of NodeUse::faults, those in earlier measurements
    bool has_asked = false;
    bool had_last = false;
  };

  void end_planned_visit();
  void post(Event event);
  void handle(const Event& event);
  void continue_thread(uint32_t node, uint32_t thread);
  void start_chunk(uint32_t node, uint32_t thread, schedulers::Range chunk);
  void finish_chunk(uint32_t node, uint32_t thread);
  void send(Kind kind, uint32_t node);
  void answer(const schedulers::Reply& reply);
  void take_answer(const Event& event);
  std::string check_end() const;
  void complain(std::string what);

  const Scenario& scenario_;
  DataPlaces& data_;
  std::vector<schedulers::NodeWork>& work_;
  schedulers::LoopPolicy* policy_;
  StandingPlan& plan_;
  double start_us_;
  double now_;
  double end_us_;
  bool from_plan_;
  uint64_t events_ = 0;
  std::priority_queue<Event> queue_;
  std::vector<Node> nodes_;
  std::vector<bool> executed_; ///< by iteration
  std::vector<schedulers::Reply> replies_;
  VisitResult* result_ = nullptr;
  std::string problem_;
};

} // namespace hetmp::simulation
