#include "runtime/nodes/node_setup.hpp"

#include "base/environment.hpp"
#include "base/exit_codes.hpp"
#include "base/loaded_object.hpp"
#include "base/message.hpp"
#include "base/seal/wanted.hpp"
#include "base/variables/variable.hpp"
#include "perf/counters.hpp"
#include "perf/interconnect.hpp"
#include "runtime/global/global_level_instance.hpp"
#include "runtime/loops/plan_cache.hpp"
#include "runtime/nodes/construct_names.hpp"
#include "runtime/nodes/coordinated_level.hpp"
#include "runtime/nodes/messages.hpp"
#include "runtime/nodes/page_report.hpp"
#include "runtime/nodes/placement_report.hpp"
#include "runtime/nodes/timeline.hpp"
#include "runtime/process/execute_again.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/placement.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/sync/program_locks.hpp"
#include "runtime/tasking/handing_over.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <string_view>

namespace hetmp::runtime {
namespace {

/// `name`: of what connects node processes; empty where there is nothing between nodes to calibrate.
void read_interconnect(std::string_view name) {
  const perf::Interconnect known = perf::find_interconnect(name, layout().nodes());
  schedulers::DecisionRules& rules = placement().rules;
  rules.threshold_us = known.threshold_us;
  rules.fault_us = known.fault_us;
  rules.exchange_us = known.fault_us;          // most of a fault is the exchange with the page's home
  rules.meeting_us = 250 + 5 * known.fault_us; // threads are woken; orders, arguments and what was found travel
  placement().origin_of_figures = known.origin_of_figures;
}

bool is_openmp_runtime(std::string_view file) {
  for (std::string_view name : {"libomp.so", "libiomp5.so", "libgomp.so", "libhetmp.so"})
    if (file.starts_with(name))
      return true;
  return false;
}

bool needs_openmp(const LoadedObject& object) { return std::ranges::any_of(object.needed(), is_openmp_runtime); }

/// Whether code that uses OpenMP has variables of which each thread keeps its own (threadprivate among them): their
/// values belong to threads, so thread numbers have to stay where they are.
bool has_thread_variables() {
  bool found = false;
  for_each_loaded_object(
      [&](const LoadedObject& object) { found = found || (object.has_thread_variables() && needs_openmp(object)); });
  return found;
}

/// Of the system, whose threads' variables mean nothing to a program's results: where an error is noted, caches.
bool is_of_system(std::string_view file) {
  for (std::string_view name :
       {"libc.so", "libm.so", "ld-linux", "libpthread.so", "libstdc++.so", "libgcc_s.so", "libgfortran.so",
        "libquadmath.so", "libc++.so", "libc++abi.so", "libunwind.so", "libhetmp", "libasan.so", "libtsan.so",
        "libubsan.so", "libnuma.so", "libselinux.so", "libomptarget"})
    if (file.starts_with(name))
      return true;
  return is_openmp_runtime(file);
}

/// The same of any code that the program has brought: a region of it may call that.
bool brings_thread_variables() {
  bool found = false;
  for_each_loaded_object([&](const LoadedObject& object) {
    const std::string_view path = object.path();
    found = found || (object.has_thread_variables() && !is_of_system(path.substr(path.rfind('/') + 1)));
  });
  return found;
}

/// gcc's names tell what it calls for loops with schedule(runtime); clang's stand for dynamic and guided ones as well.
bool begins_runtime_loop(std::string_view name) {
  return (name.starts_with("GOMP_") && name.find("_runtime") != name.npos) ||
         name.starts_with("__kmpc_dispatch_init") || name.starts_with("__kmpc_dist_dispatch_init");
}

bool begins_compiled_loop(std::string_view name) {
  return name.starts_with("__kmpc_for_static_init") || name.starts_with("__kmpc_dist_for_static_init");
}

/// By what the code that uses OpenMP calls. What is loaded later is not seen.
LoopKinds kinds_of_loops() {
  LoopKinds found;
  for_each_loaded_object([&](const LoadedObject& object) {
    if (!needs_openmp(object))
      return;
    found.runtime = found.runtime || !object.references(begins_runtime_loop).empty();
    found.compiled = found.compiled || !object.references(begins_compiled_loop).empty();
  });
  return found;
}

/// Not before the program has been executed again, where it is: what is wrong is said once.
Coordinator make_coordinator(std::string_view interconnect) {
  placement() = read_placement();
  read_interconnect(interconnect);
  if (has_thread_variables())
    keep_threads_where_they_are();
  if (brings_thread_variables())
    bind_threads_to_origin();
  return Coordinator(placement().rules, layout().cpu_counts());
}

dsm::Fabric* find_fabric() {
  using Find = dsm::Fabric* (*)();
  const auto find = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "hetmp_dsm_fabric"));
  return find ? find() : nullptr;
}

dsm::LaunchPlan plan_for_this_machine() {
  dsm::LaunchPlan plan;
  plan.cpus = layout().cpus;
  if (const auto transport = environment_value(Variable::HETMP_TRANSPORT)) {
    if (const dsm::TransportKind* kind = dsm::find_transport(*transport))
      plan.transport = kind->between_hosts_only ? &dsm::usual_transport() : kind;
    else
      complain(Variable::HETMP_TRANSPORT, *transport, dsm::no_transport_of_that_name(), plan.transport->name);
  }
  // What one machine's memory carries leaves it nowhere: then there is nothing to encrypt.
  plan.sealed = seal::wanted() && plan.transport->can_seal;
  return plan;
}

