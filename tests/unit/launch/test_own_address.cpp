// Which of a host's addresses the other nodes are told.
#include "runtime/launch/connection/own_address.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace hetmp::launch {
namespace {

const InterfaceAddress loopback{"lo", "127.0.0.1", false, true, true};
const InterfaceAddress loopback6{"lo", "::1", true, true, true};
const InterfaceAddress bridge{"br0", "172.17.0.1", false, false, false}; // nothing is plugged in
const InterfaceAddress first6{"eth0", "2001:db8::1", true, true, false};
const InterfaceAddress first4{"eth0", "192.0.2.1", false, true, false};
const InterfaceAddress second{"ib0", "198.51.100.1", false, true, false};

const std::vector<InterfaceAddress> usual = {loopback, bridge, first6, first4, second, loopback6};

TEST(OwnAddress, OneHostNeedsTheLoopbackOnly) {
  EXPECT_EQ(choose_address(usual, {}, true).address, "127.0.0.1");
  EXPECT_EQ(choose_address({}, {}, true).address, "127.0.0.1");
}

TEST(OwnAddress, SeveralHostsUseTheFirstInterfaceThatIsUp) {
  EXPECT_EQ(choose_address(usual, {}, false).address, "192.0.2.1");
}

TEST(OwnAddress, Ipv6WhereThereIsNothingElse) {
  EXPECT_EQ(choose_address({loopback, first6, loopback6}, {}, false).address, "2001:db8::1");
}

TEST(OwnAddress, TheUsersChoiceWins) {
  EXPECT_EQ(choose_address(usual, "ib0", false).address, "198.51.100.1");
  EXPECT_EQ(choose_address(usual, "ib0", true).address, "198.51.100.1");
  EXPECT_EQ(choose_address(usual, "lo", false).address, "127.0.0.1");
  EXPECT_EQ(choose_address(usual, "eth0", false).address, "192.0.2.1");
}

TEST(OwnAddress, AChoiceThatIsNoneIsRefusedByName) {
  const OwnAddress refused = choose_address(usual, "eth7", true);
  EXPECT_EQ(refused.address, "");
  EXPECT_NE(refused.error.find("HETMP_INTERFACE=eth7"), std::string::npos) << refused.error;
  EXPECT_NE(refused.error.find("lo, br0, eth0, ib0"), std::string::npos) << refused.error;
}

TEST(OwnAddress, NoInterfaceForOtherHosts) {
  const OwnAddress none = choose_address({loopback, loopback6, bridge}, {}, false);
  EXPECT_EQ(none.address, "");
  EXPECT_NE(none.error, "");
}

TEST(OwnAddress, ThisHostHasALoopback) {
  const auto found = interface_addresses();
  const bool has = std::any_of(found.begin(), found.end(), [](const InterfaceAddress& each) {
    return each.loopback && (each.address == "127.0.0.1" || each.address == "::1");
  });
  EXPECT_TRUE(has);
  for (const InterfaceAddress& each : found)
    EXPECT_FALSE(each.address.starts_with("fe80:")) << each.interface;
}

} // namespace
} // namespace hetmp::launch
