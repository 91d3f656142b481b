"""A slower core than there is: a control group that gives its processes a part of one CPU."""
import os
import time

from .runs import Missing, RunFailed

ROOT = "/sys/fs/cgroup/cpu"
NAME = "hetmp-evaluate"


class CpuQuota:
    """A cgroup v1 group whose processes together get `share` of a CPU; removed at the end.

    Periods are short (10 ms), so that a loop of some seconds sees an even speed. Service threads of nodes are
    real-time threads, which the quota does not hold back; where the kernel groups those too (RT_GROUP_SCHED), a
    process that has any can enter only a group with a real-time budget of its own."""

    def __init__(self, share, period_us=10000):
        self.path = os.path.join(ROOT, NAME)
        self.share = share
        self.period_us = period_us

    def __enter__(self):
        if not os.path.exists(os.path.join(ROOT, "cpu.cfs_quota_us")) or os.geteuid() != 0:
            raise Missing("needs root and the cpu controller of cgroup v1 in " + ROOT)
        os.makedirs(self.path, exist_ok=True)
        self._write("cpu.cfs_period_us", self.period_us)
        self._write("cpu.cfs_quota_us", round(self.period_us * self.share))
        if os.path.exists(os.path.join(self.path, "cpu.rt_runtime_us")):
            self._write("cpu.rt_period_us", 1000000)
            self._write("cpu.rt_runtime_us", 500000)
        return self

    def __exit__(self, *_):
        for _ in range(50):
            try:
                os.rmdir(self.path)
                return
            except OSError:  # the last process is still on its way out
                time.sleep(0.1)

    def _write(self, name, value):
        try:
            with open(os.path.join(self.path, name), "w", encoding="ascii") as file:
                file.write(str(value))
        except OSError as error:
            raise Missing(f"cannot set {name} of a control group: {error.strerror}") from None

    def add(self, pid):
        self._write("cgroup.procs", pid)

    def throttled_periods(self):
        with open(os.path.join(self.path, "cpu.stat"), encoding="ascii") as file:
            return int(dict(line.split() for line in file)["nr_throttled"])


def find_node(program, node, timeout=5.0):
    """The pid of a node process, as soon as it is there; it is a child of the program, known by its name."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        for child in _children(program):
            if _name(child) == f"hetmp-node-{node}":
                return child
        time.sleep(0.0005)
    raise RunFailed(f"no process hetmp-node-{node} appeared")


def _children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return []


def _name(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""
