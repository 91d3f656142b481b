// `teams` on the host.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/gomp_loop.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/abi/omp/omp_routines.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/regions/league.hpp"
#include "runtime/team/thread.hpp"

#include <algorithm>
#include <alloca.h>
#include <cstdarg>

using namespace hetmp::runtime;

namespace {

uint32_t positive(int32_t number) { return number > 0 ? uint32_t(number) : 0; }

/// KMP_TEAMS_THREAD_LIMIT, which cannot make fewer teams than a lower bound in the program asks for.
uint32_t within_limit(uint32_t teams) {
  const int most = program_icvs().most_teams;
  return most > 0 ? std::min(teams, uint32_t(most)) : teams;
}

/// By the clauses, else the ICVs; one team where neither says anything.
League next_league(Thread& self) {
  League league;
  const uint32_t teams = self.pushed_teams != 0 ? self.pushed_teams : within_limit(positive(omp_get_max_teams()));
  league.teams = teams != 0 ? teams : 1;
  league.thread_limit =
      self.pushed_team_threads != 0 ? self.pushed_team_threads : positive(omp_get_teams_thread_limit());
  self.pushed_teams = self.pushed_team_threads = 0;
  return league;
}

} // namespace

HETMP_ENTRY void __kmpc_push_num_teams(const SourceLocation*, int32_t gtid, int32_t teams, int32_t thread_limit) {
  Thread& self = thread_of(gtid);
  self.pushed_teams = within_limit(positive(teams));
  self.pushed_team_threads = positive(thread_limit);
}

/// As few as may be: each has then the more to do, and all threads for it.
HETMP_ENTRY void __kmpc_push_num_teams_51(const SourceLocation* location, int32_t gtid, int32_t least, int32_t most,
                                          int32_t thread_limit) {
  __kmpc_push_num_teams(location, gtid, most, thread_limit);
  if (least > 0)
    thread_of(gtid).pushed_teams = uint32_t(least);
}

/// Of a target region, which here is executed by a thread of the host, as a task of its own: the limit ends with it.
HETMP_ENTRY void __kmpc_set_thread_limit(const SourceLocation*, int32_t gtid, int32_t thread_limit) {
  if (thread_limit > 0)
    task_of(gtid).icvs.thread_limit = uint32_t(thread_limit);
}

HETMP_ENTRY void __kmpc_fork_teams(const SourceLocation* location, int32_t count, void* microtask, ...) {
  void** arguments = static_cast<void**>(alloca(size_t(count > 0 ? count : 1) * sizeof(void*)));
  va_list list;
  va_start(list, microtask);
  for (int32_t i = 0; i < count; i++)
    arguments[i] = va_arg(list, void*);
  va_end(list);
  Thread& self = current_thread();
  ompt::entered(__builtin_return_address(0),
                [&] { execute_league(self, location, next_league(self), microtask, uint32_t(count), arguments); });
}

// ---- gcc; it divides loops among teams by itself

HETMP_ENTRY void GOMP_teams_reg(GompFunction function, void* data, unsigned teams, unsigned thread_limit, unsigned) {
  Thread& self = current_thread();
  self.pushed_teams = within_limit(teams);
  self.pushed_team_threads = thread_limit;
  ompt::entered(__builtin_return_address(0), [&] {
    execute_league(self, nullptr, next_league(self), reinterpret_cast<void*>(function), 1, &data, invoke_gomp);
  });
}
