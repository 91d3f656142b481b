#include "dsm/migration/memory_abroad.hpp"

#include "base/check.hpp"
#include "dsm/migration/as_host.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sys/auxv.h>

extern "C" {
// The linker's: where the section lies.
extern const char __start_hetmp_stand_ins[] __attribute__((visibility("hidden")));
extern const char __stop_hetmp_stand_ins[] __attribute__((visibility("hidden")));
}

namespace hetmp::dsm {

struct MemoryAbroad::StandIns {
  // ---- as the host, in its process

  __attribute__((noinline)) static void* take_zeroed(size_t bytes) {
    return this_process.memory->heap_->allocate_zeroed(bytes);
  }

  struct Aligned {
    size_t alignment, bytes;
  };
  __attribute__((noinline)) static void* take_aligned(Aligned wanted) {
    return this_process.memory->heap_->allocate(wanted.bytes, std::bit_ceil(wanted.alignment));
  }
  struct Resized {
    void* block; ///< of some node
    size_t bytes;
  };
  /// As realloc() of this library, where it gives a block.
  __attribute__((noinline)) static void* resize(Resized wanted) {
    const size_t usable = Heap::usable_bytes(wanted.block);
    if (Heap::stays_in_place(usable, wanted.bytes))
      return wanted.block;
    void* const resized = this_process.memory->heap_->resize(wanted.block, wanted.bytes);
    if (resized && resized != wanted.block) {
      memcpy(resized, wanted.block, std::min(wanted.bytes, usable));
      give_back(wanted.block);
    }
    return resized;
  }

  // ---- what stand-ins consist of

  /// What `work` returns; null: it could not, or the caller is at home.
  template <class Argument> HETMP_IN_PLACE static void* as_host(void* (*work)(Argument), Argument argument) {
    Host* const host = AsHost::of_caller();
    return host ? AsHost::do_as(*host, work, argument) : nullptr;
  }

  HETMP_IN_PLACE static bool is_of_some_heap(const void* block) {
    return reinterpret_cast<uintptr_t>(block) - slices_begin < most_nodes * slice_bytes;
  }

  /// Null: it could not, or the caller is at home.
  HETMP_IN_PLACE static void* take_any(size_t bytes) {
    Host* const host = AsHost::of_caller();
    if (!host)
      return nullptr;
    if (bytes >= BlockCache::bytes_below)
      return AsHost::do_as(*host, take, bytes);
    void* const kept = host->blocks->take_kept(bytes);
    return kept ? kept : AsHost::do_as(*host, take_small, Wanted{host->blocks, bytes});
  }

  HETMP_IN_PLACE static bool gives_back(void* block) {
    Host* const host = is_of_some_heap(block) ? AsHost::of_caller() : nullptr;
    return host && (host->blocks->put_kept(block) ||
                    AsHost::do_as(*host, give_back_small, Freed{host->blocks, block}) != nullptr);
  }

  /// Null as well if the alignment is unusual.
  HETMP_IN_PLACE static void* take_if_aligned(size_t alignment, size_t bytes) {
    constexpr size_t most_usual = size_t(1) << 21;
    return alignment - 1 < most_usual ? as_host(take_aligned, Aligned{alignment, bytes}) : nullptr;
  }

  HETMP_IN_PLACE static void* make_aligned(Function function, size_t alignment, size_t bytes) {
    void* const block = take_if_aligned(alignment, bytes);
    return block ? block : at_home<void*>(function, alignment, bytes);
  }

  HETMP_IN_PLACE static void* make_new_aligned(Function function, size_t bytes, size_t alignment) {
    void* const block = (alignment & (alignment - 1)) == 0 ? take_if_aligned(alignment, bytes) : nullptr;
    return block ? block : at_home<void*>(function, bytes, alignment);
  }

  template <class... More> HETMP_IN_PLACE static void* make(Function function, size_t bytes, More... more) {
    void* const block = take_any(bytes);
    return block ? block : at_home<void*>(function, bytes, more...);
  }

