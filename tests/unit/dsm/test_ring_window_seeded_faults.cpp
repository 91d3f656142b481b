// The exploration of rings finds what it is there to find: a fault in their arithmetic, and each wrong use, violates
// something. Copies of the source that have one fault each: ring_faults.py.
#include "ring_exploration.hpp"
#include "ring_faults.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace hetmp::dsm::ring_model {
namespace {

namespace right = ring_faults::right;

/// In the copies of the source.
constexpr uint32_t mask_of_copies = right::credit_mask;

/// The letter of what is violated first must be among `letters`.
void expect_one_of(const Explored& explored, const std::string& letters) {
  ASSERT_NE(explored.problem, "") << "not found in " << explored.worlds << " worlds";
  EXPECT_NE(letters.find(explored.problem[0]), std::string::npos) << explored.problem;
  std::printf("found in world %u, after %zu steps of all: %s\n", explored.worlds, explored.steps,
              explored.problem.c_str());
}

template <class SendWindow, class ReceiveWindow>
void expect_found_at_random(const std::string& letters, Misuse misuse = Misuse::None) {
  expect_one_of(explore_at_random<SendWindow, ReceiveWindow>(3000, mask_of_copies, misuse), letters);
}

#define EXPECT_THAT_IT_IS_FOUND(name, letters)                                                                         \
  TEST(RingWindowSeededFaults, name) {                                                                                 \
    expect_found_at_random<ring_faults::name::SendWindow, ring_faults::name::ReceiveWindow>(letters);                  \
  }
RING_FAULTS(EXPECT_THAT_IT_IS_FOUND)
#undef EXPECT_THAT_IT_IS_FOUND

TEST(RingWindowSeededFaults, ACopyWithoutAFaultIsRight) {
  EXPECT_EQ((explore_at_random<right::SendWindow, right::ReceiveWindow>(1000, mask_of_copies).problem), "");
}

TEST(RingWindowSeededFaults, WrongUse) {
  for (const auto& [misuse, letters] : {std::pair(Misuse::ReleasesBeforeUse, "O"),
                                        {Misuse::ReportsIntoAFullQueue, "Q"},
                                        {Misuse::HearsReportsOnly, "D"},
                                        {Misuse::TellsNothingByMessages, "D"}})
    expect_found_at_random<right::SendWindow, right::ReceiveWindow>(letters, misuse);
}

/// Of each kind of violation one, in every order of steps of a tiny world.
TEST(RingWindowSeededFaults, InTinyWorlds) {
  const Shape tiny{.mask = mask_of_copies};
  using namespace ring_faults;
#define EXPLORED(name) (explore_all<name::SendWindow, name::ReceiveWindow>(tiny, 5, 0))
  expect_one_of(EXPLORED(credit_is_not_waited_for), "O");
  expect_one_of(EXPLORED(completion_is_not_waited_for), "S");
  expect_one_of(EXPLORED(report_again_and_again), "R");
  expect_one_of(EXPLORED(skipped_though_it_fits), "F");
  expect_one_of(EXPLORED(report_is_never_due), "D");
#undef EXPLORED
}

} // namespace
} // namespace hetmp::dsm::ring_model
