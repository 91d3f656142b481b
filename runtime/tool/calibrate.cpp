#include "runtime/tool/calibrate.hpp"

#include "base/environment.hpp"
#include "base/message.hpp"
#include "dsm/transports.hpp"
#include "perf/profile.hpp"
#include "runtime/tool/break_even.hpp"
#include "runtime/tool/calibration_picture.hpp"
#include "runtime/tool/calibration_run.hpp"
#include "runtime/tool/run.hpp"

#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sys/utsname.h>

namespace hetmp::tool {
namespace {

constexpr int failed = 1;

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      return std::string(trimmed(std::string_view(line).substr(line.find(':') + 1)));
  utsname name{};
  uname(&name);
  return name.machine;
}

std::string date_now() {
  const time_t now = time(nullptr);
  tm parts{};
  char text[32];
  return {text, strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts))};
}

/// To four digits: more would be noise.
double rounded(double value) {
  if (!(value > 0))
    return 0;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return std::round(value / unit) * unit;
}

std::string transport_of(const CalibrateOptions& options) {
  return options.transport.value_or(
      std::string(options.hosts ? dsm::transport_over_hosts().name : dsm::usual_transport().name));
}

/// Prints the table while it comes in.
class Table {
 public:
  void take(std::string_view line) {
    if (!read_calibration_line(line, curves, complete) || complete)
      return;
    if (line.starts_with("pair"))
      print_head(curves.back());
    else if (line.starts_with("point"))
      print_point(curves.back().points.back());
    fflush(stdout);
  }

  std::vector<Curve> curves;
  bool complete = false;

 private:
  static void print_head(const Curve& curve) {
    printf("node %u computes on pages of node 0 (%u %s at %.2f of the speed of an origin's)\n", curve.node,
           curve.threads, curve.threads == 1 ? "thread" : "threads", curve.speed);
    printf("%16s %12s %18s %18s %12s\n", "operations/byte", "Mops/s", "fault period (us)", "elapsed/fault (us)",
           "gain of two");
  }
  static void print_point(const perf::CalibrationPoint& point) {
    printf("%16.0f %12.1f %18.1f %18.1f %12.3f\n", point.operations_per_byte, point.mops, point.fault_period_us,
           point.elapsed_us, point.gain);
  }
};

/// The entry of one node; nothing, after one line, if two nodes never gained.
std::optional<perf::ProfileEntry> conclude(const Curve& curve, const std::string& interconnect) {
  perf::ProfileEntry entry;
  entry.interconnect = interconnect;
  entry.to = curve.node;
  entry.points = usable_points(curve.points);
  entry.fault_us = rounded(mean_fault_cost(entry.points, curve.threads));
  entry.machine = processor();
  entry.date = date_now();
  printf("node %u: a fault costs %.1f us\n", curve.node, entry.fault_us);
  if (const auto saturation = find_saturation(entry.points))
    printf("node %u: 90 %% of the best throughput from %.0f operations/byte, a fault every %.1f us\n", curve.node,
           saturation->operations_per_byte, saturation->fault_period_us);
  constexpr double undisturbed = 0.95;
  if (curve.cpu_share < undisturbed)
    printf("node %u: other programs had %.0f %% of the CPU time: these figures want a quiet machine\n", curve.node,
           100 * (1 - curve.cpu_share));
  const auto found = find_break_even(entry.points);
  if (!found) {
    fflush(stdout);
    say("calibrate: nodes 0 and %u together were never faster than node 0 alone: no threshold for them", curve.node);
    return {};
  }
  entry.threshold_us = rounded(found->fault_period_us);
  printf("node %u: break-even at %.0f operations/byte: threshold %.1f us between faults\n", curve.node,
         found->operations_per_byte, entry.threshold_us);
  return entry;
}

bool write_picture(const std::string& path, const std::vector<perf::ProfileEntry>& entries) {
  std::ofstream file(path);
  file << draw_calibration(entries);
  file.close();
  if (!file)
    say("calibrate: the picture %s cannot be written", path.c_str());
  return bool(file);
}

