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

} // namespace
} // namespace hetmp::dsm

using hetmp::dsm::kept_results;
using hetmp::dsm::process_of_caller;

#pragma GCC visibility push(default)
extern "C" {

tm* localtime(const time_t* time) noexcept { return kept_results().times.keep(kept_results().times.localtime(time)); }
tm* gmtime(const time_t* time) noexcept { return kept_results().times.keep(kept_results().times.gmtime(time)); }
char* asctime(const tm* parts) noexcept { return kept_results().times.keep(kept_results().times.asctime(parts)); }
char* ctime(const time_t* time) noexcept { return kept_results().times.keep(kept_results().times.ctime(time)); }

passwd* getpwnam(const char* name) {
  if (!process_of_caller())
    return kept_results().accounts.getpwnam(name);
  return kept_results().accounts.user_by_name.keep([&](auto... where) { return getpwnam_r(name, where...); });
}

passwd* getpwuid(uid_t user) {
  if (!process_of_caller())
    return kept_results().accounts.getpwuid(user);
  return kept_results().accounts.user_by_number.keep([&](auto... where) { return getpwuid_r(user, where...); });
}

group* getgrnam(const char* name) {
  if (!process_of_caller())
    return kept_results().accounts.getgrnam(name);
  return kept_results().accounts.group_by_name.keep([&](auto... where) { return getgrnam_r(name, where...); });
}

group* getgrgid(gid_t number) {
  if (!process_of_caller())
    return kept_results().accounts.getgrgid(number);
  return kept_results().accounts.group_by_number.keep([&](auto... where) { return getgrgid_r(number, where...); });
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
