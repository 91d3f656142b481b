// Functions of the C library that give up when a signal's handler has run, whatever it is (signal(7)): those that
// sleep, that wait for several files or for signals, System V's, and those on sockets, which may have a time limit.
// Each does what it does, undisturbed by the signal that lets threads travel.
#include "dsm/interpose/undisturbed.hpp"
#include "dsm/objects/passed_through.hpp"
#include "dsm/objects/private_objects.hpp"
#include "dsm/process/process_state.hpp"

#include <csignal>
#include <dlfcn.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <threads.h>
#include <unistd.h>
#include <vector>

// What programs call that were built with _FORTIFY_SOURCE.
extern "C" {
int __poll_chk(pollfd* files, nfds_t count, int limit, size_t room);
int __ppoll_chk(pollfd* files, nfds_t count, const timespec* limit, const sigset_t* mask, size_t room);
ssize_t __recv_chk(int file, void* to, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int file, void* to, size_t bytes, size_t room, int flags, sockaddr* from, socklen_t* length);
}

// Result, name, parameters, arguments, exception specification.
#define HETMP_INTERRUPTIBLE_FUNCTIONS(_)                                                                               \
  _(int, nanosleep, (const timespec* time, timespec* left), (time, left), )                                            \
  _(int, clock_nanosleep, (clockid_t clock, int flags, const timespec* time, timespec* left),                          \
    (clock, flags, time, left), )                                                                                      \
  _(int, usleep, (useconds_t time), (time), )                                                                          \
  _(unsigned, sleep, (unsigned time), (time), )                                                                        \
  _(int, thrd_sleep, (const timespec* time, timespec* left), (time, left), )                                           \
  _(int, pause, (), (), )                                                                                              \
  _(int, sigsuspend, (const sigset_t* mask), (mask), )                                                                 \
  _(int, sigtimedwait, (const sigset_t* set, siginfo_t* info, const timespec* limit), (set, info, limit), )            \
  _(int, sigwaitinfo, (const sigset_t* set, siginfo_t* info), (set, info), )                                           \
  _(int, poll, (pollfd * files, nfds_t count, int limit), (files, count, limit), )                                     \
  _(int, ppoll, (pollfd * files, nfds_t count, const timespec* limit, const sigset_t* mask),                           \
    (files, count, limit, mask), )                                                                                     \
  _(int, __poll_chk, (pollfd * files, nfds_t count, int limit, size_t room), (files, count, limit, room), )            \
  _(int, __ppoll_chk, (pollfd * files, nfds_t count, const timespec* limit, const sigset_t* mask, size_t room),        \
    (files, count, limit, mask, room), )                                                                               \
  _(int, select, (int count, fd_set* reading, fd_set* writing, fd_set* special, timeval* limit),                       \
    (count, reading, writing, special, limit), )                                                                       \
  _(int, pselect,                                                                                                      \
    (int count, fd_set* reading, fd_set* writing, fd_set* special, const timespec* limit, const sigset_t* mask),       \
    (count, reading, writing, special, limit, mask), )                                                                 \
  _(int, epoll_wait, (int set, epoll_event* events, int most, int limit), (set, events, most, limit), )                \
  _(int, epoll_pwait, (int set, epoll_event* events, int most, int limit, const sigset_t* mask),                       \
    (set, events, most, limit, mask), )                                                                                \
  _(int, epoll_pwait2, (int set, epoll_event* events, int most, const timespec* limit, const sigset_t* mask),          \
    (set, events, most, limit, mask), )                                                                                \
  _(int, sem_timedwait, (sem_t * semaphore, const timespec* limit), (semaphore, limit), )                              \
  _(int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const timespec* limit), (semaphore, clock, limit), )      \
  _(ssize_t, msgrcv, (int queue, void* to, size_t bytes, long type, int flags), (queue, to, bytes, type, flags), )     \
  _(int, msgsnd, (int queue, const void* from, size_t bytes, int flags), (queue, from, bytes, flags), )                \
  _(int, semop, (int set, sembuf* operations, size_t count), (set, operations, count), noexcept)                       \
  _(int, semtimedop, (int set, sembuf* operations, size_t count, const timespec* limit),                               \
    (set, operations, count, limit), noexcept)                                                                         \
  _(int, accept, (int file, sockaddr* from, socklen_t* length), (file, from, length), )                                \
  _(int, accept4, (int file, sockaddr* from, socklen_t* length, int flags), (file, from, length, flags), )             \
  _(int, connect, (int file, const sockaddr* to, socklen_t length), (file, to, length), )                              \
  _(ssize_t, recv, (int file, void* to, size_t bytes, int flags), (file, to, bytes, flags), )                          \
  _(ssize_t, recvfrom, (int file, void* to, size_t bytes, int flags, sockaddr* from, socklen_t* length),               \
    (file, to, bytes, flags, from, length), )                                                                          \
  _(ssize_t, recvmsg, (int file, msghdr* message, int flags), (file, message, flags), )                                \
  _(int, recvmmsg, (int file, mmsghdr* messages, unsigned count, int flags, timespec* limit),                          \
    (file, messages, count, flags, limit), )                                                                           \
  _(ssize_t, __recv_chk, (int file, void* to, size_t bytes, size_t room, int flags), (file, to, bytes, room, flags), ) \
  _(ssize_t, __recvfrom_chk,                                                                                           \
    (int file, void* to, size_t bytes, size_t room, int flags, sockaddr* from, socklen_t* length),                     \
    (file, to, bytes, room, flags, from, length), )                                                                    \
  _(ssize_t, send, (int file, const void* from, size_t bytes, int flags), (file, from, bytes, flags), )                \
  _(ssize_t, sendto, (int file, const void* from, size_t bytes, int flags, const sockaddr* to, socklen_t length),      \
    (file, from, bytes, flags, to, length), )                                                                          \
  _(ssize_t, sendmsg, (int file, const msghdr* message, int flags), (file, message, flags), )                          \
  _(int, sendmmsg, (int file, mmsghdr* messages, unsigned count, int flags), (file, messages, count, flags), )

