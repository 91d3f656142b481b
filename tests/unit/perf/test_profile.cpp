// The profile: what is written is read back, and what is wrong is refused with one phrase.
#include "perf/profile.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace hetmp::perf {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, gone afterwards.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "hetmp-profile-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path operator/(const char* name) const { return path_ / name; }
  size_t files() const { return size_t(std::distance(fs::directory_iterator(path_), {})); }

 private:
  fs::path path_;
};

ProfileEntry entry(std::string interconnect, uint32_t to, double threshold_us) {
  ProfileEntry result;
  result.interconnect = std::move(interconnect);
  result.to = to;
  result.threshold_us = threshold_us;
  result.fault_us = threshold_us * 0.9;
  result.points = {{1, 59.5362, 5.00396, 68.8811, 0.00793461}, {1048576, 30506.6, 105609, 140788, 1.235}};
  result.machine = "A \"machine\" \\ with\nodd letters \xc3\xa9";
  result.date = "2025-01-31T12:00:00Z";
  return result;
}

void expect_equal(const ProfileEntry& a, const ProfileEntry& b) {
  EXPECT_EQ(a.interconnect, b.interconnect);
  EXPECT_EQ(a.from, b.from);
  EXPECT_EQ(a.to, b.to);
  EXPECT_EQ(a.threshold_us, b.threshold_us);
  EXPECT_EQ(a.fault_us, b.fault_us);
  EXPECT_EQ(a.machine, b.machine);
  EXPECT_EQ(a.date, b.date);
  ASSERT_EQ(a.points.size(), b.points.size());
  for (size_t i = 0; i < a.points.size(); ++i) {
    EXPECT_EQ(a.points[i].operations_per_byte, b.points[i].operations_per_byte);
    EXPECT_EQ(a.points[i].mops, b.points[i].mops);
    EXPECT_EQ(a.points[i].fault_period_us, b.points[i].fault_period_us);
    EXPECT_EQ(a.points[i].elapsed_us, b.points[i].elapsed_us);
    EXPECT_EQ(a.points[i].gain, b.points[i].gain);
  }
}

TEST(Profile, WhatIsFormattedIsReadBack) {
  const std::vector<ProfileEntry> entries = {entry("shared-memory", 1, 61.5), entry("tcp", 3, 7600)};
  const Profile read = parse_profile(format_profile(entries));
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.entries.size(), 2u);
  expect_equal(read.entries[0], entries[0]);
  expect_equal(read.entries[1], entries[1]);
  EXPECT_EQ(parse_profile(format_profile({})).error, "");
}

TEST(Profile, MembersOfLaterFormsOfTheVersionAreLeftAlone) {
  std::string text = format_profile({entry("tcp", 1, 7600)});
  text.replace(text.find("\"interconnect\""), 0, "\"comment\": [1, {}], ");
  EXPECT_EQ(parse_profile(text).error, "");
}

/// A profile of one entry with `from` replaced by `to`.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = format_profile({entry("shared-memory", 1, 61.5)});
  EXPECT_NE(text.find(from), std::string::npos) << from;
  return text.replace(text.find(from), from.size(), to);
}

TEST(Profile, WhatIsWrongIsNamed) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "not valid JSON"},
      {"{", "not valid JSON"},
      {format_profile({}) + "x", "not valid JSON"},
      {changed("61.5", "1e999"), "not valid JSON"},
      {"[]", "not a hetmp profile"},
      {"{}", "not a hetmp profile"},
      {changed("hetmp-profile", "other"), "not a hetmp profile"},
      {changed("\"version\": 1", "\"version\": 2"), "version 2, newer"},
      {changed("\"version\": 1", "\"version\": 99999999999999999999"), "no version"},
      {changed("\"version\": 1", "\"version\": \"1\""), "no version"},
      {changed("\"version\": 1", "\"version\": 0"), "no version"},
      {changed("\"entries\"", "\"others\""), "no array of entries"},
      {"{\"format\": \"hetmp-profile\", \"version\": 1, \"entries\": {}}", "no array of entries"},
      {"{\"format\": \"hetmp-profile\", \"version\": 1, \"entries\": [7]}", "entry 0 is not an object"},
      {changed("61.5", "\"61.5\""), "threshold_us of entry 0"},
      {changed("61.5", "0"), "threshold_us of entry 0"},
      {changed("61.5", "-61.5"), "threshold_us of entry 0"},
      {changed("61.5", "1e12"), "threshold_us of entry 0"},
      {changed("61.5", "null"), "threshold_us of entry 0"},
      {changed("\"threshold_us\"", "\"threshold\""), "threshold_us of entry 0 is missing"},
      {changed("\"to\": 1", "\"to\": -1"), "to of entry 0"},
      {changed("\"to\": 1", "\"to\": 1.5"), "to of entry 0"},
      {changed("\"to\": 1", "\"to\": 4294967297"), "to of entry 0"},
      {changed("\"shared-memory\"", "7"), "interconnect of entry 0"},
      {changed("\"points\": [", "\"points\": [7,"), "point 0 of entry 0"},
      {changed("59.5362", "\"fast\""), "mops of point 0 of entry 0"},
      {changed("59.5362", "-1"), "mops of point 0 of entry 0"},
  };
  for (const auto& [text, expected] : cases) {
    const Profile read = parse_profile(text);
    EXPECT_NE(read.error.find(expected), std::string::npos) << read.error << " for " << text;
    EXPECT_EQ(read.error.find('\n'), std::string::npos);
    EXPECT_TRUE(read.entries.empty());
    EXPECT_FALSE(read.missing);
  }
}