  template <class... More> HETMP_IN_PLACE static void destroy(Function function, void* block, More... more) {
    if (block && !gives_back(block))
      at_home<void>(function, block, more...);
  }

  /// Calls the function itself, at home.
  template <class Result, class... Arguments>
  HETMP_IN_PLACE static Result at_home(Function function, Arguments... arguments) {
    const MemoryAbroad& memory = *this_process.memory;
    return AsHost::at_home<Result>(memory.come_home_, memory.originals_[function], arguments...);
  }

  // ---- the stand-ins

  HETMP_STAND_IN static void* malloc(size_t bytes) { return make(Malloc, bytes); }

  HETMP_STAND_IN static void* calloc(size_t count, size_t size) {
    size_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes))
      if (void* const block = as_host(take_zeroed, bytes))
        return block;
    return at_home<void*>(Calloc, count, size);
  }

  HETMP_STAND_IN static void free(void* block) { destroy(Free, block); }

  /// To nothing: a way of freeing, which is left to the function itself.
  HETMP_STAND_IN static void* realloc(void* block, size_t bytes) {
    void* resized = nullptr;
    if (!block)
      resized = take_any(bytes);
    else if (bytes != 0 && is_of_some_heap(block))
      resized = as_host(resize, Resized{block, bytes});
    return resized ? resized : at_home<void*>(Realloc, block, bytes);
  }

  HETMP_STAND_IN static void* memalign(size_t alignment, size_t bytes) {
    return make_aligned(Memalign, alignment, bytes);
  }
  HETMP_STAND_IN static void* aligned_alloc(size_t alignment, size_t bytes) {
    return make_aligned(AlignedAlloc, alignment, bytes);
  }
  HETMP_STAND_IN static int posix_memalign(void** block, size_t alignment, size_t bytes) {
    const bool is_allowed = (alignment & (alignment - 1)) == 0 && alignment >= sizeof(void*);
    void* const taken = is_allowed ? take_if_aligned(alignment, bytes) : nullptr;
    if (!taken)
      return at_home<int>(PosixMemalign, block, alignment, bytes);
    *block = taken;
    return 0;
  }

  // Not by one template: its functions would not lie in the section.

  HETMP_STAND_IN static void* new_one(size_t bytes) { return make(New, bytes); }
  HETMP_STAND_IN static void* new_array(size_t bytes) { return make(NewArray, bytes); }
  HETMP_STAND_IN static void* new_or_null(size_t bytes, const void* nothrow) { return make(NewOrNull, bytes, nothrow); }
  HETMP_STAND_IN static void* new_array_or_null(size_t bytes, const void* nothrow) {
    return make(NewArrayOrNull, bytes, nothrow);
  }
  HETMP_STAND_IN static void delete_one(void* block) { destroy(Delete, block); }
  HETMP_STAND_IN static void delete_array(void* block) { destroy(DeleteArray, block); }
  HETMP_STAND_IN static void delete_sized(void* block, size_t bytes) { destroy(DeleteSized, block, bytes); }
  HETMP_STAND_IN static void delete_array_sized(void* block, size_t bytes) { destroy(DeleteArraySized, block, bytes); }

  HETMP_STAND_IN static void* new_aligned(size_t bytes, size_t alignment) {
    return make_new_aligned(NewAligned, bytes, alignment);
  }
  HETMP_STAND_IN static void* new_array_aligned(size_t bytes, size_t alignment) {
    return make_new_aligned(NewArrayAligned, bytes, alignment);
  }
  HETMP_STAND_IN static void delete_aligned(void* block, size_t alignment) { destroy(DeleteAligned, block, alignment); }
  HETMP_STAND_IN static void delete_array_aligned(void* block, size_t alignment) {
    destroy(DeleteArrayAligned, block, alignment);
  }
  HETMP_STAND_IN static void delete_sized_aligned(void* block, size_t bytes, size_t alignment) {
    destroy(DeleteSizedAligned, block, bytes, alignment);
  }
  HETMP_STAND_IN static void delete_array_sized_aligned(void* block, size_t bytes, size_t alignment) {
    destroy(DeleteArraySizedAligned, block, bytes, alignment);
  }
};

