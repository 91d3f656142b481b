#include "runtime/settings/settings.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hetmp::runtime {
namespace {

/// All of a family of names are known here: the rest of it is a mistake, or ignored.
bool is_of_known_family(std::string_view name) {
  return name.starts_with("KMP_") || name.starts_with("LIBOMP_") || name.starts_with("HETMP_");
}

/// A heading and the variables, quoted if they are values of ours; nothing if there are none.
void add_block(std::string& text, const char* heading, const std::vector<Setting>& settings, const char* quote) {
  if (settings.empty())
    return;
  text += std::string("\n") + heading + "\n\n";
  for (const Setting& setting : settings)
    text += "   " + setting.name + '=' + quote + setting.value + quote + '\n';
}

} // namespace

Setting::Setting(std::string name, std::string value) : name(std::move(name)), value(std::move(value)) {}
Setting::Setting(Variable variable, std::string value) : Setting(name_of(variable), std::move(value)) {}

Following following_of(std::string_view name) {
  if (is_ignored(name))
    return Following::Ignored;
  return variable_named(name) ? Following::Honoured : Following::Unknown;
}

std::vector<Setting> those_that_are(Following following, const std::vector<Setting>& given) {
  std::vector<Setting> result;
  std::copy_if(given.begin(), given.end(), std::back_inserter(result), [&](const Setting& setting) {
    return is_of_known_family(setting.name) && following_of(setting.name) == following;
  });
  return result;
}

std::vector<Setting> runtime_variables(const char* const* environment) {
  std::vector<Setting> variables;
  for (; environment && *environment; ++environment) {
    const std::string_view variable = *environment;
    const size_t equals = variable.find('=');
    if (equals != variable.npos && is_of_openmp_runtimes(variable))
      variables.emplace_back(std::string(variable.substr(0, equals)), std::string(variable.substr(equals + 1)));
  }
  std::stable_sort(variables.begin(), variables.end(),
                   [](const Setting& a, const Setting& b) { return a.name < b.name; });
  variables.erase(std::unique(variables.begin(), variables.end(),
                              [](const Setting& a, const Setting& b) { return a.name == b.name; }),
                  variables.end());
  return variables;
}

std::string settings_text(const std::vector<Setting>& given, const std::vector<Setting>& effective,
                          const std::vector<std::string>& runtimes) {
  std::string text;
  add_block(text, "User settings:", given, "");
  add_block(text, "Effective settings:", effective, "'");
  add_block(text, "Ignored settings, of parts that hetmp does not have:", those_that_are(Following::Ignored, given),
            "");
  add_block(text, "Unknown settings:", those_that_are(Following::Unknown, given), "");
  if (!runtimes.empty())
    text += "\nOther OpenMP runtimes in this process:\n\n";
  for (const std::string& runtime : runtimes)
    text += "   " + runtime + '\n';
  return text + '\n';
}

} // namespace hetmp::runtime
