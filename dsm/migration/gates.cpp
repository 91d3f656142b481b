#include "dsm/migration/gates.hpp"

#include "base/check.hpp"
#include "base/elf/elf_image.hpp"
#include "base/page.hpp"
#include "dsm/migration/bound_calls.hpp"
#include "dsm/migration/calls_abroad.hpp"
#include "dsm/migration/memory_abroad.hpp"
#include "dsm/migration/past_gates.hpp"
#include "dsm/migration/tasks_abroad.hpp"
#include "dsm/migration/ways_past_gates.hpp"
#include "dsm/objects/open_relro.hpp"
#include "dsm/objects/private_objects.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// Of the C and C++ libraries, in the order of strcmp(): of the latter, what containers keep in order with.
constexpr std::string_view computing[] = {
    "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm",
    "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
    "_ZNSt8__detail15_List_node_base10_M_reverseEv",
    "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_",
    "_ZNSt8__detail15_List_node_base4swapERS0_S1_",
    "_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
    "_ZNSt8__detail15_List_node_base9_M_unhookEv",
    "_ZSt11_Hash_bytesPKvmm",
    "_ZSt15_Fnv_hash_bytesPKvmm",
    "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base",
    "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
    "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
    "__memcpy_chk",
    "__memmove_chk",
    "__memset_chk",
    "__strcat_chk",
    "__strcpy_chk",
    "__strncpy_chk",
    "abs",
    "bcmp",
    "bcopy",
    "bzero",
    "div",
    "drand48_r",
    "erand48",
    "erand48_r",
    "ffs",
    "ffsl",
    "ffsll",
    "initstate_r",
    "jrand48",
    "jrand48_r",
    "labs",
    "lcong48_r",
    "ldiv",
    "llabs",
    "lldiv",
    "lrand48_r",
    "memccpy",
    "memchr",
    "memcmp",
    "memcpy",
    "memmem",
    "memmove",
    "mempcpy",
    "memrchr",
    "memset",
    "mrand48_r",
    "nrand48",
    "nrand48_r",
    "rand_r",
    "random_r",
    "rawmemchr",
    "seed48_r",
    "setstate_r",
    "srand48_r",
    "srandom_r",
    "stpcpy",
    "stpncpy",
    "strcat",
    "strchr",
    "strchrnul",
    "strcmp",
    "strcpy",
    "strcspn",
    "strlen",
    "strncat",
    "strncmp",
    "strncpy",
    "strnlen",
    "strpbrk",
    "strrchr",
    "strspn",
    "strstr",
};

/// Of the runtime, in the order of strcmp(): what takes and releases a program's locks, and clang's question which
/// thread it is: that may be done for each few instructions of the program. The former call Fabric::come_home
/// themselves where the thread may be abroad, and cost a thread that is at home nothing
/// (runtime/sync/program_locks.hpp).
constexpr std::string_view coming_home[] = {
    "GOMP_atomic_end",
    "GOMP_atomic_start",
    "GOMP_critical_end",
    "GOMP_critical_name_end",
    "GOMP_critical_name_start",
    "GOMP_critical_start",
    "__kmpc_critical",
    "__kmpc_critical_with_hint",
    "__kmpc_end_critical",
    "__kmpc_global_thread_num",
    "__kmpc_set_lock",
    "__kmpc_test_lock",
    "__kmpc_unset_lock",
    "omp_set_lock",
    "omp_set_lock_",
    "omp_test_lock",
    "omp_test_lock_",
    "omp_unset_lock",
    "omp_unset_lock_",
};

/// Of the mathematical library: it sets the variable `signgam`, which is each process's own.
bool sets_sign(std::string_view function) {
  constexpr std::string_view those[] = {"gamma", "gammaf", "gammal", "lgamma", "lgammaf", "lgammal"};
  return std::find(std::begin(those), std::end(those), function) != std::end(those);
}

bool any_name(std::string_view) { return true; }

