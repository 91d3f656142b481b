"""Runs for random_failures.py: how each layout starts one, which processes it consists of, and what can happen to them."""
import contextlib
import os
import signal
import threading
import time
from pathlib import Path

from programs import Site  # it finds the modules of tests/common
import outcome
import processes
import two_hosts
from outcome import Skip, check

SECONDS = 120       # that the program would run if nothing happened to it
START_PATIENCE = 20  # for a process that something is to happen to


class Failure:
    """Something that happens: `strike` does it to a run. `speaks`: somebody is left who can say what happened, in a line with
    these words. `silent`: nothing but silence tells."""

    def __init__(self, name, strike, words=(), speaks=True, silent=False):
        self.name, self.strike, self.words, self.speaks, self.silent = name, strike, words, speaks, silent


def wait_for(find, run):
    """What it finds, as soon as that is something."""
    end = time.monotonic() + START_PATIENCE
    while not (found := find()):
        check(run.process.poll() is None, f"the run ended before anything happened: {run.finish()}")
        check(time.monotonic() < end, f"nothing to strike in {START_PATIENCE} s; processes {run.processes()}")
        time.sleep(0.005)
    return found


def send(number, pid):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        raise outcome.Failure(f"process {pid} has gone by itself") from None


class Run:
    """A program and all that belongs to it. Its output is read from the beginning, or it might fill the pipe."""

    def __init__(self, command, environment):
        self.process = processes.start(command, environment)
        self.ready = False  # the program runs on all nodes
        self.outcome = None
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        lines = []
        errors = []
        other = threading.Thread(target=lambda: errors.append(self.process.stderr.read()))
        other.start()
        for line in self.process.stdout:
            lines.append(line)
            self.ready |= line == "ready\n"
        other.join()
        self.outcome = (self.process.wait(), "".join(lines), errors[0])

    def finish(self):
        self._reader.join(5)
        return self.outcome

    def end(self):
        """Whatever is left of it."""
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._reader.join(START_PATIENCE)
        check(self.outcome is not None, "somebody holds the output of the run although all its processes have ended")


class RunHere(Run):
    is_here = True

    def processes(self):
        """{pid: name} of what is left of its session, which nobody leaves."""
        found = {}
        for pid in processes.pids():
            with contextlib.suppress(OSError):
                if os.getsid(pid) == self.process.pid and (stat := processes.field_of_stat(pid)) and stat[1] not in "ZX":
                    found[pid] = stat[0]
        return found

    def nodes(self):
        return sorted(processes.children(self.process.pid))


class OneMachine:
    longest_start = 1.0

    def __init__(self, name, site, transport):
        self.name, self.site, self.transport = name, site, transport
        self.failures = [
            Failure("a node is killed", self.kill_node, ["node "]),
            Failure("the program's own process is killed", lambda run: send(signal.SIGKILL, run.process.pid), speaks=False),
        ]

    @contextlib.contextmanager
    def start(self, choose):
        nodes = choose.randint(2, 4)
        self.which = choose.random()
        run = RunHere([self.site.program, "work", str(SECONDS)],
                      self.site.environment("one", HETMP_NODES=f"proc:{nodes}", HETMP_TRANSPORT=self.transport,
                                            OMP_SCHEDULE=choose.choice(["static", "hetprobe"])))
        try:
            yield run
        finally:
            run.end()

    def kill_node(self, run):
        nodes = wait_for(run.nodes, run)
        send(signal.SIGKILL, nodes[int(self.which * len(nodes))])

    def stop(self):
        pass


