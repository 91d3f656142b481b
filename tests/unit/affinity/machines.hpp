// Machines for tests, as their groups of CPUs.
#pragma once

#include "runtime/affinity/place_list.hpp"

#include <algorithm>
#include <numeric>

namespace hetmp::affinity {

/// So many sockets of so many cores of so many hardware threads. CPUs are numbered as on most machines: the first
/// thread of each core, then the second ones.
struct TestMachine {
  int sockets, cores, threads;

  std::vector<int> cpus() const {
    std::vector<int> all(size_t(sockets * cores * threads));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  int cpu(int socket, int core, int thread) const { return (thread * sockets + socket) * cores + core; }

  std::vector<Place> groups(TopologyLevel level) const {
    std::vector<Place> result;
    for (int socket = 0; socket < sockets; ++socket) {
      Place whole;
      for (int core = 0; core < cores; ++core) {
        Place one;
        for (int thread = 0; thread < threads; ++thread) {
          one.push_back(cpu(socket, core, thread));
          whole.push_back(cpu(socket, core, thread));
          if (level == TopologyLevel::Threads)
            result.push_back({cpu(socket, core, thread)});
        }
        if (level == TopologyLevel::Cores)
          result.push_back(one);
      }
      std::sort(whole.begin(), whole.end());
      if (level > TopologyLevel::Cores) // each socket has one memory and one last-level cache
        result.push_back(whole);
    }
    return result;
  }
};

} // namespace hetmp::affinity