namespace hetmp::dsm {
namespace {

/// The linker's names for the ends of this library.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[], _end[];

bool is_ours(const void* code) { return __ehdr_start <= code && code < _end; }

/// The C library's own function. Whoever else stands in front of it may keep data in memory that nodes share.
uintptr_t own_function(const std::vector<LoadedObject>& objects, const std::vector<ObjectFacts>& facts,
                       const char* name) {
  for (size_t i = 0; i < objects.size(); ++i)
    if (const uintptr_t found = facts[i].is_of_c_library ? objects[i].find_function(name, "") : 0)
      return found;
  return reinterpret_cast<uintptr_t>(dlsym(RTLD_NEXT, name));
}

/// What a call goes on to: from this library the C library's own function, from others what would have been called
/// without this one.
template <class Function> struct Original {
  Function* next;
  Function* own;
  Function* of(const void* caller) const { return is_ours(caller) ? own : next; }
};

/// Found when the library is loaded, before there are threads: a search takes the dynamic linker's lock.
struct Originals {
  const std::vector<LoadedObject> objects = loaded_objects();
  const std::vector<ObjectFacts> facts = facts_of(objects);
#define HETMP_FIND(result, name, parameters, arguments, exceptions)                                                    \
  static_assert(is_passed_through(#name));                                                                             \
  Original<result parameters> name = {reinterpret_cast<result(*) parameters>(dlsym(RTLD_NEXT, #name)),                 \
                                      reinterpret_cast<result(*) parameters>(own_function(objects, facts, #name))};
  HETMP_INTERRUPTIBLE_FUNCTIONS(HETMP_FIND)
#undef HETMP_FIND
  const StateFunctions state;
};

const Originals& originals() {
  static const Originals& found = *new Originals; // never destroyed: threads may outlive static objects
  return found;
}

__attribute__((constructor)) void find_interruptible_functions() { originals(); }

} // namespace

const StateFunctions& state_functions() { return originals().state; }

} // namespace hetmp::dsm

#pragma GCC visibility push(default)
extern "C" {

#define HETMP_CALL(result, name, parameters, arguments, exceptions)                                                    \
  __attribute__((noinline)) result name parameters exceptions {                                                        \
    const hetmp::dsm::Undisturbed here;                                                                                \
    return hetmp::dsm::originals().name.of(__builtin_return_address(0)) arguments;                                     \
  }
HETMP_INTERRUPTIBLE_FUNCTIONS(HETMP_CALL)
#undef HETMP_CALL

} // extern "C"
#pragma GCC visibility pop
