// Functions whose results other nodes can read (kept_results.hpp).
#include "dsm/interpose/calling_process.hpp"
#include "dsm/interpose/kept_results.hpp"

namespace hetmp::dsm {

KeptResults& kept_results() {
  static KeptResults& instance = *new KeptResults; // never destroyed: threads may outlive static objects
  return instance;
}

namespace {

__attribute__((constructor)) void find_functions() { kept_results(); }

/// `next`: the C library's function; `reentrant`: its form that is given memory.
template <class Results, class Record, class Key, class Find>
Record* found(Results& results, Record* (*next)(Key), Find reentrant, Key key) {
  return process_of_caller() ? results.keep([&](auto... where) { return reentrant(key, where...); }) : next(key);
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

tm* localtime(const time_t* time) noexcept { return kept_results().times.keep(kept_results().times.localtime(time)); }
tm* gmtime(const time_t* time) noexcept { return kept_results().times.keep(kept_results().times.gmtime(time)); }
char* asctime(const tm* parts) noexcept { return kept_results().times.keep(kept_results().times.asctime(parts)); }
char* ctime(const time_t* time) noexcept { return kept_results().times.keep(kept_results().times.ctime(time)); }

passwd* getpwnam(const char* name) {
  return found(kept_results().accounts.user_by_name, kept_results().accounts.getpwnam, getpwnam_r, name);
}
passwd* getpwuid(uid_t user) {
  return found(kept_results().accounts.user_by_number, kept_results().accounts.getpwuid, getpwuid_r, user);
}
group* getgrnam(const char* name) {
  return found(kept_results().accounts.group_by_name, kept_results().accounts.getgrnam, getgrnam_r, name);
}
group* getgrgid(gid_t number) {
  return found(kept_results().accounts.group_by_number, kept_results().accounts.getgrgid, getgrgid_r, number);
}

char* getlogin() {
  return process_of_caller() ? kept_results().accounts.login.keep() : kept_results().accounts.getlogin();
}

lconv* localeconv() noexcept {
  lconv* const found = kept_results().conventions.localeconv();
  return process_of_caller() ? kept_results().conventions.keep(found) : found;
}

} // extern "C"
#pragma GCC visibility pop
