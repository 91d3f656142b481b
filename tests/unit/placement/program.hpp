// A program as the placement of regions sees it, in virtual time: regions in a cycle, what lies between them, what each
// costs at home and on several nodes, what data costs that has to come and go.
#pragma once

#include "schedulers/placement/region_placer.hpp"

#include <cmath>
#include <random>
#include <vector>

namespace hetmp::schedulers {

/// When the run is so long that the budget has its base.
inline constexpr double grown_us = 1'000'000;

struct ProgramRegion {
  uint64_t name = 1;
  double home_us = 1000;
  double spread_us = 600; ///< when its data is where it is used
  double lent_us = 0;     ///< likewise, on one other node
  double move_us = 500;   ///< what its data takes to come, each time the region changes its place
  uint32_t exchanges = 0;
  double remains = 1;      ///< share of its work that the next visit has
  double meetings_us = 0;  ///< of a visit on several nodes, however little it has to do
  bool is_another = false; ///< each visit has a trip count that is nothing like the others
  uint64_t rows = 0;       ///< of a matrix that is decomposed: each visit has a trip less; 0: always as many
  double row_power = 2;    ///< of its trips is a visit's work
  uint32_t phase = 0;      ///< so many visits, and then as many for which several nodes take
  double other_us = 0;     ///< so much, and so on; 0: there are no such phases
  double first_us = 0;     ///< that each of its first `first_visits` takes longer, wherever it is
  uint32_t first_visits = 0;
};

struct Program {
  std::vector<ProgramRegion> cycle;
  uint32_t cycles = 100;
  double serial_us = 100; ///< between two regions
  double resident_mib = 1;
  double noise = 0.02;   ///< of each time, relative
  double home_speed = 1; ///< share of its CPUs' time that the origin gets
};

struct RunOfProgram {
  double taken_us = 0;
  double home_us = 0;        ///< had all been at home
  double spread_us = 0;      ///< had all been on all nodes from the beginning
  double lent_us = 0;        ///< had all been on one other node
  double worst_visit_us = 0; ///< that one visit was longer than at home
};

/// That the region has to do in that cycle.
inline double work_of(const ProgramRegion& region, uint32_t cycle) {
  const double rows_left = region.rows == 0 ? 1 : double(region.rows - std::min<uint64_t>(cycle, region.rows - 1));
  return region.rows == 0 ? std::pow(region.remains, cycle)
                          : std::pow(rows_left / double(region.rows), region.row_power);
}

inline uint64_t trips_of(const ProgramRegion& region, uint32_t cycle) {
  constexpr double unlike = 1.2; // times as many as in the cycle before
  constexpr uint64_t some = 100;
  if (region.is_another)
    return uint64_t(some * std::pow(unlike, cycle));
  return region.rows == 0 ? some : region.rows - std::min<uint64_t>(cycle, region.rows - 1);
}

inline RunOfProgram run_program(const Program& program, RegionPlacer& placer, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, program.noise);
  RunOfProgram run;
  enum class At { Home, AllNodes, OtherNode };
  std::map<uint64_t, At> places;
  for (uint32_t cycle = 0; cycle < program.cycles; cycle++) {
    for (const ProgramRegion& region : program.cycle) {
      const double disturbed = std::max(0.5, 1 + normal(random));
      for (double* const us : {&run.taken_us, &run.home_us, &run.spread_us, &run.lent_us})
        *us += program.serial_us;
      placer.see_home(true, program.home_speed, run.taken_us);
      const bool is_away = placer.begin(region.name, run.taken_us, [&] { return program.resident_mib; });
      const At at = !is_away ? At::Home : placer.away() == Site::OtherNode ? At::OtherNode : At::AllNodes;
      const bool is_other = region.phase != 0 && cycle / region.phase % 2 == 1;
      const double work = work_of(region, cycle);
      const double spread_us = (is_other ? region.other_us : region.spread_us) * work + region.meetings_us;
      const double lent_us = region.lent_us * work;
      double visit_us = (at == At::Home ? region.home_us * work : at == At::AllNodes ? spread_us : lent_us) * disturbed;
      if (cycle < region.first_visits)
        visit_us += region.first_us, run.home_us += region.first_us;
      if (std::exchange(places[region.name], at) != at)
        visit_us += region.move_us;
      const double first_us = cycle == 0 ? region.move_us : 0;
      run.taken_us += visit_us;
      run.home_us += region.home_us * work * disturbed;
      run.spread_us += spread_us * disturbed + first_us;
      run.lent_us += lent_us * disturbed + first_us;
      run.worst_visit_us = std::max(run.worst_visit_us, visit_us - region.home_us * work);
      placer.end(run.taken_us, {.trips = trips_of(region, cycle), .exchanges = region.exchanges});
    }
  }
  return run;
}

/// With 3 cycles to so many.
inline Program draw_program(std::mt19937& random, double most_cycles) {
  const auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
  };
  Program program;
  program.cycles = uint32_t(between(3, most_cycles));
  program.serial_us = between(1, 5000);
  program.resident_mib = between(1, 500);
  program.noise = between(0.005, 0.1);
  const uint32_t regions = 1 + random() % 5;
  for (uint64_t name = 1; name <= regions; name++) {
    ProgramRegion region{.name = name, .home_us = between(20, 200'000)};
    region.spread_us = region.home_us * between(0.52, 6);
    region.move_us = region.home_us * between(0.01, 4);
    program.cycle.push_back(region);
  }
  return program;
}

/// Its origin is slow from now on, and its regions take about as much less on one other node, or not.
inline void let_some_be_lent(Program& program, std::mt19937& random) {
  program.home_speed = std::uniform_real_distribution<double>(0.1, 1)(random);
  for (ProgramRegion& region : program.cycle) {
    const double worse = std::exp(std::uniform_real_distribution<double>(0, std::log(3))(random));
    region.lent_us = region.home_us * program.home_speed * (random() % 3 == 0 ? worse : 1.05);
  }
}

/// Some of its regions have phases in which several nodes take more or less than in others.
inline void let_some_have_phases(Program& program, std::mt19937& random) {
  for (ProgramRegion& region : program.cycle) {
    if (random() % 2 == 0)
      continue;
    region.phase = 1 + uint32_t(random() % std::max(1u, program.cycles / 2));
    region.other_us =
        region.home_us * std::exp(std::uniform_real_distribution<double>(std::log(0.52), std::log(6))(random));
  }
}

/// Some of its regions have ever less to do from now on.
inline void let_some_shrink(Program& program, std::mt19937& random) {
  for (ProgramRegion& region : program.cycle) {
    if (random() % 2 == 0)
      continue;
    region.remains = 1 - std::exp(std::uniform_real_distribution<double>(std::log(0.0005), std::log(0.05))(random));
    region.meetings_us = std::uniform_real_distribution<double>(0, 0.5)(random) * region.spread_us;
  }
}

/// Some of its regions decompose a matrix from now on.
inline void let_some_decompose(Program& program, std::mt19937& random) {
  for (ProgramRegion& region : program.cycle) {
    if (random() % 2 == 0)
      continue;
    region.rows = program.cycles + random() % (program.cycles + 1);
    region.row_power = std::uniform_real_distribution<double>(0, 3)(random);
    region.meetings_us = std::uniform_real_distribution<double>(0, 0.5)(random) * region.spread_us;
  }
}

} // namespace hetmp::schedulers
