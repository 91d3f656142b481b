#include "perf/papi/event_set.hpp"

#include <papi.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::perf {
namespace {

unsigned long thread_number() { return static_cast<unsigned long>(syscall(SYS_gettid)); }

/// PAPI, started once.
struct Papi {
  /// The program may use PAPI itself; then its threads' records are its own.
  const bool started_here = PAPI_is_initialized() == PAPI_NOT_INITED;
  const std::string problem = try_to_start(); ///< empty: none

 private:
  static std::string try_to_start();
};

const Papi& papi() {
  static const Papi& started = *new Papi; // never destroyed: threads may count until the process ends
  return started;
}

std::string Papi::try_to_start() {
  const int version = PAPI_library_init(PAPI_VER_CURRENT);
  if (version != PAPI_VER_CURRENT)
    return version > 0 ? std::string("PAPI is of another version than hetmp was built with")
                       : std::string("PAPI does not start: ") + PAPI_strerror(version);
  const int problem = PAPI_thread_init(thread_number);
  if (problem != PAPI_OK && PAPI_thread_id() == static_cast<unsigned long>(-1))
    return std::string("PAPI counts no threads: ") + PAPI_strerror(problem);
  return {};
}

} // namespace

const std::string& start_papi() { return papi().problem; }

std::optional<int> find_papi_event(const std::string& name) {
  int code = PAPI_NULL;
  if (!start_papi().empty() || PAPI_event_name_to_code(name.c_str(), &code) != PAPI_OK ||
      PAPI_query_event(code) != PAPI_OK)
    return {};
  return code;
}

void forget_thread() {
  if (papi().started_here)
    PAPI_unregister_thread();
}

bool is_papi_preset(const std::string& name) {
  int code = PAPI_NULL;
  return start_papi().empty() && name.starts_with("PAPI_") && PAPI_event_name_to_code(name.c_str(), &code) == PAPI_OK;
}

EventSet::~EventSet() {
  if (!created_)
    return;
  long long last[most_events];
  if (running_)
    PAPI_stop(set_, last);
  PAPI_cleanup_eventset(set_);
  PAPI_destroy_eventset(&set_);
}

bool EventSet::start(const int* codes, int count) {
  set_ = PAPI_NULL;
  created_ = PAPI_create_eventset(&set_) == PAPI_OK;
  for (int i = 0; created_ && i < count; ++i)
    if (PAPI_add_event(set_, codes[i]) != PAPI_OK)
      return false;
  running_ = created_ && PAPI_start(set_) == PAPI_OK;
  return running_;
}

bool EventSet::read(long long* values) const { return running_ && PAPI_read(set_, values) == PAPI_OK; }

} // namespace hetmp::perf
