// What a TCP transport does where its connections are sealed.
#include "dsm/transport/tcp_transport.hpp"

namespace hetmp::dsm {

void TcpTransport::seal_with(const seal::Cipher& cipher, const ConnectionKeys& keys) {
  for (uint32_t node = 0; node < outgoing_.size(); ++node)
    if (node != self_) { // to itself nothing leaves the process
      outgoing_[node].service_seal = std::make_unique<SealedLane>(cipher, keys[node][size_t(Lane::Service)].send);
      outgoing_[node].anyone_seal = std::make_unique<SealedLane>(cipher, keys[node][size_t(Lane::Anyone)].send);
    }
  for (Incoming& incoming : incoming_)
    if (incoming.from != self_) {
      const size_t bytes = incoming.reader->room_bytes();
      incoming.records =
          std::make_unique<seal::RecordReader>(cipher, keys[incoming.from][size_t(incoming.lane)].receive, bytes);
      incoming.reader = std::make_unique<FrameReader>(0, seal::most_plain_bytes);
    }
}

/// What is to be written next. Everything gathered is sealed now, in records as large as they may be.
std::vector<uint8_t>& TcpTransport::Outgoing::to_write() {
  if (!service_seal)
    return gathered;
  if (!gathered.empty())
    service_seal->add(gathered);
  gathered.clear(); // keeps its memory
  return service_seal->records();
}

size_t TcpTransport::Outgoing::waiting_bytes() const {
  return gathered.size() + (service_seal ? service_seal->records().size() : 0) - sent;
}

void TcpTransport::Outgoing::drop() {
  gathered.clear();
  if (service_seal)
    service_seal->records().clear();
  sent = 0;
}

/// The messages in what has come, as far as the records are complete.
void TcpTransport::open_records(Incoming& incoming, const Handle& handle, size_t& messages) {
  FrameReader& reader = *incoming.reader;
  while (const size_t bytes = incoming.records->next(reader.room())) {
    reader.filled(bytes);
    give_messages(incoming, handle, messages);
    if (reader.broken())
      return;
  }
  if (incoming.records->broken())
    lose(incoming.from, "what came from it was changed on the way, or was not encrypted by it", true);
}

} // namespace hetmp::dsm
