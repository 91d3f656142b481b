// Counters by the plugin as it was built.
#pragma once

#include "child.hpp"
#include "perf/counters.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace hetmp::perf {

inline const std::string plugin_folder = HETMP_PLUGIN_FOLDER;

inline bool plugin_is_built() { return std::filesystem::exists(plugin_folder + "/libhetmp_papi.so"); }

inline void use_plugin(const char* events) {
  if (events)
    setenv("HETMP_COUNTERS", events, 1);
  else
    unsetenv("HETMP_COUNTERS");
  set_counter_settings({plugin_folder, true});
}

class Counters : public testing::Test {
 protected:
  void SetUp() override {
    if (!plugin_is_built())
      GTEST_SKIP() << "built without PAPI";
  }
};

} // namespace hetmp::perf
