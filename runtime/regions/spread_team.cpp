#include "runtime/regions/spread_team.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/regions/lending.hpp"
#include "runtime/regions/region.hpp"
#include "runtime/team/worker_pool.hpp"

namespace hetmp::runtime {
namespace {

/// The job of a worker that leads a node's part of a team.
void lead_next_part(Thread& worker) {
  run_node_part(*worker.next_part);
  if (!worker.resident)
    pool_of_node(worker.node).give_back(&worker);
}

} // namespace

void run_node_part(const TeamDescription& part) {
  Thread& self = current_thread();
  const CrewScope crew(self);
  resize_crew(self, part.local_threads - 1);
  if (self.crew.size() + 1 < part.local_threads)
    die(exit_code::no_resources, "node %u cannot have %u threads", part.node, part.local_threads);
  execute_node_part(self, part, late_members_of_loan(part));
}

void launch_node_part(const TeamDescription& part) {
  Thread* worker = pool_of_node(part.node).take_resident();
  if (!worker)
    worker = pool_of_node(part.node).take();
  if (!worker)
    die(exit_code::no_resources, "node %u cannot have a thread", part.node);
  HETMP_CHECK(worker->node == part.node);
  if (!worker->next_part)
    worker->next_part = new TeamDescription;
  *worker->next_part = part;
  worker->job = lead_next_part;
  worker->go.post();
}

} // namespace hetmp::runtime
