// What values of variables may be, in words. Each names the function that reads it.
#pragma once

namespace hetmp::grammars {

// base/environment.hpp
inline constexpr const char* boolean = "`true`, `false`"; // parse_boolean
inline constexpr const char* number = "a number";         // parse_integer
inline constexpr const char* percentage = "a percentage"; // parse_real; so the next two
inline constexpr const char* microseconds = "microseconds";
inline constexpr const char* misses = "a number";
inline constexpr const char* probes = "1 to 1000000"; // parse_integer; so the next three
inline constexpr const char* helpers = "0 to 256";
inline constexpr const char* loop_buffers = "1 to 4096";
inline constexpr const char* patience = "2 to 86400 seconds, or `off`"; // runtime::patience_with_silence

// schedulers/arithmetic/parse.hpp
inline constexpr const char* het_schedule =
    "`static`, `dynamic`, `guided`, `auto` with a chunk and a modifier as in the "
    "specification; `hetprobe[,percent]`, `hetprobe-i[,percent]`";                            // parse_schedule
inline constexpr const char* node_schedule = "`static`, `dynamic[,chunk]`, `guided[,chunk]`"; // parse_in_node_schedule
inline constexpr const char* core_speeds = "a number a node, as `3,1`";                       // parse_core_speeds

// runtime/process
inline constexpr const char* nodes = "`1`, `cores:LIST;LIST...`, `kinds`, `proc:N`"; // parse_nodes
inline constexpr const char* loops = "`runtime`, `all`";                             // read_placement; so the next
inline constexpr const char* placement = "`auto`, `origin`, `all`, `lent`, `random:SEED`, `journeys:SEED`";
inline constexpr const char* decision = "`threshold`, `predict`";
inline constexpr const char* transport = "`shared-memory`, `tcp`, `verbs`, `auto`"; // runtime/nodes/node_setup.cpp
inline constexpr const char* verbs_device = "`DEVICE[:PORT[:GID]]`";                // dsm/verbs/port_choice.hpp

// dsm
inline constexpr const char* prefetch = "`true`, `false`, or some of `streams,visits,pushes`"; // parse_prefetch
inline constexpr const char* memory = "`8G`, or `none`";                                       // MemoryBudget::parse
inline constexpr const char* plan = "a plan";                                                  // dsm::parse_plan

// perf
inline constexpr const char* counters = "`MISSES[,INSTRUCTIONS]`"; // perf/counters.cpp
inline constexpr const char* profile = "a file, or `false`";       // perf::profile_path
inline constexpr const char* knowledge = "a file, or `false`";     // perf::knowledge_file_of
inline constexpr const char* report = "`0`, `1`, or a file";       // runtime/start; any text
inline constexpr const char* trace = "`0`, or a file";             // runtime/nodes/timeline.cpp; any text

// runtime/settings
inline constexpr const char* numbers = "numbers with commas between"; // read_icvs_from_environment; so the next five
inline constexpr const char* wait_policy = "`active`, `passive`";
inline constexpr const char* target_offload = "`mandatory`, `disabled`, `default`"; // parse_target_offload
inline constexpr const char* display_env = "`true`, `false`, `verbose`";
inline constexpr const char* kmp_library = "`throughput`, `turnaround`, `serial`";
inline constexpr const char* size = "a number with `b`, `k`, `m`, `g` or `t` behind it";          // parse_size
inline constexpr const char* milliseconds = "`200`, `500us`, `1s`, `2m`, `1h`, `1d`, `infinite`"; // parse_milliseconds
inline constexpr const char* allocator = "an allocator, or a memory space with traits";           // parse_allocator
inline constexpr const char* reduction = "`critical`, `atomic`, `tree`"; // read_reduction_settings

// runtime/affinity
inline constexpr const char* places =
    "`threads`, `cores`, `ll_caches`, `numa_domains`, `sockets` with a count, or sets of CPUs"; // parse_places
inline constexpr const char* proc_bind =
    "`true`, `false`, or a list of `primary`, `close`, `spread`";               // parse_proc_bind
inline constexpr const char* teams_proc_bind = "one policy of `OMP_PROC_BIND`"; // parse_proc_bind
inline constexpr const char* cpu_affinity = "CPUs, as `0 2-5 8-14:2`";          // parse_cpu_affinity
inline constexpr const char* kmp_affinity =
    "`[modifier,...][type[,permute[,offset]]]` (docs/libomp-variables.md)"; // parse_kmp_affinity
inline constexpr const char* hardware_subset = "`[number]unit[@offset],...` (docs/libomp-variables.md)"; // parse_subset
inline constexpr const char* affinity_format = "a text with fields as `%n`"; // expand_affinity_format

// runtime/ompt/tool.cpp
inline constexpr const char* tool = "`enabled`, `disabled`";
inline constexpr const char* libraries = "paths with colons between";
inline constexpr const char* tool_log = "`disabled`, `stdout`, `stderr`, or a file";

// any text
inline constexpr const char* interface = "a name";
inline constexpr const char* file = "paths";

} // namespace hetmp::grammars
