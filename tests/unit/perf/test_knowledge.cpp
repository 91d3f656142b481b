// What is known of a program: what is written is read back, what is wrong is refused, runs are put together.
#include "perf/knowledge/knowledge.hpp"
#include "perf/knowledge/knowledge_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace hetmp::perf {
namespace {

namespace fs = std::filesystem;

KnownRegion region(uint32_t offset) {
  KnownRegion result;
  result.object = 7;
  result.offset = offset;
  result.name = "flow.c:40 \"solve\"\n";
  result.gains = true;
  result.home_us = 10'000.125;
  result.spread_us = 5'500;
  result.first_spread_us = 20'000;
  result.longest_home_us = 11'000;
  result.exchanges = 3;
  result.visits = {{100, 10'000.125, 5'500}, {200, 20'000, 0}};
  result.journeys_paid = true;
  result.journeys_gain_us = 300;
  return result;
}

KnownLayout layout(std::vector<KnownRegion> regions) {
  return {{2, 1}, 1.5, "shared-memory", std::move(regions), {{7, 1, 7, 2, 12.5}}};
}

Knowledge known(std::vector<KnownRegion> regions) { return {"/bin/flow", "build id 12", {layout(std::move(regions))}}; }

/// The phrase that says what is wrong.
std::string refusal(const std::string& text) {
  Knowledge read;
  std::string problem;
  EXPECT_FALSE(parse_knowledge(text, read, problem));
  EXPECT_TRUE(read.layouts.empty() && read.program.empty());
  return problem;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  EXPECT_NE(text.find(from), std::string::npos) << from;
  return text.replace(text.find(from), from.size(), to);
}

TEST(Knowledge, WhatIsWrittenIsReadBack) {
  const Knowledge written = known({region(1), region(2)});
  const std::string text = format_knowledge(written);
  Knowledge read;
  std::string problem;
  ASSERT_TRUE(parse_knowledge(text, read, problem)) << problem;
  EXPECT_EQ(format_knowledge(read), text);
  ASSERT_EQ(read.layouts.size(), 1u);
  EXPECT_TRUE(read.layouts[0].is_same(layout({})));
  ASSERT_EQ(read.layouts[0].regions.size(), 2u);
  const KnownRegion& first = read.layouts[0].regions[0];
  EXPECT_EQ(first.home_us, 10'000.125);
  EXPECT_EQ(first.name, "flow.c:40 \"solve\"\n");
  ASSERT_EQ(first.visits.size(), 2u);
  EXPECT_EQ(first.visits[1].trips, 200u);
  EXPECT_EQ(read.layouts[0].between[0].home_us, 12.5);
}

TEST(Knowledge, IsOfTheSameNodesWithTheSameQuota) {
  const KnownLayout nodes{{2, 1}, 1.5, "shared-memory", {}, {}}, all_cpus{{2, 1}, 0, "shared-memory", {}, {}};
  EXPECT_TRUE(nodes.is_same({{2, 1}, 1.55, "shared-memory", {}, {}}));
  EXPECT_TRUE(all_cpus.is_same(all_cpus));
  EXPECT_FALSE(nodes.is_same({{2, 1}, 0.5, "shared-memory", {}, {}}));
  EXPECT_FALSE(nodes.is_same(all_cpus));
  EXPECT_FALSE(nodes.is_same({{2, 1}, 1.5, "tcp", {}, {}}));
  EXPECT_FALSE(nodes.is_same({{1, 1}, 1.5, "shared-memory", {}, {}}));
}

TEST(Knowledge, WhatIsWrongIsRefused) {
  const std::string good = format_knowledge(known({region(1)}));
  for (const char* text : {"", "{", "[]", "3", "{\"format\":\"hetmp-profile\",\"version\":1}", "{\"version\":1}"})
    EXPECT_EQ(refusal(text), "is not what hetmp knows of a program") << text;
  EXPECT_EQ(refusal(std::string(100'000, '[')), "is not what hetmp knows of a program");
  EXPECT_EQ(refusal(good + std::string(largest_knowledge, ' ')), "is larger than 1 MiB");
  EXPECT_EQ(refusal(replaced(good, "\"version\":1", "\"version\":2")),
            "has version 2, newer than this hetmp, which reads version 1");
  EXPECT_NE(refusal(replaced(good, "\"gains\":true", "\"gains\":7")).find("gains"), std::string::npos);
  for (const auto& [right, wrong] : {std::pair{"\"lent\":false", "\"lent\":true"}, {"\"quota\":1.5", "\"quota\":-1"}})
    EXPECT_EQ(refusal(replaced(good, right, wrong)), "is damaged: a figure in it makes no sense") << wrong;
  EXPECT_NE(refusal(replaced(good, "\"offset\":1", "\"offset\":-1")).find("offset"), std::string::npos);
  EXPECT_NE(refusal(replaced(good, "\"home_us\":10000.125", "\"home_us\":\"x\"")).find("home_us"), std::string::npos);
  for (const char* senseless : {"-1", "1e300", "1e16"})
    EXPECT_EQ(refusal(replaced(good, "\"home_us\":10000.125", std::string("\"home_us\":") + senseless)),
              "is damaged: a figure in it makes no sense")
        << senseless;
  EXPECT_EQ(refusal(replaced(good, "\"lost\":false", "\"lost\":true")), "is damaged: a figure in it makes no sense");
}

TEST(Knowledge, RegionsThatARunHasMetTakeTheOldOnesPlace) {
  Knowledge all = known({region(1), region(2)});
  KnownRegion newer = region(1);
  newer.gains = false;
  newer.home_us = 4;
  merge_layout(all, layout({newer, region(3)}));
  ASSERT_EQ(all.layouts.size(), 1u);
  const auto& regions = all.layouts[0].regions;
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_EQ(regions[0].home_us, 4);
  EXPECT_EQ(regions[0].age, 0u);
  EXPECT_EQ(regions[1].offset, 3u);
  EXPECT_EQ(regions[2].offset, 2u) << "it was not met";
  EXPECT_EQ(regions[2].age, 1u);
  EXPECT_EQ(all.layouts[0].between.size(), 1u);
}

TEST(Knowledge, RegionsThatNoRunMeetsAreForgotten) {
  Knowledge all = known({region(1), region(2)});
  for (uint32_t run = 0; run < oldest_knowledge; run++)
    merge_layout(all, layout({region(1)}));
  EXPECT_EQ(all.layouts[0].regions.size(), 2u);
  merge_layout(all, layout({region(1)}));
  EXPECT_EQ(all.layouts[0].regions.size(), 1u);
}

TEST(Knowledge, OtherNodesAreKnownBesidesUpToALimit) {
  Knowledge all = known({region(1)});
  for (uint32_t cpus = 1; cpus <= 40; cpus++)
    merge_layout(all, {{cpus}, 0, "tcp", {region(1)}, {}});
  EXPECT_EQ(all.layouts.size(), 16u);
  EXPECT_EQ(all.layouts.back().cpus, std::vector<uint32_t>{40});
}

/// However much a run has learned, the next one reads it.
TEST(Knowledge, TooMuchIsCut) {
  KnownLayout much = layout({});
  for (uint32_t offset = 1; offset <= 5000; offset++) {
    much.regions.push_back(region(offset));
    much.regions.back().name = std::string(100'000 / offset, 'x');
    much.regions.back().visits.resize(offset <= 2 ? 1000 : 2);
    much.between.push_back({7, offset, 7, offset, 1});
  }
  Knowledge all{"/bin/flow", "", {}}, read;
  merge_layout(all, much);
  std::string problem;
  EXPECT_TRUE(parse_knowledge(format_knowledge(all), read, problem)) << problem;
}

class KnowledgeFiles : public testing::Test {
 protected:
  KnowledgeFiles() {
    std::string name = (fs::temp_directory_path() / "hetmp-knowledge-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    unsetenv("HETMP_KNOWLEDGE");
  }
  ~KnowledgeFiles() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(KnowledgeFiles, AreOneAProgramInTheCacheFolder) {
  const auto one = knowledge_file_of("/bin/flow"), other = knowledge_file_of("/usr/bin/flow");
  ASSERT_TRUE(one && other);
  EXPECT_FALSE(one->is_named);
  EXPECT_NE(one->path, other->path);
  EXPECT_EQ(fs::path(one->path).parent_path(), folder_ / "hetmp");
  EXPECT_EQ(knowledge_file_of("/x/a b;\x1b.out")->path.find_first_of(" ;\x1b", folder_.string().size()),
            std::string::npos);
  EXPECT_FALSE(knowledge_file_of(""));
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(knowledge_file_of("/bin/flow")->path.rfind("/home/somebody/.cache/hetmp/flow-", 0), 0u);
  unsetenv("HOME");
  EXPECT_FALSE(knowledge_file_of("/bin/flow"));
}

TEST_F(KnowledgeFiles, AreWhereTheVariableSays) {
  for (const char* none : {"none", "false", "0"}) {
    setenv("HETMP_KNOWLEDGE", none, 1);
    EXPECT_FALSE(knowledge_file_of("/bin/flow")) << none;
  }
  setenv("HETMP_KNOWLEDGE", "true", 1);
  EXPECT_FALSE(knowledge_file_of("/bin/flow")->is_named);
  setenv("HETMP_KNOWLEDGE", "/tmp/mine", 1);
  EXPECT_EQ(knowledge_file_of("/bin/flow")->path, "/tmp/mine");
  EXPECT_TRUE(knowledge_file_of("/bin/flow")->is_named);
  setenv("HETMP_KNOWLEDGE", "mine", 1);
  EXPECT_EQ(knowledge_file_of("/bin/flow")->path, fs::current_path() / "mine");
}

TEST_F(KnowledgeFiles, AreMadeWithTheirFoldersAndReplaced) {
  setenv("XDG_CACHE_HOME", (folder_ / "a" / "b").c_str(), 1);
  const std::string path = knowledge_file_of("/bin/flow")->path;
  EXPECT_TRUE(read_knowledge(path).missing);
  EXPECT_TRUE(all_knowledge_files().empty());
  ASSERT_EQ(write_knowledge(path, known({region(1)})), "");
  ASSERT_EQ(write_knowledge(path, known({region(2)})), "");
  const ReadKnowledge read = read_knowledge(path);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.knowledge.layouts[0].regions[0].offset, 2u);
  EXPECT_EQ(all_knowledge_files(), std::vector{path});
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(path).parent_path()), {}), 1) << "nothing is left beside it";
}

TEST_F(KnowledgeFiles, ThatCannotBeAreSaidToBeSo) {
  std::ofstream(folder_ / "file") << "text";
  EXPECT_NE(write_knowledge((folder_ / "file" / "below").string(), known({})), "");
  EXPECT_NE(write_knowledge("/proc/nowhere/file", known({})), "");
  EXPECT_EQ(read_knowledge(folder_.string()).error, "is not a file");
  EXPECT_EQ(read_knowledge((folder_ / "file").string()).error, "is not what hetmp knows of a program");
  std::ofstream(folder_ / "empty").flush();
  EXPECT_TRUE(read_knowledge((folder_ / "empty").string()).missing);
}

} // namespace
} // namespace hetmp::perf