/// Where to write and what is there; an empty path, after one line, if that must not be touched.
std::string open_profile(std::vector<perf::ProfileEntry>& entries) {
  const auto path = perf::profile_path();
  if (!path) {
    say("calibrate: no place for the profile: set HETMP_PROFILE to a file, or HOME to a folder");
    return {};
  }
  perf::Profile old = perf::read_profile(*path);
  if (!old.error.empty() && !old.missing) {
    say("calibrate: profile %s %s; move it away, or name another file with HETMP_PROFILE", path->c_str(),
        old.error.c_str());
    return {};
  }
  entries = std::move(old.entries);
  return *path;
}

int write_results(const std::string& path, std::vector<perf::ProfileEntry> all, const std::vector<Curve>& curves,
                  const CalibrateOptions& options) {
  std::vector<perf::ProfileEntry> found;
  for (const Curve& curve : curves)
    if (auto entry = conclude(curve, transport_of(options)))
      found.push_back(std::move(*entry));
  if (found.empty())
    return failed; // conclude() has said why
  for (const perf::ProfileEntry& entry : found)
    perf::merge_entry(all, entry);
  if (const std::string wrong = perf::write_profile(path, all); !wrong.empty()) {
    fflush(stdout);
    say("calibrate: profile %s: %s", path.c_str(), wrong.c_str());
    return failed;
  }
  const std::string picture = options.svg.value_or(picture_beside(path));
  printf("profile: %s\n", path.c_str());
  fflush(stdout);
  if (!write_picture(picture, found))
    return failed;
  printf("picture: %s\n", picture.c_str());
  return found.size() == curves.size() ? 0 : failed;
}

/// The reason why this transport is not one to be measured, a clause; empty if it is.
std::string why_not(const std::string& transport, bool over_hosts) {
  const dsm::TransportKind* kind = dsm::find_transport(transport);
  if (!kind)
    return dsm::no_transport_of_that_name();
  if (kind->between_hosts_only && over_hosts)
    return "which one it is depends on the hosts; name what is to be measured";
  if (kind->between_hosts_only)
    return "between processes of one machine it is " + std::string(dsm::usual_transport().name) +
           "; name what is to be measured";
  if (over_hosts && !kind->over_hosts)
    return "hosts are connected by " + dsm::transport_names(&dsm::TransportKind::over_hosts);
  return {};
}

} // namespace

std::string check_calibration(const CalibrateOptions& options) {
  constexpr int fewest = 2;
  if (options.nodes && options.hosts)
    return "--nodes and --hosts exclude each other";
  if (options.remote_shell && !options.hosts)
    return "--remote-shell is for --hosts";
  if (const std::string reason = why_not(transport_of(options), options.hosts.has_value()); !reason.empty())
    return "--transport " + transport_of(options) + ": " + reason;
  if (options.nodes && !parse_integer(*options.nodes, fewest, most_nodes))
    return "--nodes " + *options.nodes + ": not a number from 2 to " + std::to_string(most_nodes);
  if (options.svg && options.svg->empty())
    return "--svg: no file given";
  return {};
}

std::string picture_beside(const std::string& profile) {
  const size_t slash = profile.rfind('/') + 1; // 0 if there is none
  const size_t dot = profile.rfind('.');
  return profile.substr(0, dot != std::string::npos && dot > slash ? dot : profile.size()) + ".svg";
}

int calibrate(const CalibrateOptions& options) {
  if (const std::string wrong = check_calibration(options); !wrong.empty()) {
    say("calibrate: %s", wrong.c_str());
    return usage_error;
  }
  std::vector<perf::ProfileEntry> entries;
  const std::string path = open_profile(entries);
  if (path.empty())
    return failed;
  Table table;
  CalibratedNodes where{options.nodes, options.hosts, options.remote_shell, transport_of(options)};
  if (!where.nodes && !where.hosts)
    where.nodes = "2";
  if (!run_calibration(where, options.quick, [&](std::string_view line) { table.take(line); }))
    return failed;
  if (!table.complete || table.curves.empty()) {
    say("calibrate: the calibration did not measure anything");
    return failed;
  }
  return write_results(path, std::move(entries), table.curves, options);
}

} // namespace hetmp::tool
