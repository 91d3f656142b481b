#include "runtime/global/meetings.hpp"

#include <algorithm>
#include <cstring>

namespace hetmp::runtime {
namespace {

constexpr double nanoseconds_per_us = 1000;

/// Whether it has as many bytes as it should, and tasks of its sender.
bool read_handover(const Request& request, Handover& tasks) {
  if (request.payload_length != sizeof tasks)
    return false;
  memcpy(static_cast<void*>(&tasks), request.payload, sizeof tasks);
  return tasks.count != 0 && tasks.count <= Handover::most && tasks.origin == request.node;
}

} // namespace

void Meetings::barrier(const Request& request, std::vector<Answer>& answers) {
  const Name name{request.team, request.sequence};
  Meeting& meeting = under_way_[name];
  meeting.barrier = true;
  meeting.word |= request.word;
  meeting.waiting.push_back(answer_to(request));
  if (++meeting.arrived < request.nodes)
    return;
  for (Answer& answer : meeting.waiting) {
    answer.word = meeting.word;
    answers.push_back(answer);
  }
  under_way_.erase(name);
}

bool Meetings::join(const Request& request, std::vector<Answer>& answers) {
  const Name name{request.team, request.sequence};
  Meeting& meeting = under_way_[name];
  if (request.node == 0)
    meeting.waiting.push_back(answer_to(request));
  if (++meeting.arrived < request.nodes)
    return false;
  answers.insert(answers.end(), meeting.waiting.begin(), meeting.waiting.end());
  under_way_.erase(name);
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

bool Meetings::offer_tasks(const Request& request, std::vector<Answer>& answers) {
  Handover tasks;
  if (!read_handover(request, tasks))
    return false;
  tasks_.offered += tasks.count;
  Answer answer;
  if (Meeting* meeting = with_idle_node(request.team)) {
    answer = meeting->waiting.front();
    answer.kind = Answer::Kind::Tasks;
    meeting->waiting.erase(meeting->waiting.begin());
    --meeting->arrived;
  } else {
    answer.kind = Answer::Kind::TasksBack;
    answer.node = request.node;
  }
  answer.tasks = tasks;
  answers.push_back(answer);
  return true;
}

bool Meetings::return_task(const Request& request, uint32_t nodes, std::vector<Answer>& answers) {
  if (request.sequence >= nodes)
    return false;
  tasks_.executed_elsewhere++;
  tasks_.elsewhere_us += double(request.trips) / nanoseconds_per_us;
  Answer answer;
  answer.kind = Answer::Kind::TasksBack;
  answer.node = uint32_t(request.sequence);
  answer.word = request.trips + 1;
  answer.tasks.origin = answer.node;
  answer.tasks.count = 1;
  answer.tasks.tasks[0].slot = uint32_t(request.word);
  answers.push_back(answer);
  return true;
}

} // namespace hetmp::runtime
