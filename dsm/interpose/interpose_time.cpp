// Times in words and in parts. The C library gives the address of data that it keeps for its own process; a thread may
// ask at home and read elsewhere. So among nodes the result is copied to memory that they share, one place for each
// kind, which the next call overwrites as ever.
#include "dsm/process/node_process.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <mutex>

namespace hetmp::dsm {
namespace {

/// In memory that nodes share.
struct Results {
  static constexpr size_t most_zones = 32, most_name = 64, most_text = 128;
  tm parts;
  char text[most_text];
  char zones[most_zones][most_name]; ///< names of time zones, which results point to; each stays where it is
  size_t zones_known;
};

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
    if (!found || strlen(found) >= Results::most_text || !prepare())
      return found;
    return strcpy(results_->text, found);
  }

  // Found when the library is loaded, before there are threads: a search takes the dynamic linker's lock.
  template <class Function> static Function* find(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  }
  tm* (*const localtime)(const time_t*) = find<tm*(const time_t*)>("localtime");
  tm* (*const gmtime)(const time_t*) = find<tm*(const time_t*)>("gmtime");
  char* (*const asctime)(const tm*) = find<char*(const tm*)>("asctime");
  char* (*const ctime)(const time_t*) = find<char*(const time_t*)>("ctime");

 private:
  bool prepare() {
    if (!results_ && NodeProcess::instance())
      results_ = static_cast<Results*>(::calloc(1, sizeof(Results)));
    return results_ != nullptr;
  }

  const char* keep_zone(const char* name) {
    char(*const end)[Results::most_name] = results_->zones + results_->zones_known;
    const auto known = std::find_if(results_->zones, end, [&](const char* zone) { return strcmp(zone, name) == 0; });
    if (known != end)
      return *known;
    if (results_->zones_known == Results::most_zones || strlen(name) >= Results::most_name)
      return name;
    results_->zones_known++;
    return strcpy(*end, name);
  }

  std::mutex lock_;
  Results* results_ = nullptr; ///< with the lock
};

Times& times() {
  static Times& instance = *new Times; // never destroyed: threads may outlive static objects
  return instance;
}

__attribute__((constructor)) void find_times() { times(); }

} // namespace
} // namespace hetmp::dsm

using hetmp::dsm::times;

#pragma GCC visibility push(default)
extern "C" {

tm* localtime(const time_t* time) noexcept { return times().keep(times().localtime(time)); }
tm* gmtime(const time_t* time) noexcept { return times().keep(times().gmtime(time)); }
char* asctime(const tm* parts) noexcept { return times().keep(times().asctime(parts)); }
char* ctime(const time_t* time) noexcept { return times().keep(times().ctime(time)); }

} // extern "C"
#pragma GCC visibility pop
