// Schedules as people write them in the environment.
#pragma once

#include "schedulers/arithmetic/schedule.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace hetmp::schedulers {

struct ParsedSchedule {
  std::optional<Schedule> schedule; ///< nothing if the text is malformed
  std::string error;                ///< then: what is wrong, a short phrase
};

/// [monotonic:|nonmonotonic:]static|dynamic|guided|auto[,chunk] with a chunk from 1 to 2^31 - 1 (what
/// omp_get_schedule can return), or hetprobe|hetprobe-i[,percent] with a real percentage in (0, 100].
/// het_irregular and hetprobe_i are other names of hetprobe-i. Any case, blanks anywhere between the parts.
/// The chunk of auto must be well formed and is ignored.
ParsedSchedule parse_schedule(std::string_view text);

/// The text that parse_schedule turns into `schedule`, in lower case.
std::string format_schedule(const Schedule& schedule);

/// static, dynamic[,chunk] or guided[,chunk], written as for parse_schedule: how the threads of a node share
/// what the node gets. Nothing else has a meaning there.
ParsedSchedule parse_in_node_schedule(std::string_view text);

} // namespace hetmp::schedulers
