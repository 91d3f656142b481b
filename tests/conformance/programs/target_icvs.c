// The task of a target region has the ICVs of the device, whatever the task that meets it has set, and keeps what it
// sets to itself; its thread_limit clause holds for it alone. clang compiles target regions without devices as code of
// the task that meets them.
#include "check.h"

#include <omp.h>

typedef struct {
  int dynamic, threads, levels, chunk;
  omp_sched_t kind;
} Settings;

static Settings settings_now(void) {
  Settings now = {omp_get_dynamic(), omp_get_max_threads(), omp_get_max_active_levels(), 0, omp_sched_auto};
  omp_get_schedule(&now.kind, &now.chunk);
  return now;
}

static void check_settings(const Settings* now, const Settings* wanted) {
  CHECK_EQUAL(now->dynamic, wanted->dynamic);
  CHECK_EQUAL(now->threads, wanted->threads);
  CHECK_EQUAL(now->levels, wanted->levels);
  CHECK_EQUAL(now->chunk, wanted->chunk);
  CHECK_EQUAL(now->kind, wanted->kind);
}

#ifndef __clang__
static void check_target(const Settings* at_start) {
  const Settings host = settings_now();
#pragma omp target
  {
    Settings now = settings_now();
    check_settings(&now, at_start);
    omp_set_dynamic(0);
    omp_set_num_threads(2);
    omp_set_schedule(omp_sched_dynamic, 4);
    int team = 0;
#pragma omp parallel
    raise_by_one(&team);
    CHECK(team >= 1 && team <= 2);
  }
  Settings now = settings_now();
  check_settings(&now, &host);
#pragma omp target teams num_teams(2)
  {
    now = settings_now();
    check_settings(&now, at_start);
  }
}

static void check_thread_limit(void) {
  const int limit = omp_get_thread_limit();
  int many = 70000; // more than the compiler packs into one word
#pragma omp target thread_limit(3)
  {
    CHECK_EQUAL(omp_get_thread_limit(), 3);
    int team = 0;
#pragma omp parallel num_threads(8)
    raise_by_one(&team);
    CHECK(team >= 1 && team <= 3);
  }
#pragma omp target thread_limit(many)
  CHECK(omp_get_thread_limit() == 70000 || limit < 70000);
  CHECK_EQUAL(omp_get_thread_limit(), limit);
}

// Levels begin anew, also inside of regions that other nodes take part in.
static void check_levels(void) {
  int outer = 0, inner = 0;
#pragma omp parallel num_threads(4)
#pragma omp target map(tofrom : outer, inner)
  {
    raise_by_one(&outer);
    CHECK_EQUAL(omp_in_parallel(), 0);
    CHECK_EQUAL(omp_get_level(), 0);
    CHECK_EQUAL(omp_get_ancestor_thread_num(0), 0);
    CHECK_EQUAL(omp_get_ancestor_thread_num(1), -1);
#pragma omp parallel num_threads(2)
    {
      CHECK_EQUAL(omp_get_level(), 1);
      CHECK_EQUAL(omp_get_ancestor_thread_num(1), omp_get_thread_num());
      raise_by_one(&inner);
    }
  }
  CHECK(outer >= 1 && inner >= outer && inner <= 2 * outer);
}
#endif

int main(void) {
  const Settings at_start = settings_now();
  omp_set_dynamic(1);
  omp_set_num_threads(7);
  omp_set_max_active_levels(5);
  omp_set_schedule(omp_sched_static, 2);
  const Settings changed = settings_now();
#ifndef __clang__
  check_target(&at_start);
  check_thread_limit();
  check_levels();
#endif
#pragma omp parallel num_threads(2)
  {
    Settings now = settings_now(); // a region's tasks inherit them
    check_settings(&now, &changed);
  }
  CHECK(at_start.threads != changed.threads);
  return finish();
}
