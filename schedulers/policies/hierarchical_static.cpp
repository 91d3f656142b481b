#include "schedulers/policies/hierarchical_static.hpp"

#include "schedulers/policies/in_node.hpp"

#include <algorithm>
#include <limits>

namespace hetmp::schedulers {

HierarchicalStatic::HierarchicalStatic(const LoopShape& shape, const CoreSpeeds& speeds, const Schedule& in_node)
    : shape_(shape), speeds_(speeds), in_node_(in_node) {
  const auto empty = std::count(shape_.threads.begin(), shape_.threads.end(), 0u);
  waiting_for_ = shape_.nodes() - static_cast<uint32_t>(empty);
}

void HierarchicalStatic::ask(uint32_t node, const NodeMeasurement&, std::vector<Reply>& replies) {
  Reply reply;
  reply.node = node;
  reply.assignment.add(node_share(shape_, speeds_, node));
  reply.assignment.last = true;
  reply.assignment.repeats = std::numeric_limits<uint32_t>::max(); // it depends on nothing but the loop and the team
  share_in_node(reply.assignment, in_node_);
  replies.push_back(reply);
  --waiting_for_;
}

} // namespace hetmp::schedulers