/// What the functions of an object are to a thread that is abroad.
enum class Code : uint8_t { Program, Mathematics, Private };

struct Span {
  uintptr_t begin, end;
  Code code;
};

std::vector<Span> find_code(const std::vector<uintptr_t>& private_objects) {
  std::vector<Span> spans;
  for_each_loaded_object([&](const LoadedObject& object) {
    const bool is_private = std::binary_search(private_objects.begin(), private_objects.end(), object.begin());
    const Code code = !is_private ? Code::Program : is_mathematical(object) ? Code::Mathematics : Code::Private;
    for_each_segment(object.headers(), [&](const LoadedSegment& segment) {
      if (segment.type == PT_LOAD && segment.flags & PF_X)
        spans.push_back({segment.begin, segment.end(), code});
    });
  });
  return spans;
}

/// The loaded objects, in the order in which the dynamic linker looks for symbols.
struct Loaded {
  std::vector<LoadedObject> objects = loaded_objects();
  std::vector<ObjectFacts> facts = facts_of(objects);

  size_t of(uintptr_t address) const {
    size_t i = 0;
    while (i < objects.size() && !objects[i].contains(address))
      ++i;
    return i;
  }
  /// Whether it lies in a library of hetmp's.
  bool is_ours(uintptr_t address) const {
    const size_t object = of(address);
    return object < facts.size() && facts[object].is_ours;
  }
  bool is_of_cxx_library(uintptr_t address) const {
    const size_t object = of(address);
    return object < facts.size() && facts[object].name.starts_with("libstdc++.so");
  }
  CalledLibrary library_of(uintptr_t address) const {
    const size_t object = of(address);
    const auto is_named = [&](std::string_view name) { return facts[object].name.starts_with(name); };
    if (object >= facts.size())
      return CalledLibrary::Other;
    if (facts[object].is_of_c_library)
      return CalledLibrary::CLibrary;
    if (is_named("libstdc++.so") || is_named("libc++.so") || is_named("libc++abi.so") || is_named("libgcc_s.so"))
      return CalledLibrary::CxxLibrary;
    const bool is_fortran = is_named("libgfortran.so") || is_named("libquadmath.so");
    return is_fortran ? CalledLibrary::FortranLibrary : CalledLibrary::Other;
  }
};

/// What the reference is bound to, or would be by its first call; 0: nothing. Versions matter in the C library, which
/// has several of some functions; who stands in front of it gives his to everybody.
uintptr_t target_of(const LoadedObject::Reference& reference, const Loaded& loaded) {
  if (reference.target != 0)
    return reference.target;
  const char* name = reference.name.c_str();
  void* const first = dlsym(RTLD_DEFAULT, name);
  const size_t object = loaded.of(reinterpret_cast<uintptr_t>(first));
  const bool of_c_library = object < loaded.facts.size() && loaded.facts[object].is_of_c_library;
  void* const same =
      of_c_library && !reference.version.empty() ? dlvsym(RTLD_DEFAULT, name, reference.version.c_str()) : nullptr;
  return reinterpret_cast<uintptr_t>(same ? same : first);
}

struct Call {
  uintptr_t* slot;
  uintptr_t function;
  bool has_gate;      ///< else the slot leads to the function itself from now on: abroad, nobody binds it
  uintptr_t stand_in; ///< 0: none
  const char* past;   ///< its name, if it leads past the gates; null: it does not
  bool is_bound;      ///< its effect belongs to the process (bound_calls.hpp)
};

uintptr_t stand_in(const Abroad& abroad, std::string_view name, uintptr_t target, const Loaded& loaded) {
  const bool is_known = MemoryAbroad::is_of_cxx(name) ? loaded.is_of_cxx_library(target) : loaded.is_ours(target);
  if (!is_known)
    return 0;
  uintptr_t found = abroad.memory.stand_in(name, target);
  if (found == 0)
    found = abroad.calls.stand_in(name, target);
  return found != 0 ? found : abroad.tasks.stand_in(name, target);
}

