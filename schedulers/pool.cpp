#include "schedulers/pool.hpp"

#include "schedulers/loop.hpp"

namespace hetmp::schedulers {
namespace {

uint64_t saturated_product(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<uint64_t>::max() : product;
}

} // namespace

IterationPool::IterationPool(uint64_t trips, ScheduleKind kind, uint64_t chunk, uint32_t threads)
    : trips_(trips), chunk_(std::max<uint64_t>(chunk, 1)), threads_(std::max<uint32_t>(threads, 1)),
      guided_(kind == ScheduleKind::Guided) {}

Range IterationPool::take(uint32_t node_threads) {
  const uint64_t for_each = guided_ ? guided_chunk(remaining(), chunk_, threads_) : chunk_;
  const uint64_t batch =
      std::min(remaining(), saturated_product(for_each, std::max<uint32_t>(node_threads, 1)));
  const Range handed{next_, next_ + batch};
  next_ = handed.end;
  return handed;
}

} // namespace hetmp::schedulers
