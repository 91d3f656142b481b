#include "runtime/tool/break_even.hpp"

#include "base/environment.hpp"
#include "base/page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hetmp::tool {
namespace {

using perf::CalibrationPoint;

/// Some of a curve's values, ascending, that lie closest to them (in the sum of squares): neighbours in the
/// wrong order are replaced by their mean until none is left.
std::vector<double> ascending(const std::vector<double>& values) {
  struct Level {
    double sum;
    size_t count;
    double mean() const { return sum / double(count); }
  };
  std::vector<Level> levels;
  for (const double value : values) {
    levels.push_back({value, 1});
    while (levels.size() > 1 && levels[levels.size() - 2].mean() > levels.back().mean()) {
      const Level last = levels.back();
      levels.pop_back();
      levels.back() = {levels.back().sum + last.sum, levels.back().count + last.count};
    }
  }
  std::vector<double> result;
  for (const Level& level : levels)
    result.insert(result.end(), level.count, level.mean());
  return result;
}

/// Whether logarithms can be taken.
bool usable(const CalibrationPoint& point) {
  for (const double value :
       {point.operations_per_byte, point.mops, point.fault_period_us, point.elapsed_us, point.gain})
    if (!(value > 0) || !std::isfinite(value))
      return false;
  return true;
}

double between(double low, double high, double part) {
  return std::exp(std::log(low) * (1 - part) + std::log(high) * part);
}

/// Where `heights`, one for each point, rise to `level`.
std::optional<BreakEven> crossing(const std::vector<CalibrationPoint>& points, const std::vector<double>& heights,
                                  double level) {
  const size_t above =
      size_t(std::find_if(heights.begin(), heights.end(), [&](double h) { return h >= level; }) - heights.begin());
  if (above == heights.size())
    return {};
  const CalibrationPoint& high = points[above];
  if (above == 0)
    return BreakEven{high.operations_per_byte, high.fault_period_us};
  const CalibrationPoint& low = points[above - 1];
  const double part = (level - heights[above - 1]) / (heights[above] - heights[above - 1]);
  return BreakEven{between(low.operations_per_byte, high.operations_per_byte, part),
                   between(low.fault_period_us, high.fault_period_us, part)};
}

template <class Value> std::vector<double> logarithms(const std::vector<CalibrationPoint>& points, Value value) {
  std::vector<double> result;
  for (const CalibrationPoint& point : points)
    result.push_back(std::log(value(point)));
  return ascending(result);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The throughput that is hardly limited by faults any more: the median of the last quarter of the points,
/// since the single best one may owe its place to a processor that was faster for a moment. `points` are not
/// empty.
double plateau_mops(const std::vector<CalibrationPoint>& points) {
  std::vector<double> last;
  for (size_t i = points.size() - (points.size() + 3) / 4; i < points.size(); ++i)
    last.push_back(points[i].mops);
  return median(last);
}

/// The blank-separated words of a line.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (line = trimmed(line); !line.empty();) {
    const size_t length = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, length));
    line = trimmed(line.substr(length));
  }
  return words;
}

bool read_pair(const std::vector<std::string_view>& words, std::vector<Curve>& curves) {
  constexpr int64_t most = 1 << 20;
  const auto node = parse_integer(words[1], 1, most), threads = parse_integer(words[2], 1, most);
  const auto speed = parse_real(words[3]);
  if (node && threads && speed)
    curves.push_back({uint32_t(*node), uint32_t(*threads), *speed, {}, 1});
  return node && threads && speed;
}

bool belongs_to_last(std::string_view node, const std::vector<Curve>& curves) {
  return !curves.empty() && parse_integer(node, 0, INT64_MAX) == curves.back().node;
}

bool read_share(const std::vector<std::string_view>& words, std::vector<Curve>& curves) {
  const auto share = parse_real(words[2]);
  if (!share || !belongs_to_last(words[1], curves))
    return false;
  curves.back().cpu_share = *share;
  return true;
}

bool read_point(const std::vector<std::string_view>& words, std::vector<Curve>& curves) {
  if (!belongs_to_last(words[1], curves))
    return false;
  std::array<double, 5> values;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto value = parse_real(words[2 + i]);
    if (!value)
      return false;
    values[i] = *value;
  }
  curves.back().points.push_back({values[0], values[1], values[2], values[3], values[4]});
  return true;
}

} // namespace

std::vector<CalibrationPoint> usable_points(const std::vector<CalibrationPoint>& points) {
  std::vector<CalibrationPoint> result;
  std::copy_if(points.begin(), points.end(), std::back_inserter(result), usable);
  return result;
}

std::optional<BreakEven> find_break_even(const std::vector<CalibrationPoint>& points) {
  const auto good = usable_points(points);
  return crossing(good, logarithms(good, [](const CalibrationPoint& point) { return point.gain; }), 0);
}

std::optional<BreakEven> find_saturation(const std::vector<CalibrationPoint>& points, double close) {
  const auto good = usable_points(points);
  if (good.empty())
    return {};
  const auto heights = logarithms(good, [](const CalibrationPoint& point) { return point.mops; });
  return crossing(good, heights, std::log(plateau_mops(good) * close));
}

double mean_fault_cost(const std::vector<CalibrationPoint>& points, uint32_t threads) {
  const auto good = usable_points(points);
  if (good.empty())
    return 0;
  const double best = plateau_mops(good);
  std::vector<double> costs;
  for (const CalibrationPoint& point : good) {
    // `threads` threads wait at the same time, and each page costs one of them both.
    const double elapsed = point.elapsed_us * threads;
    const double computing = point.operations_per_byte * double(page_bytes) * threads / best;
    if (computing * 2 <= elapsed)
      costs.push_back(elapsed - computing);
  }
  return costs.empty() ? 0 : median(costs);
}

bool read_calibration_line(std::string_view line, std::vector<Curve>& curves, bool& complete) {
  const auto words = words_of(line);
  if (words.size() == 1 && words[0] == "end")
    return complete = true;
  if (words.size() == 4 && words[0] == "pair")
    return read_pair(words, curves);
  if (words.size() == 3 && words[0] == "share")
    return read_share(words, curves);
  return words.size() == 7 && words[0] == "point" && read_point(words, curves);
}

} // namespace hetmp::tool
