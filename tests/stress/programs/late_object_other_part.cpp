// The same once more, as another object, with a constructor that loads a third.
#include "late_object_part.cpp"

#include <cstdlib>
#include <dlfcn.h>

namespace {

late::Interface* load_third() {
  void* object = dlopen("liblate_object_third_part.so", RTLD_NOW);
  if (!object)
    abort();
  return reinterpret_cast<late::Interface* (*)()>(dlsym(object, "late_interface"))();
}

late::Interface* third = load_third();

} // namespace

extern "C" late::Interface* late_interface_of_third() { return third; }
