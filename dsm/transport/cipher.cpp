#include "dsm/transport/cipher.hpp"

#include "base/seal/load.hpp"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>

namespace hetmp::dsm {

const seal::Cipher* load_private_cipher(std::string& problem) {
  Dl_info info;
  char path[PATH_MAX];
  if (!dladdr(reinterpret_cast<void*>(&load_private_cipher), &info) || !info.dli_fname ||
      !realpath(info.dli_fname, path)) {
    problem = "encryption is not possible: it cannot be told where hetmp is installed";
    return nullptr;
  }
  const std::string file = path;
  return seal::load_cipher(file.substr(0, file.rfind('/')), problem);
}

} // namespace hetmp::dsm
