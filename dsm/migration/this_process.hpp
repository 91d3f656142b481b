// What signal handlers, and stand-ins that are called in a program's place of other functions, find without variables
// of a thread: the thread pointer may be another thread's there.
#pragma once

namespace hetmp::dsm {

class CallsAbroad;
class Carriers;
class Deputies;
class MemoryAbroad;
class TasksAbroad;
class TextAbroad;
class WaysPastGates;

/// Each is written before there is anybody who looks for it.
struct ThisProcess {
  Deputies* deputies = nullptr;   ///< at the origin
  Carriers* carriers = nullptr;   ///< on other nodes
  MemoryAbroad* memory = nullptr; ///< wherever threads have gates
  CallsAbroad* calls = nullptr;   ///< likewise
  TasksAbroad* tasks = nullptr;   ///< likewise
  TextAbroad* text = nullptr;     ///< likewise
  WaysPastGates* ways = nullptr;  ///< likewise
};
extern ThisProcess this_process;

} // namespace hetmp::dsm
