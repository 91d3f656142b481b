"""Control groups: one that gives its processes a part of one CPU, one that other programs do not disturb."""
import contextlib
import os
import threading
import time

from .runs import Missing, RunFailed, finish, shown, start

ROOT = "/sys/fs/cgroup/cpu"
NAME = "hetmp-evaluate"


class CpuGroup:
    """A cgroup v1 group of processes that other programs hardly disturb: its weight is the largest there is. Removed
    at the end.

    Service threads of nodes are real-time threads. Where the kernel groups those too (RT_GROUP_SCHED), a process that
    has any can enter only a group with a real-time budget of its own: `real_time` of each CPU."""

    def __init__(self, name, real_time):
        self.path = os.path.join(ROOT, NAME + "-" + name)
        self.real_time = real_time

    def __enter__(self):
        if not os.path.exists(os.path.join(ROOT, "cpu.cfs_quota_us")) or os.geteuid() != 0:
            raise Missing("needs root and the cpu controller of cgroup v1 in " + ROOT)
        os.makedirs(self.path, exist_ok=True)
        try:
            self._set_up()
        except Missing:
            os.rmdir(self.path)
            raise
        return self

    def _set_up(self):
        self.write("cpu.shares", 262144)
        if os.path.exists(os.path.join(self.path, "cpu.rt_runtime_us")):
            self.write("cpu.rt_period_us", 1000000)
            self.write("cpu.rt_runtime_us", round(1000000 * self.real_time), patience=5)

    def __exit__(self, *_):
        for _ in range(50):
            try:
                os.rmdir(self.path)
                return
            except OSError:  # the last process is still on its way out
                time.sleep(0.1)

    def write(self, name, value, patience=0):
        """Tries for `patience` seconds: the kernel counts a removed group's real-time budget for a moment longer."""
        deadline = time.monotonic() + patience
        while True:
            try:
                with open(os.path.join(self.path, name), "w", encoding="ascii") as file:
                    file.write(str(value))
                return
            except OSError as error:
                if time.monotonic() >= deadline:
                    raise Missing(f"cannot set {name} of a control group: {error.strerror}") from None
            time.sleep(0.05)

    def add(self, pid):
        self.write("cgroup.procs", pid)


class CpuQuota(CpuGroup):
    """A group whose processes together get `share` of a CPU. Periods are short (10 ms), so that a loop of some seconds
    sees an even speed. The quota does not hold back real-time threads, that is nodes' service threads."""

    def __init__(self, share, period_us=10000, name="slow", real_time=0.2):
        super().__init__(name, real_time)
        self.share = share
        self.period_us = period_us

    def __enter__(self):
        super().__enter__()
        self.write("cpu.cfs_period_us", self.period_us)
        self.write("cpu.cfs_quota_us", round(self.period_us * self.share))
        return self

    def throttled_periods(self):
        with open(os.path.join(self.path, "cpu.stat"), encoding="ascii") as file:
            return int(dict(line.split() for line in file)["nr_throttled"])


    def run_slow_node(self, context, settings, words, timeout=None):
        """Runs a program on node processes, node 1 in the group as soon as it is there; returns the output."""
        process = start(settings, words)
        try:
            self.add(find_node(process.pid, 1))
        except RunFailed as failure:
            _explain(failure, process, context, settings, words)
        except BaseException:
            finish(process, context.options.timeout)
            raise
        return _finish(process, context, settings, words, timeout)

    def run_inside(self, context, settings, words):
        """Runs a program in the group as a whole; returns the output."""
        return _finish(start(settings, words, preexec_fn=lambda: self.add(os.getpid())), context, settings, words)

    def check(self):
        """The group must have been held back since it was made."""
        if self.throttled_periods() == 0:
            raise RunFailed("the quota never held its processes back: the measurement is void")


class NodeQuotas:
    """A group for each node of a run: node i gets at most `shares[i]` of a CPU, or what there is if that is None.

    The groups share nearly all real-time budget that there is: a service thread that has used up its group's would stop until
    the second is over, and with it whoever waits for its pages."""

    def __init__(self, shares):
        names = [f"node-{node}" for node in range(len(shares))]
        real_time = min(0.4, 0.9 / len(shares))
        self.groups = [CpuQuota(share, name=name, real_time=real_time) if share else CpuGroup(name, real_time) for name, share in zip(names, shares)]
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as entered:
            for group in self.groups:
                entered.enter_context(group)
            self.stack = entered.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def start(self, settings, words):
        """The program in node 0's group; whatever nodes it starts go to theirs as soon as they are there."""
        process = start(settings, words, preexec_fn=lambda: self.groups[0].add(os.getpid()))
        if "HETMP_NODES" in settings:
            threading.Thread(target=self._follow, args=(process,), daemon=True).start()
        return process

    def _follow(self, process):
        for node, group in enumerate(self.groups[1:], 1):
            while process.returncode is None:
                with contextlib.suppress(RunFailed):
                    group.add(find_node(process.pid, node, timeout=0.2))
                    break


def _finish(process, context, settings, words, timeout=None):
    try:
        return finish(process, timeout or context.options.timeout, context)
    except RunFailed as failure:
        raise RunFailed(f"{shown(settings, words)}: {failure}") from None


def _explain(failure, process, context, settings, words):
    """No node process: what the program says itself is the better reason, if it failed."""
    _finish(process, context, settings, words)
    raise RunFailed(f"{shown(settings, words)}: {failure}") from None


class Undisturbed(CpuGroup):
    """This process, and what it starts, ahead of everything else on the machine."""

    def __init__(self):
        super().__init__("undisturbed", 0.7)

    def __enter__(self):
        super().__enter__()
        self.add(os.getpid())
        return self

    def __exit__(self, *_):
        with open(os.path.join(ROOT, "cgroup.procs"), "w", encoding="ascii") as file:
            file.write(str(os.getpid()))
        super().__exit__()


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
