#include "schedulers/simulation/speed.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace hetmp::simulation {

SpeedTimeline::SpeedTimeline(double speed) : steps_{{0, speed}} {}

SpeedTimeline::SpeedTimeline(std::vector<SpeedStep> steps) : steps_(std::move(steps)) {}

double SpeedTimeline::at(double time_us) const {
  double speed = steps_.empty() ? 1 : steps_.front().speed;
  for (const SpeedStep& step : steps_)
    if (step.from_us <= time_us)
      speed = step.speed;
  return speed;
}

double SpeedTimeline::least_from(double start_us) const {
  double least = at(start_us);
  for (const SpeedStep& step : steps_)
    if (step.from_us > start_us)
      least = std::min(least, step.speed);
  return least;
}

double SpeedTimeline::finish(double start_us, double work_us) const {
  double time = start_us;
  double speed = at(start_us);
  for (const SpeedStep& step : steps_) {
    if (step.from_us <= time)
      continue;
    const double until = (step.from_us - time) * speed;
    if (until >= work_us)
      break;
    work_us -= until;
    time = step.from_us;
    speed = step.speed;
  }
  return time + work_us / speed;
}

double SpeedTimeline::work(double start_us, double end_us) const {
  double done = 0;
  double time = start_us;
  double speed = at(start_us);
  for (const SpeedStep& step : steps_) {
    if (step.from_us <= time)
      continue;
    if (step.from_us >= end_us)
      break;
    done += (step.from_us - time) * speed;
    time = step.from_us;
    speed = step.speed;
  }
  return done + std::max(0.0, end_us - time) * speed;
}

} // namespace hetmp::simulation
