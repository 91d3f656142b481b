// The members of a report's JSON, each once: the writer and the reader go through the same list.
//
// fields(visitor, record) calls, in the order of the file:
//   visitor.field(name, value)             what is there always
//   visitor.nullable(name, value, absent)  written as null if it is absent; null is read as the default
//   visitor.derived(name, value)           follows from the rest: written, not read
//   visitor.location(source)               an ident_t's source string as file, function, line and column
// `Record` may be const, for a writer.
#pragma once

#include "perf/report/region_record.hpp"

#include <type_traits>

namespace hetmp::perf {

template <class Record, class As>
concept IsRecord = std::is_same_v<std::remove_const_t<Record>, As>;

template <class Visitor, IsRecord<NodeRecord> Record> void fields(Visitor& visitor, Record& node) {
  visitor.field("threads", node.threads);
  visitor.field("mean_us", node.mean_us);
  visitor.field("faults", node.faults);
  visitor.field("read_misses", node.read_misses);
  visitor.field("write_misses", node.write_misses);
  visitor.field("write_upgrades", node.write_upgrades);
  visitor.field("asked_locks", node.asked_locks);
  visitor.field("speed", node.speed);
  visitor.field("fault_period_us", node.fault_period_us);
  visitor.nullable("misses_per_kilo_instruction", node.misses_per_kilo_instruction,
                   node.misses_per_kilo_instruction < 0);
}

template <class Visitor, IsRecord<RegionRecord> Record> void fields(Visitor& visitor, Record& region) {
  visitor.location(region.source);
  visitor.field("place", region.place);
  visitor.field("address", region.address);
  visitor.field("policy", region.policy);
  visitor.field("mode", region.mode);
  visitor.field("visits", region.visits);
  visitor.field("probed_visits", region.probed_visits);
  visitor.field("most_probes", region.most_probes);
  visitor.field("audits", region.audits);
  visitor.field("trips", region.trips);
  visitor.field("exchanges", region.exchanges);
  visitor.field("nodes", region.nodes);
  visitor.field("fault_period_us", region.fault_period_us);
  visitor.field("threshold_us", region.threshold_us);
  visitor.field("predicted_us_per_iteration", region.predicted_us_per_iteration);
  visitor.field("decision", region.decision);
  visitor.field("reason", region.reason);
  visitor.field("total_us", region.total_us);
}

template <class Visitor, IsRecord<TaskTotals> Record> void fields(Visitor& visitor, Record& tasks) {
  visitor.field("offered", tasks.offered);
  visitor.field("executed_elsewhere", tasks.executed_elsewhere);
  visitor.field("elsewhere_us", tasks.elsewhere_us);
  visitor.field("kept_because", tasks.kept_because);
}

template <class Visitor, IsRecord<NodeFaultTotals> Record> void fields(Visitor& visitor, Record& totals) {
  visitor.field("read_misses", totals.read_misses);
  visitor.field("write_misses", totals.write_misses);
  visitor.field("write_upgrades", totals.write_upgrades);
  visitor.field("invalidations", totals.invalidations);
  visitor.field("bytes_received", totals.bytes_received);
  visitor.field("messages", totals.messages);
  visitor.field("waited_us", totals.waited_us);
  visitor.field("known", totals.known);
}

template <class Visitor, IsRecord<HotPage> Record> void fields(Visitor& visitor, Record& page) {
  visitor.field("address", page.address);
  visitor.field("read_misses", page.read_misses);
  visitor.field("write_misses", page.write_misses);
  visitor.field("write_upgrades", page.write_upgrades);
  visitor.field("turns", page.turns);
  visitor.field("waited_us", page.waited_us);
}

template <class Visitor, IsRecord<BouncingWriter> Record> void fields(Visitor& visitor, Record& writer) {
  const bool unknown = writer.first > writer.last;
  visitor.field("node", writer.node);
  visitor.field("turns", writer.turns);
  visitor.field("faults", writer.faults);
  visitor.field("waited_us", writer.waited_us);
  visitor.nullable("first", writer.first, unknown);
  visitor.nullable("last", writer.last, unknown);
}

template <class Visitor, IsRecord<RegionTurns> Record> void fields(Visitor& visitor, Record& region) {
  visitor.field("region", region.region);
  visitor.field("turns", region.turns);
}

template <class Visitor, IsRecord<BouncingPages> Record> void fields(Visitor& visitor, Record& pages) {
  visitor.field("address", pages.address);
  visitor.field("pages", pages.pages);
  visitor.field("holds", pages.holds);
  visitor.field("writers", pages.writers);
  visitor.field("regions", pages.regions);
  visitor.field("turns", pages.turns);
  visitor.derived("faults", pages.faults());
  visitor.field("waited_us", pages.waited_us);
  visitor.field("words", pages.words);
}

template <class Visitor, IsRecord<PlacedRegion> Record> void fields(Visitor& visitor, Record& region) {
  visitor.location(region.source);
  visitor.field("place", region.place);
  visitor.field("address", region.address);
  visitor.field("home_visits", region.home_visits);
  visitor.field("spread_visits", region.spread_visits);
  visitor.field("lent_visits", region.lent_visits);
  visitor.nullable("home_us", region.home_us, region.home_us < 0);
  visitor.nullable("spread_us", region.spread_us, region.spread_us < 0);
  visitor.field("total_us", region.total_us);
  visitor.field("stays", region.stays);
  visitor.field("elsewhere_us", region.elsewhere_us);
  visitor.field("gained_us", region.gained_us);
  visitor.field("spread", region.spread);
  visitor.field("lent_to", region.lent_to);
  visitor.field("because", region.because);
}

template <class Visitor, IsRecord<OtherVisits> Record> void fields(Visitor& visitor, Record& others) {
  visitor.field("why", others.why);
  visitor.field("visits", others.visits);
}

template <class Visitor, IsRecord<PlacementRecord> Record> void fields(Visitor& visitor, Record& placement) {
  visitor.field("asked_for", placement.asked_for);
  visitor.field("run_us", placement.run_us);
  visitor.field("trials", placement.trials);
  visitor.field("lost_us", placement.lost_us);
  visitor.field("budget_left_us", placement.budget_left_us);
  visitor.field("no_journeys", placement.no_journeys);
  visitor.field("unheeded", placement.unheeded);
  visitor.field("others", placement.others);
  visitor.field("regions", placement.regions);
}

/// But for the version, which comes first and decides whether the rest is read.
template <class Visitor, IsRecord<Report> Record> void fields(Visitor& visitor, Record& report) {
  visitor.field("nodes", report.nodes);
  visitor.field("counters", report.counters);
  visitor.field("threshold_from", report.threshold_from);
  visitor.field("interconnect", report.interconnect);
  visitor.field("elapsed_us", report.elapsed_us);
  visitor.field("tasks", report.tasks);
  visitor.field("placement", report.placement);
  visitor.field("regions", report.regions);
  visitor.field("totals", report.totals);
  visitor.field("bouncing", report.bouncing);
  visitor.field("pages", report.pages);
}

inline constexpr uint32_t report_version = 1;

} // namespace hetmp::perf
