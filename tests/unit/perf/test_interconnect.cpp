// Which figures hold for the interconnect: the user's word, the profile's, or the default.
#include "perf/interconnect.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace hetmp::perf {
namespace {

ProfileEntry entry(std::string interconnect, uint32_t from, uint32_t to, double threshold_us, double fault_us) {
  ProfileEntry result;
  result.interconnect = std::move(interconnect);
  result.from = from;
  result.to = to;
  result.threshold_us = threshold_us;
  result.fault_us = fault_us;
  return result;
}

const std::vector<ProfileEntry> measured = {entry("shared-memory", 0, 1, 60, 70), entry("shared-memory", 0, 2, 80, 65),
                                            entry("shared-memory", 0, 9, 300, 400), entry("tcp", 0, 1, 7600, 120)};

TEST(Interconnect, TheSlowestPairAmongTheNodesCounts) {
  Interconnect known;
  EXPECT_TRUE(apply_profile(measured, "shared-memory", 2, known));
  EXPECT_EQ(known.threshold_us, 60);
  EXPECT_EQ(known.fault_us, 70);
  EXPECT_TRUE(apply_profile(measured, "shared-memory", 3, known));
  EXPECT_EQ(known.threshold_us, 80);
  EXPECT_EQ(known.fault_us, 70);
  EXPECT_TRUE(apply_profile(measured, "tcp", 2, known));
  EXPECT_EQ(known.threshold_us, 7600);
}

TEST(Interconnect, PairsThatWereNotMeasuredAreTakenForTheSlowest) {
  Interconnect known;
  EXPECT_TRUE(apply_profile(measured, "shared-memory", 4, known)); // node 3 is not in the profile
  EXPECT_EQ(known.threshold_us, 300);
  EXPECT_EQ(known.fault_us, 400);
}

TEST(Interconnect, OneNodeHasNoPairOfItsOwn) {
  Interconnect known;
  EXPECT_TRUE(apply_profile(measured, "tcp", 1, known));
  EXPECT_EQ(known.threshold_us, 7600); // not 0, by which any loop would pay
}

TEST(Interconnect, AnotherInterconnectSaysNothing) {
  Interconnect known;
  EXPECT_FALSE(apply_profile(measured, "rdma", 2, known));
  EXPECT_FALSE(apply_profile({}, "tcp", 2, known));
  EXPECT_EQ(known.threshold_us, Interconnect{}.threshold_us);
  EXPECT_EQ(known.fault_us, Interconnect{}.fault_us);
}

/// A profile in a file, named by the environment.
class InterconnectFromEnvironment : public ::testing::Test {
 protected:
  void SetUp() override {
    const int file = mkstemp(path_);
    ASSERT_GE(file, 0);
    close(file);
    setenv("HETMP_PROFILE", path_, 1);
    unsetenv("HETMP_FAULT_PERIOD_US");
    write(format_profile(measured));
  }
  void TearDown() override { unlink(path_); }

  void write(const std::string& text) const { std::ofstream(path_) << text; }
  std::string file() const { return path_; }

  /// The figures for two node processes, and what was said meanwhile.
  static std::pair<Interconnect, std::string> find(std::string_view interconnect = shared_memory) {
    ::testing::internal::CaptureStderr();
    Interconnect found = find_interconnect(interconnect, 2);
    return {found, ::testing::internal::GetCapturedStderr()};
  }

 private:
  char path_[32] = "/tmp/hetmp-interconnect-XXXXXX";
};

TEST_F(InterconnectFromEnvironment, TheProfileCounts) {
  const auto [found, said] = find();
  EXPECT_EQ(found.threshold_us, 60);
  EXPECT_EQ(found.fault_us, 70);
  EXPECT_EQ(found.origin_of_figures, "profile " + file());
  EXPECT_EQ(said, "");
}

TEST_F(InterconnectFromEnvironment, TheUsersWordCountsMore) {
  setenv("HETMP_FAULT_PERIOD_US", "33", 1);
  const auto [found, said] = find();
  EXPECT_EQ(found.threshold_us, 33);
  EXPECT_EQ(found.fault_us, 70);
  EXPECT_EQ(found.origin_of_figures, "HETMP_FAULT_PERIOD_US");
  EXPECT_EQ(said, "");
}

TEST_F(InterconnectFromEnvironment, AMalformedWordGetsALineThatSaysWhatIsUsed) {
  setenv("HETMP_FAULT_PERIOD_US", "soon", 1);
  const auto [found, said] = find();
  EXPECT_EQ(found.threshold_us, 60);
  EXPECT_EQ(said, "hetmp: HETMP_FAULT_PERIOD_US=soon: not a number of microseconds; using 60\n");
}

TEST_F(InterconnectFromEnvironment, WithoutAnInterconnectThereIsNoProfile) {
  write("{");
  const auto [found, said] = find("");
  EXPECT_EQ(found.threshold_us, 100);
  EXPECT_EQ(found.origin_of_figures, "default");
  EXPECT_EQ(said, "");
}

TEST_F(InterconnectFromEnvironment, AnUnusableProfileGetsOneLine) {
  for (const char* text : {"{", "[]", "{\"format\": \"hetmp-profile\", \"version\": 2, \"entries\": []}"}) {
    write(text);
    const auto [found, said] = find();
    EXPECT_EQ(found.threshold_us, 100);
    EXPECT_EQ(found.origin_of_figures, "default");
    EXPECT_EQ(said.find("hetmp: profile " + file() + ' '), 0u) << said;
    EXPECT_NE(said.find("; using a threshold of 100 us\n"), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
}

TEST_F(InterconnectFromEnvironment, AProfileThatNobodyNamedMayBeMissing) {
  unlink(file().c_str());
  EXPECT_NE(find().second, "");
  unsetenv("HETMP_PROFILE");
  setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
  const auto [found, said] = find();
  EXPECT_EQ(found.threshold_us, 100);
  EXPECT_EQ(said, "");
}

TEST_F(InterconnectFromEnvironment, AnEmptyProfileLeavesTheDefault) {
  write(format_profile({}));
  const auto [found, said] = find();
  EXPECT_EQ(found.threshold_us, 100);
  EXPECT_EQ(found.origin_of_figures, "default");
  EXPECT_EQ(said, "");
}

} // namespace
} // namespace hetmp::perf
