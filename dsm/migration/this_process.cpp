#include "dsm/migration/this_process.hpp"

namespace hetmp::dsm {

ThisProcess this_process;

} // namespace hetmp::dsm
