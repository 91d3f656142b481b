#include "dsm/objects/direct_binding.hpp"

#include "base/loaded_object.hpp"
#include "dsm/objects/open_relro.hpp"
#include "dsm/objects/passed_through.hpp"
#include "dsm/objects/private_objects.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace hetmp::dsm {
namespace {

/// What the C library tells of threads lies in the program where that reads it. Here there are always several.
constexpr char never_single_threaded = 0;

bool any_name(std::string_view) { return true; }

/// Of the objects in this order the first that has it; 0: none, as for symbols that need not be there, or are data.
uintptr_t definition(const LoadedObject::Reference& reference, const LoadedObject& ours,
                     const std::vector<const LoadedObject*>& needed) {
  if (reference.name == "__libc_single_threaded")
    return reinterpret_cast<uintptr_t>(&never_single_threaded);
  if (!is_passed_through(reference.name))
    if (const uintptr_t found = ours.find_function(reference.name.c_str(), ""))
      return found;
  for (const LoadedObject* object : needed)
    if (const uintptr_t found = object->find_function(reference.name.c_str(), reference.version.c_str()))
      return found;
  return 0;
}

void bind_calls(const LoadedObject& object, const LoadedObject& ours, const std::vector<const LoadedObject*>& needed) {
  const OpenRelro open(object);
  for (const LoadedObject::Reference& reference : object.references(any_name))
    if (const uintptr_t found = definition(reference, ours, needed); found && found != reference.target)
      // In one step: another thread of the program may be calling by way of it, to the one or the other. relaxed: the
      // address is all there is to see, both functions were loaded with the object or before.
      std::atomic_ref(*reference.slot).store(found, std::memory_order_relaxed);
}

} // namespace

void bind_directly() {
  const std::vector<LoadedObject> objects = loaded_objects();
  const std::vector<ObjectFacts> facts = facts_of(objects);
  const std::vector<bool> serve = which_serve(facts);
  const auto here = reinterpret_cast<uintptr_t>(&bind_directly);
  const auto ours =
      std::find_if(objects.begin(), objects.end(), [&](const LoadedObject& object) { return object.contains(here); });
  for (size_t i = 0; i < objects.size(); ++i) {
    if (!serve[i] || facts[i].is_of_c_library || facts[i].needed.empty()) // the dynamic linker needs nobody
      continue;
    std::vector<const LoadedObject*> needed;
    for (const size_t other : needed_by(i, facts))
      needed.push_back(&objects[other]);
    bind_calls(objects[i], *ours, needed);
  }
}

} // namespace hetmp::dsm
