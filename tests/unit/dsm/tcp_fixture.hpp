// A node with TCP connections to one good peer and to one that may do anything.
#pragma once

#include "dsm/transport/frame_check.hpp"
#include "dsm/transport/loopback.hpp"
#include "dsm/transport/tcp_transport.hpp"
#include "numbered_messages.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace hetmp::dsm {

inline constexpr size_t service = size_t(Lane::Service), anyone = size_t(Lane::Anyone);

/// Receives until a node is found lost; counts the messages before. Nothing if that does not happen.
inline std::optional<Transport::Loss> wait_for_loss(TcpTransport& transport, size_t* messages = nullptr) {
  while (true) {
    const size_t got = transport.receive([](uint32_t, const Slot&) {});
    if (messages)
      *messages += got;
    if (auto loss = transport.find_loss())
      return loss;
    if (got == 0 && !wait_for_messages(transport))
      return {};
  }
}

/// Node 0 is the one that is tested. Node 1 is a pair of bare sockets, which may do anything; node 2 is a good peer.
class TcpTransportTest : public testing::Test {
 protected:
  void connect(bool watch_silence = false) {
    auto sockets = connect_by_loopback(3);
    const auto watch = watch_silence ? TcpTransport::Watch::Silence : TcpTransport::Watch::Nobody;
    own.connect(0, sockets[0], watch);
    good.connect(2, sockets[2], watch);
    bare = sockets[1][0];
    unused = sockets[1][2];
  }
  void TearDown() override {
    close_bare();
    for (const int socket : unused)
      if (socket >= 0)
        close(socket);
  }
  void close_bare() {
    for (int& socket : bare) {
      if (socket >= 0)
        close(socket);
      socket = -1;
    }
  }
  void write_bare(size_t lane, const void* bytes, size_t count) {
    ASSERT_EQ(::send(bare[lane], bytes, count, MSG_NOSIGNAL), ssize_t(count));
  }

  /// Node 2 and node 0 still understand each other, both ways and on both lanes.
  void expect_good_peer() {
    exchange(0, own, 2, good);
    exchange(2, good, 0, own);
  }
  static void exchange(uint32_t from, Transport& sender, uint32_t to, Transport& receiver) {
    for (Lane lane : {Lane::Service, Lane::Anyone})
      send_numbered(sender, to, lane, 0);
    Checker checker;
    while (checker.arrived(Lane::Service) == 0 || checker.arrived(Lane::Anyone) == 0) {
      sender.flush();
      bool right = true;
      const size_t got =
          receiver.receive([&](uint32_t whose, const Slot& slot) { right &= whose == from && checker.accept(slot); });
      ASSERT_TRUE(right);
      ASSERT_TRUE(got != 0 || wait_for_messages(receiver));
    }
  }

  TcpTransport own, good;
  SocketPair bare{-1, -1};
  SocketPair unused{-1, -1}; ///< between the nodes 1 and 2
};

/// A message as it travels.
inline std::vector<uint8_t> frame_of(Channel channel, size_t header_bytes, size_t data_bytes) {
  SlotHeader header;
  header.channel = channel;
  header.header_bytes = uint16_t(header_bytes);
  header.data_bytes = uint32_t(data_bytes);
  std::vector<uint8_t> frame(frame_bytes(data_bytes), 0x5a);
  set_checks(header, frame.data() + sizeof header);
  memcpy(frame.data(), &header, sizeof header);
  return frame;
}

} // namespace hetmp::dsm
