#include "dsm/engine/action_batch.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::dsm {
namespace {

using protocol::ActionKind;

/// The place of such actions in the batch's order; -1: none. `last`: of its event's.
int stage_of(ActionKind kind, bool last) {
  switch (kind) {
  case ActionKind::Protect:
    return 0;
  case ActionKind::Drop: // something is sent behind it, which tells that it is done
    return last ? 5 : 1;
  case ActionKind::InstallShared:
  case ActionKind::InstallExclusive:
    return 2;
  case ActionKind::Unprotect:
    return 3;
  case ActionKind::Send:
  case ActionKind::SendData:
    return 4;
  default:
    return -1;
  }
}

/// Threads may wait for it: they are woken with it.
bool is_arrival(ActionKind kind) {
  return kind == ActionKind::InstallShared || kind == ActionKind::InstallExclusive || kind == ActionKind::Unprotect;
}

/// Whether carrying them out stage by stage is carrying them out in order. Somebody to be woken without an arrival, and
/// an arrival that wakes nobody, are not the batch's business.
bool is_in_order(const protocol::Actions& actions) {
  int stage = -1;
  for (size_t i = 0; i < actions.size(); ++i) {
    const ActionKind kind = actions[i].kind;
    const bool last = i + 1 == actions.size();
    if (actions[i].page() != actions[0].page())
      return false;
    if (kind == ActionKind::Wake) {
      if (i == 0 || !is_arrival(actions[i - 1].kind))
        return false;
      continue;
    }
    const int next = stage_of(kind, last);
    if (next <= stage && !(next == stage && kind == ActionKind::Send))
      return false;
    if (is_arrival(kind) && (last || actions[i + 1].kind != ActionKind::Wake))
      return false;
    stage = next;
  }
  return true;
}

void append(std::vector<PageRange>& ranges, PageNumber page) {
  if (!ranges.empty() && ranges.back().first + ranges.back().count == page)
    ++ranges.back().count;
  else
    ranges.push_back({page, 1});
}

} // namespace

bool ActionBatch::add(const protocol::Actions& actions, const uint8_t* content) {
  if (!is_in_order(actions))
    return false;
  HETMP_CHECK_COSTLY(actions.empty() || !is_about(actions[0].page()));
  for (size_t i = 0; i < actions.size(); ++i)
    add(actions[i], i + 1 == actions.size(), content);
  return true;
}

void ActionBatch::add(const protocol::Action& action, bool last, const uint8_t* content) {
  switch (action.kind) {
  case ActionKind::Protect:
    append(protections, action.page());
    break;
  case ActionKind::InstallShared:
  case ActionKind::InstallExclusive:
    install(action.page(), content, action.kind == ActionKind::InstallExclusive);
    break;
  case ActionKind::Send:
  case ActionKind::SendData:
    send(action);
    break;
  case ActionKind::Drop:
    append(last ? drops : drops_before, action.page());
    break;
  case ActionKind::Unprotect:
    append(upgrades, action.page());
    break;
  default: // Wake
    break;
  }
}

void ActionBatch::install(PageNumber page, const uint8_t* content, bool writable) {
  if (!installations.empty()) {
    Installation& last = installations.back();
    const uint8_t* next = last.content ? last.content + last.pages.count * page_bytes : nullptr;
    if (last.pages.first + last.pages.count == page && last.writable == writable && content == next &&
        last.pages.count < most_data_pages) {
      ++last.pages.count;
      return;
    }
  }
  HETMP_CHECK(installations.empty() || installations.back().pages.count <= most_data_pages);
  installations.push_back({{page, 1}, content, writable});
}

void ActionBatch::send(const protocol::Action& action) {
  if (!sendings.empty()) {
    Sending& last = sendings.back();
    PageMessage& series = last.message;
    const auto step = int64_t(action.page() - series.message(series.count - 1).page);
    const bool fits = series.count == 1 ? step != 0 && step == int32_t(step) && (!series.has_content() || step == 1)
                                        : step == series.stride;
    if (last.to == action.to && series.first.type == action.message.type &&
        series.first.requester == action.message.requester && series.first.home == action.message.home && fits &&
        series.count < most_series_pages) {
      series.stride = int32_t(step);
      ++series.count;
      return;
    }
  }
  HETMP_CHECK(sendings.empty() || sendings.back().message.count <= most_series_pages);
  PageMessage series;
  series.first = action.message;
  sendings.push_back({action.to, series});
}

bool ActionBatch::is_about(PageNumber page) const {
  const auto within = [page](const PageRange& pages) { return page - pages.first < pages.count; };
  return std::any_of(protections.begin(), protections.end(), within) ||
         std::any_of(drops_before.begin(), drops_before.end(), within) ||
         std::any_of(upgrades.begin(), upgrades.end(), within) || std::any_of(drops.begin(), drops.end(), within) ||
         std::any_of(installations.begin(), installations.end(),
                     [&](const Installation& installation) { return within(installation.pages); }) ||
         std::any_of(sendings.begin(), sendings.end(), [page](const Sending& sending) {
           for (uint32_t i = 0; i < sending.message.count; ++i)
             if (sending.message.message(i).page == page)
               return true;
           return false;
         });
}

void ActionBatch::clear() {
  protections.clear();
  drops_before.clear();
  installations.clear();
  upgrades.clear();
  sendings.clear();
  drops.clear();
}

} // namespace hetmp::dsm
