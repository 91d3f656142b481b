"""What an access to a page costs that another node has, counted: messages, copies, system calls, wake-ups, completions, by transport.

Counted in a virtual machine that has an RDMA device (scripts/rdma-vm), by its kernel, where time means nothing. Of two runs that differ in the number
of events only, the difference is taken: what starts and ends a run is in both.
"""
import json
import re
import shlex
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from .runs import Missing, RunFailed

SCRIPTS = Path(__file__).resolve().parent.parent
GUEST = SCRIPTS / "evaluate_parts" / "counts_guest"
WHERE = SCRIPTS / "evaluate_parts" / "where_copies_are.c"
CANNOT = 77  # rdma-vm
PAGE = 4096
INSTALL, VERBS = "c028aa03", "c0181b01"  # ioctl()'s UFFDIO_COPY and RDMA_VERBS_IOCTL, in hexadecimal digits as histograms have them
RUN_PAGES = 32

TRANSPORTS = ("shared-memory", "tcp", "verbs")
CASES = {  # of each: words and settings; how much of it, and how many events that is
    "read miss": (["--case", "read miss", "--pages"], {"HETMP_PREFETCH": "false"}, (1000, 3000), 1),
    "write miss": (["--case", "write miss", "--pages"], {"HETMP_PREFETCH": "false"}, (1000, 3000), 1),
    "run of 32 pages": (["--sequential", "pages", "--mib"], {}, (16, 48), (1 << 20) / PAGE / RUN_PAGES),
}
HOME, REQUESTER, THREADS = "home", "requester", "threads"  # service threads of the two nodes; all threads of the program
# What a service thread's system calls are for.
SENDING, RECEIVING = {"sendto", "sendmsg", "write"}, {"recvfrom"}
LOOKING = {"ppoll", "poll", "epoll_wait", "read", "sched_yield"}  # for messages and faults, or asleep until they come

KEY = re.compile(r"^\{ (?:common_pid: (?P<name>\S+) +\[ *(?P<pid>\d+)\]|prev_comm: (?P<sleeper>\S+) *, prev_pid: *(?P<sleeper_pid>\d+))"
                 r"(?:, (?:id: sys_(?P<call>\w+) +\[ *\d+\]|cmd: (?P<command>\w+)))? +\} hitcount: +(?P<hits>\d+)(?: +bytes: +(?P<bytes>\d+))?$")


class Counted:
    """One run's counts, by whose they are. What soft-RoCE's part of libibverbs calls is no call of hetmp's: a write() for each chain of posts, an
    ioctl() to be told of the next completion."""

    def __init__(self, folder, transport):
        self.folder = folder
        code = (folder / "code").read_text().strip()
        said = (folder / "out").read_text() + (folder / "err").read_text()
        if code != "0":
            raise RunFailed(f"{folder.name}: exit code {code}: {said}")
        ioctls = self._lines("sys_enter_ioctl")
        calls = self._lines("sys_enter")
        services = {key["pid"] for key in calls if key["name"] == "hetmp-service"}
        installs = {pid: sum(int(key["hits"]) for key in ioctls if key["pid"] == pid and key["command"] == INSTALL) for pid in services}
        if len(services) != 2:
            raise RunFailed(f"{folder.name}: {len(services)} service threads where two nodes were to be")
        requester = max(services, key=installs.get)
        self.roles = {pid: REQUESTER if pid == requester else HOME for pid in services}
        self.counts = Counter()
        for key in calls:
            is_post = transport == "verbs" and key["call"] == "write" and key["pid"] in services
            self._add(key, "provider" if is_post else "call " + key["call"], key["hits"])
        for key in ioctls:
            if key["command"] == INSTALL:
                self._add(key, "installs", key["hits"])
            elif key["command"] == VERBS:
                self._add(key, "provider", key["hits"])
                self._add(key, "call ioctl", -int(key["hits"]))
        for key in self._lines("sched_switch"):
            self._add(key, "sleeps", key["hits"])
        for key in self._lines("copy"):
            self._add(key, "bytes copied", key["bytes"])
        completions = re.findall(r"hitcount: +(\d+)", (folder / "completion").read_text())
        self.counts["completions"] = sum(map(int, completions))
        report = json.loads((folder / "report.json").read_text())
        self.counts["messages"] = sum(node["messages"] for node in report["totals"])

    def _lines(self, event):
        text = (self.folder / event).read_text()
        dropped = re.search(r"Dropped: (\d+)", text)
        if not dropped or dropped[1] != "0":
            raise RunFailed(f"{self.folder.name}: the kernel has not counted all of {event}")
        keys = [match.groupdict() for match in map(KEY.match, text.splitlines()) if match]
        return [key | {"name": key["name"] or key["sleeper"], "pid": key["pid"] or key["sleeper_pid"]} for key in keys]

    def _add(self, key, what, count):
        role = self.roles.get(key["pid"])
        if not role and key["name"].startswith(("dsm_faults", "hetmp-")):
            role = THREADS
        if role:
            self.counts[role, what] += int(count)


