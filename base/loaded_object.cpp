#include "base/loaded_object.hpp"

#include "base/page.hpp"

#include <algorithm>
#include <cstring>

namespace hetmp {
namespace {

constexpr ElfW(Half)
    hidden_version = 0x8000; // of a symbol that is there for old programs; the rest is the version's number

uint32_t gnu_hash_of(const char* name) {
  uint32_t hash = 5381;
  for (; *name; ++name)
    hash = hash * 33 + uint8_t(*name);
  return hash;
}

/// The table as the GNU linker writes it: a Bloom filter, the first symbol of each bucket, the hashes of all symbols.
struct GnuHash {
  explicit GnuHash(const uint32_t* table)
      : buckets(table[0]), first_symbol(table[1]), words(table[2]), shift(table[3]),
        filter(reinterpret_cast<const ElfW(Addr) *>(table + 4)),
        starts(reinterpret_cast<const uint32_t*>(filter + words)), hashes(starts + buckets) {}

  bool may_have(uint32_t hash) const {
    constexpr uint32_t bits = 8 * sizeof(ElfW(Addr));
    const ElfW(Addr) word = filter[hash / bits % words];
    return (word >> hash % bits & 1) && (word >> (hash >> shift) % bits & 1);
  }

  uint32_t buckets, first_symbol, words, shift;
  const ElfW(Addr) * filter;
  const uint32_t* starts;
  const uint32_t* hashes; ///< of the symbols from `first_symbol` on; the lowest bit marks the last one of a bucket
};

} // namespace

LoadedObject::LoadedObject(const dl_phdr_info& info)
    : headers_(info), path_(info.dlpi_name ? info.dlpi_name : ""), load_address_(info.dlpi_addr) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    if (header.p_type == PT_LOAD) {
      begin_ = std::min<uintptr_t>(begin_, load_address_ + header.p_vaddr);
      end_ = std::max<uintptr_t>(end_, load_address_ + header.p_vaddr + header.p_memsz);
    }
    if (header.p_type == PT_GNU_RELRO) {
      relro_begin_ = page_down(load_address_ + header.p_vaddr);
      relro_end_ = page_down(load_address_ + header.p_vaddr + header.p_memsz); // what is no whole page stays writable
    }
    if (header.p_type == PT_TLS)
      thread_variables_ = header.p_memsz != 0;
    if (header.p_type == PT_DYNAMIC)
      read_dynamic(reinterpret_cast<const ElfW(Dyn)*>(load_address_ + header.p_vaddr));
  }
}

/// The linker has made the table's offsets addresses, but where the table is read-only.
template <class Pointer> Pointer LoadedObject::address(ElfW(Addr) value) const {
  return reinterpret_cast<Pointer>(value < load_address_ ? load_address_ + value : value);
}

void LoadedObject::read_dynamic(const ElfW(Dyn) * entry) {
  dynamic_ = entry;
  for (; entry->d_tag != DT_NULL; ++entry) {
    const auto& value = entry->d_un;
    switch (entry->d_tag) {
    case DT_STRTAB:
      strings_ = address<const char*>(value.d_ptr);
      break;
    case DT_SYMTAB:
      symbols_ = address<const ElfW(Sym)*>(value.d_ptr);
      break;
    case DT_GNU_HASH:
      gnu_hash_ = address<const uint32_t*>(value.d_ptr);
      break;
    case DT_HASH:
      hash_ = address<const uint32_t*>(value.d_ptr);
      break;
    case DT_VERSYM:
      versions_ = address<const ElfW(Half)*>(value.d_ptr);
      break;
    case DT_VERDEF:
      own_versions_ = address<const ElfW(Verdef)*>(value.d_ptr);
      break;
    case DT_VERDEFNUM:
      own_version_count_ = uint32_t(value.d_val);
      break;
    case DT_SONAME:
      shared_name_ = value.d_val;
      break;
    case DT_VERNEED:
      wanted_versions_ = address<const ElfW(Verneed)*>(value.d_ptr);
      break;
    case DT_VERNEEDNUM:
      wanted_files_ = uint32_t(value.d_val);
      break;
    case DT_RELA:
      relocations_ = address<const ElfW(Rela)*>(value.d_ptr);
      break;
    case DT_RELASZ:
      relocation_count_ = value.d_val / sizeof(ElfW(Rela));
      break;
    case DT_RELACOUNT:
      relative_count_ = value.d_val;
      break;
    case DT_JMPREL:
      calls_ = address<const ElfW(Rela)*>(value.d_ptr);
      break;
    case DT_PLTRELSZ:
      call_count_ = value.d_val / sizeof(ElfW(Rela));
      break;
    }
  }
}

