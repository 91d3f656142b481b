#include "runtime/tool/calibration_picture.hpp"

#include "runtime/tool/break_even.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace hetmp::tool {
namespace {

using perf::CalibrationPoint;
using perf::ProfileEntry;

constexpr double width = 840, left = 92, right = 24, top = 76, plot_height = 220, panel_step = 296, legend_line = 20;
constexpr double plot_width = width - left - right;
constexpr std::array colours = {"#0072b2", "#d55e00", "#009e73",
                                "#cc79a7", "#56b4e9", "#e69f00"}; // told apart by all eyes

const char* colour_of(size_t entry) { return colours[entry % colours.size()]; }

__attribute__((format(printf, 2, 3))) void append(std::string& text, const char* format, ...) {
  char piece[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  text += piece;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&' || c == '"')
      append(result, "&#%d;", c);
    else if (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f)
      result += c;
    else
      result += '?';
  }
  return result;
}

/// A logarithmic axis from base^first to base^last, over `length` pixels.
struct Axis {
  double base;
  int first, last;
  double length;
  double at(double value) const { return length * (std::log(value) / std::log(base) - first) / (last - first); }
};

/// The smallest such axis that has all of `values`.
Axis axis_for(double base, const std::vector<double>& values, double length) {
  constexpr double slack = 1e-9; // a power's own logarithm may come out a little off
  Axis axis{base, 0, 1, length};
  if (values.empty())
    return axis;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  axis.first = int(std::floor(std::log(*least) / std::log(base) + slack));
  axis.last = std::max(axis.first + 1, int(std::ceil(std::log(*most) / std::log(base) - slack)));
  return axis;
}

struct Series {
  size_t entry; ///< gives the colour
  bool dashed;
  double CalibrationPoint::*value;
};

struct Panel {
  const char* title;
  double base; ///< of the vertical axis
  std::vector<Series> series;
};

class Picture {
 public:
  explicit Picture(const std::vector<ProfileEntry>& entries) : entries_(entries) {
    for (ProfileEntry& entry : entries_)
      entry.points = usable_points(entry.points);
    horizontal_ = axis_for(2, all_values(&CalibrationPoint::operations_per_byte), plot_width);
  }

  std::string draw() {
    const std::vector<Panel> panels = {
        {"(a) Throughput of the node that computes, million operations a second", 10,
         each(&CalibrationPoint::mops, false)},
        {"(b) Time between two faults, microseconds: execution (solid), elapsed (dashed)", 10, {}},
        {"(c) Gain: time on the home of the pages alone / time on both nodes", 2,
         each(&CalibrationPoint::gain, false)}};
    const double legend = legend_line * double(entries_.size());
    const double height = top + legend + panel_step * double(panels.size());
    append(text_, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" ", width,
           height, width, height);
    text_ += "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222\">\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    draw_heading();
    double y = top + legend;
    for (Panel panel : panels) {
      const bool times = panel.series.empty();
      if (times) {
        panel.series = each(&CalibrationPoint::elapsed_us, true);
        const auto solid = each(&CalibrationPoint::fault_period_us, false);
        panel.series.insert(panel.series.end(), solid.begin(), solid.end());
      }
      draw_panel(panel, y, times);
      y += panel_step;
    }
    return text_ + "</svg>\n";
  }

 private:
  std::vector<double> all_values(double CalibrationPoint::*value) const {
    std::vector<double> values;
    for (const ProfileEntry& entry : entries_)
      for (const CalibrationPoint& point : entry.points)
        values.push_back(point.*value);
    return values;
  }

  std::vector<Series> each(double CalibrationPoint::*value, bool dashed) const {
    std::vector<Series> series;
    for (size_t i = 0; i < entries_.size(); ++i)
      series.push_back({i, dashed, value});
    return series;
  }

  void draw_heading() {
    text_ += "<text x=\"24\" y=\"30\" font-size=\"18\" font-weight=\"bold\">When does computing on another "
             "node's pages "
             "pay?</text>\n";
    if (!entries_.empty())
      append(text_, "<text x=\"24\" y=\"50\" fill=\"#666\">%s, %s</text>\n", escaped(entries_[0].machine).c_str(),
             escaped(entries_[0].date).c_str());
    double y = 74;
    for (size_t i = 0; i < entries_.size(); ++i, y += legend_line) {
      const ProfileEntry& entry = entries_[i];
      append(text_, "<line x1=\"24\" y1=\"%g\" x2=\"52\" y2=\"%g\" stroke=\"%s\" stroke-width=\"2.5\"/>\n", y - 4,
             y - 4, colour_of(i));
      append(text_,
             "<text x=\"60\" y=\"%g\">%s, node %u on pages of node %u: threshold %.4g us, a fault costs %.4g us"
             "</text>\n",
             y, escaped(entry.interconnect).c_str(), entry.to, entry.from, entry.threshold_us, entry.fault_us);
    }
  }

