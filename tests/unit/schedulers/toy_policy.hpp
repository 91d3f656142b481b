// What adding a policy takes: a class and a line of the table. A test program that defines policy_table() with
// with_toy() has it everywhere.
#pragma once

#include "schedulers/policies/policy_table.hpp"

#include <algorithm>
#include <vector>

namespace hetmp::schedulers {

/// Each question gets as many iterations as the schedule's chunk says, from the end of the loop.
class ToyPolicy final : public LoopPolicy {
 public:
  ToyPolicy(const Schedule& schedule, const LoopShape& shape)
      : left_(shape.trips), chunk_(std::max<uint64_t>(schedule.chunk, 1 + shape.trips / 1000)),
        members_(shape.threads.size() -
                 static_cast<size_t>(std::count(shape.threads.begin(), shape.threads.end(), 0u))) {}

  void ask(uint32_t node, const NodeMeasurement&, std::vector<Reply>& replies) override {
    Reply reply;
    reply.node = node;
    const uint64_t count = std::min(left_, chunk_);
    reply.assignment.add({left_ - count, left_});
    reply.assignment.last = count == 0;
    left_ -= count;
    members_ -= reply.assignment.last;
    replies.push_back(reply);
  }
  bool finished() const override { return members_ == 0; }

 private:
  uint64_t left_;
  uint64_t chunk_;
  size_t members_; ///< that have not had their last answer
};

inline constexpr PolicyDescriptor toy_line{
    .kind = ScheduleKind{200},
    .name = "toy",
    .omp_number = 0x70797,
    .needs_all_nodes = true,
    .make = [](const Schedule& schedule, const LoopShape& shape, LoopHistory&, const DecisionRules&)
        -> std::unique_ptr<LoopPolicy> { return std::make_unique<ToyPolicy>(schedule, shape); },
};

inline std::span<const PolicyDescriptor> with_toy() {
  static const std::vector<PolicyDescriptor> lines = [] {
    const std::span<const PolicyDescriptor> own = built_in_policies();
    std::vector<PolicyDescriptor> all(own.begin(), own.end());
    all.push_back(toy_line);
    return all;
  }();
  return lines;
}

} // namespace hetmp::schedulers
