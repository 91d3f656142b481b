#pragma once

namespace part {

void write(double value);
long precision();

} // namespace part
