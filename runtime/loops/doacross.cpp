#include "runtime/loops/doacross.hpp"

#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/sync/single.hpp"
#include "runtime/team/node_team.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

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

/// Most loops count by one, and a division takes longer than all the rest.
uint64_t position(const DoacrossDimension& dimension, int64_t value) {
  if (dimension.stride == 1)
    return uint64_t(value) - uint64_t(dimension.lower);
  const uint64_t distance =
      dimension.stride > 0 ? uint64_t(value) - uint64_t(dimension.lower) : uint64_t(dimension.lower) - uint64_t(value);
  return distance / magnitude(dimension.stride);
}

/// The iteration's number in the nest; false: it is none of the nest's.
bool find_iteration(const DoacrossNest& nest, const int64_t* values, uint64_t& iteration) {
  HETMP_CHECK(nest.extents.size() == nest.dimensions.size());
  iteration = 0;
  for (size_t i = 0; i < nest.dimensions.size(); i++) {
    if (!contains(nest.dimensions[i], values[i]))
      return false;
    iteration = iteration * nest.extents[i] + position(nest.dimensions[i], values[i]);
  }
  return true;
}

uint64_t iterations_of(const std::vector<uint64_t>& extents) {
  uint64_t all = 1;
  for (const uint64_t extent : extents)
    if (__builtin_mul_overflow(all, extent, &all))
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
  nest.distance = {};
  nest.awaited.resize(count);
  nest.extents.clear();
  for (const DoacrossDimension& dimension : nest.dimensions)
    nest.extents.push_back(extent(dimension));
  const uint64_t iterations = iterations_of(nest.extents);
  const uint64_t words = iterations / PostedBits::bits + (iterations % PostedBits::bits != 0);
  if (words != 0)
    nest.posted = static_cast<PostedBits*>(construct_memory(task, words * sizeof(PostedBits)));
}

void end_doacross(ImplicitTask& task) { task.doacross.posted = nullptr; }

bool post_iteration(ImplicitTask& task, const int64_t* values) {
  const DoacrossNest& nest = task.doacross;
  uint64_t iteration;
  if (!nest.posted || !find_iteration(nest, values, iteration))
    return false;
  nest.posted[iteration / PostedBits::bits].post(iteration % PostedBits::bits);
  return true;
}

bool wait_for_iteration(ImplicitTask& task, const int64_t* values) {
  DoacrossNest& nest = task.doacross;
  uint64_t iteration;
  if (!nest.posted || !find_iteration(nest, values, iteration))
    return false;
  task.exchanges++;
  PostedBits& posted = nest.posted[iteration / PostedBits::bits];
  const uint32_t bit = iteration % PostedBits::bits;
  if (posted.is_posted(bit)) {
    nest.distance.met();
    return true;
  }
  if (task.team->global) {
    poll_until([&] { return posted.is_posted(bit); });
    return true;
  }
  if (spinning_pays())
    for (uint32_t pauses = nest.distance.pauses(); pauses != 0; pauses--)
      cpu_relax();
  posted.wait_for(bit);
  return true;
}

} // namespace hetmp::runtime
