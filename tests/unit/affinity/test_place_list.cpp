#include "runtime/affinity/place_list.hpp"

#include <gtest/gtest.h>

namespace hetmp::affinity {
namespace {

/// The places in the text's own notation, or "! " and what is wrong.
std::string parsed(std::string_view text) {
  const ParsedPlaces result = parse_places(text);
  if (!result.request)
    return "! " + result.error;
  EXPECT_TRUE(result.error.empty());
  EXPECT_FALSE(result.request->level);
  return format_places(result.request->places);
}

TEST(PlaceList, TakesCpusInBraces) {
  EXPECT_EQ(parsed("{0}"), "{0}");
  EXPECT_EQ(parsed(" { 3 , 1,2 } , {0} "), "{1,2,3},{0}");
  EXPECT_EQ(parsed("{1,1}"), "{1}");
}

TEST(PlaceList, TakesPlacesWithoutBraces) { EXPECT_EQ(parsed("2,0,1"), "{2},{0},{1}"); }

TEST(PlaceList, TakesIntervalsOfCpus) {
  EXPECT_EQ(parsed("{0:4}"), "{0,1,2,3}");
  EXPECT_EQ(parsed("{0:3:2,1}"), "{0,1,2,4}");
  EXPECT_EQ(parsed("{6:3:-2}"), "{2,4,6}");
  EXPECT_EQ(parsed("{0:4,!2}"), "{0,1,3}");
}

TEST(PlaceList, TakesIntervalsOfPlaces) {
  EXPECT_EQ(parsed("{0:2}:3:2"), "{0,1},{2,3},{4,5}");
  EXPECT_EQ(parsed("{0,8}:2"), "{0,8},{1,9}");
  EXPECT_EQ(parsed("{4}:3:-2"), "{4},{2},{0}");
  EXPECT_EQ(parsed("0:4:1"), "{0},{1},{2},{3}");
  EXPECT_EQ(parsed("{0}:4,!{2}"), "{0},{1},{3}");
}

TEST(PlaceList, TakesLevelsOfTheMachine) {
  const auto level = [](std::string_view text) {
    const ParsedPlaces result = parse_places(text);
    return result.request ? result.request->level : std::nullopt;
  };
  EXPECT_EQ(level("threads"), TopologyLevel::Threads);
  EXPECT_EQ(level("Cores"), TopologyLevel::Cores);
  EXPECT_EQ(level("ll_caches"), TopologyLevel::LastLevelCaches);
  EXPECT_EQ(level("NUMA_DOMAINS"), TopologyLevel::NumaDomains);
  EXPECT_EQ(level(" sockets ( 2 ) "), TopologyLevel::Sockets);
  EXPECT_EQ(parse_places("cores(3)").request->most, 3u);
  EXPECT_EQ(parse_places("cores").request->most, 0u);
}

TEST(PlaceList, NamesALevelToUseInstead) {
  EXPECT_EQ(parse_places("sockets(").otherwise, TopologyLevel::Sockets);
  EXPECT_EQ(parse_places("threads()").otherwise, TopologyLevel::Threads);
  EXPECT_EQ(parse_places("ll_caches,").otherwise, TopologyLevel::LastLevelCaches);
  for (const char* text : {"nodes", "{0", "", "sockets_(2)"})
    EXPECT_EQ(parse_places(text).otherwise, TopologyLevel::Cores) << text;
}

TEST(PlaceList, ShowsLevels) {
  for (const char* text : {"threads", "cores", "ll_caches", "numa_domains", "sockets"}) {
    EXPECT_EQ(format_level(*parse_places(text).request->level), text);
    EXPECT_EQ(format_level(*parse_places(text).request->level, 3), std::string(text) + "(3)");
  }
}

TEST(PlaceList, SaysWhatIsWrong) {
  EXPECT_EQ(parsed("nodes"), "! neither threads, cores, ll_caches, numa_domains nor sockets");
  EXPECT_EQ(parsed("cores("), "! expected a number of places at the end");
  EXPECT_EQ(parsed("cores(0)"), "! expected a number of places");
  EXPECT_EQ(parsed("cores(2"), "! expected ) after the number of places");
  EXPECT_EQ(parsed("cores,"), "! what follows the places makes no sense");
  EXPECT_EQ(parsed("{0"), "! expected } after a place's CPUs");
  EXPECT_EQ(parsed("{}"), "! expected a CPU");
  EXPECT_EQ(parsed("{0},"), "! expected a place at the end");
  EXPECT_EQ(parsed("{-1}"), "! expected a CPU");
  EXPECT_EQ(parsed("{0:0}"), "! expected a length");
  EXPECT_EQ(parsed("{0}:2:x"), "! expected a stride");
  EXPECT_EQ(parsed("{0}:3:-1"), "! there is no CPU -1");
  EXPECT_EQ(parsed("{4095:2}"), "! there is no CPU 4096");
  EXPECT_EQ(parsed("{0},!{0}"), "! no places");
  EXPECT_EQ(parsed("{1,!1}"), "! a place without CPUs");
  EXPECT_EQ(parsed("{0:1000000000}"), "! expected a length");
  EXPECT_EQ(parsed(""), "! expected a place at the end");
}

TEST(PlaceList, KeepsWhatIsAvailable) {
  int missing = 0;
  EXPECT_EQ(restrict_to({{0, 1}, {2, 3}}, {0, 1, 2, 3}, missing), (std::vector<Place>{{0, 1}, {2, 3}}));
  EXPECT_EQ(missing, -1);
  EXPECT_EQ(restrict_to({{0, 1}, {2, 3}, {5}}, {1, 2}, missing), (std::vector<Place>{{1}, {2}}));
  EXPECT_EQ(missing, 0);
}

} // namespace
} // namespace hetmp::affinity