TEST(Profile, DeepNestingIsRefusedAndNothingElse) {
  EXPECT_NE(parse_profile(std::string(largest_profile, '[')).error, "");
}

TEST(Profile, AnyByteThatIsLostOrChangedIsSurvived) {
  const std::string whole = format_profile({entry("shared-memory", 1, 61.5)});
  for (size_t i = 0; i < whole.size(); ++i) {
    EXPECT_TRUE(i + 1 >= whole.size() || !parse_profile(whole.substr(0, i)).error.empty()) << i;
    for (const char c : {'\0', '"', '{', '9', '\xff'}) {
      std::string damaged = whole;
      damaged[i] = c;
      const Profile read = parse_profile(damaged);
      EXPECT_TRUE(read.error.empty() || read.entries.empty());
    }
  }
}

TEST(Profile, MergingReplacesTheSamePairOnly) {
  std::vector<ProfileEntry> entries = {entry("shared-memory", 1, 61), entry("shared-memory", 2, 62),
                                       entry("tcp", 1, 7600)};
  merge_entry(entries, entry("shared-memory", 2, 70));
  merge_entry(entries, entry("rdma", 2, 100));
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[0].threshold_us, 61);
  EXPECT_EQ(entries[1].threshold_us, 70);
  EXPECT_EQ(entries[2].threshold_us, 7600);
  EXPECT_EQ(entries[3].threshold_us, 100);
}

TEST(ProfileFile, IsWrittenWithItsFoldersAndLeavesNothingElse) {
  const Folder folder;
  const fs::path path = folder / "new" / "hetmp" / "profile.json";
  EXPECT_EQ(write_profile(path, {entry("tcp", 1, 7600)}), "");
  EXPECT_EQ(write_profile(path, {entry("tcp", 1, 7000)}), "");
  const Profile read = read_profile(path);
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.entries.size(), 1u);
  EXPECT_EQ(read.entries[0].threshold_us, 7000);
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 1);
}

TEST(ProfileFile, WhatCannotBeWrittenLeavesTheOldOne) {
  const Folder folder;
  std::ofstream(folder / "file") << "x";
  EXPECT_NE(write_profile(folder / "file" / "profile.json", {}), "");
  fs::create_directory(folder / "profile.json"); // a folder in its place: the rename fails
  EXPECT_NE(write_profile(folder / "profile.json", {}), "");
  EXPECT_EQ(folder.files(), 2u);
}

TEST(ProfileFile, WhatIsNoFileIsRefused) {
  const Folder folder;
  const Profile missing = read_profile(folder / "nothing");
  EXPECT_TRUE(missing.missing);
  EXPECT_NE(missing.error.find("cannot be read"), std::string::npos);
  fs::create_directory(folder / "folder");
  EXPECT_EQ(read_profile(folder / "folder").error, "is not a file");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_profile(folder / "pipe").error, "is not a file");
  std::ofstream(folder / "huge") << format_profile({}) << std::string(largest_profile, ' ');
  EXPECT_EQ(read_profile(folder / "huge").error, "is larger than 1 MiB");
  if (geteuid() != 0) { // root may read everything
    std::ofstream(folder / "secret") << format_profile({});
    chmod((folder / "secret").c_str(), 0);
    EXPECT_NE(read_profile(folder / "secret").error.find("cannot be read"), std::string::npos);
  }
}

TEST(ProfileFile, ItsPlaceComesFromTheEnvironment) {
  setenv("HETMP_PROFILE", "/a/b.json", 1);
  setenv("XDG_CONFIG_HOME", "/config", 1);
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(profile_path(), "/a/b.json");
  for (const char* none : {"none", "false", "off"}) {
    setenv("HETMP_PROFILE", none, 1);
    EXPECT_EQ(profile_path(), std::nullopt) << none;
  }
  setenv("HETMP_PROFILE", "true", 1);
  EXPECT_EQ(profile_path(), "/config/hetmp/profile.json");
  unsetenv("HETMP_PROFILE");
  EXPECT_EQ(profile_path(), "/config/hetmp/profile.json");
  setenv("XDG_CONFIG_HOME", "relative", 1);
  EXPECT_EQ(profile_path(), "/home/me/.config/hetmp/profile.json");
  unsetenv("XDG_CONFIG_HOME");
  EXPECT_EQ(profile_path(), "/home/me/.config/hetmp/profile.json");
  unsetenv("HOME");
  EXPECT_EQ(profile_path(), std::nullopt);
}

} // namespace
} // namespace hetmp::perf
