#include "runtime/launch/pmix.hpp"

#include <pmix.h>

#include <unistd.h>

namespace hetmp::launch {
namespace {

/// For the other processes of the job to come: they may still be in a queue for their CPUs.
constexpr int patience_s = 60;

std::string error_of(const char* doing, pmix_status_t status) {
  return std::string("PMIx ") + doing + ": " + PMIx_Error_string(status);
}

/// A handful of attributes for one call.
class Attributes {
 public:
  ~Attributes() {
    for (size_t i = 0; i < count_; ++i)
      PMIX_INFO_DESTRUCT(&infos_[i]);
  }
  Attributes& yes(const char* key) { return add(key, nullptr, PMIX_BOOL); } // no value means true
  Attributes& seconds(const char* key, int value) { return add(key, &value, PMIX_INT); }
  const pmix_info_t* data() const { return infos_; }
  size_t count() const { return count_; }

 private:
  Attributes& add(const char* key, const void* value, pmix_data_type_t type) {
    PMIX_INFO_LOAD(&infos_[count_], key, value, type);
    ++count_;
    return *this;
  }

  pmix_info_t infos_[2];
  size_t count_ = 0;
};

/// A value that the library has given, as `take` reads it.
template <class Take>
bool get(const std::string& job, pmix_rank_t rank, const char* key, const Attributes& how, Take&& take) {
  pmix_proc_t process;
  PMIX_LOAD_PROCID(&process, job.c_str(), rank);
  pmix_value_t* value = nullptr;
  if (PMIx_Get(&process, key, how.data(), how.count(), &value) != PMIX_SUCCESS || !value)
    return false;
  const bool taken = take(*value);
  PMIX_VALUE_RELEASE(value);
  return taken;
}

/// What the launcher has given every process at its start; 0 if it has not.
uint32_t job_number(const std::string& job, const char* key) {
  uint32_t number = 0;
  Attributes known_here;
  known_here.yes(PMIX_OPTIONAL);
  get(job, PMIX_RANK_WILDCARD, key, known_here, [&](const pmix_value_t& value) {
    number = value.type == PMIX_UINT32 ? value.data.uint32 : 0;
    return number != 0;
  });
  return number;
}

std::optional<std::string> text_of(const std::string& job, uint32_t rank, const char* key, const Attributes& how) {
  std::string text;
  const bool found = get(job, rank, key, how, [&](const pmix_value_t& value) {
    if (value.type != PMIX_STRING || !value.data.string)
      return false;
    text = value.data.string;
    return true;
  });
  return found ? std::optional(text) : std::nullopt;
}

std::string own_host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

} // namespace

std::string Pmix::open() {
  pmix_proc_t self;
  if (const pmix_status_t status = PMIx_Init(&self, nullptr, 0); status != PMIX_SUCCESS)
    return error_of("does not start", status);
  open_ = true;
  rank_ = self.rank;
  job_ = self.nspace;
  size_ = job_number(job_, PMIX_JOB_SIZE);
  if (size_ == 0 || rank_ >= size_)
    return "PMIx does not say how many processes the job has";
  all_on_this_host_ = job_number(job_, PMIX_LOCAL_SIZE) == size_;
  Attributes known_here;
  known_here.yes(PMIX_OPTIONAL);
  host_ = text_of(job_, rank_, PMIX_HOSTNAME, known_here).value_or(own_host_name());
  return {};
}

void Pmix::close() {
  if (open_)
    PMIx_Finalize(nullptr, 0);
  open_ = false;
}

std::string Pmix::publish(const char* key, const std::string& text) {
  pmix_value_t value;
  PMIX_VALUE_CONSTRUCT(&value);
  value.type = PMIX_STRING;
  value.data.string = const_cast<char*>(text.c_str()); // copied by PMIx_Put, which changes nothing
  const pmix_status_t status = PMIx_Put(PMIX_GLOBAL, key, &value);
  return status == PMIX_SUCCESS ? "" : error_of("publishes nothing", status);
}

std::string Pmix::meet(bool with_data) {
  if (with_data)
    if (const pmix_status_t status = PMIx_Commit(); status != PMIX_SUCCESS)
      return error_of("publishes nothing", status);
  Attributes how;
  how.seconds(PMIX_TIMEOUT, patience_s);
  if (with_data)
    how.yes(PMIX_COLLECT_DATA);
  pmix_proc_t all;
  PMIX_LOAD_PROCID(&all, job_.c_str(), PMIX_RANK_WILDCARD);
  const pmix_status_t status = PMIx_Fence(&all, 1, how.data(), how.count());
  return status == PMIX_SUCCESS ? "" : error_of("does not bring the job's processes together", status);
}

std::optional<std::string> Pmix::read(uint32_t rank, const char* key) const {
  Attributes how;
  how.yes(PMIX_IMMEDIATE).seconds(PMIX_TIMEOUT, patience_s);
  return text_of(job_, rank, key, how);
}

} // namespace hetmp::launch
