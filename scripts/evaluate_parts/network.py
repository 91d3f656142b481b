"""Two network namespaces of this machine, joined by a pair of virtual Ethernet devices: a network between two nodes."""
import os
import shutil
import subprocess
import tempfile

from .runs import Missing

ADDRESSES = ("10.77.214.1", "10.77.214.2")


class TwoNamespaces:
    """Use as a context. Root's; namespace i's programs run on CPU i."""

    def __init__(self):
        if os.getuid() != 0:
            raise Missing("network namespaces need root")
        for name in ("ip", "taskset"):
            if not shutil.which(name):
                raise Missing(f"no {name}")
        self.names = [f"hetmp-net-{os.getpid()}-{letter}" for letter in "ab"]
        self.devices = [f"hetmpn{os.getpid() % 100000}{letter}" for letter in "ab"]
        self.folder = None

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="hetmp-net-")
        try:
            for name in self.names:
                self._ip("netns", "add", name)
            self._ip("link", "add", self.devices[0], "type", "veth", "peer", "name", self.devices[1])
            for name, device, address in zip(self.names, self.devices, ADDRESSES):
                self._ip("link", "set", device, "netns", name)
                self._ip("-n", name, "addr", "add", address + "/24", "dev", device)
                self._ip("-n", name, "link", "set", device, "up")
                self._ip("-n", name, "link", "set", "lo", "up")
            self._write_remote_shell()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def _ip(*words):
        done = subprocess.run(["ip", *words], capture_output=True, text=True)
        if done.returncode != 0:
            raise Missing(f"no virtual network: ip {' '.join(words)}: {done.stderr.strip()}")

    def _write_remote_shell(self):
        """What hetmp run is to start programs with on the other host: an address, then a command for a shell."""
        lines = ["#!/bin/sh", 'case "$1" in']
        for number, address in enumerate(ADDRESSES):
            lines.append(f'{address}) exec {" ".join(self.inside(number))} sh -c "$2" ;;')
        lines += ["esac", "exit 1", ""]
        self.remote_shell = os.path.join(self.folder, "shell")
        with open(self.remote_shell, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        os.chmod(self.remote_shell, 0o755)

    def limit(self, rate, burst=None):
        """Lets no more than `rate`, in tc's words, out of either device; None: what there is. `burst` is what passes at once after a pause: where that is
        some pages, a program that seldom wants one finds the link as fast as memory."""
        for name, device in zip(self.names, self.devices):
            subprocess.run(["tc", "-n", name, "qdisc", "del", "dev", device, "root"], capture_output=True)
            if rate is None:
                continue
            done = subprocess.run(["tc", "-n", name, "qdisc", "add", "dev", device, "root", "tbf", "rate", rate, "burst", burst, "latency", "1s"],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                raise Missing(f"no slow links: tc qdisc add ... tbf: {done.stderr.strip()}")

    def inside(self, number):
        """Words to put before a command that is to run in a namespace."""
        return ["ip", "netns", "exec", self.names[number], "taskset", "-c", str(number)]

    def hetmp_run(self, context, *words):
        """A command that runs a program with one node in each namespace."""
        return [*self.inside(0), context.tool(), "run", *self.hosts(), "--", *words]

    def hosts(self):
        """The options by which the tool knows the namespaces, a node each."""
        return ["--hosts", ",".join(address + ":1" for address in ADDRESSES), "--remote-shell", self.remote_shell]
