// Threadprivate variables that the compiler does not put into thread-local storage: a copy for each thread.
#pragma once

#include <cstddef>

namespace hetmp::runtime {

struct Thread;

struct ThreadprivateFunctions {
  void* (*construct)(void* object) = nullptr;
  void* (*copy_construct)(void* object, void* original) = nullptr;
  void (*destroy)(void* object) = nullptr;
};

/// The same of an array of `elements` objects.
struct ThreadprivateArrayFunctions {
  void* (*construct)(void* objects, size_t elements) = nullptr;
  void* (*copy_construct)(void* objects, void* originals, size_t elements) = nullptr;
  void (*destroy)(void* objects, size_t elements) = nullptr;
  size_t elements = 0;
};

/// A thread's copy of a variable, laid out as libomp's struct private_common, which programs are shown.
struct ThreadprivateCopy {
  ThreadprivateCopy* next = nullptr; ///< links of libomp's tables: null here
  ThreadprivateCopy* link = nullptr;
  void* original = nullptr;
  void* copy = nullptr;
  size_t bytes = 0;
};

/// For variables of class type; before their first use.
void register_threadprivate(void* original, const ThreadprivateFunctions& functions);
void register_threadprivate(void* original, const ThreadprivateArrayFunctions& functions);

/// Copies that are made from now on start with what is at `value`, unless functions are registered, or there are copies
/// already.
void set_threadprivate_value(void* original, const void* value, size_t bytes);

/// The thread's copy of `original`; what is told of it stays for as long as the thread does. Initial threads use the
/// original itself. A copy starts with the value the original had when any thread first asked for one, unless functions
/// are registered.
ThreadprivateCopy& threadprivate_copy(Thread& thread, void* original, size_t bytes);

void destroy_threadprivate_copies(Thread& thread);

} // namespace hetmp::runtime
