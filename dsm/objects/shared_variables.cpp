#include "dsm/objects/shared_variables.hpp"

#include "base/check.hpp"
#include "dsm/objects/open_relro.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <istream>
#include <iterator>
#include <map>
#include <string>

namespace hetmp::dsm {
namespace {

using Kind = SharedVariables::Kind;

/// All names of each: its own library may go by another one than the program.
bool is_of_c_library(std::string_view name) {
  constexpr std::string_view those[] = {"__daylight", "__environ", "__timezone", "__tzname", "_environ",
                                        "daylight",   "environ",   "optarg",     "opterr",   "optind",
                                        "optopt",     "timezone",  "tzname"};
  return std::find(std::begin(those), std::end(those), name) != std::end(those);
}

/// libstdc++'s: std::cin, cout, cerr and clog, and those of wide characters.
bool is_stream(std::string_view name) {
  constexpr std::string_view those[] = {"_ZSt3cin",  "_ZSt4cerr",  "_ZSt4clog",  "_ZSt4cout",
                                        "_ZSt4wcin", "_ZSt5wcerr", "_ZSt5wclog", "_ZSt5wcout"};
  return std::find(std::begin(those), std::end(those), name) != std::end(those);
}

bool is_any(std::string_view name) { return is_of_c_library(name) || is_stream(name); }

auto those_of(Kind kind) { return kind == Kind::Streams ? is_stream : is_of_c_library; }

/// Of the largest one: `tzname` has two pointers.
constexpr size_t most_bytes(Kind kind) { return kind == Kind::Streams ? sizeof(std::wistream) : 2 * sizeof(void*); }

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

std::map<uintptr_t, Users> find_users(Kind kind, const std::vector<LoadedObject>& objects,
                                      const std::vector<bool>& are_private) {
  std::map<uintptr_t, Users> users;
  for (size_t i = 0; i < objects.size(); ++i) {
    const LoadedObject& object = objects[i];
    for (const LoadedObject::Reference& reference : object.references_to_own(those_of(kind))) {
      Users& found = users[reference.target];
      found.has_owner = found.has_owner || object.contains(reference.target);
      found.all.push_back({&object, reference.slot});
    }
    for (const LoadedObject::Reference& reference : object.all_references(those_of(kind))) {
      Users& found = users[reference.target];
      found.has_others = found.has_others || !are_private[i];
      found.all.push_back({&object, reference.slot});
    }
  }
  return users;
}

/// In one step: another thread may go by it. relaxed: nothing else is to be seen with it.
void redirect(uintptr_t* slot, const void* to) {
  std::atomic_ref(*slot).store(reinterpret_cast<uintptr_t>(to), std::memory_order_relaxed);
}

} // namespace

void SharedVariables::share(Kind kind, const std::vector<LoadedObject>& objects, const std::vector<bool>& are_private,
                            void* (*allocate)(size_t bytes)) {
  HETMP_CHECK(objects.size() == are_private.size());
  for (const auto& [variable, users] : find_users(kind, objects, are_private)) {
    if (!users.has_owner || !users.has_others)
      continue; // nobody asks for it, or there are copies already
    void* const copy = allocate(most_bytes(kind));
    if (!copy)
      return;
    memcpy(copy, reinterpret_cast<const void*>(variable), most_bytes(kind));
    copies_.push_back({variable, copy, kind});
    for (const User& user : users.all) {
      const OpenRelro open(*user.object);
      redirect(user.slot, copy);
    }
  }
}

void* SharedVariables::of(void* variable) const {
  const auto its = [&](const Copy& one) { return one.variable == reinterpret_cast<uintptr_t>(variable); };
  const auto known = std::find_if(copies_.begin(), copies_.end(), its);
  return known == copies_.end() ? variable : known->copy;
}

void SharedVariables::give(const LoadedObject& object) const {
  for (const LoadedObject::Reference& reference : object.all_references(is_any)) {
    void* const own = reinterpret_cast<void*>(reference.target);
    if (of(own) == own)
      continue;
    const OpenRelro open(object);
    redirect(reference.slot, of(own));
  }
}

void SharedVariables::fill_in_streams() const {
  for (const Copy& one : copies_)
    if (one.kind == Kind::Streams)
      memcpy(reinterpret_cast<void*>(one.variable), one.copy, sizeof(std::ostream)); // the lesser of the two
}

} // namespace hetmp::dsm
