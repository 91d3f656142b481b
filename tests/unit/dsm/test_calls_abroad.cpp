// Calls of the runtime by threads that are executed on this node: the thread of this test is carrier and guest, and its
// deputy answers at once.
#include "dsm/migration/calls_abroad.hpp"

#include "dsm/migration/carriers.hpp"
#include "dsm/migration/contexts/context.hpp"
#include "dsm/migration/this_process.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hetmp::dsm {
namespace {

struct AnsweringDeputy final : TravelMessages {
  std::vector<GuestCall> calls;
  GuestAnswer next;
  Carrier* carrier = nullptr;
  void send_departure(uint32_t, const DepartureMessage&) override {}
  void send_homecoming(const HomecomingMessage&) override {}
  void call_home(uint32_t, uint64_t) override {}
  void invite_home(uint32_t, uint64_t, Invitation) override {}
  void send_guest_call(uint64_t, const GuestCall& call) override {
    calls.push_back(call);
    carrier->answered(next);
  }
  void send_guest_answer(uint32_t, uint64_t, uint32_t, const GuestAnswer&) override {}
};

std::vector<const char*> made_at_home; ///< in this order
void way_home() { made_at_home.push_back("home"); }
void barrier_itself(const void*, int32_t) { made_at_home.push_back("barrier"); }
int number_itself() {
  made_at_home.push_back("number");
  return 70;
}
void loop_itself(const void*, int32_t, int32_t, int32_t*, int32_t*, int32_t*, int32_t*, int32_t, int32_t) {
  made_at_home.push_back("loop");
}
void fini_itself(const void*, int32_t) { made_at_home.push_back("fini"); }

class CallsFromAbroad : public testing::Test {
 protected:
  void SetUp() override {
    static Gates gates;
    static ClosedMemory closed;
    static Heap heap;
    static MemoryAbroad& memory = *new MemoryAbroad;
    static Carriers& carriers = *new Carriers;
    static const bool once = [] {
      memory.serve(heap, 3, [](void*) {});
      carriers.set_up(
          gates, closed, memory, deputy(), [](FaultCounters*) {}, 0, [](void* (*)(void*), void*) {});
      host() = memory.add_host();
      host()->own = thread_pointer();
      host()->carrier = deputy().carrier = new Carrier(carriers, host());
      return true;
    }();
    ASSERT_TRUE(once && host());
    before_ = this_process;
    this_process.memory = &memory;
    this_process.calls = &calls_;
    calls_.set_way_home(way_home);
    host()->guest = thread_pointer();
    host()->loop_ended = false;
    host()->knows_team = false;
    host()->has_no_children = false;
    host()->reduced_count = 0;
    deputy().calls.clear();
    deputy().next = {.made = 1, .results = {}};
    made_at_home.clear();
  }
  void TearDown() override { this_process = before_; }

  template <class Signature> Signature* stand_in(const char* name, Signature* function) {
    return reinterpret_cast<Signature*>(calls_.stand_in(name, reinterpret_cast<uintptr_t>(function)));
  }
  static AnsweringDeputy& deputy() {
    static AnsweringDeputy& only = *new AnsweringDeputy;
    return only;
  }
  static Host*& host() {
    static Host* only = nullptr;
    return only;
  }

