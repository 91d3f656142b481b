// Gates before what this test itself calls: open to a thread at home, a trap to one that is abroad.
#include "dsm/migration/gates.hpp"

#include "dsm/migration/calls_abroad.hpp"
#include "dsm/migration/contexts/context.hpp"
#include "dsm/migration/functions/bound_calls.hpp"
#include "dsm/migration/functions/guest_functions.hpp"
#include "dsm/migration/memory_abroad.hpp"
#include "dsm/migration/past_gates.hpp"
#include "dsm/migration/tasks_abroad.hpp"
#include "dsm/migration/text_abroad.hpp"
#include "dsm/migration/this_process.hpp"
#include "dsm/migration/ways_past_gates.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <sys/time.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

thread_local volatile char is_abroad = 0;
Gates gates;
WaysPastGates ways;
volatile int homecomings = 0;
volatile int times_all_at_home = 0;
volatile uintptr_t last_gate = 0;

using GetPid = pid_t (*)();
GetPid in_a_table[] = {getpid}; // what a program may write to, too

void come_home(int, siginfo_t*, void* context) {
  auto& interrupted = *static_cast<ucontext_t*>(context);
  const uintptr_t gate = gates.gate_at(instruction_of(interrupted));
  is_abroad = 0;
  homecomings = homecomings + 1;
  last_gate = gate;
  if (gate == 0)
    abort();
  interrupted.uc_mcontext.gregs[REG_RIP] = greg_t(gate); // goes on with the same gate
}

/// Before any of these tests, whichever of them run.
class GatesBuilt : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer calls signal handlers later, with another context";
#endif
    static MemoryAbroad memory;
    static CallsAbroad runtime_calls;
    static TasksAbroad tasks;
    static TextAbroad text;
    this_process.ways = &ways;
    ways.prepare([] { times_all_at_home = times_all_at_home + 1; }, {});
    static const bool built =
        gates.build(ptrdiff_t(uintptr_t(&is_abroad) - thread_pointer()), {memory, runtime_calls, tasks, text}, ways);
    ASSERT_TRUE(built);
  }
};

TEST(Gates, KnowsWhatOnlyComputes) {
  for (const char* function : {"memcpy", "strlen", "abs", "strstr", "__memcpy_chk", "rand_r", "_ZSt11_Hash_bytesPKvmm"})
    EXPECT_TRUE(only_computes(function)) << function;
  for (const char* function : {"malloc", "printf", "", "strtok", "rand", "memcpy2", "mem", "strdup", "strcoll", "qsort",
                               "clock_gettime", "strerror", "isalpha"})
    EXPECT_FALSE(only_computes(function)) << function;
}

TEST(Gates, KnowsWhatWorksOnText) {
  for (const char* function : {"strtod", "atoi", "toupper", "isalpha", "__ctype_b_loc", "strcasecmp"})
    EXPECT_TRUE(works_on_text(function) && !only_computes(function)) << function;
  for (const char* function : {"printf", "snprintf", "asprintf", "setlocale", "strcoll", "strlen", "wcstod", ""})
    EXPECT_FALSE(works_on_text(function)) << function;
  for (const char* function : {"sprintf", "vsnprintf", "__snprintf_chk", "__isoc99_sscanf"})
    EXPECT_NE(TextAbroad::stand_in(function), 0u) << function;
  for (const char* function : {"printf", "sscanf", "asprintf", "swprintf", ""})
    EXPECT_EQ(TextAbroad::stand_in(function), 0u) << function;
  EXPECT_TRUE(computes_in_memory("qsort") && !works_on_text("qsort"));
  EXPECT_TRUE(allocates("malloc") && allocates("free") && !allocates("memalign"));
  EXPECT_TRUE(changes_text("register_printf_specifier") && !changes_text("printf"));
}

