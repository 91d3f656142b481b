// How a run begins whose processes a launcher has started: Membership's part in making sure that all have loaded the
// same.
#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "dsm/objects/identity.hpp"
#include "dsm/process/control_message.hpp"
#include "dsm/process/membership.hpp"
#include "dsm/space/address_plan.hpp"

#include <algorithm>
#include <ctime>

namespace hetmp::dsm {
namespace {

/// For all nodes to join, from when the launcher has connected them: programs load in that time.
constexpr int64_t patience_s = 30;

} // namespace

void Membership::take_identity() {
  own_identity_ = own_identity();
  if (launch_.node == origin) // it is the one who compares
    identities_.resize(nodes());
}

void Membership::wait_until_all_have_joined() {
  const uint32_t others = nodes() - 1;
  HETMP_CHECK(node_ == origin && identities_.size() == nodes());
  const int64_t deadline = monotonic_ns() + patience_s * 1'000'000'000;
  // acquire: pairs with the release in node_joins(); what the others have checked is done
  while (joined_.load(std::memory_order_acquire) != others) {
    constexpr timespec moment{0, 1'000'000};
    nanosleep(&moment, nullptr);
    if (monotonic_ns() > deadline)
      die(exit_code::software, "only %u of %u other nodes have joined the run in %d s",
          joined_.load(std::memory_order_relaxed), others, int(patience_s)); // relaxed: only a number
  }
}

/// Service thread of the origin. An empty fact: there are no more.
void Membership::node_joins(uint32_t from, const std::string& fact) {
  // relaxed: written by this thread only
  if (from >= identities_.size() || joined_.load(std::memory_order_relaxed) >= nodes() - 1)
    die(exit_code::software, "%s joins a run that has begun", name_of(from).c_str());
  if (!fact.empty()) {
    identities_[from].push_back(fact);
    return;
  }
  if (const std::string wrong = first_difference(own_identity_, identities_[from], name_of(from)); !wrong.empty())
    die(exit_code::software, "%s; all nodes of a run need the same files at the same places", wrong.c_str());
  joined_.fetch_add(1, std::memory_order_release); // pairs with the acquire in wait_until_all_have_joined()
}

/// To the origin, which compares it with its own.
void Membership::tell_identity() {
  for (const std::string& fact : own_identity_)
    send_control(*transport_, origin, Lane::Anyone, control::Fact{}, fact.data(), std::min(fact.size(), page_bytes));
  send_control(*transport_, origin, Lane::Anyone, control::Joined{});
}

} // namespace hetmp::dsm
