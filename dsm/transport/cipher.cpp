#include "dsm/transport/cipher.hpp"

#include "base/seal/load.hpp"
#include "dsm/transport/library_folder.hpp"

namespace hetmp::dsm {

const seal::Cipher* load_private_cipher(std::string& problem) {
  const std::string folder = library_folder();
  if (!folder.empty())
    return seal::load_cipher(folder, problem);
  problem = "encryption is not possible: it cannot be told where hetmp is installed";
  return nullptr;
}

} // namespace hetmp::dsm