 private:
  CallsAbroad calls_;
  ThisProcess before_;
};

TEST_F(CallsFromAbroad, AreMadeByTheDeputy) {
  stand_in("__kmpc_barrier", barrier_itself)(this, 5);
  ASSERT_EQ(deputy().calls.size(), 1u);
  EXPECT_EQ(deputy().calls[0].function, GuestFunction::Barrier);
  EXPECT_EQ(deputy().calls[0].location, reinterpret_cast<uint64_t>(this));
  EXPECT_NE(deputy().calls[0].site, 0u);
  EXPECT_TRUE(made_at_home.empty());
  EXPECT_FALSE(host()->works);
}

TEST_F(CallsFromAbroad, AreMadeAtHomeIfTheDeputyCannot) {
  deputy().next.made = 0;
  stand_in("__kmpc_barrier", barrier_itself)(this, 5);
  EXPECT_EQ(deputy().calls.size(), 1u);
  EXPECT_EQ(made_at_home, (std::vector{"home", "barrier"}));
}

TEST_F(CallsFromAbroad, OfOneThatIsAtHomeAreItsOwn) {
  host()->guest = 0;
  stand_in("__kmpc_barrier", barrier_itself)(this, 5);
  stand_in("__kmpc_for_static_fini", fini_itself)(this, 5);
  EXPECT_EQ(stand_in("omp_get_thread_num", number_itself)(), 70);
  EXPECT_TRUE(deputy().calls.empty());
  EXPECT_EQ(made_at_home, (std::vector{"home", "barrier", "home", "fini", "home", "number"}));
}

TEST_F(CallsFromAbroad, DivideLoops) {
  auto* const divide = stand_in("__kmpc_for_static_init_4", loop_itself);
  int32_t last = 9, lower = -3, upper = 40, stride = 9;
  deputy().next.results[0] = 1;
  deputy().next.results[1] = uint64_t(int64_t(-2));
  deputy().next.results[2] = 7;
  deputy().next.results[3] = uint64_t(int64_t(-44));
  divide(this, 5, 34, &last, &lower, &upper, &stride, -1, 6);
  EXPECT_EQ(last, 1);
  EXPECT_EQ(lower, -2);
  EXPECT_EQ(upper, 7);
  EXPECT_EQ(stride, -44);
  ASSERT_EQ(deputy().calls.size(), 1u);
  const GuestCall& call = deputy().calls[0];
  EXPECT_EQ(call.function, GuestFunction::StaticLoop4);
  EXPECT_EQ(int32_t(call.arguments[0]), 34);
  EXPECT_EQ(int32_t(call.arguments[1]), -3);
  EXPECT_EQ(int32_t(call.arguments[2]), 40);
  EXPECT_EQ(int32_t(call.arguments[3]), -1);
  EXPECT_EQ(int32_t(call.arguments[4]), 6);
  divide(this, 5, 34, nullptr, &lower, &upper, &stride, -1, 6);
  EXPECT_EQ(deputy().calls.size(), 2u);
  EXPECT_TRUE(made_at_home.empty());
}

TEST_F(CallsFromAbroad, TellTheEndOfALoopWithTheNextOne) {
  stand_in("__kmpc_for_static_fini", fini_itself)(this, 5);
  EXPECT_TRUE(deputy().calls.empty());
  EXPECT_TRUE(host()->loop_ended);
  stand_in("__kmpc_barrier", barrier_itself)(this, 5);
  stand_in("__kmpc_barrier", barrier_itself)(this, 5);
  ASSERT_EQ(deputy().calls.size(), 2u);
  EXPECT_EQ(deputy().calls[0].loop_ended, 1u);
  EXPECT_EQ(deputy().calls[1].loop_ended, 0u);
  EXPECT_FALSE(host()->loop_ended);
}

TEST_F(CallsFromAbroad, AskForTheTeamOnce) {
  deputy().next.results[0] = 3;
  deputy().next.results[1] = 8;
  auto* const number = stand_in("omp_get_thread_num", number_itself);
  auto* const size = stand_in("omp_get_num_threads", number_itself);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(number(), 3);
    EXPECT_EQ(size(), 8);
  }
  EXPECT_EQ(deputy().calls.size(), 1u);
  EXPECT_EQ(deputy().calls[0].function, GuestFunction::Team);
}

void wait_itself() { made_at_home.push_back("wait"); }

