// What main sets for its process by the C library before a region holds for threads of all nodes: the locale, the
// environment, the time zone, limits. Constructors set some of it before main. The next region sees what main has
// changed meanwhile, and what one node's threads read others may keep. By what is known of regions, they are where the
// C++ library's global locale and handlers are those that main has set.
// run: HETMP_PLACEMENT=all
// run: HETMP_PLACEMENT=journeys:1
// run: HETMP_PLACEMENT=auto
#include "stress.hpp"

#include <cctype>
#include <clocale>
#include <cstring>
#include <ctime>
#include <exception>
#include <locale>
#include <memory_resource>
#include <new>
#include <omp.h>
#include <sstream>
#include <string>
#include <sys/resource.h>

namespace {

const char other_locale[] = "C.UTF-8";

/// Before main, but where there are other nodes already; and what putenv() keeps is this text itself.
char by_constructor[] = "STRESS_CONSTRUCTOR=early";
const bool constructed = putenv(by_constructor) == 0;

struct Wanted {
  std::string locale, value;
  size_t widest = 1;
  bool has_removed = false;
  long hour = 0;
  rlim_t files = 0;
  const char* early = "early";
};

/// The first region's threads begin, as it looks, when main has set the locale: theirs are the tables by which
/// isalpha() and its like go. uselocale() takes those that hold now.
void expect_tables_of_characters() {
  CHECK(setlocale(LC_CTYPE, other_locale));
#pragma omp parallel
  {
    const auto* const before = *__ctype_b_loc();
    uselocale(LC_GLOBAL_LOCALE);
    CHECK(*__ctype_b_loc() == before);
  }
  CHECK(setlocale(LC_CTYPE, "C"));
}

bool is_variable(const char* name, const char* value) {
  const char* const found = getenv(name);
  return value ? found && strcmp(found, value) == 0 : !found;
}

/// Threads of all nodes ask; each keeps where it has found the text, which lies where all can read it.
void expect_everywhere(const Wanted& want) {
  std::vector<const char*> found(size_t(omp_get_max_threads()), nullptr);
#pragma omp parallel
  {
    CHECK(want.locale == setlocale(LC_CTYPE, nullptr));
    CHECK_EQUAL(MB_CUR_MAX, want.widest);
    CHECK(is_variable("STRESS_VALUE", want.value.c_str()));
    CHECK(is_variable("STRESS_CONSTRUCTOR", want.early));
    CHECK_EQUAL(getenv("STRESS_REMOVED") != nullptr, want.has_removed);
    rlimit files{};
    CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &files), 0);
    CHECK_EQUAL(files.rlim_cur, want.files);
    tm parts{};
    const time_t zero = 0;
    localtime_r(&zero, &parts);
    CHECK_EQUAL(parts.tm_hour, want.hour);
    found[size_t(omp_get_thread_num())] = getenv("STRESS_VALUE");
#pragma omp barrier
    for (const char* text : found)
      CHECK(text ? want.value == text : omp_get_num_threads() < omp_get_max_threads());
  }
}

void one_round(uint64_t round, Wanted& want) {
  want.widest = round % 2 ? 6 : 1;
  want.locale = setlocale(round % 3 ? LC_CTYPE : LC_ALL, round % 2 ? other_locale : "C");
  want.locale = setlocale(LC_CTYPE, nullptr);
  want.value.assign(1 + stress::mix(stress::seed(), round) % 5000,
                    char('a' + round % 26)); // also longer than a message
  CHECK_EQUAL(setenv("STRESS_VALUE", want.value.c_str(), 1), 0);
  CHECK_EQUAL(setenv("STRESS_VALUE", "not this", 0), 0);
  want.has_removed = round % 2;
  CHECK_EQUAL(want.has_removed ? setenv("STRESS_REMOVED", "", 1) : unsetenv("STRESS_REMOVED"), 0);
  want.hour = long(round % 12) + 1;
  CHECK_EQUAL(setenv("TZ", ("ABC-" + std::to_string(want.hour)).c_str(), 1), 0);
  tzset();
  rlimit files{};
  CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur -= 1;
  CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &files), 0);
  want.files = files.rlim_cur;
  strcpy(by_constructor + strlen("STRESS_CONSTRUCTOR="), round % 2 ? "later" : "early");
  want.early = by_constructor + strlen("STRESS_CONSTRUCTOR=");
  expect_everywhere(want);
}

/// Wrong calls change nothing, and say so as ever.
void wrong_calls(const Wanted& want) {
  CHECK(!setlocale(LC_ALL, "no locale of this name"));
  CHECK(!setlocale(1000, "C"));
  CHECK_EQUAL(setenv("STRESS=VALUE", "x", 1), -1);
  CHECK_EQUAL(setenv("", "x", 1), -1);
  CHECK_EQUAL(unsetenv("STRESS=VALUE"), -1);
  rlimit files{2, 1};
  CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &files), -1);
  expect_everywhere(want);
}

void all_removed(Wanted& want) {
  CHECK_EQUAL(clearenv(), 0);
#pragma omp parallel
  CHECK(is_variable("STRESS_VALUE", nullptr) && is_variable("STRESS_CONSTRUCTOR", nullptr));
  CHECK_EQUAL(setenv("STRESS_VALUE", want.value.c_str(), 1), 0);
  CHECK_EQUAL(putenv(by_constructor), 0);
  CHECK_EQUAL(setenv("STRESS_REMOVED", "", 1), 0);
  want.has_removed = true;
  want.hour = 0; // of UTC, as there is no TZ
  CHECK_EQUAL(setenv("TZ", "UTC0", 1), 0);
  tzset();
  expect_everywhere(want);
}

struct Apart : std::numpunct<char> {
  char do_thousands_sep() const override { return '\''; }
  std::string do_grouping() const override { return "\3"; }
};

void handler() { abort(); }

std::pmr::monotonic_buffer_resource own_resource(std::pmr::new_delete_resource());

/// So often and for so long that regions are worth a trial on other nodes, which is to come to nothing.
void expect_what_only_one_process_has() {
  std::locale::global(std::locale(std::locale::classic(), new Apart));
  std::set_new_handler(handler);
  std::set_terminate(handler);
  std::pmr::set_default_resource(&own_resource);
  for (int round = 0; round < stress::portion(100); ++round) {
#pragma omp parallel
    {
      for (uint64_t i = 0; i < 10; ++i)
        stress::compute(i);
      std::ostringstream words;
      words << 1234567;
      CHECK(words.str() == "1'234'567");
      CHECK(std::get_new_handler() == handler && std::get_terminate() == handler);
      CHECK(std::pmr::get_default_resource() == &own_resource);
    }
  }
}

} // namespace

int main() {
  CHECK(constructed);
  const char* placement = getenv("HETMP_PLACEMENT");
  const bool placed_by_knowledge = !placement || strcmp(placement, "auto") == 0;
  expect_tables_of_characters();
  Wanted want;
  for (uint64_t round = 0; round < 40; ++round)
    one_round(round, want);
  wrong_calls(want);
  all_removed(want);
  if (placed_by_knowledge)
    expect_what_only_one_process_has();
}
