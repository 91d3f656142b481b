// libhetmp_seal.so: see load.hpp.
#include "base/seal/load.hpp"
#include "base/seal/sodium_cipher.hpp"

#pragma GCC visibility push(default)
extern "C" const hetmp::seal::Cipher* hetmp_seal_cipher() { return hetmp::seal::sodium_cipher(); }
#pragma GCC visibility pop
