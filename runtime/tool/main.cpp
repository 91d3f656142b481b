// The hetmp tool: `hetmp run` starts a program under the runtime, `hetmp info` says what the machine allows,
// `hetmp calibrate` measures what lies between nodes, `hetmp report` shows a saved report, `hetmp knowledge` what runs
// of programs have learned.
#include "base/message.hpp"
#include "dsm/transports.hpp"
#include "runtime/tool/calibrate.hpp"
#include "runtime/tool/info.hpp"
#include "runtime/tool/knowledge.hpp"
#include "runtime/tool/manual/pages.hpp"
#include "runtime/tool/manual/variables.hpp"
#include "runtime/tool/report.hpp"
#include "runtime/tool/run.hpp"
#include "runtime/tool/run_on_hosts.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace {

using namespace hetmp::tool;

constexpr size_t help_width = 80;

CLI::App* add_run(CLI::App& app, RunOptions& options) {
  CLI::App* run = app.add_subcommand("run", "Run an OpenMP program");
  run->add_option("--nodes", options.nodes, "Node processes to run the program on (1-64)")->type_name("N");
  run->add_option("--hosts", options.hosts, "Hosts to run the program on, a node each, as in a,b or a:4,b:8 (CPUs)")
      ->type_name("LIST");
  run->add_option("--remote-shell", options.remote_shell, "What reaches the hosts (ssh -x -o BatchMode=yes)")
      ->type_name("CMD");
  run->add_option("--transport", options.transport,
                  "What connects the nodes: " + hetmp::dsm::transport_names() +
                      " (default: " + std::string(hetmp::dsm::usual_transport().name) + ", between hosts " +
                      std::string(hetmp::dsm::transport_over_hosts().name) + ")")
      ->type_name("T");
  run->add_flag("--encrypt", options.encrypt,
                "Encrypt what travels between hosts, and between processes by tcp or verbs");
  run->add_option("--cores", options.cores, "Nodes as CPU lists of this process, as in 0-3;4-7")->type_name("SPEC");
  run->add_flag("--report", options.report, "Say what was learned about each loop (--report=FILE: into a file)");
  run->add_flag("--explain", options.explain,
                "Say at the end in three sentences what gained on several nodes or did not, and what would help");
  run->add_option("--schedule", options.schedule,
                  "Schedule of schedule(runtime) loops, as in hetprobe or dynamic,4: HETMP_SCHEDULE")
      ->type_name("S");
  run->add_option("--loops", options.loops, "Which loops are placed on nodes: runtime (the default) or all")
      ->type_name("WHICH");
  run->add_option("--threads", options.threads, "OMP_NUM_THREADS")->type_name("T");
  run->prefix_command(); // what follows the first word that is no option belongs to the program
  run->footer(
      "Then the program and its arguments, after -- if it begins with a dash.\n\nVariables that hold as well, which "
      "hetmp info --variables explains:\n" +
      own_variable_names(help_width));
  return run;
}

struct InfoOptions {
  bool variables = false;
  bool markdown = false;
};

CLI::App* add_info(CLI::App& app, InfoOptions& options) {
  CLI::App* info = app.add_subcommand("info", "Say what hetmp finds on this machine");
  info->add_flag("--variables", options.variables, "List all variables of the environment that hetmp reads instead");
  info->add_flag("--variables-markdown", options.markdown)
      ->group(""); // docs/variables.md, for whoever changes the table
  return info;
}

int info(const InfoOptions& options) {
  if (!options.variables && !options.markdown)
    return print_info();
  fputs((options.markdown ? variables_markdown() : variables_text(hetmp::environment_text)).c_str(), stdout);
  return 0;
}

CLI::App* add_calibrate(CLI::App& app, CalibrateOptions& options) {
  CLI::App* calibrate =
      app.add_subcommand("calibrate", "Measure from when on several nodes pay, and write that into the profile");
  calibrate->add_option("--nodes", options.nodes, "Node processes; each is measured with the first (2-64)")
      ->type_name("N");
  calibrate->add_option("--hosts", options.hosts, "Hosts, one for each node, as for hetmp run")
      ->type_name("HOST[:CPUS],...");
  calibrate->add_option("--remote-shell", options.remote_shell, "What reaches the hosts (default: that of hetmp run)")
      ->type_name("COMMAND");
  calibrate
      ->add_option("--transport", options.transport,
                   "What lies between them: " + hetmp::dsm::transport_names() +
                       " (on one machine tcp goes through its loopback; default: " +
                       std::string(hetmp::dsm::usual_transport().name) + ", between hosts " +
                       std::string(hetmp::dsm::transport_over_hosts().name) + ")")
      ->type_name("T");
  calibrate->add_option("--svg", options.svg, "File for the picture (default: beside the profile)")->type_name("FILE");
  calibrate->add_flag("--quick", options.quick, "A few seconds, less exact");
  return calibrate;
}

