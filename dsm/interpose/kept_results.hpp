// Results of functions of the C library that give the address of data which it keeps for its own process. A thread may
// ask at home and read elsewhere. So among nodes the result is kept in memory that they share, one place for each
// function or kind of result, which the next call overwrites as ever.
#pragma once

#include "dsm/interpose/next_function.hpp"
#include "dsm/interpose/random_state.hpp"
#include "dsm/process/node_process.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <grp.h>
#include <iterator>
#include <mutex>
#include <pthread.h>
#include <pwd.h>
#include <unistd.h>

namespace hetmp::dsm {

/// In memory that nodes share.
struct TimeResults {
  static constexpr size_t most_zones = 32, most_name = 64, most_text = 128;
  tm parts;
  char text[most_text];
  char zones[most_zones][most_name]; ///< names of time zones, which results point to; each stays where it is
  size_t zones_known;
};

/// Times in words and in parts.
class Times {
 public:
  /// `found`: the C library's; so is what they return outside of nodes, or if there is no memory.
  tm* keep(tm* found) {
    const std::lock_guard guard(lock_);
    if (!found || !prepare())
      return found;
    results_->parts = *found;
    results_->parts.tm_zone = found->tm_zone ? keep_zone(found->tm_zone) : nullptr;
    return &results_->parts;
  }
  char* keep(char* found) {
    const std::lock_guard guard(lock_);
    if (!found || strlen(found) >= TimeResults::most_text || !prepare())
      return found;
    return strcpy(results_->text, found);
  }

  decltype(&::localtime) const localtime = next_of<tm*(const time_t*) noexcept>("localtime");
  decltype(&::gmtime) const gmtime = next_of<tm*(const time_t*) noexcept>("gmtime");
  decltype(&::asctime) const asctime = next_of<char*(const tm*) noexcept>("asctime");
  decltype(&::ctime) const ctime = next_of<char*(const time_t*) noexcept>("ctime");

 private:
  bool prepare() {
    if (!results_ && NodeProcess::instance())
      results_ = static_cast<TimeResults*>(::calloc(1, sizeof(TimeResults)));
    return results_ != nullptr;
  }

  const char* keep_zone(const char* name) {
    char(*const end)[TimeResults::most_name] = results_->zones + results_->zones_known;
    const auto known = std::find_if(results_->zones, end, [&](const char* zone) { return strcmp(zone, name) == 0; });
    if (known != end)
      return *known;
    if (results_->zones_known == TimeResults::most_zones || strlen(name) >= TimeResults::most_name)
      return name;
    results_->zones_known++;
    return strcpy(*end, name);
  }

  std::mutex lock_;
  TimeResults* results_ = nullptr; ///< with the lock
};

/// The place of one function's results. `Record`: passwd or group.
template <class Record> class RecordResults {
 public:
  /// `find(record, text, bytes, found)`: the function's form that is given memory; returns an errno value.
  template <class Find> Record* keep(Find&& find) {
    const std::lock_guard guard(lock_);
    for (size_t bytes = first_bytes; grow(bytes); bytes *= 2) {
      Record* found = nullptr;
      const int error = find(record_, text_, bytes_, &found);
      if (error == ERANGE)
        continue;
      if (error != 0)
        errno = error;
      return found;
    }
    errno = ENOMEM;
    return nullptr;
  }

 private:
  static constexpr size_t first_bytes = 1024, most_bytes = size_t(16) << 20;

  bool grow(size_t bytes) {
    if (!record_)
      record_ = static_cast<Record*>(::malloc(sizeof(Record)));
    if (!record_ || bytes > most_bytes)
      return false;
    if (bytes <= bytes_)
      return true;
    char* const text = static_cast<char*>(::realloc(text_, bytes));
    if (!text)
      return false;
    text_ = text;
    bytes_ = bytes;
    return true;
  }

  std::mutex lock_;
  Record* record_ = nullptr; ///< with the lock, all; in memory that nodes share
  char* text_ = nullptr;
  size_t bytes_ = 0;
};

/// Of getlogin(), likewise.
class Login {
 public:
  char* keep() {
    const std::lock_guard guard(lock_);
    if (!name_)
      name_ = static_cast<char*>(::malloc(most_bytes));
    const int error = name_ ? getlogin_r(name_, most_bytes) : ENOMEM;
    if (error == 0)
      return name_;
    errno = error;
    return nullptr;
  }

