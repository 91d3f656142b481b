/* A request with its reply of 4 KiB over TCP, between blocked threads of two processes: the part of a DSM fault over
 * TCP that is the network's. The processes are made here, on the loopback, or started one by one, with an address
 * between them. */
#define _GNU_SOURCE /* accept4 */
#include "primitives.h"
#include "samples.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FRAME_HEADER = 64, REQUEST_BYTES = 64, REPLY_BYTES = FRAME_HEADER + PAGE_BYTES };

static void give_up(const char* what) {
  fprintf(stderr, "dsm_faults: ");
  perror(what);
  exit(2);
}

/* "ADDRESS:PORT" of IPv4. */
static struct sockaddr_in parse_address(const char* text) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  char host[64];
  unsigned port;
  if (sscanf(text, "%63[^:]:%u", host, &port) != 2 || inet_pton(AF_INET, host, &address.sin_addr) != 1) {
    fprintf(stderr, "dsm_faults: %s is no ADDRESS:PORT\n", text);
    exit(2);
  }
  address.sin_port = htons((uint16_t)port);
  return address;
}

static int listen_at(struct sockaddr_in* address) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  socklen_t length = sizeof *address;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr*)address, sizeof *address) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, (struct sockaddr*)address, &length) != 0)
    give_up("cannot listen");
  return listener;
}

static void send_at_once(int connection) {
  const int on = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* Waits as a service thread does; false when the other side has closed. */
static int receive(int connection, char* to, size_t bytes) {
  for (size_t got = 0; got < bytes;) {
    struct pollfd entry = {.fd = connection, .events = POLLIN};
    poll(&entry, 1, -1);
    const ssize_t more = recv(connection, to + got, bytes - got, MSG_DONTWAIT);
    if (more <= 0)
      return 0;
    got += (size_t)more;
  }
  return 1;
}

static void answer(int listener, int cpu) {
  static char request[REQUEST_BYTES], reply[REPLY_BYTES];
  const int connection = accept4(listener, NULL, NULL, 0);
  if (connection < 0)
    give_up("no connection");
  send_at_once(connection);
  pin_thread(cpu);
  raise_priority();
  memset(reply, 1, sizeof reply);
  while (receive(connection, request, sizeof request))
    if (send(connection, reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply)
      break;
  close(connection);
}

static void ask(const struct sockaddr_in* address, size_t count, int cpu) {
  static char request[REQUEST_BYTES], reply[REPLY_BYTES];
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(connection, (const struct sockaddr*)address, sizeof *address) != 0)
    give_up("cannot connect");
  send_at_once(connection);
  pin_thread(cpu);
  raise_priority();
  uint64_t* ns = malloc(count * sizeof *ns);
  if (!ns)
    exit(2);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t start = now_ns();
    if (send(connection, request, sizeof request, MSG_NOSIGNAL) != sizeof request ||
        !receive(connection, reply, sizeof reply))
      give_up("the connection ended");
    ns[i] = now_ns() - start;
  }
  close(connection);
  report_times("request and 4 KiB reply over TCP", ns, count);
  free(ns);
}

int measure_sockets(size_t count, const int cpus[2]) {
  struct sockaddr_in address = parse_address("127.0.0.1:0");
  const int listener = listen_at(&address);
  const pid_t other = fork();
  if (other < 0)
    return 2;
  if (other == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    answer(listener, cpus[0]);
    _exit(0);
  }
  ask(&address, count, cpus[1]);
  close(listener);
  waitpid(other, NULL, 0);
  return 0;
}

int serve_sockets(const char* address_and_port, int cpu) {
  struct sockaddr_in address = parse_address(address_and_port);
  const int listener = listen_at(&address);
  printf("listening\n");
  fflush(stdout);
  answer(listener, cpu);
  return 0;
}

int ask_sockets(const char* address_and_port, size_t count, int cpu) {
  const struct sockaddr_in address = parse_address(address_and_port);
  ask(&address, count, cpu);
  return 0;
}
