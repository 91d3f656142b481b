// The picture of a calibration is well-formed XML, whatever it shows.
#include "runtime/tool/calibration_picture.hpp"

#include <cctype>
#include <gtest/gtest.h>
#include <limits>

namespace {

using hetmp::perf::CalibrationPoint;
using hetmp::perf::ProfileEntry;
using hetmp::tool::draw_calibration;

/// What is wrong with elements, attributes and references; empty if nothing is. Knows as much of XML as the
/// picture uses.
class XmlCheck {
 public:
  static std::string problem_in(std::string_view text) {
    XmlCheck check;
    size_t elements = 0;
    while (!text.empty() && check.problem_.empty()) {
      const size_t begin = text.find('<');
      check.content(text.substr(0, begin));
      if (begin == text.npos)
        break;
      const size_t end = text.find('>', begin);
      if (end == text.npos)
        return "a tag that does not end";
      check.tag(text.substr(begin + 1, end - begin - 1));
      elements += check.open_.empty() ? 1 : 0;
      text.remove_prefix(end + 1);
    }
    if (check.problem_.empty() && (!check.open_.empty() || elements != 1))
      return "not one element";
    return check.problem_;
  }

 private:
  void content(std::string_view text) {
    for (size_t at = text.find('&'); at != text.npos; at = text.find('&', at + 1))
      if (text.substr(at, 2) != "&#" || text.find(';', at) == text.npos)
        problem_ = "a bare &";
    if (open_.empty() && text.find_first_not_of(" \n") != text.npos)
      problem_ = "text outside";
  }

  void tag(std::string_view text) {
    if (text.starts_with('/')) {
      if (open_.empty() || open_.back() != text.substr(1))
        problem_ = "</" + std::string(text.substr(1)) + "> closes nothing";
      else
        open_.pop_back();
      return;
    }
    const bool empty = text.ends_with('/');
    text.remove_suffix(empty ? 1 : 0);
    const std::string name(text.substr(0, text.find(' ')));
    attributes(text.substr(name.size()));
    if (!empty)
      open_.push_back(name);
  }

  void attributes(std::string_view text) {
    while (text.find_first_not_of(' ') != text.npos && problem_.empty()) {
      text.remove_prefix(text.find_first_not_of(' '));
      const size_t equals = text.find("=\"");
      const size_t end = equals == text.npos ? text.npos : text.find('"', equals + 2);
      if (end == text.npos || text.substr(0, equals).find_first_of(" \"<") != text.npos)
        problem_ = "not an attribute: " + std::string(text);
      else
        text.remove_prefix(end + 1);
    }
  }

  std::vector<std::string> open_;
  std::string problem_;
};

ProfileEntry entry(uint32_t to, std::vector<CalibrationPoint> points) {
  ProfileEntry result;
  result.interconnect = "shared-memory";
  result.to = to;
  result.threshold_us = 61.5;
  result.fault_us = 58;
  result.points = std::move(points);
  result.machine = "Some & Other <Processor> \"X\"";
  result.date = "2025-01-31T12:00:00Z";
  return result;
}

const std::vector<CalibrationPoint> some = {
    {1, 60, 5, 65, 0.01}, {16, 900, 7, 70, 0.1}, {256, 9000, 30, 110, 0.8}, {4096, 20000, 430, 500, 1.7}};

size_t count(const std::string& text, std::string_view what) {
  size_t times = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1))
    ++times;
  return times;
}

TEST(CalibrationPicture, IsWellFormed) {
  EXPECT_NE(XmlCheck::problem_in("<a><b></a></b>"), ""); // the check does check
  EXPECT_NE(XmlCheck::problem_in("<a x=1/>"), "");
  EXPECT_NE(XmlCheck::problem_in("<a>b & c</a>"), "");
  EXPECT_EQ(XmlCheck::problem_in("<a x=\"1\"><b/>c</a>\n"), "");
  EXPECT_EQ(XmlCheck::problem_in(draw_calibration({entry(1, some)})), "");
  EXPECT_EQ(XmlCheck::problem_in(draw_calibration({entry(1, some), entry(2, some), entry(3, {})})), "");
}

TEST(CalibrationPicture, HasEveryPointThreeTimesAndTheThreshold) {
  const std::string picture = draw_calibration({entry(1, some)});
  EXPECT_EQ(count(picture, "<circle"), 3 * some.size());
  EXPECT_EQ(count(picture, "<polyline"), 4u);         // throughput, execution, elapsed, gain
  EXPECT_EQ(count(picture, "threshold 61.5 us"), 2u); // in the legend and on the line
  EXPECT_EQ(count(picture, "operations per byte"), 3u);
}

TEST(CalibrationPicture, DoesNotSpeakOfNumbersThatAreNone) {
  auto odd = some;
  odd.push_back({8192, 20000, std::numeric_limits<double>::infinity(), 900, 1.8});
  odd.push_back({16384, 0, 900, 900, -1});
  for (const auto& points : {odd, std::vector<CalibrationPoint>{}, std::vector<CalibrationPoint>{some[0]}}) {
    const std::string picture = draw_calibration({entry(1, points)});
    EXPECT_EQ(XmlCheck::problem_in(picture), "");
    EXPECT_EQ(count(picture, "nan"), 0u);
    EXPECT_EQ(count(picture, "inf\""), 0u);
    EXPECT_EQ(count(picture, "inf,"), 0u);
  }
  EXPECT_EQ(XmlCheck::problem_in(draw_calibration({})), "");
}

} // namespace
