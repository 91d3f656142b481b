// What environment variables come to, as text: OMP_DISPLAY_ENV, omp_display_env and libomp's KMP_SETTINGS.
#pragma once

#include "base/variables/variable.hpp"
#include "runtime/settings/icv.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::runtime {

struct Setting {
  Setting(std::string name, std::string value);
  Setting(Variable variable, std::string value);

  std::string name;
  std::string value;
  bool operator==(const Setting&) const = default;
};

/// Of a variable whose name begins as libomp's own do, with KMP_ or LIBOMP_, or as hetmp's.
enum class Following : uint8_t { Honoured, Ignored, Unknown };
Following following_of(std::string_view name);

/// Those of a runtime (OMP_, KMP_, GOMP_, LIBOMP_, HETMP_) in an environment, which ends with null; by name, the first
/// of a name.
std::vector<Setting> runtime_variables(const char* const* environment);

/// Of libomp's and hetmp's variables among `given`: those.
std::vector<Setting> those_that_are(Following following, const std::vector<Setting>& given);

/// What the program's ICVs and places are, in the words of the standard's variables and of libomp's own; by name.
std::vector<Setting> standard_settings(const ProgramIcvs& icvs);
std::vector<Setting> libomp_settings(const ProgramIcvs& icvs);

/// Settings as OMP_DISPLAY_ENV shows them (OpenMP 5.1, section 3.15), with those of `given` that are not followed, and
/// a line for each other runtime of the process (other_runtimes.hpp).
std::string display_text(const std::vector<Setting>& settings, const std::vector<Setting>& given = {},
                         const std::vector<std::string>& runtimes = {});

/// What KMP_SETTINGS prints: the variables as they were given, what they come to, those that are ignored or not known
/// at all, and other runtimes.
std::string settings_text(const std::vector<Setting>& given, const std::vector<Setting>& effective,
                          const std::vector<std::string>& runtimes = {});

// ---- the edges: settings_at_start.cpp

/// The text of OMP_DISPLAY_ENV, of this program.
std::string environment_shown(bool verbose);

/// When the library starts: a line for each variable that was probably meant to be one of hetmp's.
void tell_mistyped_variables();

/// When the library starts: what OMP_DISPLAY_ENV, KMP_SETTINGS and KMP_VERSION ask for, on standard error; once for the
/// program, not for each of its processes.
void show_settings_at_start();

} // namespace hetmp::runtime
