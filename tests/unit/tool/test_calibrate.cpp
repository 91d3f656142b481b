// `hetmp calibrate`: what it says of options that make no sense, and where the picture goes.
#include "runtime/tool/calibrate.hpp"

#include <gtest/gtest.h>

namespace {

using namespace hetmp::tool;

TEST(ToolCalibrate, OptionsThatMakeSenseAreAccepted) {
  CalibrateOptions options;
  EXPECT_EQ(check_calibration(options), "");
  options.nodes = "64";
  options.svg = "picture.svg";
  EXPECT_EQ(check_calibration(options), "");
  CalibrateOptions on_hosts;
  on_hosts.hosts = "alpha,beta:4";
  on_hosts.remote_shell = "rsh";
  EXPECT_EQ(check_calibration(on_hosts), "");
}

TEST(ToolCalibrate, EachMistakeIsNamed) {
  for (const char* nodes : {"1", "0", "65", "-2", "x", "", "2.5"}) {
    CalibrateOptions options;
    options.nodes = nodes;
    EXPECT_NE(check_calibration(options).find("--nodes"), std::string::npos) << nodes;
  }
  for (const char* transport : {"TCP", "rdma", "", "shared"}) {
    CalibrateOptions options;
    options.transport = transport;
    EXPECT_NE(check_calibration(options).find("--transport"), std::string::npos) << transport;
    EXPECT_NE(check_calibration(options).find("none of"), std::string::npos) << transport;
  }
  CalibrateOptions decided_later;
  decided_later.transport = "auto";
  EXPECT_NE(check_calibration(decided_later).find("name what is to be measured"), std::string::npos);
  decided_later.hosts = "a,b";
  EXPECT_NE(check_calibration(decided_later).find("depends on the hosts"), std::string::npos);
  CalibrateOptions both;
  both.nodes = "2";
  both.hosts = "a,b";
  EXPECT_NE(check_calibration(both).find("exclude each other"), std::string::npos);
  CalibrateOptions in_memory;
  in_memory.hosts = "a,b";
  in_memory.transport = "shared-memory";
  EXPECT_NE(check_calibration(in_memory).find("hosts are connected by"), std::string::npos);
  CalibrateOptions alone;
  alone.remote_shell = "rsh";
  EXPECT_NE(check_calibration(alone).find("--remote-shell is for --hosts"), std::string::npos);
  CalibrateOptions options;
  options.svg = "";
  EXPECT_NE(check_calibration(options).find("--svg"), std::string::npos);
}

TEST(ToolCalibrate, ThePictureLiesBesideTheProfile) {
  EXPECT_EQ(picture_beside("/a/profile.json"), "/a/profile.svg");
  EXPECT_EQ(picture_beside("profile"), "profile.svg");
  EXPECT_EQ(picture_beside("/a.b/profile"), "/a.b/profile.svg");
  EXPECT_EQ(picture_beside("/a/.profile"), "/a/.profile.svg");
}

} // namespace
