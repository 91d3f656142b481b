// What the user of hetmp-simulate asked for, and the scenario it stands for.
#pragma once

#include "schedulers/arithmetic/schedule.hpp"
#include "schedulers/simulation/scenario.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hetmp::simulate {

struct Options {
  uint32_t nodes = 2;
  std::vector<uint32_t> threads = {8};     ///< of each node; the last one counts for the rest, too
  std::vector<std::string> speeds = {"1"}; ///< likewise; "1" or, changing at a time in ms, "1@0/0.25@500"
  std::string shape = "constant";
  double contrast = 10;
  uint64_t trips = 100000;
  double milliseconds = 1000; ///< the visit's optimum, without faults
  uint32_t visits = 1;
  std::vector<std::string> policies = {"static", "dynamic", "guided", "hetprobe", "hetprobe-i"};
  double exchange_us = 50;
  double chunk_us = 0.2;
  double fault_us = 60;
  double own_faults = 0;
  double common_faults = 0;
  std::string faults_where = "all";
  std::string decisions = "threshold";
  double threshold_us = 100;
  double reprobe_percent = 10;
  uint64_t seed = 1;
  bool each_visit = false;
  bool each_node = false;
};

/// A policy by name, and its schedule.
struct Candidate {
  std::string name;
  schedulers::Schedule schedule;
};

/// Both: nothing and a message in `error` if something is wrong.
std::vector<Candidate> candidates(const Options& options, std::string& error);
simulation::Scenario scenario(const Options& options, std::string& error);

} // namespace hetmp::simulate