 private:
  static constexpr size_t most_bytes = LOGIN_NAME_MAX + 1;
  std::mutex lock_;
  char* name_ = nullptr; ///< with the lock; in memory that nodes share
};

/// Users and groups by name and by number.
struct Accounts {
  Login login;
  RecordResults<passwd> user_by_name, user_by_number;
  RecordResults<group> group_by_name, group_by_number;

  decltype(&::getpwnam) const getpwnam = next_of<passwd*(const char*)>("getpwnam");
  decltype(&::getpwuid) const getpwuid = next_of<passwd*(uid_t)>("getpwuid");
  decltype(&::getgrnam) const getgrnam = next_of<group*(const char*)>("getgrnam");
  decltype(&::getgrgid) const getgrgid = next_of<group*(gid_t)>("getgrgid");
  decltype(&::getlogin) const getlogin = next_of<char*()>("getlogin");
};

/// How numbers are written in the locale.
class Conventions {
 public:
  decltype(&::localeconv) const localeconv = next_of<lconv*() noexcept>("localeconv");

  /// `found`: the C library's; so is the result if there is no memory.
  lconv* keep(lconv* found) {
    const std::lock_guard guard(lock_);
    if (!results_)
      results_ = static_cast<Results*>(::calloc(1, sizeof(Results)));
    if (!results_)
      return found;
    const auto is_as_before = [&](char* lconv::*text) { return before_.*text == found->*text; };
    if (std::all_of(std::begin(texts), std::end(texts), is_as_before)) // a locale's texts stay where they are
      return &results_->conventions;
    results_->conventions = *found;
    for (size_t i = 0; i < std::size(texts); ++i)
      if (!keep(results_->conventions.*texts[i], results_->places[i]))
        return found;
    before_ = *found;
    return &results_->conventions;
  }

 private:
  static constexpr size_t most_text = 64;
  static constexpr char* lconv::*texts[] = {
      &lconv::decimal_point,   &lconv::thousands_sep,     &lconv::grouping,          &lconv::int_curr_symbol,
      &lconv::currency_symbol, &lconv::mon_decimal_point, &lconv::mon_thousands_sep, &lconv::mon_grouping,
      &lconv::positive_sign,   &lconv::negative_sign};
  struct Results { ///< in memory that nodes share
    lconv conventions;
    char places[std::size(texts)][most_text];
  };

  /// False: it is too long.
  static bool keep(char*& text, char* place) {
    if (strlen(text) >= most_text)
      return false;
    if (strcmp(place, text) != 0) // another thread may be reading it
      strcpy(place, text);
    text = place;
    return true;
  }

  std::mutex lock_;
  lconv before_{};             ///< with the lock: what the C library has said
  Results* results_ = nullptr; ///< with the lock
};

/// The C library's own functions that set what erand48() and its like multiply with: lcong48() to another number, the
/// others to the usual one.
struct Multiplier {
  decltype(&::lcong48) const lcong48 = next_of<void(unsigned short*) noexcept>("lcong48");
  decltype(&::srand48) const srand48 = next_of<void(long) noexcept>("srand48");
  decltype(&::seed48) const seed48 = next_of<unsigned short*(unsigned short*) noexcept>("seed48");
};

/// Made when the library is loaded, before there are threads: to search for the C library's functions takes the dynamic
/// linker's lock.
struct KeptResults {
  decltype(&::pthread_setspecific) const set_specific =
      next_of<int(pthread_key_t, const void*) noexcept>("pthread_setspecific");
  decltype(&::pthread_key_delete) const delete_key = next_of<int(pthread_key_t) noexcept>("pthread_key_delete");
  RandomState random;
  Multiplier multiplier;
  Times times;
  Accounts accounts;
  Conventions conventions;
};
KeptResults& kept_results();

} // namespace hetmp::dsm
