// Which port of which RDMA device a node uses, by what devices have been seen to say of themselves; and the way to
// another node by what that one says, which may be anything.
#include "dsm/verbs/lock_limit.hpp"
#include "dsm/verbs/path.hpp"
#include "dsm/verbs/port_choice.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <limits>

namespace hetmp::dsm {
namespace {

using Ports = std::vector<RdmaPort>;

Gid gid(const char* text) {
  Gid made{};
  const bool ipv4 = std::string_view(text).find(':') == std::string_view::npos;
  if (ipv4)
    made[10] = made[11] = 0xff;
  EXPECT_EQ(inet_pton(ipv4 ? AF_INET : AF_INET6, text, made.data() + (ipv4 ? 12 : 0)), 1) << text;
  return made;
}

/// A ConnectX-6 in an HDR network.
RdmaPort infiniband() {
  RdmaPort port;
  port.device = "mlx5_0";
  port.port = 1;
  port.active = true;
  port.link = RdmaLink::InfiniBand;
  port.lid = 37;
  port.mtu = 5;
  port.gids = {{0, gid("fe80::1070:fd03:00b4:1c2e"), GidKind::InfiniBand}};
  port.most_queue_pairs = 262144;
  port.most_completions = 4194303;
  port.most_posts = 32768;
  return port;
}

/// A ConnectX-5 in an Ethernet: each address by both versions.
RdmaPort roce() {
  RdmaPort port = infiniband();
  port.device = "mlx5_1";
  port.link = RdmaLink::Ethernet;
  port.lid = 0;
  port.mtu = 3;
  port.gids = {{0, gid("fe80::ba59:9fff:fe12:3456"), GidKind::RoceV1},
               {1, gid("fe80::ba59:9fff:fe12:3456"), GidKind::RoceV2},
               {2, gid("192.168.7.11"), GidKind::RoceV1},
               {3, gid("192.168.7.11"), GidKind::RoceV2},
               {4, gid("2001:db8:7::11"), GidKind::RoceV1},
               {5, gid("2001:db8:7::11"), GidKind::RoceV2}};
  return port;
}

RdmaPort soft_roce() {
  RdmaPort port = roce();
  port.device = "rxe0";
  port.mtu = 5;
  port.gids = {{0, gid("fe80::70f3:c1ff:fe0c:a19f"), GidKind::RoceV2}, {1, gid("10.0.0.1"), GidKind::RoceV2}};
  port.most_queue_pairs = 1048560;
  port.most_completions = 32767;
  port.most_posts = 1048576;
  return port;
}

RdmaPort iwarp() {
  RdmaPort port = roce();
  port.device = "irdma0";
  port.reliable_writes = false;
  port.gids = {{0, gid("3cfd:fea4:1b20::"), GidKind::RoceV1}};
  return port;
}

RdmaPort down(RdmaPort port) {
  port.active = false;
  port.mtu = 1;
  return port;
}

RdmaPort closed() {
  RdmaPort port;
  port.device = "mlx5_4";
  port.problem = "cannot be opened: Permission denied";
  return port;
}

/// "device:port:gid index", or what is wrong.
std::string chosen(const Ports& ports, std::string_view wish = {}, const char* address = nullptr,
                   const PortDemand& demand = {1, 64, 256}) {
  const auto choice = choose_port(ports, wish, address ? std::optional(gid(address)) : std::nullopt, demand);
  return !choice.problem.empty()
             ? choice.problem
             : choice.device + ':' + std::to_string(choice.port) + ':' + std::to_string(choice.gid.index);
}

TEST(PortChoice, AmongPortsOfRoceTheHostsAddressWins) {
  EXPECT_EQ(chosen({soft_roce(), roce()}, {}, "192.168.7.11"), "mlx5_1:1:3");
  EXPECT_EQ(chosen({soft_roce(), roce()}, {}, "2001:db8:7::11"), "mlx5_1:1:5");
  EXPECT_EQ(chosen({roce(), soft_roce()}, {}, "10.0.0.1"), "rxe0:1:1");
  RdmaPort first_version = roce();
  std::erase_if(first_version.gids, [](const auto& entry) { return entry.kind == GidKind::RoceV2; });
  EXPECT_EQ(chosen({soft_roce(), first_version}, {}, "192.168.7.11"), "mlx5_1:1:2");
  RdmaPort second = roce(); // a second device with the same address, by the better version
  second.device = "mlx5_2";
  EXPECT_EQ(chosen({first_version, second}, {}, "192.168.7.11"), "mlx5_2:1:3");
}

TEST(PortChoice, InfiniBandComesFirst) {
  EXPECT_EQ(chosen({roce(), infiniband()}, {}, "192.168.7.11"), "mlx5_0:1:0")
      << "the host's name may be on its Ethernet";
}

TEST(PortChoice, WithoutThatByTheKindOfLink) {
  EXPECT_EQ(chosen({roce(), infiniband()}), "mlx5_0:1:0");
  EXPECT_EQ(chosen({roce(), infiniband()}, {}, "172.16.0.9"), "mlx5_0:1:0");
  EXPECT_EQ(chosen({roce()}), "mlx5_1:1:3");
  EXPECT_EQ(chosen({soft_roce()}), "rxe0:1:1");
  RdmaPort port = roce();
  std::erase_if(port.gids, [](const auto& entry) { return is_mapped_ipv4(entry.gid); });
  EXPECT_EQ(chosen({port}), "mlx5_1:1:1");
  std::erase_if(port.gids, [](const auto& entry) { return entry.kind == GidKind::RoceV2; });
  EXPECT_EQ(chosen({port}), "mlx5_1:1:0");
}

TEST(PortChoice, TheLoopbackIsNoAddress) {
  RdmaPort port = soft_roce();
  port.gids.insert(port.gids.begin(), {{2, gid("127.0.0.1"), GidKind::RoceV1}, {3, gid("::1"), GidKind::RoceV1}});
  EXPECT_EQ(chosen({port}, {}, "127.0.0.1"), "rxe0:1:1");
  EXPECT_EQ(chosen({port}, {}, "::1"), "rxe0:1:1");
}

TEST(PortChoice, WhatCannotBeUsedIsPassedOver) {
  EXPECT_EQ(chosen({iwarp(), closed(), down(infiniband()), roce()}), "mlx5_1:1:3");
  EXPECT_EQ(chosen({soft_roce(), roce()}, {}, "10.0.0.1", {1, 64, 40000}), "mlx5_1:1:3");
  EXPECT_EQ(chosen({down(roce()), soft_roce()}, {}, "192.168.7.11"), "rxe0:1:1");
  RdmaPort second = infiniband();
  second.port = 2;
  EXPECT_EQ(chosen({down(infiniband()), second}), "mlx5_0:2:0");
}

TEST(PortChoice, SaysWhyThereIsNone) {
  EXPECT_EQ(chosen({}), "this machine has no RDMA device");
  EXPECT_EQ(chosen({}, "mlx5_0"), "this machine has no RDMA device");
  EXPECT_EQ(chosen({down(infiniband())}), "port 1 of mlx5_0 is not active");
  EXPECT_EQ(chosen({closed(), iwarp(), iwarp()}),
            "mlx5_4 cannot be opened: Permission denied; irdma0 is of a kind whose writes carry no number, like "
            "iWARP's");
  EXPECT_EQ(chosen({soft_roce()}, {}, nullptr, {1048561, 64, 64}),
            "rxe0 has 1048560 queue pairs, and 1048561 are needed");
  EXPECT_EQ(chosen({roce()}, {}, nullptr, {1, 32769, 64}),
            "mlx5_1 has 32768 work requests for a queue pair, and 32769 are needed");
  EXPECT_EQ(chosen({soft_roce()}, {}, nullptr, {63, 512, 64512}),
            "rxe0 has 32767 entries for a completion queue, and 64512 are needed");
  RdmaPort port = soft_roce();
  port.gids.clear();
  EXPECT_EQ(chosen({port}), "port 1 of rxe0 has no GID");
  port = infiniband();
  port.gids[0].index = 1;
  EXPECT_EQ(chosen({port}), "port 1 of mlx5_0 has no GID with index 0");
  port.mtu = 0;
  EXPECT_EQ(chosen({port}), "port 1 of mlx5_0 says nothing sensible of its MTU");
}

TEST(PortChoice, WishesAreMet) {
  const Ports ports = {infiniband(), roce(), soft_roce()};
  EXPECT_EQ(chosen(ports, "rxe0"), "rxe0:1:1");
  EXPECT_EQ(chosen(ports, "mlx5_1", "2001:db8:7::11"), "mlx5_1:1:5");
  EXPECT_EQ(chosen(ports, "mlx5_1:1"), "mlx5_1:1:3");
  EXPECT_EQ(chosen(ports, "mlx5_1:1:0", "192.168.7.11"), "mlx5_1:1:0");
  EXPECT_EQ(chosen(ports, "mlx5_0:1:0"), "mlx5_0:1:0");
  RdmaPort second = infiniband();
  second.port = 2;
  EXPECT_EQ(chosen({infiniband(), second}, "mlx5_0:2"), "mlx5_0:2:0");
  EXPECT_EQ(chosen({down(infiniband()), second}, "mlx5_0"), "mlx5_0:2:0");
}

TEST(PortChoice, WishesThatCannotBeMet) {
  const Ports ports = {closed(), down(infiniband()), roce(), iwarp()};
  const auto refuses = [&](const std::string& wish, const std::string& why) {
    EXPECT_EQ(chosen(ports, wish), "HETMP_VERBS_DEVICE=" + wish + ": " + why);
  };
  refuses("mlx5_9", "there is no such device; there is mlx5_4, mlx5_0, mlx5_1, irdma0");
  refuses("mlx5_1:2", "mlx5_1 has no port 2");
  refuses("mlx5_1:0", "mlx5_1 has no port 0");
  refuses("mlx5_1:1:6", "port 1 of mlx5_1 has no GID with index 6");
  refuses("mlx5_0", "port 1 of mlx5_0 is not active");
  refuses("mlx5_0:1:0", "port 1 of mlx5_0 is not active");
  for (const char* wish : {"mlx5_4", "mlx5_4:1", "mlx5_4:1:0"})
    refuses(wish, "mlx5_4 cannot be opened: Permission denied");
  refuses("irdma0", "irdma0 is of a kind whose writes carry no number, like iWARP's");
  for (const char* wish : {":", ":1", "mlx5_1:", "mlx5_1::3", "mlx5_1:1:", "mlx5_1:1:3:", "mlx5_1:1:3:1", "mlx5_1:x",
                           "mlx5_1:1x", "mlx5_1: 1", "mlx5_1:+1", "mlx5_1:-1", "mlx5_1:4294967297", "mlx5_1 :1", " "})
    refuses(wish, "not of the form device[:port[:gid index]]");
}

PortChoice port_of(const Ports& ports, std::string_view wish = {}) {
  return choose_port(ports, wish, {}, {1, 64, 256});
}

RdmaCard card_of(const PortChoice& port) {
  RdmaCard card;
  card.gid = port.gid.gid;
  card.kind = port.gid.kind;
  card.lid = port.lid;
  card.mtu = port.mtu;
  card.queue_pair = 0x1a2b3c;
  card.first_packet = 0xffffff;
  card.ring_key = 0x4711;
  card.ring = 0x7f0000000000;
  return card;
}

TEST(RdmaPath, WithinASubnetByTheLocalIdentifier) {
  RdmaPort other = infiniband();
  other.lid = 41;
  other.mtu = 4;
  const RdmaPath path = find_path(port_of({infiniband()}), card_of(port_of({other})));
  EXPECT_EQ(path.problem, "");
  EXPECT_FALSE(path.global);
  EXPECT_EQ(path.lid, 41);
  EXPECT_EQ(path.mtu, 4);
}

TEST(RdmaPath, ToAnotherSubnetThereIsNone) {
  RdmaPort other = infiniband();
  other.gids[0].gid[7] = 2;
  EXPECT_EQ(find_path(port_of({infiniband()}), card_of(port_of({other}))).problem,
            "is in another InfiniBand subnet, and the way through a router is not known");
}

TEST(RdmaPath, WithoutALocalIdentifierByTheGlobalOne) {
  RdmaPort unnamed = infiniband();
  unnamed.lid = 0;
  EXPECT_TRUE(find_path(port_of({infiniband()}), card_of(port_of({unnamed}))).global);
  EXPECT_TRUE(find_path(port_of({unnamed}), card_of(port_of({infiniband()}))).global);
}

TEST(RdmaPath, RoceIsAlwaysGlobal) {
  const RdmaPath path = find_path(port_of({roce()}), card_of(port_of({soft_roce()})));
  EXPECT_EQ(path.problem, "");
  EXPECT_TRUE(path.global);
  EXPECT_EQ(path.mtu, 3);
}

TEST(RdmaPath, KindsThatDoNotHearEachOther) {
  EXPECT_EQ(find_path(port_of({roce()}), card_of(port_of({infiniband()}))).problem,
            "is reached by InfiniBand, and this one by RoCE v2: HETMP_VERBS_DEVICE=device:port:gid chooses");
  EXPECT_EQ(find_path(port_of({roce()}), card_of(port_of({roce()}, "mlx5_1:1:2"))).problem,
            "is reached by RoCE v1, and this one by RoCE v2: HETMP_VERBS_DEVICE=device:port:gid chooses");
}

TEST(RdmaPath, CardsThatNoDeviceGives) {
  const PortChoice own = port_of({soft_roce()});
  const auto refuses = [&](const auto& change, const char* why = "says what cannot be of how it is reached") {
    RdmaCard card = card_of(own);
    ASSERT_EQ(find_path(own, card).problem, "");
    change(card);
    EXPECT_EQ(find_path(own, card).problem, why);
  };
  refuses([](RdmaCard& card) { card = {}; });
  refuses([](RdmaCard& card) { memset(static_cast<void*>(&card), 0xff, sizeof card); });
  refuses([](RdmaCard& card) { card.queue_pair = 0; });
  refuses([](RdmaCard& card) { card.queue_pair = 1; });
  refuses([](RdmaCard& card) { card.queue_pair = 1U << 24; });
  refuses([](RdmaCard& card) { card.first_packet = 1U << 24; });
  refuses([](RdmaCard& card) { card.kind = GidKind(3); });
  refuses([](RdmaCard& card) { card.mtu = 0; });
  refuses([](RdmaCard& card) { card.mtu = 6; });
  refuses([](RdmaCard& card) { card.ring_key = 0; });
  refuses([](RdmaCard& card) { card.ring = 0; });
  refuses([](RdmaCard& card) { card.lid = 0xffff; });
  refuses([](RdmaCard& card) { card.gid = {}; }, "has no GID");
}

TEST(LockLimit, SaysWhatIsNeededAndWhatHelps) {
  constexpr uint64_t mib = 1 << 20;
  EXPECT_EQ(why_not_locked("rxe0", 64 * mib, 8 * mib),
            "64 MiB of memory cannot be registered with rxe0: a process may lock 8 MiB here; `ulimit -l 81920` or "
            "`ulimit -l unlimited` allows it, or memlock in /etc/security/limits.conf does");
  EXPECT_EQ(why_not_locked("rxe0", mib + 1, 64 << 10),
            "2 MiB of memory cannot be registered with rxe0: a process may lock 64 KiB here; `ulimit -l 17408` or "
            "`ulimit -l unlimited` allows it, or memlock in /etc/security/limits.conf does");
  EXPECT_EQ(why_not_locked("rxe0", 64 * mib, std::numeric_limits<uint64_t>::max()),
            "64 MiB of memory cannot be registered with rxe0: not enough memory");
}

TEST(GidText, IsThatOfAnAddress) {
  EXPECT_EQ(gid_text(gid("10.0.0.1")), "10.0.0.1");
  EXPECT_EQ(gid_text(gid("2001:db8:7::11")), "2001:db8:7::11");
  EXPECT_EQ(mtu_bytes(1), 256U);
  EXPECT_EQ(mtu_bytes(5), 4096U);
}

} // namespace
} // namespace hetmp::dsm
