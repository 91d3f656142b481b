#include "runtime/tool/run_on_hosts.hpp"

#include "base/message.hpp"

namespace hetmp::tool {
namespace {

int cannot() {
  say("this hetmp was built without libsodium, so it knows no hosts; install libsodium-dev and build it again");
  return 1;
}

} // namespace

bool knows_hosts() { return false; }

int run_on_hosts(const RunOptions&) { return cannot(); }
int be_agent() { return cannot(); }

} // namespace hetmp::tool