TEST_F(CallsFromAbroad, AskForChildTasksOnce) {
  auto* const wait = stand_in("GOMP_taskwait", wait_itself);
  deputy().next.made = 0; // there are some
  wait();
  EXPECT_EQ(made_at_home, (std::vector{"home", "wait"}));
  deputy().next.made = 1;
  for (int i = 0; i < 3; ++i)
    wait();
  EXPECT_EQ(deputy().calls.size(), 2u);
  EXPECT_EQ(deputy().calls[1].function, GuestFunction::ChildTasks);
  EXPECT_EQ(made_at_home.size(), 2u);
}

void* data_itself(int, void*, void* variable) {
  made_at_home.push_back("data");
  return variable;
}
void remap_itself(size_t, size_t, void**) { made_at_home.push_back("remap"); }

TEST_F(CallsFromAbroad, AskForEachReducedVariableOnce) {
  auto* const find = stand_in("__kmpc_task_reduction_get_th_data", data_itself);
  int group = 0, variable = 0, other = 0, copy = 0;
  deputy().next.results[0] = reinterpret_cast<uint64_t>(&copy);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(find(5, &group, &variable), &copy);
    EXPECT_EQ(find(5, nullptr, &variable), &copy);
  }
  ASSERT_EQ(deputy().calls.size(), 2u) << "of the group, and of the present one";
  EXPECT_EQ(deputy().calls[0].function, GuestFunction::ReductionCopy);
  EXPECT_EQ(deputy().calls[0].arguments[0], reinterpret_cast<uint64_t>(&group));
  EXPECT_EQ(deputy().calls[0].arguments[1], reinterpret_cast<uint64_t>(&variable));
  deputy().next.made = 0; // the copy has yet to be made
  EXPECT_EQ(find(5, &group, &other), &other);
  EXPECT_EQ(made_at_home, (std::vector{"home", "data"}));
}

TEST_F(CallsFromAbroad, RemapReducedVariables) {
  auto* const remap = stand_in("GOMP_task_reduction_remap", remap_itself);
  int variables[2] = {}, copies[2] = {};
  for (int round = 0; round < 2; ++round) {
    void* pointers[3] = {&variables[0], &copies[0], nullptr};
    deputy().next.results[0] = reinterpret_cast<uint64_t>(&copies[0]);
    deputy().next.results[1] = reinterpret_cast<uint64_t>(&variables[0]);
    remap(2, 1, pointers);
    EXPECT_EQ(pointers[0], &copies[0]);
    EXPECT_EQ(pointers[1], &copies[0]);
    EXPECT_EQ(pointers[2], &variables[0]);
  }
  EXPECT_EQ(deputy().calls.size(), 2u);
  EXPECT_EQ(deputy().calls[0].function, GuestFunction::MappedCopy);
  EXPECT_TRUE(made_at_home.empty());
  deputy().next.made = 0;
  void* unknown[1] = {&variables[1]};
  remap(1, 0, unknown);
  EXPECT_EQ(made_at_home, (std::vector{"home", "remap"}));
}

/// More than are kept are asked for each time.
TEST_F(CallsFromAbroad, KeepSomeReducedVariables) {
  auto* const find = stand_in("__kmpc_task_reduction_get_th_data", data_itself);
  int variables[Host::most_reduced + 2] = {};
  for (int round = 0; round < 2; ++round)
    for (int& variable : variables) {
      deputy().next.results[0] = reinterpret_cast<uint64_t>(&variable + 100);
      EXPECT_EQ(find(5, nullptr, &variable), &variable + 100);
    }
  EXPECT_EQ(deputy().calls.size(), 2 * std::size(variables) - Host::most_reduced);
}

TEST_F(CallsFromAbroad, AreOnlyThoseOfTheRuntimeThatAreKnown) {
  EXPECT_EQ(stand_in("__kmpc_fork_call", barrier_itself), nullptr);
  EXPECT_EQ(stand_in("malloc", barrier_itself), nullptr);
  EXPECT_TRUE(CallsAbroad::is_made_anywhere("__kmpc_end_single"));
  EXPECT_FALSE(CallsAbroad::is_made_anywhere("__kmpc_single"));
}

} // namespace
} // namespace hetmp::dsm
