// Functions of the C and C++ libraries in front of which others stand here for the program's sake only (dsm/interpose):
// they do the same, and somewhat besides. What serves the node calls the libraries' own (direct_binding.hpp), also in
// this library.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace hetmp::dsm {

/// In the order of strcmp().
inline constexpr std::string_view functions_passed_through[] = {
    "_ZNSt10_Sp_lockerC1EPKv",
    "_ZNSt10_Sp_lockerC1EPKvS1_",
    "_ZNSt10_Sp_lockerC2EPKv",
    "_ZNSt10_Sp_lockerC2EPKvS1_",
    "_ZNSt10_Sp_lockerD1Ev",
    "_ZNSt10_Sp_lockerD2Ev",
    "_ZNSt3__16locale6globalERKS0_",
    "_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE",
    "_ZNSt6locale6globalERKS_",
    "_ZNSt8ios_base15sync_with_stdioEb",
    "_ZSt13set_terminatePFvvE",
    "_ZSt15set_new_handlerPFvvE",
    "__poll_chk",
    "__ppoll_chk",
    "__recv_chk",
    "__recvfrom_chk",
    "accept",
    "accept4",
    "asctime",
    "clearenv",
    "clock_nanosleep",
    "connect",
    "ctime",
    "epoll_pwait",
    "epoll_pwait2",
    "epoll_wait",
    "getgrgid",
    "getgrnam",
    "getlogin",
    "getpwnam",
    "getpwuid",
    "gmtime",
    "localeconv",
    "localtime",
    "msgrcv",
    "msgsnd",
    "nanosleep",
    "pause",
    "poll",
    "ppoll",
    "prlimit",
    "prlimit64",
    "pselect",
    "putenv",
    "recv",
    "recvfrom",
    "recvmmsg",
    "recvmsg",
    "select",
    "sem_clockwait",
    "sem_timedwait",
    "semop",
    "semtimedop",
    "send",
    "sendmmsg",
    "sendmsg",
    "sendto",
    "setenv",
    "setlocale",
    "setrlimit",
    "setrlimit64",
    "shmat",
    "shmdt",
    "sigsuspend",
    "sigtimedwait",
    "sigwaitinfo",
    "sleep",
    "thrd_sleep",
    "unsetenv",
    "usleep",
};

constexpr bool is_passed_through(std::string_view function) {
  return std::binary_search(std::begin(functions_passed_through), std::end(functions_passed_through), function);
}

static_assert(std::is_sorted(std::begin(functions_passed_through), std::end(functions_passed_through)));

} // namespace hetmp::dsm
