#include "runtime/process/other_runtimes.hpp"

#include "base/environment.hpp"
#include "base/message.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <string_view>
#include <unistd.h>

// The first and the last address of the library that this file is linked into.
extern "C" {
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));
}

namespace hetmp::runtime {
namespace {

constexpr const char* mark_of_runtimes = "omp_get_thread_num";

bool is_entry(std::string_view name) {
  return name.starts_with("omp_") || name.starts_with("GOMP_") || name.starts_with("__kmpc_") ||
         name.starts_with("kmp_");
}

bool has(const OpenMPObject& object, uintptr_t address) { return address >= object.begin && address < object.end; }

const OpenMPObject* runtime_at(const std::vector<OpenMPObject>& objects, uintptr_t address) {
  for (const OpenMPObject& object : objects)
    if (object.is_runtime && has(object, address))
      return &object;
  return nullptr;
}

bool leads_here(const void* address) {
  const auto value = reinterpret_cast<uintptr_t>(address);
  return value >= reinterpret_cast<uintptr_t>(__ehdr_start) && value < reinterpret_cast<uintptr_t>(_end);
}

std::string path_of_program() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, size_t(length)) : "the program";
}

uintptr_t look_up(const char* name, const char* version) {
  const void* found = *version ? dlvsym(RTLD_DEFAULT, name, version) : dlsym(RTLD_DEFAULT, name);
  return reinterpret_cast<uintptr_t>(found);
}

/// All that are runtimes or refer to one. References that nobody has followed yet will lead to where the dynamic
/// linker's search in the order of loading ends; libraries with an order of their own (RTLD_DEEPBIND) are usually bound
/// as a whole when they are loaded.
std::vector<OpenMPObject> openmp_objects() {
  std::vector<OpenMPObject> objects;
  bool first = true;
  for_each_loaded_object([&](const LoadedObject& loaded) {
    OpenMPObject object{first ? "" : loaded.path(), loaded.begin(), loaded.end(), loaded.defines(mark_of_runtimes), {}};
    if (!object.is_runtime)
      object.references = loaded.references(is_entry);
    if (object.is_runtime || !object.references.empty())
      objects.push_back(std::move(object));
    first = false;
  });
  for (OpenMPObject& object : objects) {
    if (object.path.empty())
      object.path = path_of_program();
    for (EntryReference& reference : object.references)
      if (reference.target == 0)
        reference.target = look_up(reference.name.c_str(), reference.version.c_str());
  }
  return objects;
}

uintptr_t own_address() { return reinterpret_cast<uintptr_t>(__ehdr_start); }

} // namespace

std::vector<OtherRuntime> other_runtimes(const std::vector<OpenMPObject>& objects, uintptr_t own) {
  std::vector<OtherRuntime> result;
  for (const OpenMPObject& runtime : objects) {
    if (!runtime.is_runtime || has(runtime, own))
      continue;
    OtherRuntime other{runtime.path, {}};
    for (const OpenMPObject& object : objects)
      if (std::any_of(object.references.begin(), object.references.end(),
                      [&](const EntryReference& reference) { return has(runtime, reference.target); }))
        other.users.push_back(object.path);
    result.push_back(std::move(other));
  }
  return result;
}

std::vector<DividedObject> divided_objects(const std::vector<OpenMPObject>& objects, uintptr_t own) {
  std::vector<DividedObject> result;
  for (const OpenMPObject& object : objects) {
    DividedObject divided{object.path, {}, {}, {}};
    for (const EntryReference& reference : object.references) {
      const OpenMPObject* runtime = runtime_at(objects, reference.target);
      if (!runtime)
        continue;
      if (has(*runtime, own)) {
        divided.entry_here = divided.entry_here.empty() ? reference.name : divided.entry_here;
      } else if (divided.there.empty()) {
        divided.entry_there = reference.name;
        divided.there = runtime->path;
      }
    }
    if (!divided.entry_here.empty() && !divided.there.empty())
      result.push_back(std::move(divided));
  }
  return result;
}

EntriesHere entries_that_lead_here() {
  int here = 0, all = 0;
  for (const char* name : {mark_of_runtimes, "__kmpc_fork_call", "GOMP_parallel"}) {
    here += leads_here(dlsym(RTLD_DEFAULT, name));
    ++all;
  }
  return here == all ? EntriesHere::All : here != 0 ? EntriesHere::Some : EntriesHere::None;
}

std::vector<std::string> other_runtimes_in_words() {
  std::vector<std::string> lines;
  for (const OtherRuntime& other : other_runtimes(openmp_objects(), own_address())) {
    std::string line = other.path + (other.users.empty() ? ", which nobody uses" : ", used by ");
    for (const std::string& user : other.users)
      line += (user == other.users.front() ? "" : ", ") + user;
    lines.push_back(std::move(line));
  }
  return lines;
}

void warn_of_divided_objects() {
  if (!complaints_are_wanted() || entries_that_lead_here() == EntriesHere::All)
    return;
  const std::vector<DividedObject> divided = divided_objects(openmp_objects(), own_address());
  if (divided.empty())
    return;
  const DividedObject& first = divided.front();
  const std::string others = divided.size() == 1 ? "" : " (and " + std::to_string(divided.size() - 1) + " more)";
  say("%s%s calls two OpenMP runtimes, %s of %s and %s of hetmp, and neither knows the other's threads; preload hetmp "
      "(hetmp run), or "
      "link it first; KMP_DUPLICATE_LIB_OK=true for no warning",
      first.path.c_str(), others.c_str(), first.entry_there.c_str(), first.there.c_str(), first.entry_here.c_str());
}

} // namespace hetmp::runtime
