#include "stream_formats_part.hpp"

#include <iostream>

void part::write(double value) { std::cout << value << std::endl; }

long part::precision() { return std::cout.precision(); }
