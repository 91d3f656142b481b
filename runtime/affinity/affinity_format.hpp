// The little language of OMP_AFFINITY_FORMAT (OpenMP 5.1, section 6.14): "%0.5n" and "%{thread_num}".
#pragma once

#include <string>
#include <string_view>

namespace hetmp::affinity {

/// What a format can name about a thread, as text.
struct AffinityFacts {
  std::string team_num, num_teams, nesting_level, thread_num, num_threads, ancestor_tnum;
  std::string host, process_id, native_thread_id, thread_affinity;
};

/// Unknown fields become "undefined"; a lone % at the end stands for itself.
std::string expand_affinity_format(std::string_view format, const AffinityFacts& facts);

} // namespace hetmp::affinity
