"""QEMU's processes: started, listened to and ended. No file is made for them; they are given sockets and memory."""
import collections
import contextlib
import ctypes
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time

from .job import NAMES, first_file_system
from .libraries import STANDARD, Libraries

PORTS = {1: ("output", "errors", "files", "status"), 2: ("errors",)}
APPENDED = "console=ttyS0 quiet panic=-1 mitigations=off audit=0 tsc=reliable"
CONSOLE_LINES = 40
C_LIBRARY = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


class Failed(Exception):
    """The machines ended, and not because the command did."""


class TimeIsUp(Exception):
    """The command still ran."""


class Console:
    """The last lines of what a machine's kernel and QEMU say."""

    def __init__(self):
        self._chunks = collections.deque(maxlen=1000)

    def write(self, data):
        self._chunks.append(data)

    def tail(self):
        return b"".join(self._chunks).decode(errors="replace").replace("\r", "").splitlines()[-CONSOLE_LINES:]


class Stream:
    """One of the script's own, to which all is written at once."""

    def __init__(self, stream):
        self._stream = stream.buffer

    def write(self, data):
        self._stream.write(data)
        self._stream.flush()


class Machine:
    """A context, after which there is no process. `wire` is a socket to the other machine, or None."""

    def __init__(self, number, cache, initrd, options, wire):
        self.number = number
        self.console = Console()
        pairs = {name: socket.socketpair() for name in PORTS[number]}
        self.ports = {name: ours for name, (ours, _) in pairs.items()}
        theirs = {name: end for name, (_, end) in pairs.items()}
        given = [initrd, *(end.fileno() for end in [*theirs.values(), *filter(None, [wire])])]
        self.process = subprocess.Popen(
            _command(number, cache, initrd, options) + _port_devices(theirs) + _network_device(number, wire), pass_fds=given,
            env=os.environ | {"QEMU_MODULE_DIR": f"{cache.tree}{STANDARD}/qemu"}, start_new_session=True, preexec_fn=_end_with_parent,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for end in theirs.values():
            end.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
        for port in self.ports.values():
            port.close()
        self.process.stdout.close()

    def end(self):
        self.process.kill()
        self.process.wait()


def _command(number, cache, initrd, options):
    shared = cache.tree / "usr/share"
    return Libraries(cache.tree).program(
        cache.tree / "usr/bin/qemu-system-x86_64", "-name", f"{NAMES[number]},process=rdma-vm-{NAMES[number]}",
        "-L", shared / "qemu", "-L", shared / "seabios", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-nic", "none",
        "-M", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", options.cpus or 3 - options.machines, "-m", options.memory,
        "-serial", "stdio", "-kernel", cache.kernel, "-initrd", f"/proc/self/fd/{initrd}", "-append", APPENDED)


def _port_devices(sockets):
    words = ["-device", "virtio-serial-pci"]
    for name, end in sockets.items():
        words += ["-chardev", f"socket,id={name},fd={end.fileno()}", "-device", f"virtserialport,chardev={name},name={name}"]
    return words


def _network_device(number, wire):
    if not wire:
        return []
    return ["-netdev", f"stream,id=wire,addr.type=fd,addr.str={wire.fileno()}",
            "-device", f"virtio-net-pci,netdev=wire,mac=52:54:00:00:00:0{number},romfile=,host_mtu=9000"]


def _end_with_parent():
    C_LIBRARY.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@contextlib.contextmanager
def started(cache, job, options):
    """The machines of a run."""
    with contextlib.ExitStack() as stack:
        wires = [stack.enter_context(end) for end in socket.socketpair()] if options.machines == 2 else [None]
        machines = []
        for number, wire in enumerate(wires, 1):
            with first_file_system(cache, job, number, options) as initrd:
                machines.append(stack.enter_context(Machine(number, cache, initrd, options, wire)))
        for wire in filter(None, wires):
            wire.close()
        yield machines


class Listener:
    """Takes what comes from the machines to where it belongs, until the command's status is there."""

    def __init__(self, machines):
        self.files = tempfile.TemporaryFile()
        self.machines = machines
        self._status = bytearray()
        self._selector = selectors.DefaultSelector()
        ends = {"output": Stream(sys.stdout), "errors": Stream(sys.stderr), "files": self.files, "status": self}
        for machine in machines:
            for name, port in machine.ports.items():
                self._selector.register(port, selectors.EVENT_READ, (ends[name], None))
            self._selector.register(machine.process.stdout, selectors.EVENT_READ, (machine.console, machine))

    def write(self, data):
        """What comes by the port `status`."""
        self._status += data

    def listen(self, seconds):
        """The command's status."""
        end = time.monotonic() + seconds
        while not self._status.endswith(b"\n"):
            if (ended := self._take(max(0, end - time.monotonic()))) and not self._status:
                raise Failed(f"machine {NAMES[ended.number]} has ended")
            if time.monotonic() >= end:
                raise TimeIsUp
        return int(self._status)

    def drain(self):
        """What is still on its way from machines that have ended."""
        while self._selector.get_map():
            self._take(None)
        self._selector.close()

    def _take(self, seconds):
        """Waits for something; returns a machine whose process has ended."""
        ended = None
        for key, _ in self._selector.select(seconds):
            sink, machine = key.data
            try:
                data = os.read(key.fd, 1 << 16)
            except ConnectionResetError:
                data = b""
            if data:
                sink.write(data)
            else:
                self._selector.unregister(key.fileobj)
                ended = ended or machine
        return ended
