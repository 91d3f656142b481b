#include "schedulers/policies/node_work.hpp"

#include "base/check.hpp"
#include "schedulers/arithmetic/loop.hpp"

#include <algorithm>

namespace hetmp::schedulers {

using Distribution = Assignment::Distribution;

void NodeWork::begin(uint32_t threads) {
  members_.assign(threads, Member{});
  threads_ = threads;
  assignment_ = {};
  size_ = 0;
  handed_out_ = 0;
  assignments_ = 0;
  finished_ = 0;
  asking_ = false;
  sum_ = {};
}

NodeWork::Step NodeWork::next(uint32_t thread, Range& chunk) {
  HETMP_CHECK(thread < threads_);
  if (assignments_ == 0)
    return ask_once();
  Member& member = members_[thread];
  member.running = 0;
  chunk = assignment_.distribution == Distribution::EqualShares ? from_share(thread) : on_demand();
  if (!chunk.empty()) {
    member.running = chunk.size();
    return Step::Run;
  }
  if (member.finished != assignments_) {
    member.finished = assignments_;
    ++finished_;
  }
  const bool everybody = finished_ == threads_;
  if (assignment_.last)
    return everybody && assignment_.measured ? Step::Report : Step::Leave;
  if (assignment_.distribution == Distribution::EqualShares && !everybody)
    return Step::Wait;
  return ask_once();
}

void NodeWork::drop(uint32_t thread) {
  HETMP_CHECK(thread < threads_);
  handed_out_ = size_;
  Member& member = members_[thread];
  member.next = member.end = 0;
  member.started = assignments_;
}

NodeWork::Step NodeWork::ask_once() {
  if (asking_)
    return Step::Wait;
  asking_ = true;
  return Step::Ask;
}

/// No assignment is replaced before every thread has had its equal share of it, so that a thread that comes
/// late finds the one it has missed still in force.
Range NodeWork::from_share(uint32_t thread) {
  Member& member = members_[thread];
  if (member.started != assignments_) {
    const Range share = static_share(size_, threads_, thread);
    member.next = share.begin;
    member.end = share.end;
    member.started = assignments_;
  }
  const Range chunk = cut(member.next, member.end - member.next);
  member.next += chunk.size();
  return chunk;
}

Range NodeWork::on_demand() {
  HETMP_CHECK(handed_out_ <= size_);
  const uint64_t left = size_ - handed_out_;
  const uint64_t wanted = assignment_.distribution == Distribution::Guided
                              ? guided_chunk_of_batch(left, assignment_.chunk, threads_)
                              : std::min(left, std::max<uint64_t>(assignment_.chunk, 1));
  const Range chunk = cut(handed_out_, wanted);
  handed_out_ += chunk.size();
  return chunk;
}

Range NodeWork::cut(uint64_t position, uint64_t most) const {
  for (uint32_t i = 0; i < assignment_.piece_count; ++i) {
    const Range& piece = assignment_.pieces[i];
    if (position < piece.size()) {
      const uint64_t begin = piece.begin + position;
      return {begin, begin + std::min(most, piece.end - begin)};
    }
    position -= piece.size();
  }
  return {};
}

void NodeWork::account(uint32_t thread, const ChunkMeasurement& chunk) {
  Member& member = members_[thread];
  sum_.iterations += member.running;
  member.running = 0;
  if (chunk.busy_us >= 0 && sum_.busy_us < 0)
    sum_.busy_us = sum_.thread_us; // stands for the chunks whose CPU time was not known
  if (sum_.busy_us >= 0)
    sum_.busy_us += chunk.busy_us >= 0 ? chunk.busy_us : chunk.elapsed_us;
  sum_.thread_us += chunk.elapsed_us;
  sum_.instructions += chunk.instructions;
  sum_.cache_misses += chunk.cache_misses;
}

NodeMeasurement NodeWork::collect() {
  NodeMeasurement result = sum_;
  result.threads = threads_;
  sum_ = {};
  return result;
}

void NodeWork::assign(const Assignment& assignment) {
  assignment_ = assignment;
  size_ = assignment.size();
  handed_out_ = 0;
  finished_ = 0;
  ++assignments_;
  asking_ = false;
}

} // namespace hetmp::schedulers
