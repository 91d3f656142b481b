#include "base/seal/load.hpp"

#include "base/plugin.hpp"
#include "base/private_section.hpp"

#include <dlfcn.h>

namespace hetmp::seal {
namespace {

constexpr Plugin sodium{plugin_file, "libsodium", HETMP_WITH_SODIUM};
constexpr const char* not_possible = "encryption is not possible: ";

} // namespace

const Cipher* load_cipher(const std::string& folder, std::string& problem) {
  const PrivateSection section;
  // Its own symbols first: a program may define some of libsodium's names itself, with data that nodes share.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) // which refuse it
  constexpr int scope = RTLD_LOCAL;
#else
  constexpr int scope = RTLD_LOCAL | RTLD_DEEPBIND;
#endif
  void* library = load_plugin(sodium, folder, scope, problem);
  if (!library) {
    problem.insert(0, not_possible);
    return nullptr;
  }
  using Entry = decltype(&hetmp_seal_cipher);
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "hetmp_seal_cipher"));
  const Cipher* cipher = entry ? entry() : nullptr;
  if (entry && !cipher)
    problem = std::string(not_possible) + "libsodium has no source of random numbers here";
  else if (!entry || cipher->version != cipher_version)
    problem = not_possible + folder + '/' + plugin_file + " belongs to another version of hetmp";
  else
    return cipher;
  return nullptr;
}

} // namespace hetmp::seal
