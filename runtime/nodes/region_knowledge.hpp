// What is learned of a program's regions lasts from run to run: the file's edge (docs/knowledge.md). On the origin of
// node processes only, and only where placement learns (HETMP_PLACEMENT=auto).
#pragma once

namespace hetmp::runtime::region_knowledge {

/// The program, its nodes, and where what it learns is kept.
struct Place;

/// Before the first region. Says one line if there is a file that cannot be used. Null if nothing is to be kept; else
/// never destroyed.
const Place* recall();

/// At the end of the run: puts what it has learned to what is known.
void keep(const Place& place);

} // namespace hetmp::runtime::region_knowledge