  void draw_panel(const Panel& panel, double y, bool times) {
    std::vector<double> values;
    for (const Series& series : panel.series)
      for (const CalibrationPoint& point : entries_[series.entry].points)
        values.push_back(point.*series.value);
    const Axis vertical = axis_for(panel.base, values, plot_height);
    append(text_,
           "<g transform=\"translate(%g %g)\">\n<text x=\"0\" y=\"4\" font-weight=\"bold\">%s</text>\n"
           "<g transform=\"translate(0 16)\">\n",
           left, y, panel.title);
    draw_grid(vertical);
    for (size_t i = 0; i < entries_.size(); ++i)
      mark_break_even(i, vertical, times);
    for (const Series& series : panel.series)
      draw_series(series, vertical);
    text_ += "</g>\n</g>\n";
  }

  void draw_grid(const Axis& vertical) {
    for (int power = vertical.first; power <= vertical.last; ++power) {
      const double value = std::pow(vertical.base, power), y = plot_height - vertical.at(value);
      const bool unity = power == 0 && vertical.base == 2; // the gain that neither wins nor loses
      append(text_, "<line x1=\"0\" y1=\"%.1f\" x2=\"%g\" y2=\"%.1f\" stroke=\"%s\"/>\n", y, plot_width, y,
             unity ? "#222" : "#ddd");
      if (power < 0 && vertical.base == 2)
        append(text_, "<text x=\"-8\" y=\"%.1f\" text-anchor=\"end\">1/%.0f</text>\n", y + 4, 1 / value);
      else
        append(text_, "<text x=\"-8\" y=\"%.1f\" text-anchor=\"end\">%.12g</text>\n", y + 4, value);
    }
    const int step = horizontal_.last - horizontal_.first > 12 ? 2 : 1;
    for (int power = horizontal_.first; power <= horizontal_.last; power += step) {
      const double x = horizontal_.at(std::pow(2, power));
      append(text_, "<line x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"%g\" stroke=\"#eee\"/>\n", x, x, plot_height);
      append(text_,
             "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">2<tspan dy=\"-5\" "
             "font-size=\"9\">%d</tspan></text>\n",
             x, plot_height + 18, power);
    }
    append(text_, "<rect width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"#888\"/>\n", plot_width, plot_height);
    append(text_, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">operations per byte</text>\n", plot_width / 2,
           plot_height + 37);
  }

  /// Where the curve reaches the threshold: a vertical line in every panel, a horizontal one where times are
  /// shown.
  void mark_break_even(size_t index, const Axis& vertical, bool times) {
    const auto found = find_break_even(entries_[index].points);
    if (!found)
      return;
    const char* line = "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-dasharray=\"2 4\" "
                       "stroke-width=\"1.5\"/>\n";
    const double x = horizontal_.at(found->operations_per_byte);
    append(text_, line, x, 0.0, x, plot_height, colour_of(index));
    const double threshold = entries_[index].threshold_us;
    if (!times || !(threshold > 0))
      return;
    const double y = plot_height - vertical.at(threshold);
    append(text_, line, 0.0, y, plot_width, y, colour_of(index));
    // Side by side: thresholds of equal nodes are nearly equal.
    append(text_, "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\" fill=\"%s\">threshold %.4g us</text>\n",
           plot_width - 8 - 130 * double(index % 5), y - 5, colour_of(index), threshold);
  }

  void draw_series(const Series& series, const Axis& vertical) {
    const char* colour = colour_of(series.entry);
    std::string path;
    for (const CalibrationPoint& point : entries_[series.entry].points)
      append(path, "%.1f,%.1f ", horizontal_.at(point.operations_per_byte),
             plot_height - vertical.at(point.*series.value));
    text_ += "<polyline points=\"" + path + "\" fill=\"none\"";
    append(text_, " stroke=\"%s\" stroke-width=\"%s\"%s/>\n", colour, series.dashed ? "1.5" : "2.5",
           series.dashed ? " stroke-dasharray=\"6 4\"" : "");
    if (series.dashed)
      return;
    for (const CalibrationPoint& point : entries_[series.entry].points)
      append(text_, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\" fill=\"%s\"/>\n",
             horizontal_.at(point.operations_per_byte), plot_height - vertical.at(point.*series.value), colour);
  }

  std::vector<ProfileEntry> entries_;
  Axis horizontal_{2, 0, 1, plot_width};
  std::string text_;
};

} // namespace

std::string draw_calibration(const std::vector<ProfileEntry>& entries) { return Picture(entries).draw(); }

} // namespace hetmp::tool
