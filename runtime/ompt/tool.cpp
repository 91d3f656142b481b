#include "runtime/ompt/tool.hpp"

#include "base/check.hpp"
#include "base/environment.hpp"
#include "base/loaded_object.hpp"
#include "base/private_section.hpp"
#include "base/variables/variable.hpp"

#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <glob.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace hetmp::runtime::ompt {

Tool& the_tool() {
  static constinit Tool tool;
  return tool;
}

namespace {

constexpr unsigned omp_version = 201811; ///< OpenMP 5.0, as libomp tells its tools
constexpr const char* runtime_version = "hetmp (LLVM OMP's interface)";
using StartTool = StartToolResult* (*)(unsigned omp_version, const char* runtime_version);

bool is_one_of_ours(const void* function) {
  Dl_info its{}, own{};
  return dladdr(function, &its) && dladdr(&the_tool(), &own) && its.dli_fbase == own.dli_fbase;
}

/// Of the first object of the process that has one and is no OpenMP runtime: theirs look for the next one, and a call
/// of dlsym() by a libomp beside this runtime would keep all threads at home (dsm/migration).
StartTool start_tool_of_process() {
  uintptr_t found = 0;
  for_each_loaded_object([&](const LoadedObject& object) {
    if (found == 0 && object.defines("ompt_start_tool") && !object.defines("omp_get_thread_num"))
      found = object.find_function("ompt_start_tool", "");
  });
  return reinterpret_cast<StartTool>(found);
}

/// Whether ThreadSanitizer watches the program: it is what Archer is for.
bool has_thread_sanitizer() { return dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr; }

/// Where libomp would find it: on the usual ways, or beside a libomp of Debian's, the newest.
std::string archers_path() {
  if (void* const handle = dlopen("libarcher.so", RTLD_LAZY)) {
    dlclose(handle);
    return "libarcher.so";
  }
  glob_t found{};
  std::string newest;
  if (glob("/usr/lib/llvm-*/lib/libarcher.so", 0, nullptr, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; i++) {
      const std::string path = found.gl_pathv[i];
      if (path.size() > newest.size() || (path.size() == newest.size() && path > newest))
        newest = path;
    }
  globfree(&found);
  return newest.empty() ? "libarcher.so" : newest;
}

/// OMP_TOOL_VERBOSE_INIT: what the search says, in libomp's words.
class Log {
 public:
  Log() {
    const auto where = environment_value(Variable::OMP_TOOL_VERBOSE_INIT);
    if (!where || equal_ignoring_case(*where, "disabled"))
      return;
    if (equal_ignoring_case(*where, "stdout"))
      file_ = stdout;
    else if (equal_ignoring_case(*where, "stderr"))
      file_ = stderr;
    else
      file_ = own_ = fopen(where->c_str(), "we");
    if (!file_)
      complain(Variable::OMP_TOOL_VERBOSE_INIT, *where, "cannot be written", "disabled");
    say("----- START LOGGING OF TOOL REGISTRATION -----\n");
  }
  ~Log() {
    say("----- END LOGGING OF TOOL REGISTRATION -----\n");
    if (file_)
      fflush(file_);
    if (own_)
      fclose(own_);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void say(const std::string& text) const {
    if (file_)
      fputs(text.c_str(), file_);
  }

 private:
  FILE* file_ = nullptr; ///< null: nobody wants to know
  FILE* own_ = nullptr;
};

/// One tool after the other, until one wants to be started.
class Search {
 public:
  explicit Search(const Log& log) : log_(log) {}

  StartToolResult* in_process() const {
    log_.say("Search for OMP tool in current address space... ");
    const StartTool start = start_tool_of_process();
    StartToolResult* const result = start ? start(omp_version, runtime_version) : nullptr;
    log_.say(result ? "Success.\n" : "Failed.\n");
    return result;
  }

  StartToolResult* in_library(const std::string& path) const {
    log_.say("Opening " + path + "... ");
    const PrivateSection here; // among node processes the tool is the origin's own, and so is its data
    void* const library = dlopen(path.c_str(), RTLD_LAZY);
    if (!library) {
      log_.say(std::string("Failed: ") + dlerror() + "\n");
      return nullptr;
    }
    log_.say("Success.\nSearching for ompt_start_tool in " + path + "... ");
    dlerror();
    void* const found = dlsym(library, "ompt_start_tool");
    if (!found || is_one_of_ours(found)) {
      const char* const why = dlerror();
      log_.say(std::string("Failed: ") + (why ? why : "there is none") + "\n");
      return nullptr;
    }
    if (StartToolResult* const result = reinterpret_cast<StartTool>(found)(omp_version, runtime_version)) {
      log_.say("Success.\n");
      return result;
    }
    log_.say("Found but not using the OMPT interface.\nContinuing search...\n");
    dlclose(library);
    return nullptr;
  }

 private:
  const Log& log_;
};

/// The first tool that wants to be started; null: there is none.
StartToolResult* first_tool(const Log& log) {
  const Search search(log);
  if (StartToolResult* const found = search.in_process())
    return found;
  if (const auto libraries = environment_value(Variable::OMP_TOOL_LIBRARIES)) {
    log.say("Searching tool libraries...\nOMP_TOOL_LIBRARIES = " + *libraries + "\n");
    for (size_t at = 0; at <= libraries->size();) {
      const size_t end = std::min(libraries->find(':', at), libraries->size());
      if (end > at)
        if (StartToolResult* const found = search.in_library(libraries->substr(at, end - at)))
          return found;
      at = end + 1;
    }
  } else {
    log.say("No OMP_TOOL_LIBRARIES defined.\n");
  }
  log.say("...searching tool libraries failed.");
  if (!has_thread_sanitizer()) {
    log.say("\n");
    return nullptr;
  }
  log.say(" Using archer tool.\n");
  return search.in_library(archers_path());
}

} // namespace

bool Tool::start() {
  const int self = gettid();
  if (starter_.load(std::memory_order_relaxed) == self) // the tool itself uses OpenMP while it starts
    return false;
  FutexLockGuard guard(starting_);
  if (std::exchange(started_, true))
    return false;
  starter_.store(self, std::memory_order_relaxed); // see the member
  look_for_it();
  return is_active();
}

void Tool::look_for_it() {
  const auto wanted = environment_value(Variable::OMP_TOOL);
  if (is_privileged() || (wanted && equal_ignoring_case(*wanted, "disabled")))
    return;
  if (wanted && !equal_ignoring_case(*wanted, "enabled"))
    complain(Variable::OMP_TOOL, *wanted, "neither enabled nor disabled", "enabled");
  {
    const Log log;
    result_ = first_tool(log);
    log.say(result_ ? "Tool was started and is using the OMPT interface.\n" : "No OMP tool loaded.\n");
  }
  // Others may be told of something as soon as it has asked for that.
  const bool wants_to_be_told = result_ && result_->initialise(answer_for, -1, &result_->tool_data) != 0;
  active_.store(wants_to_be_told, std::memory_order_release); // pairs with the acquire in is_active()
  dlerror();                                                  // what was looked for in vain is nobody else's business
}

void Tool::finish() {
  if (!is_active() || ended_.exchange(true, std::memory_order_relaxed)) // see the member
    return;
  HETMP_CHECK(result_);
  result_->finalise(&result_->tool_data);
  active_.store(false, std::memory_order_release); // pairs with the acquire in is_active()
  for (auto& callback : callbacks_)
    callback.store(nullptr, std::memory_order_relaxed); // see callback()
}

namespace {

bool is_told(int event) {
  switch (event) {
#define HETMP_CASE(number, name, ...) case number:
    HETMP_OMPT_CALLBACKS(HETMP_CASE)
#undef HETMP_CASE
    return true;
  default:
    return false;
  }
}

} // namespace

SetResult Tool::set_callback(int event, InterfaceFunction callback) {
  if (event <= 0 || event >= events_end)
    return SetResult::Error;
  if (!is_told(event))
    return SetResult::Never;
  callbacks_[event].store(callback, std::memory_order_relaxed); // relaxed: the old one may be called yet
  return SetResult::Always;
}

bool Tool::get_callback(int event, InterfaceFunction& callback) const {
  if (event <= 0 || event >= events_end)
    return false;
  callback = callbacks_[event].load(std::memory_order_relaxed); // relaxed: the code is there, whoever has set it
  return callback != nullptr;
}

} // namespace hetmp::runtime::ompt
