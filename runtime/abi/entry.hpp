// How an entry point of the ABI is declared: C linkage and visible outside the library (everything else is
// hidden; exports.map then gives the name its version).
#pragma once

#define HETMP_ENTRY extern "C" __attribute__((visibility("default")))
