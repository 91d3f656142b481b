#include "perf/report/explain.hpp"

#include "perf/report/printable.hpp"
#include "perf/report/report.hpp"
#include "perf/report/report_text.hpp"

#include <algorithm>

namespace hetmp::perf {
namespace {

constexpr double least_share = 0.05; ///< of the run, from which a region or its pages are worth a word

std::string counted(uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string share_in_words(double part_us, double run_us) {
  return run_us > 0 ? in_digits(100 * std::min(part_us / run_us, 1.0)) + " % of the run" : "a part of the run";
}

std::string heading(const PlacedRegion& region, const PlacementRecord& placement) {
  return "region " + region_name(region) + " (" + share_in_words(region.total_us, placement.run_us) + ")";
}

/// Of those for which `holds`, the one that took most time; null if there is none.
template <class Holds> const PlacedRegion* heaviest(const PlacementRecord& placement, Holds holds) {
  const auto found = std::find_if(placement.regions.begin(), placement.regions.end(), holds);
  return found == placement.regions.end() ? nullptr : &*found;
}

const PlacedRegion* heaviest_at_home(const PlacementRecord& placement) {
  return heaviest(placement, [&](const PlacedRegion& region) {
    return !region.spread && region.gained_us <= 0 && region.total_us >= least_share * placement.run_us;
  });
}

/// Visits that something else than placement decided: the reason of most.
const OtherVisits* most_others(const PlacementRecord& placement) {
  const auto fewer = [](const OtherVisits& a, const OtherVisits& b) { return a.visits < b.visits; };
  const auto most = std::max_element(placement.others.begin(), placement.others.end(), fewer);
  return most == placement.others.end() ? nullptr : &*most;
}

// ---- what gained, or did not

std::string what_gained(const PlacedRegion& spread, const PlacementRecord& placement) {
  const std::string where = spread.lent_to == 0 ? "several nodes" : "node " + std::to_string(spread.lent_to);
  std::string text = "On " + where + " ran " + heading(spread, placement);
  if (spread.spread_us > 0 && spread.home_us > spread.spread_us)
    text += ": a visit usually takes " + in_time(spread.spread_us) + " there and " + in_time(spread.home_us) +
            " on the origin";
  else if (!spread.because.empty())
    text += ": " + spread.because;
  return text;
}

std::string what_travelled(const PlacedRegion& region, const PlacementRecord& placement) {
  return "Threads of " + heading(region, placement) + " went to other nodes " + counted(region.stays, "time") +
         " and gained " + in_time(region.gained_us);
}

std::string what_stayed(const PlacementRecord& placement) {
  const PlacedRegion* const region = heaviest_at_home(placement);
  if (region)
    return "Nothing gained: " + heading(*region, placement) + " stayed on the origin, because " + region->because +
           (placement.no_journeys.empty()
                ? ""
                : ", and its threads did not go on elsewhere, because " + placement.no_journeys);
  if (const OtherVisits* const others = most_others(placement))
    return "Nothing was tried: " + counted(others->visits, "visit") + " of regions ran " + others->why;
  return "Nothing was tried: no parallel region took a noticeable part of the run";
}

std::string what_happened(const PlacementRecord& placement) {
  const auto is_spread = [](const PlacedRegion& region) { return region.spread; };
  const auto travels = [](const PlacedRegion& region) { return region.stays > 0 && region.gained_us > 0; };
  const PlacedRegion* const spread = heaviest(placement, is_spread);
  const PlacedRegion* const traveller = heaviest(placement, travels);
  if (!spread && !traveller)
    return what_stayed(placement);
  std::string text = spread ? what_gained(*spread, placement) : what_travelled(*traveller, placement);
  if (const PlacedRegion* const home = heaviest_at_home(placement))
    text += "; " + heading(*home, placement) + " stayed on the origin, because " + home->because;
  return text;
}

// ---- what would help

std::string help_with_pages(const BouncingPages& pages) {
  const std::string seen = ": nodes took these pages from each other " + counted(pages.turns, "time") + " and waited " +
                           in_time(pages.waited_us);
  if (pages.words == BouncingPages::Words::Same)
    return "Let threads sum up in variables of their own (a reduction) instead of writing the same words of " +
           what_bounces(pages) + seen;
  return "Give each thread's part of " + what_bounces(pages) + " pages of its own (alignas(4096), or room in between)" +
         seen;
}

std::string help_with(const PlacedRegion& region) {
  switch (region.reason) {
  case PlacedReason::TooShort:
    return "Put more work into one visit of " + region_name(region) + ": one region around the loop that begins it";
  case PlacedReason::Synchronises:
    return "Let threads of " + region_name(region) +
           " meet less often: larger loops, nowait, static chunks in dynamic ones' place, a reduction in a lock's";
  case PlacedReason::NoBudget:
    return "Let the program run longer, or leave " + region_name(region) +
           " more often, so that a trial fits its budget; HETMP_PLACEMENT=all shows beforehand what it would bring";
  case PlacedReason::TooLittle:
    return "Put more of the program into regions like " + region_name(region) +
           ": what they take is too little to be worth a trial";
  case PlacedReason::Lost:
    return "Give each thread of " + region_name(region) +
           " the same data on every visit (schedule(static), and the same loop bounds in the regions around it), so "
           "that "
           "pages stay on their node; more arithmetic for each page helps as well";
  case PlacedReason::Unknown:
    return "Let " + region_name(region) +
           " come again with the same work: a region is tried on several nodes when its usual time is known";
  case PlacedReason::Changes:
    return "If " + region_name(region) +
           " gains on several nodes nevertheless, HETMP_PLACEMENT=all, which runs every region there, shows it";
  case PlacedReason::Trial:
  case PlacedReason::Gains:
  case PlacedReason::Other:
    break;
  }
  return {};
}

std::string help_with(const OtherVisits& others) {
  switch (others.reason) {
  case OtherReason::ThreadVariables:
    return "Replace threadprivate and thread-local variables by private ones, or set HETMP_PLACEMENT=all to see "
           "whether "
           "that gains";
  case OtherReason::FitsOrigin:
    return "Begin regions in main with a thread for every CPU of all nodes (OMP_NUM_THREADS unset)";
  case OtherReason::AskedFor:
    return "Leave HETMP_PLACEMENT, OMP_SCHEDULE, HETMP_LOOPS and HETMP_CSR unset to let hetmp find out where regions "
           "run "
           "best";
  case OtherReason::Other:
    break;
  }
  return {};
}

std::string what_would_help(const Report& report) {
  const PlacementRecord& placement = report.placement;
  if (!report.bouncing.empty() && report.bouncing[0].waited_us >= least_share * placement.run_us)
    return help_with_pages(report.bouncing[0]);
  std::string help;
  if (const PlacedRegion* const home = heaviest_at_home(placement))
    help = help_with(*home);
  else if (const OtherVisits* const others = most_others(placement); others && placement.regions.empty())
    help = help_with(*others);
  if (help.empty() && !report.bouncing.empty())
    help = help_with_pages(report.bouncing[0]);
  return help.empty() ? "Nothing stands out that would have to be changed" : help;
}

std::string with_what_was_unheeded(const std::string& help, const PlacementRecord& placement) {
  return placement.unheeded.empty() ? help : help + "; " + placement.unheeded;
}

// ---- against what

std::string what_it_is_measured_against(const PlacementRecord& placement) {
  double journeys_us = 0;
  for (const PlacedRegion& region : placement.regions)
    journeys_us += std::max(0.0, -region.gained_us);
  std::string text = "All this is against the origin's CPUs alone: ";
  if (placement.lost_us + journeys_us > 0)
    text += "what did not pay cost " + in_time(placement.lost_us) + " in trials and " + in_time(journeys_us) +
            " in journeys of a run of " + in_time(placement.run_us);
  else
    text += "nothing was lost by trying, in a run of " + in_time(placement.run_us);
  return text + "; where all CPUs share coherent memory, one node (without --nodes) has all of them and is the better "
                "choice";
}

std::string in_a_line(const std::string& sentence) { return "hetmp: " + printable(sentence) + ".\n"; }

} // namespace

std::string explain(const Report& report) {
  if (report.nodes <= 1)
    return in_a_line("The program ran on one node, with all of its CPUs and without any cost of moving memory") +
           in_a_line("CPUs that share no memory with these are used by hetmp run --nodes N or --hosts LIST") +
           in_a_line("Where all CPUs share coherent memory, one node is the better choice");
  return in_a_line(what_happened(report.placement)) +
         in_a_line(with_what_was_unheeded(what_would_help(report), report.placement)) +
         in_a_line(what_it_is_measured_against(report.placement));
}

} // namespace hetmp::perf
