// Words for reports and for the traces of failed explorations.
#include "dsm/protocol/node.hpp"

namespace hetmp::dsm::protocol {

const char* name_of(MessageType type) {
  switch (type) {
  case MessageType::ReadRequest:
    return "ReadRequest";
  case MessageType::WriteRequest:
    return "WriteRequest";
  case MessageType::FetchShared:
    return "FetchShared";
  case MessageType::FetchExclusive:
    return "FetchExclusive";
  case MessageType::Invalidate:
    return "Invalidate";
  case MessageType::InvalidateAck:
    return "InvalidateAck";
  case MessageType::DataShared:
    return "DataShared";
  case MessageType::DataExclusive:
    return "DataExclusive";
  case MessageType::Grant:
    return "Grant";
  case MessageType::Done:
    return "Done";
  case MessageType::Push:
    return "Push";
  case MessageType::Keep:
    return "Keep";
  }
  return "?";
}

const char* name_of(ActionKind kind) {
  switch (kind) {
  case ActionKind::Send:
    return "Send";
  case ActionKind::SendData:
    return "SendData";
  case ActionKind::Protect:
    return "Protect";
  case ActionKind::Drop:
    return "Drop";
  case ActionKind::InstallShared:
    return "InstallShared";
  case ActionKind::InstallExclusive:
    return "InstallExclusive";
  case ActionKind::Unprotect:
    return "Unprotect";
  case ActionKind::Wake:
    return "Wake";
  case ActionKind::Hold:
    return "Hold";
  }
  return "?";
}

const char* text_of(Status status) {
  switch (status) {
  case Status::Ok:
    return "accepted";
  case Status::BadType:
    return "unknown message type";
  case Status::BadPage:
    return "page number out of range";
  case Status::BadNode:
    return "node number out of range";
  case Status::NotHome:
    return "not the page's home";
  case Status::Impossible:
    return "message impossible in the page's state";
  case Status::Overloaded:
    return "too many busy pages";
  }
  return "?";
}

} // namespace hetmp::dsm::protocol