__attribute__((noinline)) void* MemoryAbroad::take(size_t bytes) { return this_process.memory->heap_->allocate(bytes); }

__attribute__((noinline)) void* MemoryAbroad::take_small(Wanted wanted) {
  void* const block = wanted.cache->take(wanted.bytes);
  return block ? block : take(wanted.bytes);
}

__attribute__((noinline)) void* MemoryAbroad::give_back_small(Freed freed) {
  return freed.cache->put(freed.block) ? freed.block : give_back(freed.block);
}

__attribute__((noinline)) void* MemoryAbroad::give_back(void* block) {
  const MemoryAbroad& memory = *this_process.memory;
  if (Heap::owner(block) == memory.node_)
    memory.heap_->free(block);
  else
    memory.free_elsewhere_(block);
  return block;
}

uintptr_t MemoryAbroad::stand_in(std::string_view name, uintptr_t function) {
  const StandIn all[functions] = {
      // the mangled names are those of <new>
      {"malloc", StandIns::malloc},
      {"calloc", StandIns::calloc},
      {"free", StandIns::free},
      {"_Znwm", StandIns::new_one},
      {"_Znam", StandIns::new_array},
      {"_ZnwmRKSt9nothrow_t", StandIns::new_or_null},
      {"_ZnamRKSt9nothrow_t", StandIns::new_array_or_null},
      {"_ZdlPv", StandIns::delete_one},
      {"_ZdaPv", StandIns::delete_array},
      {"_ZdlPvm", StandIns::delete_sized},
      {"_ZdaPvm", StandIns::delete_array_sized},
      {"realloc", StandIns::realloc},
      {"memalign", StandIns::memalign},
      {"aligned_alloc", StandIns::aligned_alloc},
      {"posix_memalign", StandIns::posix_memalign},
      {"_ZnwmSt11align_val_t", StandIns::new_aligned},
      {"_ZnamSt11align_val_t", StandIns::new_array_aligned},
      {"_ZdlPvSt11align_val_t", StandIns::delete_aligned},
      {"_ZdaPvSt11align_val_t", StandIns::delete_array_aligned},
      {"_ZdlPvmSt11align_val_t", StandIns::delete_sized_aligned},
      {"_ZdaPvmSt11align_val_t", StandIns::delete_array_sized_aligned},
  };
  const uintptr_t found = keep_original(all, name, function, originals_);
  HETMP_CHECK(found == 0 || this_process.memory == this);
  return found;
}

void MemoryAbroad::serve(Heap& heap, uint32_t node, void (*free_elsewhere)(void* block)) {
  HETMP_CHECK(hosts_ == 0);
  constexpr unsigned long fs_instructions = 1UL << 1; // HWCAP2_FSGSBASE, of the x86 family
  heap_ = &heap;
  node_ = node;
  free_elsewhere_ = free_elsewhere;
  sets_pointer_itself_ = (getauxval(AT_HWCAP2) & fs_instructions) != 0;
}

Host* MemoryAbroad::add_host() {
  if (!heap_ || hosts_ == most_hosts)
    return nullptr;
  Host& host = host_[hosts_++];
  host.blocks = new BlockCache(*heap_, node_);
  return &host;
}

bool MemoryAbroad::is_stand_in(uintptr_t instruction) {
  return instruction >= reinterpret_cast<uintptr_t>(__start_hetmp_stand_ins) &&
         instruction < reinterpret_cast<uintptr_t>(__stop_hetmp_stand_ins);
}

} // namespace hetmp::dsm
