#include "perf/clock.hpp"
#include "perf/report/region_record.hpp"

#include <gtest/gtest.h>

namespace hetmp::perf {
namespace {

TEST(ParseSource, ReadsClangsSourceString) {
  EXPECT_EQ(parse_source(";ep.c;main;120;5;;"), (SourceLocation{"ep.c", "main", 120, 5}));
  EXPECT_EQ(parse_source(";/a dir/x.cpp;ns::f;7;1;;"), (SourceLocation{"/a dir/x.cpp", "ns::f", 7, 1}));
}

TEST(ParseSource, AllowsSemicolonsInFileNames) {
  EXPECT_EQ(parse_source(";odd;name.c;main;3;4;;"), (SourceLocation{"odd;name.c", "main", 3, 4}));
}

TEST(ParseSource, KnowsWhatIsUnknown) { EXPECT_EQ(parse_source(";unknown;unknown;0;0;;"), SourceLocation{}); }

TEST(ParseSource, MakesNothingOfOtherText) {
  for (const char* text : {"", ";", ";;", ";;;", ";;;;", "ep.c;main;120;5;;", ";ep.c;main;120;5", ";ep.c;main;x;5;;",
                           ";ep.c;main;120;;;", ";main;120;5;;", ";ep.c;main;-1;5;;", ";a;b;99999999999;5;;"})
    EXPECT_EQ(parse_source(text), SourceLocation{}) << text;
}

TEST(Clock, DoesNotGoBackwards) {
  double before = monotonic_us();
  for (int i = 0; i < 1000; ++i) {
    const double now = monotonic_us();
    ASSERT_GE(now, before);
    before = now;
  }
}

} // namespace
} // namespace hetmp::perf
