#include "runtime/regions/short_turns.hpp"

#include "base/check.hpp"
#include "base/clock.hpp"

#include <utility>

namespace hetmp::runtime {

void ShortTurns::begin(uint64_t region, const std::vector<int>& cpus) {
  if (std::exchange(are_kept_, false)) // the region before was left in a way that nobody was told of
    keepers_.end();
  region_ = region;
  length_ = nullptr;
  if (lengths_.empty())
    return;
  const auto known = lengths_.find(region);
  if (known == lengths_.end())
    return;
  length_ = &known->second;
  cpus_ = cpus.size();
  executed_before_ns_ = process_cpu_ns();
  const double turns_us = length_->turns_us();
  are_kept_ = turns_us != 0;
  if (are_kept_)
    keepers_.begin(cpus, uint32_t(turns_us));
}

std::optional<uint64_t> ShortTurns::end(double taken_us, uint64_t trips, bool compares) {
  HETMP_CHECK(in_region());
  if (std::exchange(are_kept_, false))
    keepers_.end();
  const uint64_t region = std::exchange(region_, 0);
  if (!compares)
    return {};
  if (!length_) {
    static constexpr schedulers::TurnRules rules;
    if (taken_us >= rules.shortest_visit_us[0])
      lengths_.try_emplace(region); // its next visit is looked at
    return {};
  }
  const double executed_us = double(process_cpu_ns() - executed_before_ns_) / 1000 / double(cpus_);
  return length_->end(executed_us, trips) ? std::optional(region) : std::nullopt;
}

double ShortTurns::usual_turns_of(uint64_t region) const {
  const auto known = lengths_.find(region);
  return known == lengths_.end() ? 0 : known->second.usual_turns_us();
}

std::map<uint64_t, double> ShortTurns::usual_turns_us() const {
  std::map<uint64_t, double> turns;
  for (const auto& [region, length] : lengths_)
    if (length.usual_turns_us() != 0)
      turns.emplace(region, length.usual_turns_us());
  return turns;
}

} // namespace hetmp::runtime
