// How fast a visit of a simulated loop could be at best.
#pragma once

#include "schedulers/simulation/data_places.hpp"
#include "schedulers/simulation/scenario.hpp"

namespace hetmp::simulation {

/// A lower bound on the time of a visit that begins at `start_us` with the data where `data` says, for any
/// set of nodes and any division, by somebody who knows speeds, costs and faults beforehand. Iterations may
/// be cut at will and asking is free; so the bound cannot quite be reached, and it is the best division's
/// time but for that.
///
/// How: in time T node i can do W_i(T) = threads x (work of a thread of its speed in T). An iteration x takes
/// from that at least a_i(x) = its work + its faults there x their cost x the node's least speed. Put any
/// price p_i on node i's capacity: all iterations together cost at least the sum of min_i p_i a_i(x), and
/// what the nodes have to give is worth sum p_i W_i(T). So the smallest T where the second reaches the first
/// is a lower bound, for every choice of prices (weak duality of the assignment problem). Without faults,
/// equal prices give the exact optimum. With faults the origin, which has the data, is worth more than the
/// others: its price is varied, and the largest bound counts.
double optimum_us(const Scenario& scenario, const DataPlaces& data, double start_us);

} // namespace hetmp::simulation
