#include "dsm/migration/gates.hpp"

#include "base/check.hpp"
#include "base/elf/elf_image.hpp"
#include "base/page.hpp"
#include "dsm/migration/calls_abroad.hpp"
#include "dsm/migration/functions/bound_calls.hpp"
#include "dsm/migration/functions/guest_functions.hpp"
#include "dsm/migration/memory_abroad.hpp"
#include "dsm/migration/past_gates.hpp"
#include "dsm/migration/tasks_abroad.hpp"
#include "dsm/migration/text_abroad.hpp"
#include "dsm/migration/ways_past_gates.hpp"
#include "dsm/objects/open_relro.hpp"
#include "dsm/objects/private_objects.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <new>
#include <set>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

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
  /// Null: there is none, as in a program that has it in itself.
  const LoadedObject* c_library() const {
    for (size_t i = 0; i < objects.size(); ++i)
      if (facts[i].is_of_c_library && facts[i].name.starts_with("libc.so"))
        return &objects[i];
    return nullptr;
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
  bool is_bound;      ///< its effect belongs to the process (functions/bound_calls.hpp)
  bool is_of_text;    ///< abroad it may be called where the locale is the same
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

/// What the C library itself calls for memory, while it sorts or works on text. Empty: that is not all ours, and a
/// thread that is abroad must call nothing of that kind.
std::vector<Call> allocations_of_c_library(const Loaded& loaded, const Abroad& abroad) {
  std::vector<Call> calls;
  std::set<std::string_view> names;
  const LoadedObject* const c_library = loaded.c_library();
  const auto references = c_library ? c_library->references_to_own(allocates) : std::vector<LoadedObject::Reference>{};
  for (const LoadedObject::Reference& reference : references) {
    const auto target = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, reference.name.c_str()));
    const uintptr_t instead = stand_in(abroad, reference.name, target, loaded);
    if (instead == 0)
      return {};
    calls.push_back({reference.slot, target, true, instead, nullptr, false, false});
    names.insert(reference.name);
  }
  return names.size() == allocating_functions ? calls : std::vector<Call>{};
}

/// What a thread that is abroad may call of private objects.
struct CalledAbroad {
  const Loaded& loaded;
  bool in_memory; ///< the C library gets its memory where the thread is

  bool operator()(std::string_view name, uintptr_t target) const {
    return only_computes(name) || (in_memory && computes_in_memory(name)) ||
           (CallsAbroad::is_made_anywhere(name) && loaded.is_ours(target));
  }
  /// What it calls instead, with the locale of all nodes, of one that works on text; 0: nothing.
  uintptr_t of_text(std::string_view name, uintptr_t target) const {
    if (!in_memory || loaded.library_of(target) != CalledLibrary::CLibrary)
      return 0;
    return works_on_text(name) ? target : TextAbroad::stand_in(name);
  }
};

/// How `object` calls functions that a thread abroad must not execute.
std::vector<Call> calls_of(const LoadedObject& object, const std::vector<Span>& code, const CalledAbroad& may_be_called,
                           const Abroad& abroad) {
  const Loaded& loaded = may_be_called.loaded;
  std::vector<Call> calls;
  const auto add = [&](const LoadedObject::Reference& reference, uintptr_t target) {
    const auto span = std::find_if(code.begin(), code.end(), [&](const Span& candidate) {
      return target - candidate.begin < candidate.end - candidate.begin;
    });
    const uintptr_t of_text = may_be_called.of_text(reference.name, target);
    // What is in nobody's code is a variable.
    if (span != code.end() &&
        (span->code == Code::Private ? !may_be_called(reference.name, target)
                                     : span->code == Code::Mathematics && sets_sign(reference.name)))
      calls.push_back({reference.slot, target, !(comes_home_itself(reference.name) && loaded.is_ours(target)),
                       of_text != 0 ? of_text : stand_in(abroad, reference.name, target, loaded),
                       way_past_gates(reference.name),
                       span->code == Code::Private && !loaded.is_ours(target) &&
                           is_bound_to_process(reference.name, loaded.library_of(target)),
                       of_text != 0});
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

/// cmpb $0, %fs:flag; jne abroad; (movb $1, noted;) jmp *function; abroad: ud2, or jmp *stand_in, or for text cmpb $1,
/// %fs:flag; jne trap; jmp *stand_in; trap: ud2; then the addresses of the two. Where the function is near, the jump
/// names it. Returns where that begins.
uintptr_t Gates::add(uintptr_t function, uintptr_t stand_in, bool notes, bool is_of_text) {
  HETMP_CHECK(next_ + gate_bytes <= end_);
  constexpr uint16_t trap = 0x0b0f; // ud2
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
  const auto put_comparison = [&](size_t at, Presence with) {
    put(at, comparison);
    put(at + flag_at, int32_t(flag_));
    put(at + sizeof comparison - 2, with); // and jne
  };
  put_comparison(0, Presence::Home);
  put(note_at - 1, uint8_t(abroad_at - note_at)); // jne
  if (notes) {
    put(note_at, note);
    put(note_at + 2, int32_t(reinterpret_cast<uintptr_t>(noted_) - (gate + jump_at)));
  }
  put_jump_to_address_at(jump_at, address_at);
  HETMP_CHECK(!is_of_text || stand_in != 0);
  size_t elsewhere_at = abroad_at;
  if (is_of_text) {
    put_comparison(abroad_at, Presence::Abroad);
    elsewhere_at += sizeof comparison + 1;
    put(elsewhere_at - 1, uint8_t(jump_bytes)); // jne, over the jump
    put(elsewhere_at + jump_bytes, trap);
  }
  HETMP_CHECK(elsewhere_at + jump_bytes + sizeof trap <= address_at);
  put(elsewhere_at, trap);
  if (stand_in != 0)
    put_jump_to_address_at(elsewhere_at, stand_in_at);
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
    bool is_bound = false, is_of_text = false;
  };
  std::map<uintptr_t, Gate> gates; // by function
  std::vector<Call> allocations = allocations_of_c_library(loaded, abroad);
  CalledAbroad may_be_called{loaded, !allocations.empty()};
  for (const LoadedObject& object : loaded.objects)
    may_be_called.in_memory = may_be_called.in_memory && object.references(changes_text).empty();
  for (size_t i = 0; i < loaded.objects.size(); ++i) {
    const LoadedObject& object = loaded.objects[i];
    // hetmp's libraries, what these need, and the C library's parts are what gates lead to, and what sends a thread on
    // its way.
    if (serve[i] || loaded.facts[i].is_of_c_library || object.needed().empty())
      continue;
    calls.emplace_back(&object, calls_of(object, code, may_be_called, abroad));
  }
  if (may_be_called.in_memory)
    calls.emplace_back(loaded.c_library(), std::move(allocations));
  for (const auto& [object, slots] : calls)
    for (const Call& call : slots)
      if (call.has_gate)
        gates[call.function] = {call.stand_in, 0, call.past, call.is_bound, call.is_of_text};
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
  abroad.text.set_way_home(come_home_);
  bool has_room = true;
  for (auto& [function, gate] : gates) {
    const uintptr_t behind = gate.past ? ways.watched(function, gate.past) : function;
    has_room = has_room && behind != 0;
    gate.address = add(behind, gate.stand_in, gate.is_bound, gate.is_of_text);
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