bool LoadedObject::defines(uint32_t symbol, const char* name) const {
  return symbols_[symbol].st_shndx != SHN_UNDEF && strcmp(strings_ + symbols_[symbol].st_name, name) == 0;
}

std::vector<const char*> LoadedObject::needed() const {
  std::vector<const char*> names;
  for (const ElfW(Dyn)* entry = dynamic_; entry && strings_ && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED)
      names.push_back(strings_ + entry->d_un.d_val);
  return names;
}

/// `visit` says whether it has seen enough.
template <class Visit> void LoadedObject::for_each_wanted_version(Visit&& visit) const {
  const auto* file = reinterpret_cast<const char*>(wanted_versions_);
  for (uint32_t i = 0; file && i < wanted_files_; ++i) {
    const auto& needed = *reinterpret_cast<const ElfW(Verneed)*>(file);
    const char* entry = file + needed.vn_aux;
    for (uint32_t j = 0; j < needed.vn_cnt; ++j) {
      const auto& version = *reinterpret_cast<const ElfW(Vernaux)*>(entry);
      if (visit(version.vna_other, strings_ + version.vna_name))
        return;
      entry += version.vna_next;
    }
    file += needed.vn_next;
  }
}

bool LoadedObject::wants_version(std::string_view version) const {
  bool found = false;
  for_each_wanted_version([&](ElfW(Half), const char* name) { return found = name == version; });
  return found;
}

/// Of a symbol of others; empty if none is asked for.
const char* LoadedObject::version_wanted(uint32_t symbol) const {
  const char* found = "";
  if (versions_)
    for_each_wanted_version([&](ElfW(Half) number, const char* name) {
      const bool same = number == (versions_[symbol] & ~hidden_version);
      found = same ? name : found;
      return same;
    });
  return found;
}

/// Of a symbol of its own; empty if it has none.
const char* LoadedObject::version_defined(uint32_t symbol) const {
  const auto* at = reinterpret_cast<const char*>(own_versions_);
  for (uint32_t i = 0; versions_ && at && i < own_version_count_; ++i) {
    const auto& version = *reinterpret_cast<const ElfW(Verdef)*>(at);
    if (version.vd_ndx == (versions_[symbol] & ~hidden_version) && !(version.vd_flags & VER_FLG_BASE))
      return strings_ + reinterpret_cast<const ElfW(Verdaux)*>(at + version.vd_aux)->vda_name;
    at += version.vd_next;
  }
  return "";
}

/// The first one of this name that is its own and is accepted; 0 (which is no symbol) for none.
template <class Accept> uint32_t LoadedObject::find_symbol(const char* name, Accept&& accept) const {
  if (!symbols_ || !strings_)
    return 0;
  if (gnu_hash_) {
    const GnuHash table(gnu_hash_);
    const uint32_t wanted = gnu_hash_of(name);
    if (table.words == 0 || table.buckets == 0 || !table.may_have(wanted))
      return 0;
    for (uint32_t symbol = table.starts[wanted % table.buckets]; symbol >= table.first_symbol && symbol != 0;
         ++symbol) {
      const uint32_t hash = table.hashes[symbol - table.first_symbol];
      if ((hash | 1) == (wanted | 1) && defines(symbol, name) && accept(symbol))
        return symbol;
      if (hash & 1)
        return 0;
    }
    return 0;
  }
  const uint32_t symbols = hash_ ? hash_[1] : 0; // the old table says how many there are; few objects have only that
  for (uint32_t symbol = 1; symbol < symbols; ++symbol)
    if (defines(symbol, name) && accept(symbol))
      return symbol;
  return 0;
}

