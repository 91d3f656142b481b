// What sends for a thread that is elsewhere, its deputy, does so on that thread's own pointer, and the thread's
// variables are elsewhere, too. A cancellation point would write there, as a failed call would to errno.
#include "dsm/transport/shared_memory_transport.hpp"
#include "numbered_messages.hpp"
#include "tcp_fixture.hpp"

#include "base/futex.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <pthread.h>
#include <thread>

namespace hetmp::dsm {
namespace {

/// Whether `work` by a thread that is to be cancelled, at the next point where it may be, leaves all as it was.
template <class Work> bool leaves_the_thread_alone(Work&& work) {
  constexpr int unlikely = 4095;
  bool alone = false;
  std::thread([&] {
    pthread_cancel(pthread_self());
    errno = unlikely;
    work();
    alone = errno == unlikely;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  }).join();
  return alone;
}

TEST(SendingForOthers, WakesByADoorbell) {
  SharedMemoryTransport transport;
  transport.prepare(2);
  transport.join({.node = 1, .nodes = 2});
  ASSERT_TRUE(transport.prepare_sleep());
  const int doorbell = transport.doorbell();
  transport.join({.node = 0, .nodes = 2});
  EXPECT_TRUE(leaves_the_thread_alone([&] { send_numbered(transport, 1, Lane::Anyone, 0); }));
  EXPECT_TRUE(is_readable(doorbell, long_ms));
}

class TcpSendingForOthers : public TcpTransportTest {};

TEST_F(TcpSendingForOthers, SendsThroughASocket) {
  connect();
  EXPECT_TRUE(leaves_the_thread_alone([&] { send_numbered(own, 2, Lane::Anyone, 0); }));
  ASSERT_TRUE(wait_for_messages(good));
  Checker checker;
  good.receive([&](uint32_t, const Slot& slot) { EXPECT_TRUE(checker.accept(slot)); });
  EXPECT_EQ(checker.arrived(Lane::Anyone), 1u);
}

TEST(SendingForOthers, WaitsAndWakes) {
  FutexWord word{1};
  EXPECT_TRUE(leaves_the_thread_alone([&] {
    futex_wait(word, 0); // it would say that the word is another
    const timespec a_moment = {0, 1000};
    futex_wait(word, 1, FutexScope::Process, &a_moment); // and here that time is up
    futex_wake(word, 1);
  }));
}

} // namespace
} // namespace hetmp::dsm
