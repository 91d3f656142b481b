#include "base/seal/load.hpp"

#include "base/environment.hpp"
#include "base/private_section.hpp"

#include <dlfcn.h>
#include <unistd.h>

namespace hetmp::seal {

const Cipher* load_cipher(const std::string& folder, std::string& problem) {
  const PrivateSection section;
  if (is_privileged()) {
    problem = std::string("encryption is not possible: ") + no_privileged_plugins;
    return nullptr;
  }
  const std::string file = folder + '/' + plugin_file;
  if (access(file.c_str(), F_OK) != 0) {
    problem = "encryption needs " + file + ", which is not there: hetmp was built without libsodium";
    return nullptr;
  }
  // Its own symbols first: a program may define some of libsodium's names itself, with data that nodes share.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) // which refuse it
  constexpr int scope = RTLD_LOCAL;
#else
  constexpr int scope = RTLD_LOCAL | RTLD_DEEPBIND;
#endif
  void* library = dlopen(file.c_str(), RTLD_NOW | scope);
  if (!library) {
    const char* why = dlerror();
    problem = std::string("encryption is not possible: ") + (why ? why : "its library cannot be loaded");
    return nullptr;
  }
  using Entry = decltype(&hetmp_seal_cipher);
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "hetmp_seal_cipher"));
  const Cipher* cipher = entry ? entry() : nullptr;
  if (entry && !cipher)
    problem = "encryption is not possible: libsodium has no source of random numbers here";
  else if (!entry || cipher->version != cipher_version)
    problem = "encryption is not possible: " + file + " belongs to another version of hetmp";
  else
    return cipher;
  return nullptr;
}

} // namespace hetmp::seal
