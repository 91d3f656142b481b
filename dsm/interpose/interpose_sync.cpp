// std::ios_base::sync_with_stdio of libstdc++. What std::cout and its like write to without the C library's streams is
// a buffer in the library's data, made in the process that asks for it: on other nodes there is none, and the program's
// stream, which they share, leads to it. So among nodes what the program writes to stays in step with the C library,
// which the standard allows; what it reads from does not.
#include "dsm/interpose/calling_process.hpp"
#include "dsm/interpose/next_function.hpp"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ext/stdio_sync_filebuf.h>

namespace hetmp::dsm {
namespace {

/// The program's library, whose functions these are: this one has another for itself.
struct Functions {
  const char* construct; ///< stdio_sync_filebuf(FILE*)
  const char* rdbuf;     ///< basic_ios::rdbuf(basic_streambuf*)
};
constexpr Functions narrow = {"_ZN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEEC1EP8_IO_FILE",
                              "_ZNSt9basic_iosIcSt11char_traitsIcEE5rdbufEPSt15basic_streambufIcS1_E"};
constexpr Functions wide = {"_ZN9__gnu_cxx18stdio_sync_filebufIwSt11char_traitsIwEEC1EP8_IO_FILE",
                            "_ZNSt9basic_iosIwSt11char_traitsIwEE5rdbufEPSt15basic_streambufIwS1_E"};

/// Where a stream's basic_ios is, its virtual base: the table of its functions says so, three words in front of them.
void* ios_of(void* stream) {
  const char* table = nullptr;
  memcpy(&table, stream, sizeof table);
  ptrdiff_t offset = 0;
  memcpy(&offset, table - 3 * sizeof offset, sizeof offset);
  return static_cast<char*>(stream) + offset;
}

/// Has the program's stream of that name, which may be a copy of the library's, write to `file` of the node that it is
/// used on.
void keep_in_step(NodeProcess& process, const char* name, const Functions& functions, FILE* file) {
  void* const stream = dlsym(RTLD_DEFAULT, name);
  const auto construct = next_of<void(void*, FILE*)>(functions.construct);
  const auto rdbuf = next_of<void*(void*, void*)>(functions.rdbuf);
  void* const buffer =
      stream && construct && rdbuf ? process.heap().allocate(sizeof(__gnu_cxx::stdio_sync_filebuf<wchar_t>)) : nullptr;
  if (!buffer)
    return;
  construct(buffer, file); // it stays
  rdbuf(ios_of(process.shared_variables().of(stream)), buffer);
}

bool sync_with_stdio(bool sync) {
  const bool before = next_of<bool(bool)>("_ZNSt8ios_base15sync_with_stdioEb")(sync);
  NodeProcess* const process = process_of_caller();
  if (sync || !before || !process)
    return before;
  keep_in_step(*process, "_ZSt4cout", narrow, stdout);
  keep_in_step(*process, "_ZSt4cerr", narrow, stderr);
  keep_in_step(*process, "_ZSt4clog", narrow, stderr);
  keep_in_step(*process, "_ZSt5wcout", wide, stdout);
  keep_in_step(*process, "_ZSt5wcerr", wide, stderr);
  keep_in_step(*process, "_ZSt5wclog", wide, stderr);
  return before;
}

} // namespace
} // namespace hetmp::dsm

#pragma GCC visibility push(default)
extern "C" bool _ZNSt8ios_base15sync_with_stdioEb(bool sync) { return hetmp::dsm::sync_with_stdio(sync); }
#pragma GCC visibility pop