TEST(Gates, KnowsPlainFormats) {
  for (const char* format : {"", "no conversion", "%d", "100 %%", "%-08.3lf|%+lld|%s", "%2$s %1$d", "%*.*f",
                             "%hhx%zu%jd%tX", "%c%p", "%#Lg", "%*d%5s"})
    EXPECT_TRUE(is_plain_format(format)) << format;
  for (const char* format :
       {"%ls", "%lc", "%S", "%C", "%m", "%n", "%'d", "%Id", "%[a-z]", "%ms", "%", "%d %", "%l", "%k", "%d and %ls"})
    EXPECT_FALSE(is_plain_format(format)) << format;
}

TEST(Gates, KnowsWhatComesHomeByItself) {
  for (const char* function : {"omp_set_lock", "omp_unset_lock_", "__kmpc_critical", "GOMP_atomic_end"})
    EXPECT_TRUE(comes_home_itself(function)) << function;
  for (const char* function : {"omp_set_nest_lock", "omp_init_lock", "", "GOMP_barrier", "malloc"})
    EXPECT_FALSE(comes_home_itself(function)) << function;
}

TEST(Gates, KnowsWhatLeadsPastThem) {
  for (const char* function : {"brk", "dlsym", "dlvsym", "setitimer", "getpwent", "sbrk", "timer_create", "ttyname"})
    EXPECT_STREQ(way_past_gates(function), function);
  for (const char* function : {"malloc", "localtime", "getpwnam", "localeconv", "dlopen", "", "printf", "alarm", "zzz"})
    EXPECT_EQ(way_past_gates(function), nullptr) << function;
  for (const char* variable : {"stdout", "stderr", "stdin", "__progname", "_ZNSt5ctypeIcE2idE"})
    EXPECT_TRUE(is_alike_everywhere(variable)) << variable;
  for (const char* variable : {"timezone", "optarg", "environ", "_ZSt4cout", ""})
    EXPECT_FALSE(is_alike_everywhere(variable)) << variable;
}

TEST(Gates, KnowsWhatBelongsToAProcess) {
  using enum CalledLibrary;
  for (const char* function :
       {"pthread_create", "raise", "getpid", "clock", "scanf", "pthread_getspecific", "nobody", ""})
    EXPECT_TRUE(is_bound_to_process(function, CLibrary)) << function;
  for (const char* function : {"malloc", "printf", "qsort", "clock_gettime", "__assert_fail", "write"})
    EXPECT_FALSE(is_bound_to_process(function, CLibrary)) << function;
  EXPECT_TRUE(is_bound_to_process("_ZNSt6thread4joinEv", CxxLibrary));
  EXPECT_TRUE(is_bound_to_process("_ZNSirsERi", CxxLibrary)) << "std::cin >> number";
  EXPECT_FALSE(is_bound_to_process("_ZNSolsEi", CxxLibrary));
  EXPECT_TRUE(is_bound_to_process("_gfortran_st_read", FortranLibrary));
  EXPECT_FALSE(is_bound_to_process("_gfortran_st_write", FortranLibrary));
  EXPECT_TRUE(is_bound_to_process("MPI_Send", Other));
}

TEST_F(GatesBuilt, NoteWhatBelongsToAProcess) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer's functions, which nothing is known of, stand in front of the C library's";
#endif
  gates.take_bound_call();
  free(malloc(1));
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const bool by_others = gates.take_bound_call();
  getppid();
  const bool by_it = gates.take_bound_call();
  const bool again = gates.take_bound_call();
  EXPECT_FALSE(by_others);
  EXPECT_TRUE(by_it);
  EXPECT_FALSE(again) << "once for each time";
  EXPECT_FALSE(Gates().take_bound_call()) << "nobody notices";
}

