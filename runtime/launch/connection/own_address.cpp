#include "runtime/launch/connection/own_address.hpp"

#include <algorithm>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>

namespace hetmp::launch {
namespace {

constexpr const char* loopback_address = "127.0.0.1";

bool is_link_local(const sockaddr* address) {
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

std::string names_of(const std::vector<InterfaceAddress>& addresses) {
  std::vector<std::string> names;
  for (const InterfaceAddress& each : addresses)
    if (std::find(names.begin(), names.end(), each.interface) == names.end())
      names.push_back(each.interface);
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

/// The first that `fits`, IPv4 before IPv6; null if none does.
template <class Fits> const InterfaceAddress* first(const std::vector<InterfaceAddress>& addresses, Fits&& fits) {
  for (const bool ipv6 : {false, true})
    for (const InterfaceAddress& each : addresses)
      if (each.ipv6 == ipv6 && fits(each))
        return &each;
  return nullptr;
}

} // namespace

std::vector<InterfaceAddress> interface_addresses() {
  std::vector<InterfaceAddress> found;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0)
    return found;
  for (const ifaddrs* each = list; each; each = each->ifa_next) {
    const sockaddr* address = each->ifa_addr;
    if (!address || (address->sa_family != AF_INET && address->sa_family != AF_INET6) || is_link_local(address))
      continue;
    const bool ipv6 = address->sa_family == AF_INET6;
    char text[NI_MAXHOST];
    if (getnameinfo(address, ipv6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in), text, sizeof text, nullptr, 0,
                    NI_NUMERICHOST) == 0)
      found.push_back({each->ifa_name, text, ipv6,
                       (each->ifa_flags & IFF_UP) != 0 && (each->ifa_flags & IFF_RUNNING) != 0,
                       (each->ifa_flags & IFF_LOOPBACK) != 0});
  }
  freeifaddrs(list);
  return found;
}

OwnAddress choose_address(const std::vector<InterfaceAddress>& addresses, const std::optional<std::string>& wanted,
                          bool all_on_this_host) {
  if (wanted) {
    const auto* chosen = first(addresses, [&](const InterfaceAddress& each) { return each.interface == *wanted; });
    if (chosen)
      return {chosen->address, {}};
    return {{},
            "HETMP_INTERFACE=" + *wanted +
                ": no interface with that name has an address; these have: " + names_of(addresses)};
  }
  if (all_on_this_host)
    return {loopback_address, {}};
  const auto* chosen = first(addresses, [](const InterfaceAddress& each) { return each.up && !each.loopback; });
  if (chosen)
    return {chosen->address, {}};
  return {{}, "no interface that other hosts could reach is up"};
}

} // namespace hetmp::launch
