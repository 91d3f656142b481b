#include "runtime/process/libgomp_binding.hpp"

#include "base/loaded_object.hpp"
#include "base/machine/cpu_list.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <memory>
#include <set>
#include <string>

namespace hetmp::runtime {
namespace {

/// Its file; empty if there is none. libomp has its entries too, for programs of gcc, but binds no thread before it is
/// called.
std::string loaded_libgomp() {
  std::string path;
  for_each_loaded_object([&path](const LoadedObject& loaded) {
    if (path.empty() && loaded.defines("GOMP_parallel") && !loaded.defines("__kmpc_fork_call"))
      path = loaded.path();
  });
  return path;
}

/// That it has chosen; none if it binds no threads.
std::vector<std::vector<int>> places_of(const std::string& path) {
  const std::unique_ptr<void, int (*)(void*)> library(dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD), dlclose);
  if (!library)
    return {};
  const auto count = reinterpret_cast<int (*)()>(dlsym(library.get(), "omp_get_num_places"));
  const auto size = reinterpret_cast<int (*)(int)>(dlsym(library.get(), "omp_get_place_num_procs"));
  const auto read = reinterpret_cast<void (*)(int, int*)>(dlsym(library.get(), "omp_get_place_proc_ids"));
  if (!count || !size || !read)
    return {};
  std::vector<std::vector<int>> places;
  for (int place = 0; place < count(); ++place) {
    std::vector<int>& cpus = places.emplace_back(size_t(std::max(size(place), 0)));
    if (!cpus.empty())
      read(place, cpus.data());
  }
  return places;
}

} // namespace

std::vector<int> cpus_before_binding(const std::vector<std::vector<int>>& places, const std::vector<int>& now) {
  std::set<int> all;
  for (const auto& cpus : places)
    all.insert(cpus.begin(), cpus.end());
  const bool bound =
      !places.empty() && std::set(places[0].begin(), places[0].end()) == std::set(now.begin(), now.end());
  return bound ? std::vector<int>(all.begin(), all.end()) : std::vector<int>();
}

void undo_binding_by_libgomp() {
  const std::string path = loaded_libgomp();
  if (path.empty())
    return;
  const std::vector<int> now = allowed_cpus(), before = cpus_before_binding(places_of(path), now);
  if (!before.empty() && before.size() != now.size())
    bind_thread(before);
}

} // namespace hetmp::runtime
