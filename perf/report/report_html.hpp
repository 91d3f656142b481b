// Parts of the report's HTML.
#pragma once

#include "perf/report/printable.hpp"
#include "perf/report/region_record.hpp"

#include <string>
#include <string_view>

namespace hetmp::perf {

/// Text for element content and attribute values: markup escaped, controls and bytes that are no
/// UTF-8 replaced.
std::string escaped(std::string_view text);

/// A coordinate or length of a picture.
std::string length_of(double value);

/// Colour of a node, of a kind of fault; told apart by all eyes.
const char* colour(size_t index);

// Sections; empty where there is nothing to show.
std::string html_of_placement(const Report& report);
std::string html_of_bouncing(const Report& report);
std::string html_of_faults(const Report& report);
std::string html_of_heat(const Report& report);

/// Bars of a line each, every one made of parts with colours of their own, to one scale.
class Bars {
 public:
  explicit Bars(std::string unit) : unit_(std::move(unit)) {}
  /// There is no room for long labels.
  void begin(std::string label) {
    constexpr size_t longest = 160;
    lines_.push_back({shortened(std::move(label), longest), {}});
  }
  /// `index` gives the colour; `name` shows when pointed at.
  void part(size_t index, const std::string& name, double value) {
    lines_.back().parts.push_back({index, name, value});
  }
  std::string drawn() const;

 private:
  struct Part {
    size_t index;
    std::string name;
    double value;
  };
  struct Line {
    std::string label;
    std::vector<Part> parts;
    double sum() const;
  };
  std::string unit_;
  std::vector<Line> lines_;
};

} // namespace hetmp::perf
