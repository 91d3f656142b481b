// Keys on their way to the program that is executed: they arrive once, and who comes too late finds nothing.
#include "dsm/launch_keys.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <set>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

TEST(LaunchKeys, ArriveAndAreGone) {
  for (const uint32_t nodes : {2u, 3u, 64u}) {
    const ConnectionKeys keys = make_keys(nodes)[1];
    const int descriptor = pass_keys(keys);
    ASSERT_GE(descriptor, 0);
    EXPECT_EQ(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0) << "the program inherits it";
    const int of_another = dup(descriptor);
    EXPECT_EQ(take_keys(descriptor, nodes), keys);
    EXPECT_EQ(fcntl(descriptor, F_GETFD), -1) << "nobody inherits it any more";
    EXPECT_TRUE(take_keys(of_another, nodes).empty());
  }
}

TEST(LaunchKeys, ForAnotherNumberOfNodesAreNone) {
  const ConnectionKeys keys = make_keys(3)[0];
  EXPECT_TRUE(take_keys(pass_keys(keys), 4).empty());
  EXPECT_TRUE(take_keys(-1, 2).empty());
}

TEST(LaunchKeys, OfBothEndsBelongTogetherAndNoTwoAreAlike) {
  constexpr uint32_t nodes = 5;
  const std::vector<ConnectionKeys> keys = make_keys(nodes);
  std::set<seal::Key> all;
  for (uint32_t i = 0; i < nodes; ++i)
    for (uint32_t j = 0; j < nodes; ++j)
      for (size_t lane = 0; lane < 2 && i != j; ++lane) {
        EXPECT_EQ(keys[i][j][lane].send, keys[j][i][lane].receive);
        all.insert(keys[i][j][lane].send);
      }
  EXPECT_EQ(all.size(), nodes * (nodes - 1) * 2);
}

TEST(LaunchKeys, AreOverwrittenWhenTheyAreForgotten) {
  ConnectionKeys keys = make_keys(2)[0];
  const auto* bytes = reinterpret_cast<const volatile uint8_t*>(keys.data());
  const size_t count = keys.size() * sizeof keys[0];
  forget(keys);
  EXPECT_TRUE(keys.empty());
  keys.resize(2); // in the same memory
  ASSERT_EQ(reinterpret_cast<const volatile uint8_t*>(keys.data()), bytes);
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(bytes[i], 0);
}

} // namespace
} // namespace hetmp::dsm
