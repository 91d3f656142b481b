// NodeProcess and its service thread: what the thread tells it, and what others may ask of what the thread owns.
#include "base/check.hpp"
#include "dsm/engine/service_thread.hpp"
#include "dsm/process/node_process.hpp"
#include "dsm/process/private_threads.hpp"

#include <algorithm>

namespace hetmp::dsm {

void NodeProcess::service_begins() {
  HETMP_CHECK(!on_service_thread()); // once
  thread_memory.kind = ThreadKind::Service;
}

void NodeProcess::runtime_message(uint32_t from, const void* bytes, uint32_t size) {
  HETMP_CHECK(on_service_thread() && from < plan_.nodes());
  if (hooks_.deliver)
    hooks_.deliver(from, bytes, size);
}

bool NodeProcess::retry() {
  HETMP_CHECK(on_service_thread()); // the lists are its own
  std::erase_if(to_free_, [this](void* block) { return heap_.try_free(block); });
  std::erase_if(to_unmap_, [this](Segment range) { return heap_.try_unmap(range); });
  return !to_free_.empty() || !to_unmap_.empty();
}

uint32_t NodeProcess::threads_at_work() {
  if (!hooks_.threads_awake)
    return UINT32_MAX;
  const uint32_t own = hooks_.threads_awake(), here = migration_.carriers().at_work();
  const uint32_t away = migration_.deputies().asleep(); // their time here passes without them
  return own == UINT32_MAX ? own : own - std::min(away, own) + here;
}

uint32_t NodeProcess::usable_cpus() { return hooks_.usable_cpus ? hooks_.usable_cpus() : 0; }

void NodeProcess::memory_may_be_unreadable() { service_->memory().may_be_unreadable(); }

bool NodeProcess::unpublished(Segment range) const { return service_->memory().is_unpublished(range); }

} // namespace hetmp::dsm
