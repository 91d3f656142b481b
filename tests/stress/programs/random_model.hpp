// What random programs do (random_programs.cpp), as pure functions of a seed, and the sequential model that
// does it in order.
#pragma once

#include "stress.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace stress {

constexpr uint64_t most_workers = 24, counters = 16, accounts = 6, slots = 96, areas = 2, least_cells = 8192,
                   most_cells = 30'000;

/// One parallel region: its shape, and who may change what in it. A worker is whoever carries out one list of
/// operations: a thread, an iteration, a section.
struct Region {
  enum Shape : uint8_t { Flat, Loop, Ordered, Nested, Sections, Alone, shapes };
  uint64_t seed, number;
  Shape shape;
  uint64_t team, inner, workers, operations;
  uint64_t area, cells,
      granule; ///< the array of this region, its length, and how many neighbouring cells a worker has

  uint64_t random(uint64_t what, uint64_t which = 0) const { return mix(seed * 1'000'003 + number, what, which); }
};

inline Region make_region(uint64_t seed, uint64_t number, const uint64_t (&cells)[areas]) {
  Random random(seed, number);
  Region region{};
  region.seed = seed;
  region.number = number;
  region.shape = Region::Shape(random.below(Region::shapes));
  region.team = 1 + random.below(8);
  region.inner = 1 + random.below(3);
  const uint64_t workers[] = {
      region.team, 1 + random.below(most_workers), 1 + random.below(most_workers), region.team * region.inner, 4, 1};
  region.workers = workers[region.shape];
  region.operations = 10 + random.below(50);
  region.area = random.below(areas);
  region.cells = cells[region.area];
  constexpr uint64_t granules[] = {1, 8, 64, 300};
  region.granule = granules[random.below(4)];
  return region;
}

struct Operation {
  enum Kind : uint8_t { Write, Read, Count, Ticket, Deposit, Keep, Push } kind;
  uint64_t place; ///< of cells, counters, accounts or slots
  uint64_t value;
};

/// Cells come in groups; in each region a group is either only read, by all, or each worker writes its own
/// part of it.
inline Operation cell_operation(const Region& region, uint64_t worker, Random& random) {
  const uint64_t group_cells = region.workers * region.granule;
  const uint64_t group = random.below(region.cells / group_cells);
  if (region.random(1, group) % 3 == 0)
    return {Operation::Read, group * group_cells + random.below(group_cells), 0};
  const uint64_t part = (worker + region.number) % region.workers;
  return {Operation::Write, group * group_cells + part * region.granule + random.below(region.granule), random.next()};
}

/// What a worker does as its `index`th operation. Operations of different workers commute; those of one
/// worker come in order.
inline Operation operation(const Region& region, uint64_t worker, uint64_t index) {
  Random random(region.random(2, worker), index);
  switch (random.below(16)) {
  case 0:
  case 1:
    return {Operation::Count, random.below(counters), random.next()};
  case 2:
    return {Operation::Ticket, 0, 0};
  case 3:
  case 4:
    return {Operation::Deposit, random.below(accounts), random.next()};
  case 5:
  case 6:
    return {Operation::Keep, random.below(slots / region.workers) * region.workers + worker, random.next()};
  case 7:
    return {Operation::Push, 0, random.next()};
  default:
    return cell_operation(region, worker, random);
  }
}

/// A block of memory in a slot: how it was obtained, how long it is, and what fills it. Without bytes there
/// is none.
struct Kept {
  enum Way : uint8_t { Malloc, Calloc, New, Aligned, Mapped, ways };
  uint64_t bytes = 0, tag = 0;
  Way way = Malloc;

  bool operator==(const Kept& other) const { return bytes == other.bytes && tag == other.tag && way == other.way; }
  uint8_t content(uint64_t index) const { return uint8_t(mix(tag, index / 8) >> index % 8 * 8); }
};

/// What becomes of it: it is made, given back, written anew, or written anew in another size.
inline Kept next(const Kept& before, uint64_t value) {
  Random random(value);
  const uint64_t choice = random.below(4);
  if (before.bytes && choice == 0)
    return {};
  const uint64_t largest = random.below(6) == 0 ? 100'000 : random.below(3) == 0 ? 9000 : 500;
  const uint64_t bytes = before.bytes && choice == 1 ? before.bytes : 1 + random.below(largest);
  const auto way = before.bytes ? before.way : Kept::Way(random.below(Kept::ways));
  return {bytes, random.next(), way};
}

/// A group of numbers of every width that programs count with.
struct Counters {
  uint32_t small[counters / 4] = {};
  uint64_t large[counters / 4] = {}, most[counters / 4] = {};
  double real[counters / 4] = {};
};

inline char letter(uint64_t value) { return char('a' + value % 26); }

/// Everything as it must be after the regions so far.
struct Model {
  std::vector<uint64_t> cells[areas];
  Counters counted;
  uint64_t tickets = 0, ticket_sum = 0;
  uint64_t deposits[accounts] = {}, balance[accounts] = {};
  Kept kept[slots];
  std::vector<uint64_t> pushed; ///< in any order
  std::string letters;          ///< in any order

  void perform(const Region& region, const Operation& what) {
    const uint64_t quarter = what.place / 4;
    switch (what.kind) {
    case Operation::Read:
      return;
    case Operation::Write:
      cells[region.area][what.place] = what.value;
      return;
    case Operation::Count:
      if (what.place % 4 == 0)
        counted.small[quarter] += uint32_t(what.value);
      else if (what.place % 4 == 1)
        counted.large[quarter] += what.value;
      else if (what.place % 4 == 2)
        counted.most[quarter] = std::max(counted.most[quarter], what.value);
      else
        counted.real[quarter] += double(what.value % 1000);
      return;
    case Operation::Ticket:
      ticket_sum += mix(++tickets);
      return;
    case Operation::Deposit:
      ++deposits[what.place];
      balance[what.place] += what.value;
      return;
    case Operation::Keep:
      kept[what.place] = next(kept[what.place], what.value);
      return;
    case Operation::Push:
      pushed.push_back(what.value);
      letters += letter(what.value);
    }
  }

  void perform(const Region& region) {
    for (uint64_t worker = 0; worker < region.workers; ++worker)
      for (uint64_t i = 0; i < region.operations; ++i)
        perform(region, operation(region, worker, i));
  }
};

} // namespace stress
