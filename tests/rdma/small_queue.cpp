// Makes the RDMA plugin, linked with this and --wrap, ask for a completion queue that is too small for what comes: what
// hetmp asks for cannot overflow, and a library that is preloaded does not stand in front of what its plugins call.
#include <infiniband/verbs.h>

extern "C" {
ibv_cq* __real_ibv_create_cq(ibv_context* device, int entries, void* context, ibv_comp_channel* channel, int vector);

ibv_cq* __wrap_ibv_create_cq(ibv_context* device, int, void* context, ibv_comp_channel* channel, int vector) {
  constexpr int few = 7;
  return __real_ibv_create_cq(device, few, context, channel, vector);
}
}
