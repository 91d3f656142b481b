// What hetmp's own libraries call, bound to those that they were linked with, past whoever stands in front.
//
// A library that is preloaded, or the program itself, may have a `recv`, `memcpy` or `malloc` of its own, and the
// dynamic linker binds everybody's calls to that. Its data are the program's: memory that nodes share
// (private_objects.hpp). The service thread would wait for ever for a page that only it can bring. The program's own
// calls lead where they led before.
#pragma once

namespace hetmp::dsm {

/// For all of hetmp's libraries that are loaded and what they need but for the C library, whose calls stay within
/// itself. Where this library stands in front of a function (malloc, mmap, dlopen ...), that is what the others of
/// hetmp's are bound to. To be called before there are service threads.
void bind_directly();

} // namespace hetmp::dsm
