// --layout=one: all CPUs are one node. --layout=two: the first two of them are a node each.
#include "base/machine/cpu_list.hpp"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace {

/// Before anything asks the runtime: it reads its environment once.
bool choose_layout(std::string_view option) {
  setenv("OMP_NUM_THREADS", "4", 1);
  if (option == "--layout=one") {
    unsetenv("HETMP_NODES");
    return true;
  }
  if (option != "--layout=two")
    return false;
  const auto cpus = hetmp::allowed_cpus();
  if (cpus.size() < 2) {
    puts("two nodes need two CPUs: not tested here");
    exit(0);
  }
  const std::string nodes = "cores:" + std::to_string(cpus[0]) + ";" + std::to_string(cpus[1]);
  setenv("HETMP_NODES", nodes.c_str(), 1);
  return true;
}

} // namespace

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  if (!choose_layout(count == 2 ? arguments[1] : "--layout=one")) {
    fprintf(stderr, "usage: %s [--layout=one|two]\n", arguments[0]);
    return 2;
  }
  return RUN_ALL_TESTS();
}
