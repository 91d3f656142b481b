#include "runtime/sync/mapped_reductions.hpp"

#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/sync/barrier.hpp"
#include "runtime/sync/single.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/team/thread.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace hetmp::runtime {
namespace {

// Words of a table.
constexpr size_t entries = 0, chunk_bytes = 1, chunks = 2, next_table = 4, chunks_end = 6, first_entry = 7,
                 entry_words = 3;
// Words of an entry.
constexpr size_t variable = 0, offset = 1;

uintptr_t* next_of(const uintptr_t* table) { return reinterpret_cast<uintptr_t*>(table[next_table]); }

size_t round_up(size_t bytes, size_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

/// Before the table has its chunks.
size_t alignment_of(const uintptr_t* table) { return std::max<size_t>(table[chunks], cache_line); }

const uintptr_t* entry_of(const uintptr_t* table, size_t number) { return table + first_entry + number * entry_words; }

/// Of the innermost table that has the variable, or a copy of it; null: none.
struct Place {
  const uintptr_t* table = nullptr;
  size_t offset = 0;
};

Place find(const uintptr_t* tables, uintptr_t pointer) {
  for (const uintptr_t* table = tables; table; table = next_of(table)) {
    for (size_t i = 0; i < table[entries]; i++)
      if (entry_of(table, i)[variable] == pointer)
        return {table, entry_of(table, i)[offset]};
    if (pointer >= table[chunks] && pointer < table[chunks_end])
      return {table, (pointer - table[chunks]) % table[chunk_bytes]};
  }
  return {};
}

void* variable_at(const Place& place) {
  for (size_t i = 0; i < place.table[entries]; i++)
    if (entry_of(place.table, i)[offset] == place.offset)
      return reinterpret_cast<void*>(entry_of(place.table, i)[variable]);
  return nullptr; // not the beginning of a copy: the compiler does not ask for that
}

} // namespace

void* allocate_chunks(const uintptr_t* tables, uint32_t threads) {
  size_t bytes = 0, alignment = cache_line;
  for (const uintptr_t* table = tables; table; table = next_of(table)) {
    bytes = round_up(bytes, alignment_of(table)) + table[chunk_bytes] * threads;
    alignment = std::max(alignment, alignment_of(table));
  }
  bytes = round_up(bytes, alignment);
  void* memory = aligned_alloc(alignment, bytes);
  if (!memory)
    die(exit_code::no_resources, "no memory for %zu bytes of reduction variables", bytes);
  return memset(memory, 0, bytes);
}

void attach_chunks(uintptr_t* tables, void* memory, uint32_t threads, uintptr_t* outer) {
  const uintptr_t first = reinterpret_cast<uintptr_t>(memory);
  size_t at = 0;
  for (uintptr_t* table = tables;; table = next_of(table)) {
    at = round_up(at, alignment_of(table));
    table[chunks] = first + at;
    at += table[chunk_bytes] * threads;
    table[chunks_end] = first + at;
    if (!next_of(table)) {
      table[next_table] = reinterpret_cast<uintptr_t>(outer);
      return;
    }
  }
}

void free_chunks(const uintptr_t* tables) {
  free(reinterpret_cast<void*>(tables[chunks])); // the first table's are where the memory begins
}

void forget_chunks(uintptr_t* tables) { tables[chunks] = 0; }

size_t find_copies(const uintptr_t* tables, uint32_t thread, size_t count, size_t originals, void** pointers) {
  for (size_t i = 0; i < count; i++) {
    const Place place = find(tables, reinterpret_cast<uintptr_t>(pointers[i]));
    if (!place.table)
      return i;
    pointers[i] = reinterpret_cast<void*>(place.table[chunks] + thread * place.table[chunk_bytes] + place.offset);
    if (i < originals)
      pointers[count + i] = variable_at(place);
  }
  return count;
}

size_t find_copies(ImplicitTask& implicit, size_t count, size_t originals, void** pointers) {
  const TaskGroup* const group = generating_task(implicit).group;
  return group ? find_copies(group->reduction_tables, implicit.number, count, originals, pointers) : 0;
}

void begin_mapped_reductions(Thread& self, uintptr_t* tables) {
  ImplicitTask& implicit = *self.task;
  TaskGroup& group = *generating_task(implicit).group;
  attach_chunks(tables, allocate_chunks(tables, implicit.team_size), implicit.team_size, group.reduction_tables);
  group.reduction_tables = tables;
}

void begin_mapped_team_reductions(Thread& self, uintptr_t* tables) {
  begin_taskgroup(self);
  ImplicitTask& implicit = *self.task;
  TaskGroup& group = *generating_task(implicit).group;
  group.of_reduction = true;
  void* memory = implicit.number == 0 ? allocate_chunks(tables, implicit.team_size) : nullptr;
  memory = broadcast_pointer(implicit, memory);
  if (!memory) // thread 0 has left a region that was cancelled, whose results nobody uses
    memory = allocate_chunks(tables, implicit.team_size);
  attach_chunks(tables, memory, implicit.team_size, group.reduction_tables);
  group.reduction_tables = tables;
}

void end_mapped_team_reductions(Thread& self, bool cancelled) {
  ImplicitTask& implicit = *self.task;
  const uintptr_t* tables = generating_task(implicit).group->reduction_tables;
  end_taskgroup(self);
  if (!cancelled)
    team_barrier(implicit); // thread 0 has folded, and the others' tasks are done with their copies
  if (implicit.number == 0)
    free_chunks(tables);
}

} // namespace hetmp::runtime
