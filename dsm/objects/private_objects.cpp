#include "dsm/objects/private_objects.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace hetmp::dsm {
namespace {

/// Beginnings of names, and why data of such a library cannot be shared although nothing of hetmp's needs it.
struct RuntimeLibrary {
  std::string_view name;
  std::string_view reason;
  bool is_of_a_language = false; ///< and is called by what is written in it alone
};

constexpr std::string_view streams = "its streams write to those of the C library, which are each process's own";
constexpr std::string_view unwinding =
    "what it knows of loaded objects is guarded by the lock of its process's dynamic linker";
constexpr std::string_view arithmetic = "it only computes, and sets errno and signgam as the mathematical library does";
constexpr std::string_view threads =
    "it counts on threads of its own, which other processes do not have; where hetmp is, nobody calls it";
constexpr std::string_view machine = "it describes the machine and counts for the process, and each node has its own";

constexpr RuntimeLibrary runtime_libraries[] = {
    {"libstdc++.so", streams, true}, {"libc++.so", streams, true}, {"libc++abi.so", unwinding},
    {"libgcc_s.so", unwinding},      {"libunwind.so", unwinding},  {"libquadmath.so", arithmetic, true},
    {"libomp.so", threads},          {"libiomp5.so", threads},     {"libgomp.so", threads},
    {"libnuma.so", machine},         {"libhwloc.so", machine},     {"libpapi.so", machine},
    {"libpfm.so", machine},
};

bool is_runtime_library(std::string_view name) {
  return std::any_of(std::begin(runtime_libraries), std::end(runtime_libraries),
                     [&](const RuntimeLibrary& library) { return name.starts_with(library.name); });
}

std::string real_path(const char* path) {
  char resolved[PATH_MAX];
  return realpath(path, resolved) ? resolved : path;
}

std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }
std::string_view folder_of(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

/// The folder of this library's file.
std::string own_folder(const std::vector<LoadedObject>& objects) {
  const auto here = reinterpret_cast<uintptr_t>(&which_are_private);
  for (const LoadedObject& object : objects)
    if (object.contains(here))
      return std::string(folder_of(real_path(object.path())));
  return {};
}

/// Where those begin that load_for_ourselves() has loaded, ascending.
std::vector<uintptr_t>& ones_for_ourselves() {
  static std::vector<uintptr_t> begins;
  return begins;
}

std::vector<uintptr_t> all_begins() {
  std::vector<uintptr_t> begins;
  for_each_loaded_object([&](const LoadedObject& object) { begins.push_back(object.begin()); });
  std::sort(begins.begin(), begins.end());
  return begins;
}

} // namespace

void load_for_ourselves(const std::function<void()>& load) {
  const std::vector<uintptr_t> before = all_begins();
  load();
  const std::vector<uintptr_t> after = all_begins();
  std::vector<uintptr_t>& ones = ones_for_ourselves();
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(ones));
  std::sort(ones.begin(), ones.end());
}

bool was_loaded_for_ourselves(uintptr_t begin) {
  const std::vector<uintptr_t>& ones = ones_for_ourselves();
  return std::binary_search(ones.begin(), ones.end(), begin);
}

std::vector<LoadedObject> loaded_objects() {
  std::vector<LoadedObject> objects;
  for_each_loaded_object([&](const LoadedObject& object) { objects.push_back(object); });
  return objects;
}

std::vector<ObjectFacts> facts_of(const std::vector<LoadedObject>& objects) {
  const std::string folder = own_folder(objects);
  std::vector<ObjectFacts> result;
  for (const LoadedObject& object : objects) {
    ObjectFacts facts;
    facts.name = *object.shared_name() ? object.shared_name() : file_of(object.path());
    for (const char* name : object.needed())
      facts.needed.emplace_back(file_of(name));
    facts.is_ours =
        was_loaded_for_ourselves(object.begin()) ||
        (facts.name.starts_with("libhetmp") && folder_of(real_path(object.path())) == folder); // by whatever link
    facts.is_of_c_library = object.wants_version("GLIBC_PRIVATE");
    facts.begin = object.begin();
    result.push_back(std::move(facts));
  }
  return result;
}

std::vector<size_t> needed_by(size_t object, const std::vector<ObjectFacts>& objects) {
  std::vector<size_t> found{object};
  for (size_t next = 0; next < found.size(); ++next) // grows meanwhile
    for (const std::string& name : objects[found[next]].needed)
      for (size_t i = 1; i < objects.size(); ++i)
        if (objects[i].name == name && std::find(found.begin(), found.end(), i) == found.end())
          found.push_back(i);
  found.erase(found.begin());
  return found;
}

std::vector<bool> which_serve(const std::vector<ObjectFacts>& objects) {
  std::vector<bool> serve(objects.size());
  for (size_t i = 1; i < objects.size(); ++i)
    if (objects[i].is_ours) {
      serve[i] = true;
      for (const size_t needed : needed_by(i, objects))
        serve[needed] = true;
    }
  return serve;
}

std::vector<bool> which_are_private(const std::vector<ObjectFacts>& objects) {
  std::vector<bool> result = which_serve(objects);
  for (size_t i = 1; i < objects.size(); ++i)
    if (objects[i].is_of_c_library || is_runtime_library(objects[i].name))
      result[i] = true;
  return result;
}

std::vector<bool> which_only_the_program_calls(const std::vector<ObjectFacts>& objects) {
  const std::vector<bool> serve = which_serve(objects);
  std::vector<bool> result(objects.size());
  for (size_t i = 1; i < objects.size(); ++i)
    for (const RuntimeLibrary& library : runtime_libraries)
      if (library.is_of_a_language && objects[i].name.starts_with(library.name))
        result[i] = !serve[i] && !objects[i].is_of_c_library;
  return result;
}

std::vector<bool> which_serve_the_process(const std::vector<ObjectFacts>& objects) {
  std::vector<bool> result = which_are_private(objects);
  const std::vector<bool> are_closed = which_only_the_program_calls(objects);
  for (size_t i = 0; i < objects.size(); ++i)
    result[i] = result[i] && !are_closed[i];
  return result;
}

std::vector<LoadedObject> those_that_are(bool wanted, const std::vector<LoadedObject>& objects,
                                         const std::vector<bool>& are_private) {
  std::vector<LoadedObject> those;
  for (size_t i = 0; i < objects.size(); ++i)
    if (are_private[i] == wanted)
      those.push_back(objects[i]);
  return those;
}

std::vector<uintptr_t> find_private_objects() {
  const std::vector<ObjectFacts> objects = facts_of(loaded_objects());
  const std::vector<bool> is_private = which_are_private(objects);
  std::vector<uintptr_t> begins;
  for (size_t i = 0; i < objects.size(); ++i)
    if (is_private[i])
      begins.push_back(objects[i].begin);
  std::sort(begins.begin(), begins.end());
  return begins;
}

} // namespace hetmp::dsm
