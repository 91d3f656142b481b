#include "runtime/team/threadprivate.hpp"

#include "base/check.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/team/team_facts.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace hetmp::runtime {
namespace {

struct Variable {
  ThreadprivateFunctions functions;
  ThreadprivateArrayFunctions array_functions; ///< no elements: none are registered
  std::vector<unsigned char> first_value;      ///< empty until somebody asks for a copy
};

/// All variables that the runtime has been told of. What it gives out stays where it is: unordered_map never moves its
/// elements.
class KnownVariables {
 public:
  template <class Functions> void set(const void* original, Functions Variable::*member, const Functions& functions) {
    FutexLockGuard guard(lock_);
    find(original).*member = functions;
  }
  /// If it has no first value yet, that is at `value`.
  Variable& get(const void* original, const void* value, size_t bytes) {
    FutexLockGuard guard(lock_);
    Variable& variable = find(original);
    if (variable.first_value.empty() && bytes != 0) {
      const auto* begin = static_cast<const unsigned char*>(value);
      variable.first_value.assign(begin, begin + bytes);
    }
    return variable;
  }

 private:
  Variable& find(const void* original) {
    HETMP_CHECK(lock_.held());
    if (!by_original_)
      by_original_ = new std::unordered_map<const void*, Variable>;
    return (*by_original_)[original];
  }

  FutexLock lock_;
  std::unordered_map<const void*, Variable>* by_original_ = nullptr; ///< never destroyed: threads may still ask
};

constinit KnownVariables variables;

void* make_copy(const Variable& variable, void* original, size_t bytes) {
  void* copy = malloc(bytes); // the program's allocator: other nodes must be able to reach the copy
  memcpy(copy, variable.first_value.data(), bytes);
  const ThreadprivateArrayFunctions& of_array = variable.array_functions;
  if (of_array.copy_construct)
    of_array.copy_construct(copy, original, of_array.elements);
  else if (of_array.construct)
    of_array.construct(copy, of_array.elements);
  else if (variable.functions.copy_construct)
    variable.functions.copy_construct(copy, original);
  else if (variable.functions.construct)
    variable.functions.construct(copy);
  return copy;
}

} // namespace

void register_threadprivate(void* original, const ThreadprivateFunctions& functions) {
  variables.set(original, &Variable::functions, functions);
}

void register_threadprivate(void* original, const ThreadprivateArrayFunctions& functions) {
  variables.set(original, &Variable::array_functions, functions);
}

void set_threadprivate_value(void* original, const void* value, size_t bytes) { variables.get(original, value, bytes); }

ThreadprivateCopy& threadprivate_copy(Thread& executing, void* original, size_t bytes) {
  Thread& thread = owner_of_task(executing);
  if (const auto found = thread.threadprivate.find(original); found != thread.threadprivate.end())
    return found->second;
  keep_threads_where_they_are(); // a thread number must meet the same copy in the next region
  const Variable& variable = variables.get(original, original, bytes);
  // Node processes have one original between them. It stays as the program starts with: other nodes' first values.
  void* copy = thread.root && !several_processes() ? original : make_copy(variable, original, bytes);
  return thread.threadprivate.emplace(original, ThreadprivateCopy{nullptr, nullptr, original, copy, bytes})
      .first->second;
}

void destroy_threadprivate_copies(Thread& thread) {
  for (const auto& [original, known] : thread.threadprivate) {
    void* const copy = known.copy;
    if (copy == original)
      continue;
    const Variable& variable = variables.get(original, nullptr, 0);
    if (variable.array_functions.destroy)
      variable.array_functions.destroy(copy, variable.array_functions.elements);
    else if (variable.functions.destroy)
      variable.functions.destroy(copy);
    free(copy);
  }
  thread.threadprivate.clear();
}

} // namespace hetmp::runtime
