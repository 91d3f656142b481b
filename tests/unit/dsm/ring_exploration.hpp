// Explores what two nodes with rings may do (ring_world.hpp): at random, and in tiny worlds in every order.
#pragma once

#include "ring_world.hpp"

#include <random>
#include <unordered_set>

namespace hetmp::dsm::ring_model {

struct Explored {
  std::string problem; ///< the first that was found
  size_t steps = 0;
  uint32_t worlds = 0;
};

/// How likely each step of each node is for a while.
class Spell {
 public:
  template <class MayHappen> Spell(std::mt19937& random, MayHappen&& may_happen) {
    constexpr uint32_t weights[] = {0, 1, 2, 4, 4, 8, 8, 8, 8, 16};
    for (size_t i = 0; i < std::size(weight_); ++i) {
      weight_[i] = weights[random() % std::size(weights)];
      if (!may_happen(node(i), step(i)))
        weight_[i] = 0;
      sum_ += weight_[i];
    }
  }
  bool is_empty() const { return sum_ == 0; }
  size_t draw(std::mt19937& random) const {
    uint32_t drawn = random() % sum_;
    size_t i = 0;
    for (; drawn >= weight_[i]; ++i)
      drawn -= weight_[i];
    return i;
  }
  static int node(size_t drawn) { return int(drawn / std::size(all_steps)); }
  static Step step(size_t drawn) { return all_steps[drawn % std::size(all_steps)]; }

 private:
  uint32_t weight_[2 * std::size(all_steps)];
  uint32_t sum_ = 0;
};

inline Shape random_shape(std::mt19937& random, uint32_t mask) {
  Shape shape;
  shape.largest = 1 + random() % 8;
  shape.ring_units = largest_in_ring * shape.largest + random() % 5;
  const uint32_t messages = random() % 4 == 0 ? 40 : 4;
  shape.most_messages = report_share + random() % messages;
  shape.mask = mask;
  return shape;
}

/// Each world of its own shape, with spells in which some steps are frequent, rare, or do not happen. The same with
/// every compiler.
template <class SendWindow, class ReceiveWindow>
Explored explore_at_random(uint32_t worlds, uint32_t mask = credit_mask, Misuse misuse = Misuse::None) {
  constexpr int spells = 16;
  Explored explored;
  while (explored.worlds < worlds && explored.problem.empty()) {
    std::mt19937 random(explored.worlds++);
    World<SendWindow, ReceiveWindow> world(random_shape(random, mask), misuse);
    const bool is_one_way = random() % 4 == 0, ends = random() % 2 == 0;
    for (int spell = 0; spell < spells && world.problem().empty(); ++spell) {
      const uint32_t most_units = 1 + random() % world.shape().largest;
      const Spell now(random, [&](int n, Step step) {
        return !(step == Step::Send && n == 1 && is_one_way) &&
               !(step == Step::Settle && !(ends && spell > spells / 2));
      });
      for (int steps = 16 << random() % 8; steps != 0 && !now.is_empty() && world.problem().empty(); --steps) {
        const size_t drawn = now.draw(random);
        world.take(Spell::node(drawn), Spell::step(drawn), 1 + random() % most_units);
        ++explored.steps;
      }
      world.probe();
      if (random() % 4 == 0)
        world.come_to_rest();
    }
    world.come_to_rest();
    world.end();
    explored.problem = world.problem();
  }
  return explored;
}

/// Every order of steps in which the nodes send so many messages at most, of every size.
template <class SendWindow, class ReceiveWindow>
Explored explore_all(const Shape& shape, uint32_t first_sends, uint32_t second_sends, Misuse misuse = Misuse::None) {
  using Small = World<SendWindow, ReceiveWindow>;
  const uint32_t most[2] = {first_sends, second_sends};
  Explored explored;
  std::unordered_set<std::string> seen;
  std::vector<Small> open;
  open.emplace_back(shape, misuse);
  while (!open.empty()) {
    const Small world = std::move(open.back());
    open.pop_back();
    bool goes_on = false;
    for (int n = 0; n < 2; ++n)
      for (const Step step : all_steps) {
        if (step == Step::Settle || (step == Step::Send && world.sent(n) == most[n]))
          continue;
        for (uint32_t units = 1; units <= (step == Step::Send ? shape.largest : 1); ++units) {
          Small next = world;
          if (!next.take(n, step, units))
            continue;
          ++explored.steps;
          goes_on |= step != Step::Send;
          if (!next.problem().empty()) {
            explored.problem = next.problem();
            return explored;
          }
          if (seen.insert(next.key()).second)
            open.push_back(std::move(next));
        }
      }
    if (!goes_on) {
      Small last = world;
      last.expect_room();
      last.probe();
      last.end();
      if (!last.problem().empty()) {
        explored.problem = last.problem();
        return explored;
      }
    }
  }
  explored.worlds = uint32_t(seen.size());
  return explored;
}

} // namespace hetmp::dsm::ring_model
