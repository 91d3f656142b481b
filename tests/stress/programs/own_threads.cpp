// Threads that the program makes itself: they run on the first node, use shared memory together with regions on all
// nodes, have regions of their own, end and are joined; from main, and from inside regions.
#include "stress.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <omp.h>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int team = 6, own = 3;

class Queue {
 public:
  void put(std::unique_ptr<std::string> text) {
    std::lock_guard guard(lock_);
    texts_.push_back(std::move(text));
    changed_.notify_one();
  }
  /// Null when all has been taken.
  std::unique_ptr<std::string> take() {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [this] { return !texts_.empty() || closed_; });
    if (texts_.empty())
      return nullptr;
    auto text = std::move(texts_.front());
    texts_.pop_front();
    return text;
  }
  void close() {
    std::lock_guard guard(lock_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<std::string>> texts_;
  bool closed_ = false;
};

/// A region's threads produce, threads of the program's own consume, and the other way round.
void produce_and_consume(int each) {
  Queue to_threads, to_region;
  std::vector<long> sums(own);
  std::vector<std::thread> threads;
  for (int i = 0; i < own; ++i)
    threads.emplace_back([&, i] {
      while (auto text = to_threads.take()) {
        sums[size_t(i)] += std::stol(text->substr(7));
        *text += ", seen";
        to_region.put(std::move(text));
      }
    });
  long sent = 0, received = 0;
#pragma omp parallel num_threads(team) reduction(+ : sent, received)
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < each; ++i) {
      const long number = me * 1000 + i;
      to_threads.put(std::make_unique<std::string>("number " + std::to_string(number)));
      sent += number;
      auto back = to_region.take();
      CHECK(back->size() > 6 && back->compare(back->size() - 6, 6, ", seen") == 0);
      received += std::stol(back->substr(7));
    }
  }
  to_threads.close();
  for (std::thread& thread : threads)
    thread.join();
  long seen = 0;
  for (long sum : sums)
    seen += sum;
  CHECK_EQUAL(seen, sent);
  CHECK_EQUAL(received, sent);
}

/// Regions of main on all nodes, and regions of other threads at the same time.
void regions_side_by_side(int rounds) {
  auto counts = std::make_unique<std::atomic<long>[]>(own + 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < own; ++i)
    threads.emplace_back([&counts, i, rounds] {
      std::atomic<long>* count = &counts[size_t(i)];
      for (int round = 0; round < rounds; ++round) {
        int members = 0;
#pragma omp parallel num_threads(3) reduction(+ : members)
        {
          count->fetch_add(1);
          members++;
        }
        CHECK_EQUAL(members, 3);
      }
    });
  std::atomic<long>* count = &counts[own];
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel for num_threads(team) schedule(dynamic, 4)
    for (int i = 0; i < 60; ++i) {
      count->fetch_add(1);
      counts[size_t(i) % own].fetch_add(2);
    }
  }
  for (std::thread& thread : threads)
    thread.join();
  CHECK_EQUAL(count->load(), rounds * 60);
  for (int i = 0; i < own; ++i)
    CHECK_EQUAL(counts[size_t(i)].load(), rounds * (3 + 2 * 60 / own));
}

/// Each thread of a region makes threads, and joins them.
void made_in_regions(int rounds) {
  std::atomic<int> done{0};
#pragma omp parallel num_threads(team)
  for (int round = 0; round < rounds; ++round) {
    const int me = omp_get_thread_num();
    std::string text = "made by " + std::to_string(me);
    std::thread thread([&] {
      text += ", continued";
      done++;
    });
    auto later = std::async(std::launch::async, [me] { return std::string(size_t(me) * 100, 'x'); });
    thread.join();
    CHECK(text == "made by " + std::to_string(me) + ", continued");
    CHECK_EQUAL(later.get().size(), me * 100);
  }
  CHECK_EQUAL(done.load(), team * rounds);
}

/// An asynchronous result that another node's thread waits for.
void promised() {
  std::promise<std::string> promises[team];
  std::shared_future<std::string> results[team];
  for (int i = 0; i < team; ++i)
    results[i] = promises[i].get_future().share();
#pragma omp parallel num_threads(team)
  {
    const int me = omp_get_thread_num();
    const int theirs = (me + 1) % team;
    if (me % 2 == 0)
      promises[me].set_value("from " + std::to_string(me));
    CHECK(theirs % 2 || results[theirs].get() == "from " + std::to_string(theirs));
#pragma omp barrier
    if (me % 2)
      promises[me].set_exception(std::make_exception_ptr(me));
    try {
      if (theirs % 2)
        results[theirs].get();
      else
        throw theirs;
    } catch (int thrown) {
      CHECK_EQUAL(thrown, theirs);
    }
  }
}

} // namespace

int main() {
  produce_and_consume(60);
  regions_side_by_side(30);
  made_in_regions(5);
  promised();
}
