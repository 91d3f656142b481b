// PMIx: what the processes of a job know of each other through the launcher that started them (srun, mpirun, prterun).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hetmp::launch {

/// This process's connection to its launcher. Functions that can fail return what is wrong, one phrase; empty if
/// nothing is. A process has one at a time, and one thread uses it.
class Pmix {
 public:
  Pmix() = default;
  ~Pmix() { close(); }
  Pmix(const Pmix&) = delete;
  Pmix& operator=(const Pmix&) = delete;

  std::string open();
  /// Takes leave of the launcher, for which the process's end is from now on that of a process that has done its work.
  void close();

  uint32_t rank() const { return rank_; }
  /// Processes in the job.
  uint32_t size() const { return size_; }
  bool all_on_this_host() const { return all_on_this_host_; }
  /// This host, as the launcher calls it.
  const std::string& host() const { return host_; }

  /// For all processes to read after exchange().
  std::string publish(const char* key, const std::string& text);
  /// Waits until all processes of the job are here, and makes what they have published readable.
  std::string exchange() { return meet(true); }
  /// Waits until all processes of the job are here.
  std::string meet() { return meet(false); }
  /// What a process has published; nothing if it has not.
  std::optional<std::string> read(uint32_t rank, const char* key) const;

 private:
  std::string meet(bool with_data);

  bool open_ = false;
  uint32_t rank_ = 0;
  uint32_t size_ = 0;
  bool all_on_this_host_ = false;
  std::string host_;
  std::string job_;
};

} // namespace hetmp::launch
