// What text and HTML say about the placement of parallel regions.
#include "perf/report/report.hpp"
#include "perf/report/report_html.hpp"
#include "perf/report/report_text.hpp"

#include <algorithm>

namespace hetmp::perf {
namespace {

std::string counted(uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string visits_in_words(uint64_t visits, double usual_us) {
  return counted(visits, "visit") + (usual_us < 0 ? "" : ", usually " + in_time(usual_us));
}

std::string share_of_run(const PlacedRegion& region, double run_us) {
  return run_us > 0 ? in_digits(100 * std::min(region.total_us / run_us, 1.0)) + " %" : "";
}

std::string where(const PlacedRegion& region) {
  return !region.spread        ? "at home"
         : region.lent_to == 0 ? "on several nodes"
                               : "on node " + std::to_string(region.lent_to);
}

std::string visits_elsewhere(const PlacedRegion& region) {
  const std::string visits = visits_in_words(region.spread_visits, region.spread_us);
  if (region.lent_visits == 0)
    return "on several nodes " + visits;
  if (region.lent_visits == region.spread_visits)
    return "on one other node " + visits;
  return "on other nodes " + visits + " (" + std::to_string(region.lent_visits) + " on one alone)";
}

std::string where_and_why(const PlacedRegion& region) {
  return where(region) + (region.because.empty() ? "" : ": " + region.because);
}

std::string stays_in_words(const PlacedRegion& region) {
  return counted(region.stays, "stay") + " of its threads elsewhere, " + in_time(region.elsewhere_us) + " computed, " +
         (region.gained_us < 0 ? in_time(-region.gained_us) + " lost" : in_time(region.gained_us) + " gained");
}

std::string line_about(const PlacedRegion& region, double run_us) {
  std::string text = "hetmp: parallel region " + region_name(region);
  if (const std::string share = share_of_run(region, run_us); !share.empty())
    text += "; " + share + " of the run";
  if (region.home_visits > 0)
    text += "; at home " + visits_in_words(region.home_visits, region.home_us);
  if (region.spread_visits > 0)
    text += "; " + visits_elsewhere(region);
  if (region.stays > 0)
    text += "; " + stays_in_words(region);
  return text + " -> " + where_and_why(region) + "\n";
}

} // namespace

std::string placement_in_words(const PlacementRecord& placement) {
  if (placement.asked_for.empty())
    return "";
  std::string text = "HETMP_PLACEMENT=" + placement.asked_for;
  if (!placement.regions.empty()) {
    text += "; " + counted(placement.trials, "trial") + " on several nodes";
    if (placement.lost_us > 0)
      text += ", those given up lost " + in_time(placement.lost_us);
    text += "; trials may lose " + in_time(std::max(placement.budget_left_us, 0.0)) + " more";
  }
  if (!placement.no_journeys.empty())
    text += "; no thread goes on elsewhere for a while: " + placement.no_journeys;
  if (!placement.unheeded.empty())
    text += "; " + placement.unheeded;
  for (const OtherVisits& others : placement.others)
    text += "; " + counted(others.visits, "visit") + " of " + (placement.regions.empty() ? "" : "other ") + "regions " +
            others.why;
  if (placement.regions.empty() && placement.others.empty())
    text += "; no region could run on several nodes";
  return text;
}

std::string format_placement(const Report& report) {
  const std::string words = placement_in_words(report.placement);
  std::string text = words.empty() ? "" : "hetmp: placement: " + words + "\n";
  for (const PlacedRegion& region : report.placement.regions)
    text += line_about(region, report.placement.run_us);
  return text;
}

std::string html_of_placement(const Report& report) {
  const PlacementRecord& placement = report.placement;
  const std::string words = placement_in_words(placement);
  if (words.empty() && placement.regions.empty())
    return "";
  std::string text = "<h2>Where parallel regions ran</h2>\n<p>" + escaped(words) + ".</p>\n";
  if (placement.regions.empty())
    return text;
  text += "<table>\n<tr><th>region</th><th class=\"n\">of the run</th><th class=\"n\">at home</th>"
          "<th class=\"n\">elsewhere</th><th>in the end</th></tr>\n";
  for (const PlacedRegion& region : placement.regions)
    text += "<tr><td>" + escaped(region_name(region)) + "</td><td class=\"n\">" +
            share_of_run(region, placement.run_us) + "</td><td class=\"n\">" +
            visits_in_words(region.home_visits, region.home_us) +
            (region.stays > 0 ? "; " + stays_in_words(region) : "") + "</td><td class=\"n\">" +
            visits_elsewhere(region) + "</td><td>" + escaped(where_and_why(region)) + "</td></tr>\n";
  return text + "</table>\n";
}

} // namespace hetmp::perf
