// The layout of nodes the user asked for with HETMP_NODES, and how a team's threads are dealt to them.
#pragma once

#include "base/node_set.hpp"
#include "runtime/affinity/core_kinds.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::runtime {

struct Layout {
  enum class Kind : uint8_t {
    One,       ///< one node: this process with all its CPUs
    CpuSets,   ///< nodes are sets of CPUs inside this process
    Processes, ///< each node is a process
  };
  Kind kind = Kind::One;
  std::vector<std::vector<int>> cpus; ///< of each node; CPUs may be shared between Processes, never between CpuSets
  bool hosts = false;                 ///< Processes, each on a machine of its own: the same number is another CPU
  std::vector<double> speeds{};       ///< core speed ratio of each node, as the machine tells it; empty: it does not
  std::optional<double> granted{}; ///< CPUs for whose time control groups let this process run; empty: they do not say
  double granted_to_work = -1; ///< the same when its work begins, see granted_cpus(); 0: no limit, negative: not known

  uint32_t nodes() const { return uint32_t(cpus.size()); }
  std::vector<uint32_t> cpu_counts() const;
  uint32_t distinct_cpus() const;
  bool operator==(const Layout&) const = default;
};

struct ParsedLayout {
  Layout layout;     ///< one node with all of `allowed` if the text is malformed
  std::string error; ///< then: what is wrong, a short phrase; otherwise empty
};

/// "1" or "": one node. "cores:0-3;4-7": CPU sets. "proc:N", N from 2 to 64: node processes that divide `allowed`.
/// "kinds": CPU sets, one for each kind of core, with speeds (kind_nodes.hpp), if `machine` knows of several.
/// "hosts:LIST;LIST...": node processes on machines of their own, each with these CPUs of its machine; for the
/// launcher.
ParsedLayout parse_nodes(std::string_view text, const std::vector<int>& allowed,
                         const affinity::CoreKinds& machine = {});

/// Whether parse_nodes() would look at the machine's kinds of cores.
bool asks_for_kinds(std::string_view text);

/// The CPUs of node process `node` of `nodes`: contiguous blocks of `allowed`, or single CPUs in turn when there are
/// more processes than CPUs.
std::vector<int> cpus_of_process(const std::vector<int>& allowed, uint32_t nodes, uint32_t node);

/// The size of a team nobody gave a size: one thread for each CPU, at least one for each node. On one node no more than
/// the control groups grant CPU time for: further threads would only wait for their turn, and the others for them.
uint32_t default_team_size(const Layout& layout);

/// The same for one node with so many CPUs and such a quota, which is rounded up; at least 1. Pure.
uint32_t team_size_within(uint32_t cpus, std::optional<double> quota);

/// CPUs for whose time control groups let this process run, as they say when it is asked first, after a node process
/// may have been given a group of its own; 0: no limit. Any thread.
double granted_cpus();

/// The program's layout. Set by read_layout(), before the first team.
const Layout& layout();
/// Reads HETMP_NODES (one complaint if it is malformed) for a process that may use `allowed`.
void read_layout(const std::vector<int>& allowed);
/// Gives up on several nodes, for a program that cannot have them.
void use_one_node();

/// The node this process is, 0 unless the layout has node processes and this is not the origin.
uint32_t own_node();
void set_own_node(uint32_t node);

inline bool several_processes() { return layout().kind == Layout::Kind::Processes; }

} // namespace hetmp::runtime