class Cost:
    """Of one event: the difference of two runs, divided."""

    def __init__(self, few, many, events):
        self.of = {key: (many.counts[key] - few.counts[key]) / events for key in set(few.counts) | set(many.counts)}

    def __call__(self, *key):
        return self.of.get(key if len(key) > 1 else key[0], 0)

    def calls(self, role, *names, but=()):
        """Of these names, or of all but those."""
        made = {key[1][5:]: value for key, value in self.of.items() if key[0] == role and key[1].startswith("call ")}
        return sum(value for name, value in made.items() if (name in names if names else name not in but))


def counts(context):
    columns = [(transport, busy) for busy in (False, True) for transport in TRANSPORTS]
    with tempfile.TemporaryDirectory(prefix="hetmp-counts-") as folder:
        out = _boot(context, columns, Path(folder))
        costs = {}
        for case, (_, _, sizes, events_each) in CASES.items():
            for column in columns:
                few, many = (Counted(out / _name(case, *column, size), column[0]) for size in sizes)
                costs[case, column] = Cost(few, many, (sizes[1] - sizes[0]) * events_each)
    print("   scripts/rdma-vm --cpus 4: two nodes of two CPUs, one thread each; HETMP_PLACEMENT=all; dsm_faults, the difference of two sizes:")
    for case, (words, settings, sizes, _) in CASES.items():
        shown = "".join(f"{name}={value} " for name, value in settings.items())
        print(f"   {case}: {shown}dsm_faults {shlex.join(words)} {sizes[1]} against {sizes[0]}")
    for case in CASES:
        _print_table(case, [(_title(*column), costs[case, column]) for column in columns])
        for column in columns:
            context.keep(f"{case}, {_title(*column)}", {" ".join(key) if isinstance(key, tuple) else key: round(value, 3)
                                                       for key, value in costs[case, column].of.items() if abs(value) >= 0.005})


def _boot(context, columns, folder):
    program = context.kernel("dsm_faults")
    check = subprocess.run([SCRIPTS / "rdma-vm", "--check"], stdout=subprocess.PIPE, text=True, check=False)
    if check.returncode == CANNOT:
        raise Missing(check.stdout.strip())
    where = folder / "where_copies_are"
    subprocess.run(["cc", "-o", where, WHERE, "-ldl"], check=True)
    lines = [". /test/counts_guest", "prepare"]
    for case, (words, settings, sizes, _) in CASES.items():
        for transport, busy in columns:
            for size in sizes:
                name = _name(case, transport, busy, size)
                environment = context.hetmp("proc:2", HETMP_TRANSPORT=transport, HETMP_BUSY_POLL=str(busy).lower(),
                                            HETMP_REPORT=f"/out/{name}/report.json", **settings)
                lines.append(shlex.join(["count", name, "env", *(f"{key}={value}" for key, value in environment.items()), program, *words, str(size)]))
    script = folder / "script"
    script.write_text("\n".join([*lines, "exit 0\n"]))
    out = folder / "out"
    files = [program, f"{context.build}/lib", f"{where}:/test/where_copies_are", f"{GUEST}:/test/counts_guest", f"{script}:/test/script"]
    done = subprocess.run([SCRIPTS / "rdma-vm", *(word for file in files for word in ("--file", file)), "--cpus", "4", "--out", out, "--seconds", "900",
                           "--", "sh", "/test/script"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    if done.returncode != 0:
        raise RunFailed(f"the machine's script ended with {done.returncode}: {done.stdout}")
    return out


def _name(case, transport, busy, size):
    return f"{case}-{transport}-{'busy' if busy else 'usual'}-{size}".replace(" ", "_")


def _title(transport, busy):
    return f"{transport}, busy" if busy else transport


def _rows(role):
    """[(what, its number in a cost)] of a service thread."""
    return [
        (f"{role}: copies of a page in user space", lambda cost: cost(role, "bytes copied") / PAGE),
        (f"{role}: system calls to send", lambda cost: cost.calls(role, *SENDING)),
        (f"{role}: to receive", lambda cost: cost.calls(role, *RECEIVING)),
        (f"{role}: for pages", lambda cost: cost.calls(role, but=SENDING | RECEIVING | LOOKING)),
        (f"{role}: to look and to sleep", lambda cost: cost.calls(role, *LOOKING)),
        (f"{role}: of soft-RoCE", lambda cost: cost(role, "provider")),
        (f"{role}: wake-ups", lambda cost: cost(role, "sleeps")),
    ]


def _print_table(case, columns):
    rows = [("messages about pages", lambda cost: cost("messages")), ("completions of the device", lambda cost: cost("completions")),
            *_rows(REQUESTER), ("requester: `UFFDIO_COPY`, of the calls for pages", lambda cost: cost(REQUESTER, "installs")),
            *_rows(HOME), ("thread that waits for the page: wake-ups", lambda cost: cost(THREADS, "sleeps"))]
    print(f"\n   | a {case} | " + " | ".join(title for title, _ in columns) + " |")
    print("   | --- |" + " --- |" * len(columns))
    for name, value in rows:  # who polls looks as often as time allows
        print(f"   | {name} | " + " | ".join("always" if name.endswith("to sleep") and title.endswith("busy") else _number(value(cost))
                                             for title, cost in columns) + " |")


def _number(value):
    return "0" if abs(value) < 0.05 else f"{value:.1f}" if value < 20 else f"{value:.0f}"