bool LoadedObject::defines(const char* name) const {
  return find_symbol(name, [](uint32_t) { return true; }) != 0;
}

uintptr_t LoadedObject::find_function(const char* name, const char* version) const {
  const uint32_t symbol = find_symbol(name, [&](uint32_t candidate) {
    const auto type = ELF64_ST_TYPE(symbols_[candidate].st_info);
    if (type != STT_FUNC && type != STT_GNU_IFUNC)
      return false;
    if (*version)
      return strcmp(version_defined(candidate), version) == 0;
    return !versions_ || !(versions_[candidate] & hidden_version);
  });
  if (symbol == 0)
    return 0;
  const uintptr_t address = load_address_ + symbols_[symbol].st_value;
  if (ELF64_ST_TYPE(symbols_[symbol].st_info) != STT_GNU_IFUNC)
    return address;
  return reinterpret_cast<uintptr_t (*)()>(address)();
}

std::vector<LoadedObject::Reference> LoadedObject::references(bool (*wanted)(std::string_view name)) const {
  return references_by_slots(wanted, false);
}

std::vector<LoadedObject::Reference> LoadedObject::references_by_slots(bool (*wanted)(std::string_view name),
                                                                       bool are_own) const {
  std::vector<Reference> found;
  if (!symbols_ || !strings_)
    return found;
  const auto is_slot = [](const ElfW(Rela) & entry) {
    const auto type = ELF64_R_TYPE(entry.r_info);
    return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
  };
  const size_t relative = std::min(relative_count_, relocation_count_);
  add_references(relocations_ + relative, relocation_count_ - relative, is_slot, wanted, found, are_own);
  add_references(calls_, call_count_, is_slot, wanted, found, are_own);
  return found;
}

std::vector<LoadedObject::Reference> LoadedObject::addresses_in_data(bool (*wanted)(std::string_view name)) const {
  std::vector<Reference> found;
  if (!symbols_ || !strings_)
    return found;
  const auto is_address = [](const ElfW(Rela) & entry) {
    return ELF64_R_TYPE(entry.r_info) == R_X86_64_64 && entry.r_addend == 0 && entry.r_offset % sizeof(uintptr_t) == 0;
  };
  const size_t relative = std::min(relative_count_, relocation_count_);
  add_references(relocations_ + relative, relocation_count_ - relative, is_address, wanted, found);
  return found;
}

std::vector<LoadedObject::Reference> LoadedObject::references_to_own(bool (*wanted)(std::string_view name)) const {
  return references_by_slots(wanted, true);
}

template <class IsOne>
void LoadedObject::add_references(const ElfW(Rela) * first, size_t count, IsOne&& is_one,
                                  bool (*wanted)(std::string_view name), std::vector<Reference>& found,
                                  bool are_own) const {
  for (const ElfW(Rela)* entry = first; entry != first + count; ++entry) {
    if (!is_one(*entry))
      continue;
    const auto number = uint32_t(ELF64_R_SYM(entry->r_info));
    const ElfW(Sym)& symbol = symbols_[number];
    const char* name = strings_ + symbol.st_name;
    if ((symbol.st_shndx != SHN_UNDEF) != are_own || !wanted(name))
      continue;
    auto* const slot = reinterpret_cast<uintptr_t*>(load_address_ + entry->r_offset);
    const uintptr_t target = *slot;
    // Before the first call it is the object's own code that finds the function.
    const bool unbound = !are_own && target >= begin_ && target < end_;
    found.push_back({name, version_wanted(number), unbound ? 0 : target, slot});
  }
}

std::vector<LoadedObject::Reference> LoadedObject::all_references(bool (*wanted)(std::string_view name)) const {
  std::vector<Reference> all = references(wanted);
  for (Reference& reference : addresses_in_data(wanted))
    all.push_back(std::move(reference));
  return all;
}

bool contain(const std::vector<LoadedObject>& objects, uintptr_t address) {
  return std::any_of(objects.begin(), objects.end(), [&](const LoadedObject& one) { return one.contains(address); });
}

} // namespace hetmp
