#include "schedulers/learning/node_pace.hpp"

#include <algorithm>
#include <cmath>

namespace hetmp::schedulers {
namespace {

constexpr double remembered = 0.5;
constexpr double exchanges_worth_a_part = 100;
constexpr double exchanges_not_worth_dividing = 20;
constexpr double exchanges_in_a_chunk = 0.5;
constexpr uint64_t chunks_a_thread = 32;
constexpr uint64_t least_chunks_a_thread = 4;

uint64_t rounded_up(double value, uint64_t most) {
  if (!(value > 1))
    return std::min<uint64_t>(1, most);
  return value >= static_cast<double>(most) ? most : static_cast<uint64_t>(std::ceil(value));
}

} // namespace

void NodePace::learn(const NodeMeasurement& measurement) {
  if (measurement.iterations == 0 || !std::isfinite(measurement.thread_us) || measurement.thread_us < 0)
    return;
  iterations_ = iterations_ * remembered + static_cast<double>(measurement.iterations);
  thread_us_ = thread_us_ * remembered + measurement.thread_us;
}

void NodePace::assume(double us_per_iteration) { assumed_us_ = us_per_iteration; }

double NodePace::us_per_iteration() const {
  return iterations_ > 0 && thread_us_ > 0 ? thread_us_ / iterations_ : assumed_us_;
}

double NodePace::rate() const { return known() ? threads_ / us_per_iteration() : 0; }

uint64_t part_size(const PartQuestion& question) {
  const double fair = static_cast<double>(question.left) * question.share;
  double part = std::max(fair * question.fraction, static_cast<double>(question.threads));
  if (question.rate > 0) {
    const double left_exchanges = fair / question.rate / std::max(question.exchange_us, 1e-3);
    if (left_exchanges <= exchanges_not_worth_dividing)
      part = fair;
    else
      part = std::max(part, fair * std::min(exchanges_worth_a_part / left_exchanges, 0.5));
  }
  return rounded_up(std::min(part, fair), question.left);
}

uint64_t chunk_size(uint64_t part, const NodePace& pace, uint32_t threads, double exchange_us) {
  const uint64_t share = part / std::max(threads, 1u);
  const uint64_t most = std::max<uint64_t>(1, share / least_chunks_a_thread);
  const uint64_t usual = std::max<uint64_t>(1, share / chunks_a_thread);
  if (!pace.known())
    return usual;
  return std::max(usual, rounded_up(exchanges_in_a_chunk * exchange_us / pace.us_per_iteration(), most));
}

} // namespace hetmp::schedulers
