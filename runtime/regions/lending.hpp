// Regions that are lent: node 0 has begun them, and all of their threads are on one other node, which is faster. There
// they are teams on one node: barriers, loops, tasks and reductions send no message, and pages that threads share stay
// where they are. Node 0's thread waits. What is spread gains the CPUs of all nodes and pays for each page that two of
// them want; what is lent pays for its data once. run_lent_region() in region.hpp has the sequence.
#pragma once

#include "runtime/global/team_description.hpp"
#include "runtime/regions/construct.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::runtime {

/// Whether a region could be, as far as the program is concerned: its first thread may be another than main, calls of
/// what belongs to a process are noticed, and no tool wants to hear of what other nodes do.
bool can_be_lent(const Construct& construct);

/// Whether threads of this process have called, since this was asked last, what belongs to their process: threads,
/// signals, standard input and the like (dsm/migration/functions/bound_calls.hpp). False where nobody notices.
bool took_bound_call();

/// On the other node: members of the team for which it has no CPU, and that may begin when others have finished. 0 if
/// the team is not lent.
uint32_t late_members_of_loan(const TeamDescription& part);

/// The node that a region on node 0 would be lent to: with the most CPUs of the others, the first of these. 0: there
/// are no others.
uint32_t node_to_lend_to(const std::vector<uint32_t>& cpus);

} // namespace hetmp::runtime
