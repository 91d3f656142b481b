#include "dsm/process/process_state.hpp"

#include "base/check.hpp"
#include "dsm/process/node_process.hpp"
#include "dsm/process/private_threads.hpp"

#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <string>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

template <class Function> void find(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// errno is the call's, whatever telling the others does to it.
class ErrnoKept {
 public:
  ~ErrnoKept() { errno = before_; }

 private:
  const int before_ = errno;
};

int make_here(const Change& change) {
  const StateFunctions& functions = state_functions();
  switch (change.kind) {
  case Change::Kind::SetLocale:
    return functions.setlocale(change.protection, reinterpret_cast<const char*>(change.begin)) ? 0 : ENOENT;
  case Change::Kind::SetVariable:
    return functions.putenv(reinterpret_cast<char*>(change.begin)) == 0 ? 0 : errno;
  case Change::Kind::UnsetVariable:
    return functions.unsetenv(reinterpret_cast<const char*>(change.begin)) == 0 ? 0 : errno;
  case Change::Kind::ClearVariables:
    return functions.clearenv() == 0 ? 0 : errno;
  case Change::Kind::ReadTimeZone:
    tzset();
    return 0;
  default:
    return EINVAL;
  }
}

} // namespace

StateFunctions::StateFunctions() {
  find(setlocale, "setlocale");
  find(setenv, "setenv");
  find(putenv, "putenv");
  find(unsetenv, "unsetenv");
  find(clearenv, "clearenv");
  find(setrlimit, "setrlimit");
  find(prlimit, "prlimit");
}

bool is_of_state(Change::Kind kind) { return kind >= Change::Kind::SetLocale && kind <= Change::Kind::ReadTimeZone; }

bool can_be_read(const NodeProcess& process, const Change& change) {
  const bool has_text = change.kind == Change::Kind::SetLocale || change.kind == Change::Kind::SetVariable ||
                        change.kind == Change::Kind::UnsetVariable;
  return !has_text || process.plan().is_shared(change.begin);
}

int carry_out_state(const Change& change) {
  HETMP_CHECK(!on_service_thread());            // texts are in shared memory
  const bool before = allocate_privately(true); // what the C library keeps of it is read by all threads of the node
  const int error = make_here(change);
  allocate_privately(before);
  return error;
}

void ProcessState::tell(const Change& change) {
  const ErrnoKept kept;
  if (change_elsewhere(change) != 0)
    process_.tell_regions_stay();
}

/// By a copy, wherever the text is, for as long as the others read it.
void ProcessState::tell_with_text(Change change, const char* text) {
  const ErrnoKept kept;
  const size_t bytes = strlen(text) + 1;
  void* const copy = ::malloc(bytes);
  if (!copy)
    return process_.tell_regions_stay();
  change.begin = reinterpret_cast<uintptr_t>(memcpy(copy, text, bytes));
  tell(change);
  ::free(copy);
}

char* ProcessState::setlocale(const StateFunctions& next, int category, const char* name) {
  const std::lock_guard guard(one_at_a_time_);
  const char* const known = next.setlocale(category, nullptr);
  const std::string before = known ? known : "";
  char* const now = next.setlocale(category, name);
  if (now && before != now) // by the name it has now: the empty one depends on each process's environment
    tell_with_text({.kind = Change::Kind::SetLocale, .protection = category}, now);
  return now;
}

/// The dynamic linker gives most of gcc's programs that refer to `environ` a copy among their own data. All nodes have
/// what is set there, lists and texts being in the heap.
bool ProcessState::has_shared_environment() const {
  return process_.plan().is_shared(reinterpret_cast<uintptr_t>(&environ));
}

/// C libraries read it again when they are asked to, and not for each localtime_r().
void ProcessState::tell_time_zone(const char* name) {
  if (std::string_view(name) == "TZ")
    tell({.kind = Change::Kind::ReadTimeZone});
}

/// The variable may have another value than `before`. The others are given the very text that the list has here: a
/// program may write to what it has handed to putenv().
void ProcessState::tell_variable(const char* name, const char* before) {
  const char* const value = getenv(name);
  if (value == before)
    return;
  if (value && !has_shared_environment()) {
    auto entry = reinterpret_cast<uintptr_t>(value - strlen(name) - 1);
    if (!process_.plan().is_shared(entry)) { // constants, or an allocator of the program's own
      const size_t bytes = strlen(reinterpret_cast<const char*>(entry)) + 1;
      void* const copy = ::malloc(bytes); // stays, as the C library's own do
      if (!copy)
        return process_.tell_regions_stay();
      entry = reinterpret_cast<uintptr_t>(memcpy(copy, reinterpret_cast<const void*>(entry), bytes));
    }
    tell({.kind = Change::Kind::SetVariable, .begin = entry});
  } else if (!value && !has_shared_environment()) {
    tell_with_text({.kind = Change::Kind::UnsetVariable}, name);
  }
  tell_time_zone(name);
}

int ProcessState::setenv(const StateFunctions& next, const char* name, const char* value, int replace) {
  const std::lock_guard guard(one_at_a_time_);
  const char* const before = name ? getenv(name) : nullptr;
  const int result = next.setenv(name, value, replace);
  if (result == 0)
    tell_variable(name, before);
  return result;
}

int ProcessState::putenv(const StateFunctions& next, char* entry) {
  const std::lock_guard guard(one_at_a_time_);
  const std::string name(entry, strcspn(entry, "="));
  const char* const before = getenv(name.c_str());
  const int result = next.putenv(entry);
  if (result == 0)
    tell_variable(name.c_str(), before);
  return result;
}

int ProcessState::unsetenv(const StateFunctions& next, const char* name) {
  const std::lock_guard guard(one_at_a_time_);
  const char* const before = name ? getenv(name) : nullptr;
  const int result = next.unsetenv(name);
  if (result == 0)
    tell_variable(name, before);
  return result;
}

int ProcessState::clearenv(const StateFunctions& next) {
  const std::lock_guard guard(one_at_a_time_);
  const int result = next.clearenv();
  if (result == 0 && !has_shared_environment())
    tell({.kind = Change::Kind::ClearVariables});
  if (result == 0)
    tell({.kind = Change::Kind::ReadTimeZone});
  return result;
}

int ProcessState::prlimit(const StateFunctions& next, int resource, const rlimit* limit, rlimit* before) {
  const std::lock_guard guard(one_at_a_time_);
  rlimit was{};
  const rlimit wanted = *limit; // `before` may be the same object
  const int result = next.prlimit(0, __rlimit_resource(resource), &wanted, &was);
  if (result != 0)
    return result;
  if (before)
    *before = was;
  if (was.rlim_cur != wanted.rlim_cur || was.rlim_max != wanted.rlim_max)
    tell({.kind = Change::Kind::SetLimit, .protection = resource, .begin = wanted.rlim_cur, .bytes = wanted.rlim_max});
  return 0;
}

} // namespace hetmp::dsm
