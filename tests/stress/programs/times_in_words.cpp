// Times in parts and in words: functions that give the address of data of their own. A thread asks for them at home and
// reads them elsewhere; the next call overwrites what the last one gave, and names of time zones stay.
// run: HETMP_PLACEMENT=journeys:1 TZ=Europe/Berlin
// run: HETMP_PLACEMENT=journeys:2 OMP_NUM_THREADS=7 TZ=NZST-12NZDT
#include "stress.hpp"

#include <cstring>
#include <ctime>
#include <omp.h>

namespace {

using stress::computes_abroad;
using stress::is_abroad;

std::atomic<long> read_abroad{0};

void expect_equal(const tm& have, const tm& want, const char* zone) {
  read_abroad += is_abroad();
  CHECK_EQUAL(have.tm_sec, want.tm_sec);
  CHECK_EQUAL(have.tm_hour, want.tm_hour);
  CHECK_EQUAL(have.tm_yday, want.tm_yday);
  CHECK_EQUAL(have.tm_year, want.tm_year);
  CHECK_EQUAL(have.tm_gmtoff, want.tm_gmtoff);
  const char* name = have.tm_zone;
  for (size_t i = 0; zone[i] != 0 || name[i] != 0; ++i) // by no function, which would read it at home
    CHECK_EQUAL(name[i], zone[i]);
}

void one(time_t time) {
  tm local, universal;
  char words[32], zone[32];
  localtime_r(&time, &local);
  gmtime_r(&time, &universal);
  ctime_r(&time, words);
  strcpy(zone, local.tm_zone);
  const tm* const parts = localtime(&time);
  const tm first = *parts;
  computes_abroad();
  expect_equal(*parts, local, zone);
  const tm* const again = gmtime(&time);
  computes_abroad();
  expect_equal(*again, universal, "GMT");
  expect_equal(first, local, zone);
  const char* text = time % 2 == 0 ? ctime(&time) : asctime(&local);
  computes_abroad();
  for (size_t i = 0; words[i] != 0; ++i)
    CHECK_EQUAL(text[i], words[i]);
}

void all() {
#pragma omp parallel
  {
#pragma omp barrier // otherwise the first thread might do the last one's part as well
    if (omp_get_thread_num() == 1)
      for (int month = 0; month < 12; ++month)
        one(1'700'000'000 + month * time_t(2'629'743));
    else
      computes_abroad();
  }
}

} // namespace

int main() {
  all();
  if (stress::threads_must_travel())
    for (int more = 0; read_abroad == 0; ++more) {
      CHECK(more < 100);
      all();
    }
}
