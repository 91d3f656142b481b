// Whether the user wants what travels between nodes encrypted.
#pragma once

namespace hetmp::seal {

/// What HETMP_ENCRYPT says. A value that means nothing is complained about and counts as yes: whoever set it wanted
/// something.
bool wanted();

} // namespace hetmp::seal
