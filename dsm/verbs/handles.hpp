// What libibverbs makes, each with an owner.
#pragma once

#include <infiniband/verbs.h>
#include <memory>

namespace hetmp::dsm {

template <auto destroy> struct VerbsDeleter {
  template <class T> void operator()(T* made) const { destroy(made); }
};
template <class T, auto destroy> using VerbsHandle = std::unique_ptr<T, VerbsDeleter<destroy>>;

using DeviceList = VerbsHandle<ibv_device*, ibv_free_device_list>;
using DeviceContext = VerbsHandle<ibv_context, ibv_close_device>;
using ProtectionDomain = VerbsHandle<ibv_pd, ibv_dealloc_pd>;
using RegisteredMemory = VerbsHandle<ibv_mr, ibv_dereg_mr>;
using CompletionChannel = VerbsHandle<ibv_comp_channel, ibv_destroy_comp_channel>;
using CompletionQueue = VerbsHandle<ibv_cq, ibv_destroy_cq>;
using QueuePair = VerbsHandle<ibv_qp, ibv_destroy_qp>;

} // namespace hetmp::dsm
