// What the threads of a team read when a region begins is mostly what it was in the last one.
#pragma once

#include <atomic>

namespace hetmp::runtime {

/// Writes only a value that differs: the other CPUs' copies of a cache line stay valid for as long as nothing in it is
/// written, and their threads find it there.
template <class Value> void write_changed(Value& place, const Value& value) {
  if (!(place == value))
    place = value;
}

/// The same; published by whatever the writer does next.
template <class Value> void write_changed(std::atomic<Value>& place, Value value) {
  if (place.load(std::memory_order_relaxed) != value)
    place.store(value, std::memory_order_relaxed);
}

} // namespace hetmp::runtime
