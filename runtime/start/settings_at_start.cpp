// What the user asks to see of the settings when the program starts.
#include "runtime/settings/settings.hpp"

#include "base/environment.hpp"
#include "base/message.hpp"
#include "base/variables/mistyped.hpp"
#include "base/variables/variable.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/other_runtimes.hpp"
#include "runtime/sync/reduction.hpp"
#include "runtime/team/display.hpp"

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace hetmp::runtime {
namespace {

std::string true_or_false(bool value) { return value ? "TRUE" : "FALSE"; }

/// All that the runtime's rooms have made of variables; by name.
std::vector<Setting> all_settings(bool libomps) {
  std::vector<Setting> settings = standard_settings(program_icvs());
  settings.emplace_back(Variable::OMP_AFFINITY_FORMAT, affinity::affinity_format());
  settings.emplace_back(Variable::OMP_DISPLAY_AFFINITY, true_or_false(affinity::displays_affinity()));
  // What a tool is found by is looked at when there is a first thread.
  settings.emplace_back(Variable::OMP_TOOL, environment_value(Variable::OMP_TOOL).value_or("enabled"));
  settings.emplace_back(Variable::OMP_TOOL_LIBRARIES, environment_value(Variable::OMP_TOOL_LIBRARIES).value_or(""));
  settings.emplace_back(Variable::OMP_TOOL_VERBOSE_INIT,
                        environment_value(Variable::OMP_TOOL_VERBOSE_INIT).value_or("disabled"));
  if (libomps) {
    for (Setting& setting : libomp_settings(program_icvs()))
      settings.push_back(std::move(setting));
    settings.emplace_back(Variable::KMP_DETERMINISTIC_REDUCTION, true_or_false(forced_reduction_name() == "tree"));
    settings.emplace_back(Variable::KMP_FORCE_REDUCTION, std::string(forced_reduction_name()));
  }
  std::sort(settings.begin(), settings.end(), [](const Setting& a, const Setting& b) { return a.name < b.name; });
  return settings;
}

void show(const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

} // namespace

std::string environment_shown(bool verbose) {
  // What is not followed is said once, and KMP_SETTINGS says it.
  const bool unfollowed = verbose && !program_icvs().show_settings;
  return display_text(all_settings(verbose), unfollowed ? runtime_variables(environ) : std::vector<Setting>{},
                      verbose ? other_runtimes_in_words() : std::vector<std::string>{});
}

void tell_mistyped_variables() {
  if (own_node() != 0 || !complaints_are_wanted())
    return;
  for (const char* const* entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (const auto meant = probably_meant(name))
      say("%.*s is unknown; did you mean %s?", int(name.size()), name.data(), name_of(*meant));
  }
}

void show_settings_at_start() {
  using DisplayEnv = ProgramIcvs::DisplayEnv;
  const ProgramIcvs& icvs = program_icvs();
  if (own_node() != 0)
    return;
  if (icvs.show_version)
    say("version %s, in the place of libomp", HETMP_VERSION);
  if (icvs.show_settings)
    show(settings_text(runtime_variables(environ), all_settings(true), other_runtimes_in_words()));
  if (icvs.display_env != DisplayEnv::No)
    show(environment_shown(icvs.display_env == DisplayEnv::Verbose));
}

} // namespace hetmp::runtime