/// Whether a thread that is abroad may call the function of a private object.
bool may_be_called_abroad(std::string_view name, uintptr_t target, const Loaded& loaded) {
  return only_computes(name) || (CallsAbroad::is_made_anywhere(name) && loaded.is_ours(target));
}

/// How `object` calls functions that a thread abroad must not execute.
std::vector<Call> calls_of(const LoadedObject& object, const std::vector<Span>& code, const Loaded& loaded,
                           const Abroad& abroad) {
  std::vector<Call> calls;
  const auto add = [&](const LoadedObject::Reference& reference, uintptr_t target) {
    const auto span = std::find_if(code.begin(), code.end(), [&](const Span& candidate) {
      return target - candidate.begin < candidate.end - candidate.begin;
    });
    // What is in nobody's code is a variable.
    if (span != code.end() &&
        (span->code == Code::Private ? !may_be_called_abroad(reference.name, target, loaded)
                                     : span->code == Code::Mathematics && sets_sign(reference.name)))
      calls.push_back({reference.slot, target, !(comes_home_itself(reference.name) && loaded.is_ours(target)),
                       stand_in(abroad, reference.name, target, loaded), way_past_gates(reference.name),
                       span->code == Code::Private && !loaded.is_ours(target) &&
                           is_bound_to_process(reference.name, loaded.library_of(target))});
  };
  for (const LoadedObject::Reference& reference : object.references(any_name))
    add(reference, target_of(reference, loaded));
  // The program has not begun, so they are as the dynamic linker has written them.
  for (const LoadedObject::Reference& reference : object.addresses_in_data(any_name))
    add(reference, reference.target);
  return calls;
}

} // namespace

bool Gates::take_bound_call() const {
  // relaxed, both: whoever asks has waited for the threads that he asks about
  return noted_ && noted_->load(std::memory_order_relaxed) != 0 && noted_->exchange(0, std::memory_order_relaxed) != 0;
}

bool is_mathematical(const LoadedObject& object) {
  const std::string_view name = object.shared_name();
  return name.starts_with("libm.so") || name.starts_with("libmvec.so");
}

bool comes_home_itself(std::string_view function) {
  static_assert(std::is_sorted(std::begin(coming_home), std::end(coming_home)));
  return std::binary_search(std::begin(coming_home), std::end(coming_home), function);
}

bool only_computes(std::string_view function) {
  static_assert(std::is_sorted(std::begin(computing), std::end(computing)));
  return std::binary_search(std::begin(computing), std::end(computing), function);
}

/// cmpb $0, %fs:flag; jne abroad; (movb $1, noted;) jmp *function; abroad: ud2, or jmp *stand_in; then the addresses of
/// the two. Where the function is near, the jump names it. Returns where that begins.
uintptr_t Gates::add(uintptr_t function, uintptr_t stand_in, bool notes) {
  HETMP_CHECK(next_ + gate_bytes <= end_);
  constexpr uint8_t comparison[] = {0x64, 0x80, 0x3c, 0x25, 0, 0, 0, 0, 0, 0x75}, note[] = {0xc6, 0x05, 0, 0, 0, 0, 1};
  constexpr size_t flag_at = 4, note_at = sizeof comparison + 1, address_at = 48, stand_in_at = 56, jump_bytes = 6;
  const size_t jump_at = note_at + (notes ? sizeof note : 0), abroad_at = jump_at + jump_bytes;
  const uintptr_t gate = next_;
  uint8_t code[gate_bytes] = {};
  const auto put = [&](size_t at, const auto& what) { memcpy(code + at, &what, sizeof what); };
  const auto put_jump_to_address_at = [&](size_t at, size_t address) {
    put(at, uint16_t(0x25ff));
    put(at + 2, int32_t(address - (at + jump_bytes)));
  };
  put(0, comparison);
  put(flag_at, int32_t(flag_));
  put(note_at - 1, uint8_t(abroad_at - note_at)); // jne
  if (notes) {
    put(note_at, note);
    put(note_at + 2, int32_t(reinterpret_cast<uintptr_t>(noted_) - (gate + jump_at)));
  }
  put_jump_to_address_at(jump_at, address_at);
  put(abroad_at, uint16_t(0x0b0f)); // ud2
  if (stand_in != 0)
    put_jump_to_address_at(abroad_at, stand_in_at);
  put(address_at, function);
  put(stand_in_at, stand_in);
  constexpr size_t near_jump_bytes = 5;
  const auto distance = intptr_t(function - (gate + jump_at + near_jump_bytes));
  if (function == 0) { // to be called for the gate's own sake
    code[jump_at] = 0xc3;
  } else if (distance == int32_t(distance)) {
    code[jump_at] = 0xe9;
    put(jump_at + 1, int32_t(distance));
  }
  memcpy(reinterpret_cast<void*>(gate), code, sizeof code);
  next_ += gate_bytes;
  return gate;
}

