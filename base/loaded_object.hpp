// The program and its libraries as the dynamic linker has put them into this process: what they define and what they
// refer to.
#pragma once

#include <cstdint>
#include <elf.h>
#include <link.h>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hetmp {

/// A view of one of them, valid as long as it stays loaded. Reads its tables in memory, no file.
class LoadedObject {
 public:
  explicit LoadedObject(const dl_phdr_info& info);

  /// Of its file as the linker knows it; empty for the program.
  const char* path() const { return path_; }

  /// The addresses that it occupies, from `begin` to before `end`.
  uintptr_t begin() const { return begin_; }
  uintptr_t end() const { return end_; }
  bool contains(uintptr_t address) const { return begin_ <= address && address < end_; }

  /// Its program headers, for for_each_segment() (elf/elf_image.hpp).
  const dl_phdr_info& headers() const { return headers_; }

  /// What it wants to be known by, and by those that need it; empty if it does not say.
  const char* shared_name() const { return shared_name_ ? strings_ + *shared_name_ : ""; }
  /// Whether it has variables of which each thread has its own.
  bool has_thread_variables() const { return thread_variables_; }
  /// The names of those that it was linked with.
  std::vector<const char*> needed() const;
  /// Whether it asks others for symbols of this version.
  bool wants_version(std::string_view version) const;

  /// Whether it has a symbol of this name for others, of whatever version.
  bool defines(const char* name) const;

  /// The address that a call of this function leads to where nobody comes before this object; 0 if it has none. An
  /// empty version is the one that programs get today. Where the object chooses among several, for this machine, it is
  /// asked.
  uintptr_t find_function(const char* name, const char* version) const;

  /// The pages that the dynamic linker has made read-only when it had bound the symbols; empty if there are none.
  uintptr_t relro_begin() const { return relro_begin_; }
  uintptr_t relro_end() const { return relro_end_; }

  struct Reference {
    std::string name;
    std::string version;       ///< the one it asks for; empty: any
    uintptr_t target;          ///< the address it is bound to; 0: not bound yet, because nobody has called it
    uintptr_t* slot = nullptr; ///< where that stands
  };
  /// Its references to symbols of others whose names are `wanted`.
  std::vector<Reference> references(bool (*wanted)(std::string_view name)) const;
  /// The same of addresses among its data, as they stand there: tables of functions, and of virtual ones. The program
  /// may write there.
  std::vector<Reference> addresses_in_data(bool (*wanted)(std::string_view name)) const;
  /// Both.
  std::vector<Reference> all_references(bool (*wanted)(std::string_view name)) const;
  /// Its references to symbols of its own in whose place others' may be used, as a program's copy of a library's
  /// variable.
  std::vector<Reference> references_to_own(bool (*wanted)(std::string_view name)) const;

 private:
  void read_dynamic(const ElfW(Dyn) * entry);
  template <class Pointer> Pointer address(ElfW(Addr) value) const;
  bool defines(uint32_t symbol, const char* name) const;
  template <class Accept> uint32_t find_symbol(const char* name, Accept&& accept) const;
  const char* version_defined(uint32_t symbol) const;
  template <class Visit> void for_each_wanted_version(Visit&& visit) const;
  const char* version_wanted(uint32_t symbol) const;
  std::vector<Reference> references_by_slots(bool (*wanted)(std::string_view name), bool are_own) const;
  template <class IsOne>
  void add_references(const ElfW(Rela) * first, size_t count, IsOne&& is_one, bool (*wanted)(std::string_view name),
                      std::vector<Reference>& found, bool are_own = false) const;

  dl_phdr_info headers_;
  const char* path_;
  uintptr_t load_address_;
  uintptr_t begin_ = UINTPTR_MAX;
  uintptr_t end_ = 0;
  const char* strings_ = nullptr;
  const ElfW(Sym) * symbols_ = nullptr;
  const uint32_t* gnu_hash_ = nullptr;
  const uint32_t* hash_ = nullptr;
  const ElfW(Half) * versions_ = nullptr; ///< of each symbol, by numbers
  const ElfW(Verneed) * wanted_versions_ = nullptr;
  uint32_t wanted_files_ = 0; ///< of which there are versions
  const ElfW(Verdef) * own_versions_ = nullptr;
  uint32_t own_version_count_ = 0;
  const ElfW(Dyn) * dynamic_ = nullptr;
  std::optional<size_t> shared_name_; ///< among the strings
  bool thread_variables_ = false;
  uintptr_t relro_begin_ = 0;
  uintptr_t relro_end_ = 0;
  const ElfW(Rela) * relocations_ = nullptr; ///< of data
  size_t relocation_count_ = 0;
  size_t relative_count_ = 0;          ///< of those, the first ones, which name no symbol
  const ElfW(Rela) * calls_ = nullptr; ///< of functions, which may be bound at their first call
  size_t call_count_ = 0;
};

/// Whether the address lies in one of them.
bool contain(const std::vector<LoadedObject>& objects, uintptr_t address);

/// Calls `visit` with each, the program first, while the linker is kept from loading and unloading: `visit` must not
/// ask it for anything.
template <class Visit> void for_each_loaded_object(Visit&& visit) {
  const auto step = [](dl_phdr_info* info, size_t, void* data) {
    (*static_cast<std::remove_reference_t<Visit>*>(data))(LoadedObject(*info));
    return 0;
  };
  dl_iterate_phdr(step, &visit);
}

} // namespace hetmp
