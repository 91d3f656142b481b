// Schedules as people write them in OMP_SCHEDULE.
#pragma once

#include "schedulers/schedule.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace hetmp::schedulers {

struct ParsedSchedule {
  std::optional<Schedule> schedule; ///< nothing if the text is malformed
  std::string error;                ///< then: what is wrong, a short phrase
};

/// [monotonic:|nonmonotonic:]static|dynamic|guided|auto[,chunk] with a chunk from 1 to 2^31 - 1 (what
/// omp_get_schedule can return), or hetprobe[,percent] with a real percentage in (0, 100]. Any case, blanks
/// anywhere between the parts. The chunk of auto must be well formed and is ignored.
ParsedSchedule parse_schedule(std::string_view text);

/// The text that parse_schedule turns into `schedule`, in lower case.
std::string format_schedule(const Schedule& schedule);

} // namespace hetmp::schedulers
