#include "schedulers/simulation/optimum.hpp"

#include <algorithm>
#include <cmath>

namespace hetmp::simulation {
namespace {

/// Prices of the origin's capacity that are tried; others' is 1.
constexpr double cheapest = 1 / 16.0;
constexpr double dearest = 1e5;
constexpr double fine_until = 16;
constexpr double fine_step = 1.05;
constexpr double coarse_step = 1.5;

/// What the nodes can give until `end_us`, with the origin's part counted `price` times.
double worth(const Scenario& scenario, double start_us, double end_us, double price) {
  double sum = 0;
  for (size_t i = 0; i < scenario.nodes.size(); ++i)
    sum += (i == 0 ? price : 1) * scenario.nodes[i].threads * scenario.nodes[i].speed.work(start_us, end_us);
  return sum;
}

/// The time in which the nodes can give `wanted`: by halving, because speeds change.
double time_for(const Scenario& scenario, double start_us, double wanted, double price) {
  if (wanted <= 0)
    return 0;
  double high = 1;
  while (worth(scenario, start_us, start_us + high, price) < wanted)
    high *= 2;
  double low = 0;
  for (int step = 0; step < 100 && high - low > 1e-9 * high; ++step) {
    const double middle = (low + high) / 2;
    (worth(scenario, start_us, start_us + middle, price) < wanted ? low : high) = middle;
  }
  return low;
}

/// An iteration's claim on capacity, on the origin and on the cheapest other node.
struct Claims {
  double origin = 0;
  double other = 0;
};

std::vector<Claims> all_claims(const Scenario& scenario, const DataPlaces& data, double start_us) {
  std::vector<double> cost_per_fault;
  for (const SimulatedNode& node : scenario.nodes)
    cost_per_fault.push_back(data.fault_us() * node.speed.least_from(start_us));
  std::vector<Claims> claims(scenario.cost.trips());
  for (uint64_t x = 0; x < claims.size(); ++x) {
    const double work = scenario.cost.work(x);
    claims[x].origin = work + data.faults(0, x) * cost_per_fault[0];
    claims[x].other = std::numeric_limits<double>::infinity();
    for (uint32_t i = 1; i < scenario.nodes.size(); ++i)
      if (scenario.nodes[i].threads > 0)
        claims[x].other = std::min(claims[x].other, work + data.faults(i, x) * cost_per_fault[i]);
  }
  return claims;
}

double bound(const Scenario& scenario, const std::vector<Claims>& claims, double start_us, double price) {
  double wanted = 0;
  for (const Claims& claim : claims)
    wanted += std::min(price * claim.origin, claim.other);
  return time_for(scenario, start_us, wanted, price);
}

} // namespace

double optimum_us(const Scenario& scenario, const DataPlaces& data, double start_us) {
  const double without_faults = time_for(scenario, start_us, scenario.cost.total(), 1);
  if (data.faultless() || scenario.nodes.size() < 2)
    return without_faults;
  const std::vector<Claims> claims = all_claims(scenario, data, start_us);
  double best = without_faults;
  double price = cheapest;
  while (price < dearest) { // any price gives a bound; a finer grid gains little
    best = std::max(best, bound(scenario, claims, start_us, price));
    price *= price < fine_until ? fine_step : coarse_step;
  }
  return best;
}

} // namespace hetmp::simulation
