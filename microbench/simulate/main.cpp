// hetmp-simulate: runs the loop policies on simulated nodes and compares them with the optimum.
#include "base/message.hpp"
#include "microbench/simulate/options.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace {

using namespace hetmp::simulate;
using hetmp::schedulers::Decision;
using hetmp::simulation::Result;
using hetmp::simulation::Scenario;
using hetmp::simulation::VisitResult;

constexpr int usage_error = 2;
constexpr int broken_policy = 1;

void add_nodes(CLI::App& app, Options& options) {
  app.add_option("--nodes", options.nodes, "Nodes")->check(CLI::Range(1u, 64u))->group("Nodes");
  app.add_option("--threads", options.threads, "Threads of each node; the last number counts for all further nodes")
      ->delimiter(',')
      ->group("Nodes");
  app.add_option("--speeds", options.speeds,
                 "Speed of each node's threads, likewise. Changing: 1@0/0.5@200 is half as fast from 200 ms on")
      ->delimiter(',')
      ->group("Nodes");
  app.add_option("--exchange-us", options.exchange_us, "What a question to the global level and its answer take")
      ->check(CLI::NonNegativeNumber)
      ->group("Nodes");
  app.add_option("--chunk-us", options.chunk_us, "What taking a chunk within a node costs a thread")
      ->check(CLI::NonNegativeNumber)
      ->group("Nodes");
}

void add_loop(CLI::App& app, Options& options) {
  std::vector<std::string> shapes;
  shapes.reserve(hetmp::simulation::all_shapes.size());
  for (const auto& shape : hetmp::simulation::all_shapes)
    shapes.emplace_back(shape.name);
  app.add_option("--shape", options.shape, "What iterations cost along the loop")
      ->check(CLI::IsMember(shapes))
      ->group("Loop");
  app.add_option("--contrast", options.contrast, "How many times dearer dear iterations are")
      ->check(CLI::Range(1.0, 1e6))
      ->group("Loop");
  app.add_option("--trips", options.trips, "Iterations")
      ->check(CLI::Range(uint64_t(1), uint64_t(100000000)))
      ->group("Loop");
  app.add_option("--ms", options.milliseconds, "Length of a visit at best, without faults")
      ->check(CLI::PositiveNumber)
      ->group("Loop");
  app.add_option("--visits", options.visits, "Visits, one after the other")
      ->check(CLI::Range(1u, 100000u))
      ->group("Loop");
  app.add_option("--seed", options.seed, "Of the bursts")->group("Loop");
}

void add_faults(CLI::App& app, Options& options) {
  app.add_option("--fault-us", options.fault_us, "What a fault costs the thread that takes it")
      ->check(CLI::NonNegativeNumber)
      ->group("Faults");
  app.add_option("--faults", options.own_faults,
                 "Faults of an iteration when its data is on another node; they settle from visit to visit")
      ->check(CLI::NonNegativeNumber)
      ->group("Faults");
  app.add_option("--common-faults", options.common_faults,
                 "Faults of an iteration on data that all nodes write anew on every visit; they never settle")
      ->check(CLI::NonNegativeNumber)
      ->group("Faults");
  app.add_option("--faults-where", options.faults_where, "Which iterations fault")
      ->check(CLI::IsMember({"all", "first-half"}))
      ->group("Faults");
}

void add_policies(CLI::App& app, Options& options) {
  app.add_option("--policies", options.policies,
                 "Schedules to compare, as in OMP_SCHEDULE, but with a colon: dynamic:16 or hetprobe:5")
      ->delimiter(',')
      ->group("Policies");
  app.add_option("--decisions", options.decisions, "How nodes are chosen")
      ->check(CLI::IsMember({"threshold", "predict"}))
      ->group("Policies");
  app.add_option("--threshold-us", options.threshold_us, "Fault period from which several nodes pay")
      ->check(CLI::NonNegativeNumber)
      ->group("Policies");
  app.add_option("--reprobe", options.reprobe_percent, "hetprobe-i: percent of the loop between probes; 0 = never")
      ->check(CLI::Range(0.0, 100.0))
      ->group("Policies");
}