/// With all arguments, and for each way once.
TEST_F(GatesBuilt, NoticeWhoGoesPastThem) {
  itimerval none{};
  EXPECT_EQ(setitimer(ITIMER_REAL, &none, nullptr), 0);
  timer_t timer{};
  sigevent nothing{};
  nothing.sigev_notify = SIGEV_NONE;
  ASSERT_EQ(timer_create(CLOCK_MONOTONIC, &nothing, &timer), 0);
  EXPECT_EQ(timer_delete(timer), 0);
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "no function of this name"), nullptr);
  EXPECT_EQ(times_all_at_home, 0) << "all of that is harmless";
  EXPECT_EQ(ways.taken(), nullptr);
  int point = 0, is_negative = 0;
  EXPECT_STREQ(fcvt(-12.375, 2, &point, &is_negative), "1238");
  EXPECT_EQ(point, 2);
  EXPECT_NE(is_negative, 0);
  EXPECT_EQ(times_all_at_home, 1);
  EXPECT_STREQ(ways.taken(), "the program has called fcvt");
  EXPECT_STREQ(fcvt(7, 1, &point, &is_negative), "70");
  EXPECT_NE(dlsym(RTLD_DEFAULT, "getpid"), nullptr);
  EXPECT_NE(dlsym(RTLD_NEXT, "getpid"), nullptr);
  EXPECT_EQ(times_all_at_home, 1) << "they stay at home";
  EXPECT_STREQ(ways.taken(), "the program has called fcvt");
}

TEST_F(GatesBuilt, SendHomeWhoIsAbroad) {
  struct sigaction action = {};
  action.sa_sigaction = come_home;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGILL, &action, nullptr), 0);
  const pid_t self = getpid();
  EXPECT_EQ(getpid(), self);
  EXPECT_EQ(homecomings, 0) << "at home they are open";

  is_abroad = 1;
  const pid_t seen = getpid();
  EXPECT_EQ(homecomings, 1);
  EXPECT_EQ(is_abroad, 0);
  EXPECT_EQ(seen, self) << "and the function was called";
  const uintptr_t by_slot = last_gate;

  const volatile auto function = in_a_table[0];
  is_abroad = 1;
  const pid_t seen_by_table = function();
  EXPECT_EQ(homecomings, 2) << "an address among data leads to a gate as well";
  EXPECT_EQ(seen_by_table, self);
  EXPECT_EQ(last_gate, by_slot) << "one for each function, so that addresses can be compared";

  is_abroad = 1;
  gates.come_home()();
  EXPECT_EQ(homecomings, 3);
  EXPECT_EQ(is_abroad, 0);
  gates.come_home()();
  EXPECT_EQ(homecomings, 3);
}

TEST_F(GatesBuilt, WhatComputesNeedsNone) {
  char from[100] = "text", to[100];
  volatile size_t bytes = sizeof from;
  const int before = homecomings;
  is_abroad = 1;
  memcpy(to, from, bytes);
  const size_t length = strlen(to);
  is_abroad = 0;
  EXPECT_EQ(homecomings, before);
  EXPECT_EQ(length, 4u);
}

/// Its C library allocates by itself, so nothing that may want memory is called abroad.
TEST_F(GatesBuilt, WhereTheCLibraryHasItsOwnMemoryTextIsLeftToThoseAtHome) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer's function stands in front of the C library's";
#endif
  struct sigaction action = {};
  action.sa_sigaction = come_home;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGILL, &action, nullptr), 0);
  const char* const volatile number = "17";
  const int before = homecomings;
  is_abroad = char(Presence::Abroad);
  const int read = atoi(number);
  is_abroad = 0;
  EXPECT_EQ(homecomings, before + 1);
  EXPECT_EQ(read, 17);
}

TEST_F(GatesBuilt, AnAddressOfNoGateIsNone) {
  EXPECT_EQ(gates.gate_at(0), 0u);
  EXPECT_EQ(gates.gate_at(UINTPTR_MAX), 0u);
  EXPECT_EQ(gates.gate_at(uintptr_t(&gates)), 0u);
  const auto first = uintptr_t(reinterpret_cast<void*>(gates.come_home()));
  EXPECT_EQ(gates.gate_at(first + Gates::gate_bytes - 1), first);
  EXPECT_EQ(gates.gate_at(first + Gates::gate_bytes), first + Gates::gate_bytes);
  EXPECT_EQ(Gates().gate_at(first), 0u);
}

} // namespace
} // namespace hetmp::dsm
