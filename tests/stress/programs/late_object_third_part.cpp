// The same once more, for a constructor of another object to load.
#include "late_object_part.cpp"