std::string describe(const Decision& decision, size_t nodes) {
  if (decision.speed.empty())
    return "-";
  if (decision.only_node() >= 0)
    return "node " + std::to_string(decision.only_node());
  const size_t used = decision.nodes.size();
  return used == nodes ? "all nodes" : std::to_string(used) + " of " + std::to_string(nodes) + " nodes";
}

void print_row(const std::string& name, double makespan_us, double optimum_us, uint64_t exchanges,
               const std::string& decision) {
  std::printf("%-14s %12.3f %9.3f %10llu  %s\n", name.c_str(), makespan_us / 1000, makespan_us / optimum_us,
              static_cast<unsigned long long>(exchanges), decision.c_str());
}

void print_nodes(const VisitResult& visit) {
  for (size_t i = 0; i < visit.nodes.size(); ++i) {
    const auto& use = visit.nodes[i];
    const double all = std::max(use.busy_us + use.fault_us + use.idle_us, 1e-9);
    std::printf("    node %-2zu %9llu iterations, %5.1f %% busy, %5.1f %% faults, %5.1f %% idle, %.0f faults\n", i,
                static_cast<unsigned long long>(use.iterations), 100 * use.busy_us / all, 100 * use.fault_us / all,
                100 * use.idle_us / all, use.faults);
  }
}

void print(const std::string& name, const Result& result, const Options& options) {
  const size_t nodes = result.visits.back().nodes.size();
  print_row(name, result.makespan_us(), result.optimum_us(), result.exchanges(),
            describe(result.visits.back().decision, nodes));
  for (size_t i = 0; i < result.visits.size(); ++i) {
    const VisitResult& visit = result.visits[i];
    if (options.each_visit)
      print_row("  visit " + std::to_string(i + 1), visit.makespan_us, visit.optimum_us, visit.exchanges,
                describe(visit.decision, nodes));
    if (options.each_node)
      print_nodes(visit);
  }
}

int compare(const Options& options) {
  std::string error;
  const std::vector<Candidate> policies = candidates(options, error);
  Scenario scenario = hetmp::simulate::scenario(options, error);
  if (!error.empty()) {
    hetmp::say("simulate: %s", error.c_str());
    return usage_error;
  }
  std::printf("%-14s %12s %9s %10s  %s\n", "policy", "makespan ms", "/optimum", "exchanges", "decision");
  for (const Candidate& policy : policies) {
    scenario.policy = [&](const auto& shape, auto& history, const auto& rules) {
      return hetmp::schedulers::make_policy(policy.schedule, shape, history, rules);
    };
    const Result result = simulate(scenario);
    if (!result.problem.empty()) {
      hetmp::say("simulate: policy %s: %s", policy.name.c_str(), result.problem.c_str());
      return broken_policy;
    }
    print(policy.name, result, options);
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Runs a loop under hetmp's own policies on simulated nodes: which one is fastest, and how far "
               "from the\n"
               "optimum? Times are simulated; the result depends on nothing but the arguments.",
               "hetmp-simulate");
  app.footer("A loop of 1 s whose second half is ten times dearer, on two nodes, one half as fast as the other:\n"
             "  hetmp-simulate --speeds 1,0.5 --shape step-up\n"
             "64 nodes, one loses its speed on the way, five visits one by one:\n"
             "  hetmp-simulate --nodes 64 --threads 16 --speeds 1@0/0.1@300,1 --visits 5 --each-visit\n"
             "\"/optimum\" compares with a bound that no division of the work can beat; 1 is perfect.");
  app.option_defaults()->always_capture_default();
  add_nodes(app, options);
  add_loop(app, options);
  add_faults(app, options);
  add_policies(app, options);
  app.add_flag("--each-visit", options.each_visit, "Also a line for every visit");
  app.add_flag("--each-node", options.each_node, "Also what each node did");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    hetmp::say("simulate: %s; try 'hetmp-simulate --help'", error.what());
    return usage_error;
  }
  return compare(options);
}
