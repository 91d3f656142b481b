#include "schedulers/simulation/data_places.hpp"

#include <algorithm>

namespace hetmp::simulation {

DataPlaces::DataPlaces(const FaultModel& model, uint64_t trips, uint32_t nodes)
    : model_(model), trips_(trips), written_(nodes, 0), run_so_far_(nodes, 0) {
  if (model_.own || model_.common)
    owner_.assign(trips, 0);
  if (nodes > 0)
    written_[0] = 1;
}

double DataPlaces::faults(uint32_t node, uint64_t iteration) const {
  double result = 0;
  if (model_.own && owner_[iteration] != node)
    result += model_.own(iteration);
  if (model_.common)
    result += model_.common(iteration) * (1 - written_[node]);
  return result;
}

double DataPlaces::run(uint32_t node, schedulers::Range range) {
  run_so_far_[node] += range.size();
  if (faultless())
    return 0;
  double result = 0;
  for (uint64_t i = range.begin; i < range.end; ++i) {
    result += faults(node, i);
    owner_[i] = static_cast<uint8_t>(node);
  }
  return result;
}

void DataPlaces::end_visit() {
  for (size_t i = 0; i < written_.size(); ++i) {
    written_[i] = trips_ > 0 ? static_cast<double>(run_so_far_[i]) / static_cast<double>(trips_) : 0;
    run_so_far_[i] = 0;
  }
}

} // namespace hetmp::simulation
