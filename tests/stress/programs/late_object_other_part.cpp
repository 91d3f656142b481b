// The same once more, as another object.
#include "late_object_part.cpp"
