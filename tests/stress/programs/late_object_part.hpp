#pragma once

#include <memory>
#include <string>

namespace late {

struct Odd {
  int number;
};

struct Shape {
  virtual ~Shape() = default;
  virtual long area() const = 0;
};

/// What an object offers that is loaded while the program runs.
class Interface {
 public:
  virtual ~Interface() = default;
  virtual int constructions() const = 0; ///< how often its global objects were built
  virtual void count() = 0;
  virtual long counted() const = 0;
  virtual void store(int index, int value) = 0;
  virtual int stored(int index) const = 0;
  virtual long sum_by_own_region(int team) const = 0;
  /// Tasks that the last thread of a team generates: how often each was executed, on average.
  virtual int run_own_tasks(int team) const = 0;
  virtual std::string* name() = 0;
  virtual std::unique_ptr<Shape> make_shape(int side) const = 0;
  /// runtime_error from an even depth, Odd from an odd one.
  virtual void throw_at_depth(int depth, int number) const = 0;
};

} // namespace late
