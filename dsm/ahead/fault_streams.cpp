#include "dsm/ahead/fault_streams.hpp"

namespace hetmp::dsm {

PageSeries FaultStreams::fault(PageNumber page, Access access, uint32_t thread) {
  if (access == Access::Upgrade)
    note_upgrade(page);
  else if (Stream* stream = reads_.find_continued(page))
    return go_on(reads_, *stream, page, access);
  // Others may write now what was written once and is read.
  if (Stream* stream = access == Access::Read ? nullptr : writes_.find_continued(page))
    return go_on(writes_, *stream, page, Access::Write);
  return start(access == Access::Read ? reads_ : writes_, page, access, thread);
}

PageSeries FaultStreams::fault_under_way(PageNumber page, Access access) {
  // A stream of reads does not go on because one of its pages is written.
  if (Stream* stream = access == Access::Upgrade ? nullptr : reads_.find_announced(page))
    return go_on_early(reads_, *stream, page, access);
  if (Stream* stream = writes_.find_announced(page))
    return go_on_early(writes_, *stream, page, Access::Write);
  return {};
}

PageSeries FaultStreams::used(PageNumber page) {
  if (Stream* stream = reads_.find_announced(page); stream && stream->write)
    return go_on_early(reads_, *stream, page, Access::Write);
  return fault_under_way(page, Access::Upgrade);
}

void FaultStreams::regretted(PageNumber page) {
  for (Stream& stream : reads_)
    if (stream.covers(page)) {
      stream.write = false;
      stream.upgrades = 0;
    }
  for (Stream& stream : writes_)
    if (stream.covers(page)) {
      writes_.shorten(stream, page);
      stream = {};
    }
}

PageSeries FaultStreams::start(StreamTable& table, PageNumber page, Access access, uint32_t thread) {
  if (Stream* stream = table.find_again(page, thread))
    return go_on(table, *stream, page, access);
  if (Stream* stream = table.find_skipping(page, thread))
    return go_on(table, *stream, page, access);
  if (Stream* stream = table.find_beside(page, thread))
    return go_on(table, *stream, page, access);
  const auto [stream, goes_on] = table.start(page, thread);
  stream.write = stream.write || access != Access::Read;
  if (goes_on)
    return go_on(table, stream, page, access);
  PageSeries none;
  none.write = stream.write;
  return none;
}

/// The stream has come to `fault`, and the next series begins behind it.
PageSeries FaultStreams::go_on(StreamTable& table, Stream& stream, PageNumber fault, Access access) {
  return announce(table, stream, fault, fault + uint64_t(stream.stride), access);
}

/// The stream is within its last series: the next one begins behind that.
PageSeries FaultStreams::go_on_early(StreamTable& table, Stream& stream, PageNumber fault, Access access) {
  return announce(table, stream, fault, stream.expected, access);
}

PageSeries FaultStreams::announce(StreamTable& table, Stream& stream, PageNumber fault, PageNumber first,
                                  Access access) {
  if (access == Access::Read && ++stream.quiet > most_quiet)
    stream.upgrades = 0;
  const bool write = stream.write || access != Access::Read;
  const bool began_writing = &table == &writes_;
  PageSeries series =
      table.announce(stream, fault, first,
                     {began_writing ? first_written_length : first_length, began_writing ? 1 : first_series,
                      write ? longest_written_series : longest_series});
  series.write = write;
  return series;
}

/// One of the streams of reads may have brought the page.
void FaultStreams::note_upgrade(PageNumber page) {
  for (Stream& stream : reads_)
    if (stream.is_in_front(page)) {
      stream.quiet = 0;
      stream.write = stream.write || ++stream.upgrades >= enough_upgrades;
    }
}

} // namespace hetmp::dsm
