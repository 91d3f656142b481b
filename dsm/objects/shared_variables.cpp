#include "dsm/objects/shared_variables.hpp"

#include "dsm/objects/open_relro.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <map>
#include <string>

namespace hetmp::dsm {
namespace {

constexpr size_t most_bytes = 2 * sizeof(void*); // of one: `tzname` has two pointers

/// All names of each: its own library may go by another one than the program.
bool is_shared_variable(std::string_view name) {
  constexpr std::string_view those[] = {"__daylight", "__environ", "__timezone", "__tzname", "_environ",
                                        "daylight",   "environ",   "optarg",     "opterr",   "optind",
                                        "optopt",     "timezone",  "tzname"};
  return std::find(std::begin(those), std::end(those), name) != std::end(those);
}

struct User {
  const LoadedObject* object;
  uintptr_t* slot;
};

/// Of a library's variable, all that go by its address.
struct Users {
  bool has_owner = false;  ///< the library itself does, so that it can be given another
  bool has_others = false; ///< of the program's objects
  std::vector<User> all;
};

std::map<uintptr_t, Users> find_users(const std::vector<LoadedObject>& objects, const std::vector<bool>& are_private) {
  std::map<uintptr_t, Users> users;
  for (size_t i = 0; i < objects.size(); ++i) {
    const LoadedObject& object = objects[i];
    for (const LoadedObject::Reference& reference : object.references_to_own(is_shared_variable)) {
      Users& found = users[reference.target];
      found.has_owner = found.has_owner || (object.begin() <= reference.target && reference.target < object.end());
      found.all.push_back({&object, reference.slot});
    }
    for (const auto& references : {object.references(is_shared_variable), object.addresses_in_data(is_shared_variable)})
      for (const LoadedObject::Reference& reference : references) {
        Users& found = users[reference.target];
        found.has_others = found.has_others || !are_private[i];
        found.all.push_back({&object, reference.slot});
      }
  }
  return users;
}

} // namespace

void share_variables(const std::vector<LoadedObject>& objects, const std::vector<bool>& are_private,
                     void* (*allocate)(size_t bytes)) {
  for (const auto& [variable, users] : find_users(objects, are_private)) {
    if (!users.has_owner || !users.has_others)
      continue; // nobody asks for it, or there are copies already
    void* const copy = allocate(most_bytes);
    if (!copy)
      return;
    memcpy(copy, reinterpret_cast<const void*>(variable), most_bytes);
    for (const User& user : users.all) {
      const OpenRelro open(*user.object);
      // In one step: another thread may go by it. relaxed: nothing else is to be seen with it.
      std::atomic_ref(*user.slot).store(reinterpret_cast<uintptr_t>(copy), std::memory_order_relaxed);
    }
  }
}

} // namespace hetmp::dsm
