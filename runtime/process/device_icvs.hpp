// ICVs of the device (OpenMP 5.1, section 2.4.2). All nodes are one device: a region takes them along to the nodes that
// it runs on.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

struct DeviceIcvs {
  static constexpr int32_t not_set = -1; ///< by a call: the environment's values hold

  int32_t teams = not_set;              ///< nteams-var; 0: no limit
  int32_t teams_thread_limit = not_set; ///< teams-thread-limit-var; 0: no limit

  bool operator==(const DeviceIcvs&) const = default;
};

/// As calls have made them.
DeviceIcvs device_icvs();
void set_device_icvs(const DeviceIcvs& icvs);

/// What calls or the environment say.
int max_teams();
void set_max_teams(int teams);
int teams_thread_limit();
void set_teams_thread_limit(int limit);

} // namespace hetmp::runtime
