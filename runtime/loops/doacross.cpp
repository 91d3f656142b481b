#include "runtime/loops/doacross.hpp"

#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/sync/single.hpp"
#include "runtime/team/node_team.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

constexpr uint64_t bits = 32; // of a word

uint64_t magnitude(int64_t stride) { return stride > 0 ? uint64_t(stride) : 0 - uint64_t(stride); }

/// How many values the variable has.
uint64_t extent(const DoacrossDimension& dimension) {
  const auto [lower, upper, stride] = dimension;
  if (stride == 0 || (stride > 0 ? upper < lower : lower < upper))
    return 0;
  const uint64_t distance = stride > 0 ? uint64_t(upper) - uint64_t(lower) : uint64_t(lower) - uint64_t(upper);
  return distance / magnitude(stride) + 1;
}

bool contains(const DoacrossDimension& dimension, int64_t value) {
  return value >= std::min(dimension.lower, dimension.upper) && value <= std::max(dimension.lower, dimension.upper);
}

uint64_t position(const DoacrossDimension& dimension, int64_t value) {
  const uint64_t distance =
      dimension.stride > 0 ? uint64_t(value) - uint64_t(dimension.lower) : uint64_t(dimension.lower) - uint64_t(value);
  return distance / magnitude(dimension.stride);
}

/// The iteration's bit among those of the nest; false: it is none of the nest's.
bool find_bit(const DoacrossNest& nest, const int64_t* values, uint64_t& bit) {
  bit = 0;
  for (size_t i = 0; i < nest.dimensions.size(); i++) {
    if (!contains(nest.dimensions[i], values[i]))
      return false;
    bit = bit * extent(nest.dimensions[i]) + position(nest.dimensions[i], values[i]);
  }
  return true;
}

uint64_t iterations_of(const std::vector<DoacrossDimension>& dimensions) {
  uint64_t all = 1;
  for (const DoacrossDimension& dimension : dimensions)
    if (__builtin_mul_overflow(all, extent(dimension), &all))
      die(exit_code::no_resources, "a loop nest with more iterations than can be counted has dependences between them");
  return all;
}

/// Whoever posts may do so on another node, which wakes nobody here.
template <class Ready> void poll_until(Ready&& ready) {
  constexpr long first_pause = 20'000, longest_pause = 1'000'000; // nanoseconds
  if (spin_until(ready))
    return;
  for (long pause = first_pause; !ready(); pause = std::min(pause * 2, longest_pause)) {
    const timespec time = {0, pause};
    nanosleep(&time, nullptr);
  }
}

} // namespace

void begin_doacross(ImplicitTask& task, const DoacrossDimension* dimensions, uint32_t count) {
  DoacrossNest& nest = task.doacross;
  nest.posted = nullptr;
  if (task.team->alone())
    return; // in order anyhow
  nest.dimensions.assign(dimensions, dimensions + count);
  const uint64_t iterations = iterations_of(nest.dimensions);
  const uint64_t words = iterations / bits + (iterations % bits != 0);
  if (words != 0)
    nest.posted = static_cast<std::atomic<uint32_t>*>(construct_memory(task, words * sizeof(std::atomic<uint32_t>)));
}

void end_doacross(ImplicitTask& task) { task.doacross.posted = nullptr; }

void post_iteration(ImplicitTask& task, const int64_t* values) {
  const DoacrossNest& nest = task.doacross;
  uint64_t bit;
  if (!nest.posted || !find_bit(nest, values, bit))
    return;
  // seq_cst: what threads wait for (Bell); also the release that they acquire.
  nest.posted[bit / bits].fetch_or(uint32_t(1) << bit % bits, std::memory_order_seq_cst);
  task.team->iterations_posted.ring();
}

bool wait_for_iteration(ImplicitTask& task, const int64_t* values) {
  const DoacrossNest& nest = task.doacross;
  uint64_t bit;
  if (!nest.posted || !find_bit(nest, values, bit))
    return false;
  task.exchanges++;
  // seq_cst: pairs with post_iteration(); also acquires what was done before that.
  const auto is_posted = [&] {
    return (nest.posted[bit / bits].load(std::memory_order_seq_cst) & uint32_t(1) << bit % bits) != 0;
  };
  if (is_posted())
    return true;
  if (task.team->global)
    poll_until(is_posted);
  else
    task.team->iterations_posted.wait_until(is_posted);
  return true;
}

} // namespace hetmp::runtime