CLI::App* add_report(CLI::App& app, ReportOptions& options) {
  CLI::App* report = app.add_subcommand("report", "Show a report that HETMP_REPORT=FILE.json has left");
  report->add_option("file", options.file, "The report")->type_name("FILE.json")->required();
  report->add_option("--html", options.html, "Write a page for a browser there, instead of text to standard output")
      ->type_name("OUT.html");
  return report;
}

struct KnowledgeCommands {
  CLI::App* show = nullptr;
  CLI::App* forget = nullptr;
};

KnowledgeCommands add_knowledge(CLI::App& app, KnowledgeOptions& options) {
  CLI::App* knowledge =
      app.add_subcommand("knowledge", "What runs of programs on several nodes have learned for their next run");
  knowledge->require_subcommand(1);
  KnowledgeCommands commands{knowledge->add_subcommand("show", "Show it: of one program, or of all"),
                             knowledge->add_subcommand("forget", "Forget it: the next run learns anew")};
  commands.show->add_option("program", options.program, "The program's file")->type_name("PROGRAM");
  commands.forget->add_option("program", options.program, "The program's file")->type_name("PROGRAM");
  commands.forget->add_flag("--all", options.all, "Of all programs in the cache folder");
  return commands;
}

/// The program's words: those CLI11 left, then those from "--" on (which belongs to the program if that began
/// before). False, after one line, if an unknown option leads.
bool take_command(const CLI::App& run, const std::vector<std::string>& from_dashes, RunOptions& options) {
  options.command = run.remaining();
  const bool begun = !options.command.empty();
  if (begun && options.command.front().starts_with('-')) {
    hetmp::say("run: no option %s; try 'hetmp run --help'", options.command.front().c_str());
    return false;
  }
  if (!from_dashes.empty())
    options.command.insert(options.command.end(), from_dashes.begin() + (begun ? 0 : 1), from_dashes.end());
  return true;
}

/// A bare --report arrives as "true".
void settle_report(RunOptions& options) {
  if (options.report == "true")
    options.report = "1";
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app("hetmp: runs OpenMP programs on CPUs that share no memory", "hetmp");
  app.set_version_flag("--version", "hetmp " HETMP_VERSION);
  app.require_subcommand(1);
  RunOptions options;
  const CLI::App* run_command = add_run(app, options);
  const CLI::App* agent_command = app.add_subcommand("agent")->group("");   // for run --hosts, which starts it
  CLI::App* const manual_command = app.add_subcommand("manual")->group(""); // for whoever installs it
  std::string manual_folder;
  manual_command->add_option("folder", manual_folder)->required();
  InfoOptions info_options;
  const CLI::App* info_command = add_info(app, info_options);
  CalibrateOptions calibrate_options;
  const CLI::App* calibrate_command = add_calibrate(app, calibrate_options);
  ReportOptions report_options;
  const CLI::App* report_command = add_report(app, report_options);
  KnowledgeOptions knowledge_options;
  const KnowledgeCommands knowledge_commands = add_knowledge(app, knowledge_options);
  // CLI11 would hand what follows "--" back to the top level.
  char** const dashes = std::find(argv, argv + argc, std::string_view("--"));
  const std::vector<std::string> from_dashes(dashes, argv + argc);
  try {
    app.parse(int(dashes - argv), argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0)
      return app.exit(error); // --help and --version arrive this way
    hetmp::say("%s; try 'hetmp --help'", error.what());
    return usage_error;
  }
  settle_report(options);
  if (run_command->parsed())
    return take_command(*run_command, from_dashes, options) ? run(options) : usage_error;
  if (agent_command->parsed())
    return be_agent();
  if (manual_command->parsed())
    return write_manual(app, manual_folder) ? 0 : usage_error;
  if (calibrate_command->parsed())
    return calibrate(calibrate_options);
  if (report_command->parsed())
    return show_report(report_options);
  if (knowledge_commands.show->parsed())
    return show_knowledge(knowledge_options);
  if (knowledge_commands.forget->parsed())
    return forget_knowledge(knowledge_options);
  return info_command->parsed() ? info(info_options) : usage_error;
}