/// What the launcher wants; nothing, after one line, if there is none.
std::optional<dsm::LaunchPlan> plan_of_launcher() {
  const auto text = environment_value(dsm::launcher_variable);
  auto plan = text ? dsm::parse_plan(*text) : std::nullopt;
  if (plan && plan->made_by_launcher() && plan->cpus == layout().cpus)
    return plan;
  say("HETMP_NODES=hosts: is for hetmp run --hosts, which starts the program on each of them; using one node");
  return {};
}

void become_node_processes(bool may_execute_again) {
  if (dsm::Fabric* found = find_fabric()) {
    if (found->version != dsm::fabric_version || found->nodes != layout().nodes())
      die(exit_code::software, "libhetmp.so and libhetmp_dsm.so do not belong together: install both from one build");
    clean_environment();
    program_level = make_message_level(make_coordinator(found->interconnect));
    attach_fabric(*found);
    expect_loops(kinds_of_loops());
    if (placement().regions.kind == RegionChoice::Kind::All) // locks would change their form back and forth
      program_locks.stay_in_table();
    else
      program_locks.begin_with_words();
    if (wants_report() || wants_explanation())
      page_report::watch();
    timeline::start();
    return;
  }
  if (was_executed_again()) {
    clean_environment();
    say("the program was executed again for node processes, and the dynamic linker has not loaded libhetmp_dsm.so; "
        "using one node");
  } else if (may_execute_again) {
    const auto plan = layout().hosts ? plan_of_launcher() : plan_for_this_machine();
    if (plan)
      execute_again_under_dsm(*plan); // returns only if that is impossible, after saying why
  } else {
    say("HETMP_NODES: OpenMP was loaded after the program had begun; node processes begin with the program; using one "
        "node");
  }
  use_one_node();
  placement() = read_placement();
  timeline::start();
}

/// Of a program that has not met a loop for which the schedule that was asked for is.
const char* what_is_unheeded() {
  const bool is_asked_for = schedulers::is_placed(program_icvs().initial.run_schedule.kind);
  return is_asked_for
             ? "the schedule that was asked for is for schedule(runtime) loops, and no region that could run on "
               "several nodes had one (HETMP_LOOPS=all is for those that clang divides)"
             : "";
}

perf::PlacementRecord placement_of_regions() {
  const placing::Knowledge known = placing::knowledge();
  perf::PlacementRecord record = placement_record(known, placement().regions);
  for (perf::PlacedRegion& region : record.regions) {
    region.place = place_of(region.address);
    const auto ident = known.idents.find(region.address);
    if (region.place.empty() || ident == known.idents.end()) // its object has been unloaded, or knows no source
      continue;
    if (const char* source = source_of(ident->second))
      region.source = source;
  }
  return record;
}

} // namespace

void read_chosen_interconnect() {
  const dsm::Fabric* const found = find_fabric();
  if (!found || !program_level)
    return;
  read_interconnect(found->interconnect);
  program_level->follow(placement().rules);
}

bool refers_to_openmp() {
  bool found = false;
  for_each_loaded_object([&](const LoadedObject& object) {
    const std::string_view path = object.path();
    found = found || (!is_openmp_runtime(path.substr(path.rfind('/') + 1)) && needs_openmp(object));
  });
  return found;
}

void set_up_nodes(bool may_execute_again) {
  switch (layout().kind) {
  case Layout::Kind::One:
    placement() = read_placement();
    read_interconnect({}); // for its complaint: a mistake should show on one node too
    timeline::start();
    break;
  case Layout::Kind::CpuSets:
    program_level = make_in_process_level(make_coordinator({}));
    timeline::start();
    break;
  case Layout::Kind::Processes:
    become_node_processes(may_execute_again);
    break;
  }
}

GlobalLevel* global_level() { return program_level ? &program_level->interfaces() : nullptr; }

bool wants_report() {
  const auto destination = environment_value(Variable::HETMP_REPORT);
  return destination && *destination != "0";
}

bool wants_explanation() {
  const auto wanted = environment_value(Variable::HETMP_EXPLAIN);
  return wanted && parse_boolean(*wanted).value_or(false);
}

perf::Report loop_report() {
  perf::Report report = program_level ? program_level->report() : perf::Report{};
  report.threshold_from = placement().origin_of_figures;
  if (const dsm::Fabric* const found = find_fabric(); found && found->interconnect != dsm::usual_transport().name)
    report.interconnect =
        found->interconnect +
        (*found->why_interconnect ? std::string(" (not by RDMA: ") + found->why_interconnect + ")" : "");
  if (const char* reason = why_tasks_stayed())
    report.tasks.kept_because = reason;
  const auto measured = [](const perf::RegionRecord& region) { return region.probed_visits != 0; };
  if (std::any_of(report.regions.begin(), report.regions.end(), measured))
    report.counters = perf::counters_state(); // loaded already, or it could not be
  for (perf::RegionRecord& region : report.regions) {
    region.place = place_of(region.address);
    region.visits += plan_cache::visits_taken(reinterpret_cast<const void*>(region.address));
  }
  if (program_level)
    report.placement = placement_of_regions();
  if (program_level && report.regions.empty())
    report.placement.unheeded = what_is_unheeded();
  page_report::add_to(report);
  return report;
}

} // namespace hetmp::runtime
