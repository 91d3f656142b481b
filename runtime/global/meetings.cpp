#include "runtime/global/meetings.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

constexpr double nanoseconds_per_us = 1000;

} // namespace

void Meetings::barrier(Asker from, const Request::Barrier& asked, std::vector<Answer>& answers) {
  const auto found = under_way_.try_emplace(asked.name).first;
  Meeting& meeting = found->second;
  meeting.barrier = true;
  meeting.word |= asked.word;
  meeting.waiting.push_back(from);
  ++meeting.arrived;
  HETMP_CHECK(meeting.waiting.size() <= meeting.arrived);
  if (meeting.arrived < asked.nodes.size())
    return;
  for (const Asker waiting : meeting.waiting)
    answers.push_back({waiting, Answer::BarrierOver{meeting.word}});
  under_way_.erase(found);
}

bool Meetings::join(Asker from, const Request::Join& asked, std::vector<Answer>& answers) {
  const auto found = under_way_.try_emplace(asked.name).first;
  Meeting& meeting = found->second;
  if (from.node == 0)
    meeting.waiting.push_back(from);
  meeting.trips = std::max(meeting.trips, asked.trips);
  meeting.bound |= asked.bound;
  ++meeting.arrived;
  HETMP_CHECK(meeting.waiting.size() <= meeting.arrived);
  if (meeting.arrived < asked.nodes.size())
    return false;
  for (const Asker waiting : meeting.waiting)
    answers.push_back({waiting, Answer::Joined{meeting.trips, meeting.bound}});
  under_way_.erase(found);
  return true;
}

uint32_t Meetings::idle_nodes(uint64_t team) const {
  uint32_t count = 0;
  const auto end = under_way_.upper_bound({team, UINT64_MAX});
  for (auto named = under_way_.lower_bound({team, 0}); named != end; ++named)
    count += named->second.barrier ? uint32_t(named->second.waiting.size()) : 0;
  return count;
}

Meetings::Meeting* Meetings::with_idle_node(uint64_t team) {
  const auto end = under_way_.upper_bound({team, UINT64_MAX});
  const auto found = std::find_if(under_way_.lower_bound({team, 0}), end, [](const auto& named) {
    return named.second.barrier && !named.second.waiting.empty();
  });
  return found == end ? nullptr : &found->second;
}

bool Meetings::offer_tasks(Asker from, const Request::OfferTasks& asked, std::vector<Answer>& answers) {
  if (asked.tasks.origin != from.node)
    return false;
  tasks_.offered += asked.tasks.count;
  if (Meeting* meeting = with_idle_node(asked.team)) {
    answers.push_back({meeting->waiting.front(), Answer::Tasks{asked.tasks}});
    meeting->waiting.erase(meeting->waiting.begin());
    HETMP_CHECK(meeting->arrived != 0);
    --meeting->arrived;
  } else {
    answers.push_back({{.node = from.node}, Answer::TasksUnwanted{asked.tasks}});
  }
  return true;
}

void Meetings::return_task(const Request::ReturnTask& asked, std::vector<Answer>& answers) {
  tasks_.executed_elsewhere++;
  tasks_.elsewhere_us += double(asked.nanoseconds) / nanoseconds_per_us;
  answers.push_back({{.node = asked.origin}, Answer::TaskDone{asked.slot, asked.nanoseconds}});
}

} // namespace hetmp::runtime
