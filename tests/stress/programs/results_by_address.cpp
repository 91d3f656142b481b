// Data of the C library's whose address a program has: by functions that give it away, and by names of variables, in a
// library of its own as well. A thread finds it at home and reads it elsewhere.
// library: results_by_address_part.cpp
// run: HETMP_PLACEMENT=journeys:1 TZ=Europe/Berlin
// run: HETMP_PLACEMENT=journeys:2 OMP_NUM_THREADS=7 TZ=NZST-12NZDT
// run: HETMP_PLACEMENT=all TZ=Europe/Berlin
#include "results_by_address_part.hpp"
#include "stress.hpp"

#include <clocale>
#include <ctime>
#include <grp.h>
#include <omp.h>
#include <pwd.h>
#include <string>

namespace {

using stress::computes_abroad;

std::atomic<long> read_abroad{0};

/// By no function, which would read it at home.
bool equals(const char* have, const std::string& want) {
  read_abroad += stress::is_abroad();
  size_t i = 0;
  while (i < want.size() && have[i] == want[i])
    ++i;
  return i == want.size() && have[i] == 0;
}

/// By one thread: the next call overwrites what the last one gave.
void accounts() {
  char text[4096];
  passwd user;
  group members;
  passwd* found_user = nullptr;
  group* found_group = nullptr;
  CHECK_EQUAL(getpwuid_r(0, &user, text, sizeof text, &found_user), 0);
  const std::string name = user.pw_name, folder = user.pw_dir;
  CHECK_EQUAL(getgrgid_r(0, &members, text, sizeof text, &found_group), 0);
  const std::string group_name = members.gr_name;
  const passwd* const by_number = getpwuid(0);
  const passwd* const by_name = getpwnam(name.c_str());
  const group* const group_by_number = getgrgid(0);
  const group* const group_by_name = getgrnam(group_name.c_str());
  computes_abroad();
  for (const passwd* one : {by_number, by_name}) {
    CHECK(equals(one->pw_name, name));
    CHECK(equals(one->pw_dir, folder));
    CHECK_EQUAL(one->pw_uid, 0);
  }
  for (const group* one : {group_by_number, group_by_name}) {
    CHECK(equals(one->gr_name, group_name));
    CHECK_EQUAL(one->gr_gid, 0);
  }
  CHECK(!getpwnam("nobody of this name"));
  CHECK(!getgrnam("nobody of this name"));
  const lconv* const numbers = localeconv();
  computes_abroad();
  CHECK(equals(numbers->decimal_point, "."));
  CHECK(equals(numbers->thousands_sep, ""));
}

/// Alike on all nodes, as far as the program's main thread has set them.
void variables(const std::string& zone, const std::string& summer, long seconds, const std::string& set) {
  for (int i = 0; i < 4; ++i) {
    computes_abroad();
    CHECK(equals(part::zone(0), zone));
    CHECK(equals(part::zone(1), summer));
    CHECK_EQUAL(part::zone_seconds(), seconds);
    CHECK(part::is_in_environment("STRESS_SET", set.c_str()));
    CHECK(!part::is_in_environment("STRESS_SET", "something else"));
  }
}

void all(int round) {
  const std::string set = "value " + std::to_string(round);
  CHECK_EQUAL(setenv("STRESS_SET", set.c_str(), 1), 0);
  tzset();
  const std::string zone = tzname[0], summer = tzname[1];
  const long seconds = timezone;
  CHECK(seconds == -3600 || seconds == -12 * 3600);
#pragma omp parallel
  {
#pragma omp barrier // otherwise the first thread might do the last one's part as well
    if (omp_get_thread_num() == 1)
      accounts();
    variables(zone, summer, seconds, set);
  }
}

} // namespace

int main() {
  for (int round = 0; round < 3 || (stress::threads_must_travel() && read_abroad == 0); ++round) {
    CHECK(round < 100);
    all(round);
  }
}
