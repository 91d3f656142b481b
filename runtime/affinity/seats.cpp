#include "runtime/affinity/seats.hpp"

namespace hetmp::affinity {
namespace {

/// The first place of subpartition `index` of `parts`.
uint32_t part_begin(Partition whole, uint32_t index, uint32_t parts) {
  return whole.first + uint32_t(uint64_t(index) * whole.count / parts);
}

/// The subpartition that holds the place: the last one that does not begin behind it.
uint32_t part_with(Partition whole, uint32_t parts, uint32_t place) {
  // floor(i * count / parts) <= offset for the greatest i below (offset + 1) * parts / count.
  const uint64_t offset = place - whole.first;
  return uint32_t(((offset + 1) * parts - 1) / whole.count);
}

/// So many places behind the primary's, round the partition.
uint32_t behind(Partition partition, uint32_t primary_place, uint32_t distance) {
  return partition.first + (primary_place - partition.first + distance) % partition.count;
}

} // namespace

Seat seat_of(ProcBind bind, uint32_t thread, uint32_t threads, Partition partition, uint32_t primary_place) {
  if (bind == ProcBind::Primary || partition.count == 0)
    return {primary_place, partition};
  if (bind == ProcBind::True)
    return {behind(partition, primary_place, thread % partition.count), partition};
  if (threads > partition.count) {
    const uint32_t distance = uint32_t(uint64_t(thread) * partition.count / threads);
    const uint32_t place = behind(partition, primary_place, distance);
    return {place, bind == ProcBind::Spread ? Partition{place, 1} : partition};
  }
  if (bind != ProcBind::Spread)
    return {behind(partition, primary_place, thread), partition};
  const uint32_t part = (part_with(partition, threads, primary_place) + thread) % threads;
  const uint32_t begin = part_begin(partition, part, threads);
  const Partition own{begin, part_begin(partition, part + 1, threads) - begin};
  return {thread == 0 ? primary_place : begin, own};
}

} // namespace hetmp::affinity