bool Gates::build(ptrdiff_t flag, const Abroad& abroad, WaysPastGates& ways) {
  HETMP_CHECK(begin_ == 0 && flag == int32_t(flag));
  flag_ = flag;
  const Loaded loaded;
  const std::vector<bool> serve = which_serve(loaded.facts);
  const std::vector<uintptr_t> private_objects = find_private_objects();
  const std::vector<Span> code = find_code(private_objects);
  std::vector<std::pair<const LoadedObject*, std::vector<Call>>> calls;
  struct Gate {
    uintptr_t stand_in = 0, address = 0;
    const char* past = nullptr;
    bool is_bound = false;
  };
  std::map<uintptr_t, Gate> gates; // by function
  for (size_t i = 0; i < loaded.objects.size(); ++i) {
    const LoadedObject& object = loaded.objects[i];
    // hetmp's libraries, what these need, and the C library's parts are what gates lead to, and what sends a thread on
    // its way.
    if (serve[i] || loaded.facts[i].is_of_c_library || object.needed().empty())
      continue;
    calls.emplace_back(&object, calls_of(object, code, loaded, abroad));
    for (const Call& call : calls.back().second)
      if (call.has_gate)
        gates[call.function] = {call.stand_in, 0, call.past, call.is_bound};
  }
  const size_t bytes = page_up((gates.size() + 1) * gate_bytes);
  const size_t with_note = bytes + page_bytes; // behind the gates, since that stays writable
  const long room = syscall(SYS_mmap, nullptr, with_note, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == -1)
    return false;
  begin_ = next_ = uintptr_t(room);
  end_ = begin_ + bytes;
  noted_ = new (reinterpret_cast<void*>(end_)) std::atomic<uint8_t>(0);
  come_home_ = reinterpret_cast<void (*)()>(add(0));
  abroad.memory.set_way_home(come_home_);
  abroad.calls.set_way_home(come_home_);
  abroad.tasks.set_way_home(come_home_);
  bool has_room = true;
  for (auto& [function, gate] : gates) {
    const uintptr_t behind = gate.past ? ways.watched(function, gate.past) : function;
    has_room = has_room && behind != 0;
    gate.address = add(behind, gate.stand_in, gate.is_bound);
  }
  if (!has_room || !ways.close() || syscall(SYS_mprotect, begin_, bytes, PROT_READ | PROT_EXEC) != 0) {
    syscall(SYS_munmap, begin_, with_note);
    begin_ = next_ = end_ = 0;
    noted_ = nullptr;
    return false;
  }
  for (const auto& [object, slots] : calls) {
    const OpenRelro open(*object);
    for (const Call& call : slots)
      // In one step: another thread may be calling by way of it. relaxed: nothing else is to be seen with it.
      std::atomic_ref(*call.slot)
          .store(call.has_gate ? gates[call.function].address : call.function, std::memory_order_relaxed);
  }
  return true;
}

} // namespace hetmp::dsm
