#include "dsm/migration/functions/bound_calls.hpp"

#include <algorithm>
#include <iterator>

namespace hetmp::dsm {
namespace {

/// Of the C library, in the order of strcmp(): what does the same on every node of a machine (docs/limits.md). Memory,
/// locks, output, text and numbers, clocks on the wall, files by their descriptors.
constexpr std::string_view anywhere[] = {
    "__assert_fail",
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "__cxa_atexit",
    "__cxa_finalize",
    "__errno_location",
    "__fprintf_chk",
    "__isoc23_strtol",
    "__isoc23_strtoll",
    "__isoc23_strtoul",
    "__isoc23_strtoull",
    "__isoc99_sscanf",
    "__longjmp_chk",
    "__printf_chk",
    "__sigsetjmp",
    "__snprintf_chk",
    "__sprintf_chk",
    "__stack_chk_fail",
    "__vfprintf_chk",
    "__vsnprintf_chk",
    "_setjmp",
    "abort",
    "aligned_alloc",
    "atof",
    "atoi",
    "atol",
    "atoll",
    "bsearch",
    "calloc",
    "clock_gettime",
    "close",
    "ctime",
    "difftime",
    "drand48",
    "exit",
    "fclose",
    "fflush",
    "fopen",
    "fopen64",
    "fprintf",
    "fputc",
    "fputs",
    "free",
    "fwrite",
    "getenv",
    "gettimeofday",
    "gmtime",
    "gmtime_r",
    "isalnum",
    "isalpha",
    "isdigit",
    "isspace",
    "localtime",
    "localtime_r",
    "longjmp",
    "lrand48",
    "malloc",
    "malloc_usable_size",
    "memalign",
    "mrand48",
    "nanosleep",
    "open",
    "open64",
    "perror",
    "posix_memalign",
    "pread",
    "pread64",
    "printf",
    "pthread_cond_broadcast",
    "pthread_cond_destroy",
    "pthread_cond_init",
    "pthread_cond_signal",
    "pthread_cond_wait",
    "pthread_mutex_destroy",
    "pthread_mutex_init",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "pthread_once",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_unlock",
    "pthread_rwlock_wrlock",
    "pthread_spin_destroy",
    "pthread_spin_init",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_spin_unlock",
    "putc",
    "putchar",
    "puts",
    "pwrite",
    "pwrite64",
    "qsort",
    "rand",
    "random",
    "realloc",
    "reallocarray",
    "sched_yield",
    "seed48",
    "setjmp",
    "siglongjmp",
    "snprintf",
    "sprintf",
    "srand",
    "srand48",
    "srandom",
    "sscanf",
    "strdup",
    "strndup",
    "strtod",
    "strtof",
    "strtol",
    "strtold",
    "strtoll",
    "strtoul",
    "strtoull",
    "time",
    "tolower",
    "toupper",
    "usleep",
    "vfprintf",
    "vprintf",
    "vsnprintf",
    "vsprintf",
    "write",
};

/// Of the C++ library: threads, and streams that are read, of which one may be std::cin.
constexpr std::string_view cxx_prefixes[] = {"_ZNSt6thread",
                                             "_ZNSt3__16thread",
                                             "_ZNSi",
                                             "_ZNSt3__113basic_istream",
                                             "_ZStrs",
                                             "_ZSt7getline",
                                             "_ZNSt6locale",
                                             "_ZSt15set_new_handler",
                                             "_ZSt13set_terminate"};

/// Of gfortran's: units that are read, of which one may be standard input, and what asks for the process.
constexpr std::string_view fortran_prefixes[] = {"_gfortran_st_read", "_gfortran_getpid",  "_gfortran_cpu_time",
                                                 "_gfortran_etime",   "_gfortran_dtime",   "_gfortran_second",
                                                 "_gfortran_system",  "_gfortran_execute", "_gfortran_alarm",
                                                 "_gfortran_signal",  "_gfortran_kill",    "_gfortran_fork"};

template <class Prefixes> bool has_one_of(const Prefixes& prefixes, std::string_view name) {
  return std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

} // namespace

bool is_bound_to_process(std::string_view function, CalledLibrary library) {
  static_assert(std::is_sorted(std::begin(anywhere), std::end(anywhere)));
  switch (library) {
  case CalledLibrary::CLibrary:
    return !std::binary_search(std::begin(anywhere), std::end(anywhere), function);
  case CalledLibrary::CxxLibrary:
    return has_one_of(cxx_prefixes, function);
  case CalledLibrary::FortranLibrary:
    return has_one_of(fortran_prefixes, function);
  case CalledLibrary::Other:
    break;
  }
  return true;
}

} // namespace hetmp::dsm
