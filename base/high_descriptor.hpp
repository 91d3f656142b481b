// Where a program was started with standard streams closed, their numbers stay free: what it opens next, or writes to
// them all the same, is its own business.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace hetmp {

/// The same open file as `descriptor`, which is used up, under a number above those of the standard streams, closed
/// when a program is executed. -1 stays -1, and becomes it, with errno, where there is no number left.
inline int above_standard_streams(int descriptor) {
  if (descriptor < 0 || descriptor > STDERR_FILENO)
    return descriptor;
  const int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  close(descriptor);
  errno = error;
  return higher;
}

} // namespace hetmp
