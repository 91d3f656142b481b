// How a transport is made of its line in the table.
#pragma once

#include "dsm/transport/transport.hpp"
#include "dsm/transports.hpp"

#include <memory>

namespace hetmp::dsm {

/// A kind of transport, and what makes one of it.
struct TransportDescriptor {
  TransportKind kind;
  std::unique_ptr<Transport> (*make)();
};

/// Of each line of a table. All its classes must be complete types.
template <class... T> constexpr auto describe_transports(const std::tuple<TransportEntry<T>...>& table) {
  return std::array{TransportDescriptor{std::get<TransportEntry<T>>(table).kind,
                                        +[]() -> std::unique_ptr<Transport> { return std::make_unique<T>(); }}...};
}

/// Of an element of transport_kinds.
std::unique_ptr<Transport> make_transport(const TransportKind& kind);

} // namespace hetmp::dsm
