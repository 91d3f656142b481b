#include "dsm/launch_keys.hpp"

#include "base/exit_codes.hpp"
#include "base/message.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

using NodeKeys = ConnectionKeys::value_type;
static_assert(sizeof(NodeKeys) == 2 * sizeof(seal::KeyPair) && sizeof(seal::KeyPair) == 2 * seal::key_bytes);

seal::Key random_key() {
  seal::Key key;
  for (size_t have = 0; have != key.size();) {
    const ssize_t got = getrandom(key.data() + have, key.size() - have, 0);
    if (got < 0 && errno != EINTR)
      die(exit_code::software, "no random numbers for the keys between nodes: %s", strerrordesc_np(errno));
    have += got > 0 ? size_t(got) : 0;
  }
  return key;
}

} // namespace

int pass_keys(const ConnectionKeys& keys) {
  int ends[2];
  if (pipe2(ends, O_NONBLOCK) != 0) // nobody reads yet: what does not fit never will
    return -1;
  const size_t bytes = keys.size() * sizeof(NodeKeys);
  const ssize_t written = write(ends[1], keys.data(), bytes);
  const int error = written < 0 ? errno : ENOSPC;
  close(ends[1]);
  if (written == ssize_t(bytes))
    return ends[0];
  close(ends[0]);
  errno = error;
  return -1;
}

ConnectionKeys take_keys(int descriptor, size_t nodes) {
  ConnectionKeys keys(nodes);
  const size_t bytes = nodes * sizeof(NodeKeys);
  const ssize_t got = read(descriptor, keys.data(), bytes);
  close(descriptor);
  if (got != ssize_t(bytes))
    forget(keys);
  return keys;
}

void forget(ConnectionKeys& keys) {
  explicit_bzero(keys.data(), keys.size() * sizeof(NodeKeys));
  keys.clear();
}

std::vector<ConnectionKeys> make_keys(uint32_t nodes) {
  std::vector<ConnectionKeys> keys(nodes, ConnectionKeys(nodes));
  for (uint32_t i = 0; i < nodes; ++i)
    for (uint32_t j = 0; j < nodes; ++j)
      for (size_t lane = 0; lane < 2 && i != j; ++lane)
        keys[i][j][lane].send = keys[j][i][lane].receive = random_key();
  return keys;
}

} // namespace hetmp::dsm
