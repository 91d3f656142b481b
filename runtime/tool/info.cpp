#include "runtime/tool/info.hpp"

#include "base/environment.hpp"
#include "base/loaded_object.hpp"
#include "base/machine/cpu_list.hpp"
#include "base/machine/cpu_quota.hpp"
#include "base/variables/variable.hpp"
#include "dsm/rdma_plugin.hpp"
#include "dsm/transports.hpp"
#include "perf/counters.hpp"
#include "perf/profile.hpp"
#include "perf/report/printable.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/tool/machine.hpp"
#include "runtime/tool/run.hpp"
#include "runtime/tool/run_on_hosts.hpp"
#include "runtime/tool/topology.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace hetmp::tool {
namespace {

__attribute__((format(printf, 2, 3))) void fact(const char* name, const char* format, ...) {
  printf("%-22s ", name);
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
}

void print_cpus() {
  fact("CPUs allowed", "%s", format_cpu_list(allowed_cpus()).c_str());
  const auto quota = cpu_quota();
  if (quota)
    fact("CPU time granted", "%.2f CPUs (control group)", *quota);
  else
    fact("CPU time granted", "no limit");
  fact("threads of a team", "%u, unless told", runtime::team_size_within(uint32_t(allowed_cpus().size()), quota));
  const Topology topology = read_topology();
  for (const CpuGroup& group : topology.numa_nodes)
    fact(group.name.c_str(), "CPUs %s", format_cpu_list(group.cpus).c_str());
  if (topology.core_kinds.size() < 2)
    fact("kinds of core", "%s", topology.core_kinds.empty() ? "not known" : "all alike");
  else
    for (const CpuGroup& group : topology.core_kinds)
      fact("kind of core", "CPUs %s: %s", format_cpu_list(group.cpus).c_str(), group.name.c_str());
}

/// What there is to say of a node beside its CPUs.
std::string remark_on(const runtime::Layout& layout, uint32_t node, bool kinds) {
  if (layout.kind == runtime::Layout::Kind::Processes)
    return ", a process of its own";
  if (!kinds || layout.nodes() == 1)
    return {};
  char text[64] = ", as fast as the others for all the machine tells";
  if (node < layout.speeds.size())
    snprintf(text, sizeof text, ", core speed ratio %.3g", layout.speeds[node]);
  return text;
}

/// `library`: libhetmp.so; beside it is what knows the machine's kinds of cores.
void print_nodes(const std::string& library) {
  const std::string text = environment_value(Variable::HETMP_NODES).value_or("");
  const bool kinds = runtime::asks_for_kinds(text);
  const auto known = kinds ? affinity::read_core_kinds(library.substr(0, library.rfind('/'))) : affinity::CoreKinds{};
  const auto parsed = runtime::parse_nodes(text, allowed_cpus(), known);
  const bool alike = kinds && parsed.error.empty() && parsed.layout.nodes() == 1;
  fact("HETMP_NODES", "%s%s%s", text.empty() ? "not set" : text.c_str(), parsed.error.empty() ? "" : ": ",
       alike ? ": the machine tells of one kind of core, which makes one node" : parsed.error.c_str());
  for (uint32_t node = 0; node < parsed.layout.nodes(); ++node)
    fact(("  node " + std::to_string(node)).c_str(), "CPUs %s%s", format_cpu_list(parsed.layout.cpus[node]).c_str(),
         remark_on(parsed.layout, node, kinds).c_str());
}

/// Whom programs would find beside hetmp, and what would be said of it.
void print_other_runtimes() {
  const auto ok = environment_value(Variable::KMP_DUPLICATE_LIB_OK);
  const auto warnings = environment_value(Variable::KMP_WARNINGS);
  const bool silent =
      parse_boolean(ok.value_or("")).value_or(false) || !parse_boolean(warnings.value_or("")).value_or(true);
  fact("other OpenMP runtimes", "may be loaded as well; code that calls them and hetmp at once is %s",
       silent ? "not warned of (KMP_DUPLICATE_LIB_OK, KMP_WARNINGS)" : "warned of in one line");
  for_each_loaded_object([](const LoadedObject& object) {
    if (object.path()[0] != '\0' && object.defines("omp_get_thread_num"))
      fact("  preloaded", "%s; hetmp run goes before it, and nobody uses it then", object.path());
  });
}

void print_fault_access() {
  using Source = FaultAccess::Source;
  const FaultAccess access = probe_fault_access();
  switch (access.source) {
  case Source::Device:
    fact("userfaultfd", "through /dev/userfaultfd");
    break;
  case Source::SystemCall:
    fact("userfaultfd", "through the system call (CAP_SYS_PTRACE or vm.unprivileged_userfaultfd=1)");
    break;
  case Source::UserModeOnly:
    fact("userfaultfd", "through the system call, faults of user code only");
    break;
  case Source::Refused:
    fact("userfaultfd", "refused: %s", strerror(access.error));
  }
  if (access.source != Source::Refused) {
    fact("  missing pages", "yes");
    fact("  write-protected", "%s", access.write_protect ? "yes" : "no: the kernel does not offer it");
    fact("  kernel's faults", "%s", access.kernel_faults ? "yes" : "no");
  }
  if (!access.usable())
    fact("node processes", "not possible: %s",
         access.source == Source::Refused ? fault_access_remedy : "this kernel cannot");
  else if (!access.kernel_faults)
    fact("node processes", "possible, but system calls on shared memory fail: %s", fault_access_remedy);
  else
    fact("node processes", "possible");
}

void print_permission(const char* name, const Permission& permission) {
  fact(name, "%s%s", permission.granted() ? "yes" : "no: ", permission.reason.c_str());
}

/// What loops are counted with, as HETMP_COUNTERS says and the machine allows.
void print_counters(const std::string& library) {
  if (!library.empty())
    perf::set_counter_settings({library.substr(0, library.rfind('/')), true});
  const bool available = perf::counters_available();
  fact("hardware counters", "%s%s", available ? "" : "no: ", perf::counters_state().c_str());
}

void print_encryption(const std::string& library) {
  const std::string problem = library.empty() ? "libhetmp.so is not there" : why_no_encryption(library);
  constexpr std::string_view subject = "encryption is "; // which stands before the fact already
  fact("encryption", "%s",
       problem.empty() ? "possible (--encrypt)"
                       : problem.c_str() + (problem.starts_with(subject) ? subject.size() : 0));
}

void print_profile() {
  const auto path = perf::profile_path();
  const perf::Profile profile = path ? perf::read_profile(*path) : perf::Profile{};
  fact("profile", "%s%s%s", path ? path->c_str() : "none", profile.error.empty() ? "" : " ",
       profile.missing ? "(not there: hetmp calibrate makes it)" : profile.error.c_str());
  for (const perf::ProfileEntry& entry : profile.entries)
    fact(("  " + perf::printable(entry.interconnect)).c_str(),
         "nodes %u and %u: threshold %.4g us, a fault costs %.4g us (%s, %s)", entry.from, entry.to, entry.threshold_us,
         entry.fault_us, perf::printable(entry.machine).c_str(), perf::printable(entry.date).c_str());
}

void print_transports() {
  for (const dsm::TransportKind& kind : dsm::transport_kinds)
    fact(&kind == &dsm::usual_transport() ? "transports" : "", "%s: %s%s", kind.name.data(),
         kind.between_hosts_only ? "verbs or tcp" : "between processes here",
         !kind.over_hosts          ? ""
         : !knows_hosts()          ? " (hosts need libsodium)"
         : kind.between_hosts_only ? " between hosts"
                                   : " and between hosts");
}

void print_rdma_port(const dsm::RdmaPort& port) {
  if (!port.problem.empty()) {
    fact("RDMA", "no: %s %s", port.device.c_str(), port.problem.c_str());
    return;
  }
  fact("RDMA", "%s port %u: %s, %s, MTU %u%s", port.device.c_str(), port.port, port.active ? "active" : "not active",
       port.link == dsm::RdmaLink::InfiniBand ? "InfiniBand" : "Ethernet", dsm::mtu_bytes(port.mtu),
       port.reliable_writes ? "" : ", of no use to hetmp: its writes carry no number");
  for (const dsm::RdmaPort::Entry& gid : port.gids)
    fact(("  GID " + std::to_string(gid.index)).c_str(), "%s, %s", dsm::gid_text(gid.gid).c_str(),
         dsm::gid_kind_name(gid.kind));
}

void print_rdma(const std::string& library) {
  std::string problem = "libhetmp.so is not there";
  const dsm::RdmaPlugin* plugin =
      library.empty() ? nullptr : dsm::load_rdma_plugin(library.substr(0, library.rfind('/')), problem);
  const auto ports = plugin ? dsm::rdma_ports(*plugin, problem) : std::vector<dsm::RdmaPort>{};
  if (ports.empty())
    fact("RDMA", "no: %s", problem.c_str());
  for (const dsm::RdmaPort& port : ports)
    print_rdma_port(port);
}

} // namespace

int print_info() {
  fact("hetmp", "%s", HETMP_VERSION);
  fact("system", "%s, pages of %ld bytes", kernel_release().c_str(), page_bytes());
  print_cpus();
  const std::string library = find_library().value_or("");
  print_nodes(library);
  print_other_runtimes();
  print_fault_access();
  print_transports();
  print_rdma(library);
  print_encryption(library);
  print_profile();
  print_counters(library);
  print_permission("real-time priority", probe_realtime_priority());
  return 0;
}

} // namespace hetmp::tool