class RunOnHosts(Run):
    is_here = False

    def __init__(self, command, environment, hosts):
        self.hosts = hosts
        super().__init__(command, environment)

    def processes(self):
        """{pid: name} of everything on the hosts but their ssh servers."""
        found = {}
        for name in self.hosts.names:
            for pid in self.hosts.processes(name):
                stat = processes.field_of_stat(pid)
                if stat and stat[1] not in "ZX" and stat[0] != "sshd":
                    found[pid] = stat[0]
        return found

    def _is_agent(self, pid):
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[1:2] == [b"agent"]
        except OSError:
            return False

    def agent(self, host):
        for pid in self.hosts.processes(self.hosts.names[host]):
            stat = processes.field_of_stat(pid)
            if stat and self._is_agent(pid) and not self._is_agent(stat[2]):
                return pid
        return None

    def node(self, host):
        """The process below the agent."""
        agent = self.agent(host)
        return next(iter(processes.children(agent)), None) if agent else None

    def remote_shells(self):
        return [pid for pid, name in processes.children(self.process.pid).items() if name == "ssh"]


class Hosts:
    name = "hosts"
    longest_start = 1.5

    def __init__(self, site):
        self.site = site
        try:
            self.hosts = two_hosts.TwoHosts().__enter__()
        except two_hosts.Absent as reason:
            raise Skip(str(reason)) from None
        first, second = two_hosts.ADDRESSES
        self.failures = [
            Failure("a node is killed", self.to_node(signal.SIGKILL, 1), ["node 1", second]),
            Failure("a node is stopped", self.to_node(signal.SIGSTOP, 1), ["node 1", second], silent=True),
            Failure("the program's own process is killed", self.to_node(signal.SIGKILL, 0), ["node 0", first]),
            Failure("the program's own process is stopped", self.to_node(signal.SIGSTOP, 0), ["node 0", first], silent=True),
            Failure("an agent is killed", self.to_agent(1), [second]),
            Failure("the first agent is killed", self.to_agent(0), [first]),
            Failure("a remote shell is killed", lambda run: send(signal.SIGKILL, wait_for(run.remote_shells, run)[-1])),
            Failure("the launcher is killed", lambda run: send(signal.SIGKILL, run.process.pid), speaks=False),
            Failure("the link is cut", self.cut, [second], silent=True),
        ]

    @contextlib.contextmanager
    def start(self, choose):
        environment = self.site.environment("one", OMP_SCHEDULE=choose.choice(["static", "hetprobe"]))
        del environment["LD_PRELOAD"]
        run = RunOnHosts([*self.hosts.inside(0), str(self.site.build / "bin" / "hetmp"), "run", "--hosts",
                          ",".join(two_hosts.ADDRESSES), "--remote-shell", self.hosts.remote_shell, "--", self.site.program, "work",
                          str(SECONDS)], environment, self.hosts)
        try:
            yield run
        finally:
            self.hosts.mend()
            run.end()
        self.check_sockets()

    def to_node(self, number, host):
        return lambda run: send(number, wait_for(lambda: run.node(host), run))

    def to_agent(self, host):
        return lambda run: send(signal.SIGKILL, wait_for(lambda: run.agent(host), run))

    def cut(self, run):
        wait_for(lambda: run.node(1), run)
        self.hosts.cut()

    def check_sockets(self):
        """Nobody listens but the ssh servers."""
        for host in range(2):
            command = [*self.hosts.inside(host), "cat", "/proc/net/tcp"]
            lines = two_hosts.call(*command).splitlines()[1:]
            listening = {int(line.split()[1].split(":")[1], 16) for line in lines if line.split()[3] == "0A"}
            check(listening == {two_hosts.PORT}, f"host {host} listens on {listening}")

    def stop(self):
        self.hosts.__exit__()


LAYOUTS = {
    "proc": lambda site: OneMachine("proc", site, "shared-memory"),
    "tcp": lambda site: OneMachine("tcp", site, "tcp"),
    "hosts": Hosts,
}


def make_layouts(names, build):
    """(layouts by name, why others cannot be)"""
    site, layouts, absent = Site(build), {}, []
    for name in dict.fromkeys(names):
        try:
            layouts[name] = LAYOUTS[name](site)
        except Skip as reason:
            absent.append(f"{name}: {reason}")
    return layouts, absent
