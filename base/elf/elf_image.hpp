// The one reader of ELF's tables besides the dynamic linker's own (base/loaded_object.hpp): of segments in memory, of
// notes, and of files. What a file says is not believed, since it need not be the one that was loaded: every offset and
// count is checked against the bytes that there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <link.h>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp {

/// A part of a loaded object, where it lies in memory.
struct LoadedSegment {
  uint32_t type;  ///< PT_...
  uint32_t flags; ///< PF_...
  uintptr_t begin;
  size_t bytes;
  size_t file_bytes; ///< of those, the first ones, which have content in the file
  size_t alignment;

  uintptr_t end() const { return begin + bytes; }
  bool contains(uintptr_t address) const { return address - begin < bytes; }
};

/// Of each program header, in their order. As long as the object stays loaded.
template <class Visit> void for_each_segment(const dl_phdr_info& info, Visit&& visit) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    visit(LoadedSegment{header.p_type, header.p_flags, uintptr_t(info.dlpi_addr + header.p_vaddr), header.p_memsz,
                        header.p_filesz, header.p_align});
  }
}

/// The build id among these notes (a PT_NOTE segment's bytes), in hexadecimal digits; empty if there is none.
std::string build_id_in(const uint8_t* notes, size_t bytes);

/// The name of a loaded object's file, without its folder; "program" for the program. Empty for what the kernel brings
/// along, which is no file.
std::string object_name(const dl_phdr_info& object);

/// What the file is: its build id or, without one, the sizes of its segments.
std::string object_content(const dl_phdr_info& object);

/// A symbol that its object defines.
struct ElfSymbol {
  uint64_t value; ///< its address without the object's base
  uint64_t bytes;
  unsigned type; ///< STT_...
  const char* name;
};

/// An ELF file's bytes, which outlive this. Of this machine's class.
class ElfImage {
 public:
  ElfImage(const void* bytes, size_t size) : bytes_(static_cast<const char*>(bytes)), size_(size) {}

  /// The symbols of the fullest table there is; none if the bytes are not an ELF file or cannot be one.
  template <class See> void each_symbol(See see) const {
    for (const uint32_t type : {uint32_t(SHT_SYMTAB), uint32_t(SHT_DYNSYM)}) {
      const SymbolTable table = find_symbols(type);
      for (size_t i = 0; i < table.count; ++i)
        if (const ElfW(Sym)& symbol = table.symbols[i];
            symbol.st_shndx != SHN_UNDEF && symbol.st_name < table.name_bytes)
          see(ElfSymbol{symbol.st_value, symbol.st_size, symbol.st_info & 0xfU, table.names + symbol.st_name});
      if (table.symbols)
        return;
    }
  }

 private:
  struct SymbolTable {
    const ElfW(Sym) * symbols = nullptr; ///< null: there is no such table
    size_t count = 0;
    const char* names = nullptr; ///< the last one ends with them
    size_t name_bytes = 0;
  };

  template <class Part> const Part* part(uint64_t offset, uint64_t count = 1) const {
    if (offset > size_ || count > (size_ - offset) / sizeof(Part) || offset % alignof(Part) != 0)
      return nullptr;
    return reinterpret_cast<const Part*>(bytes_ + offset);
  }
  SymbolTable find_symbols(uint32_t type) const;

  const char* bytes_;
  size_t size_;
};

} // namespace hetmp
