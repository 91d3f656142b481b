"""Programs that tests start: in a process group each, ended in any case, and looked for afterwards."""
import contextlib
import ctypes
import os
import signal
import subprocess
import time
from pathlib import Path

from outcome import Failure, check

SECONDS = 60      # for what should take one
PATIENCE = 10     # for a launcher to have ended everything
MARK = "HOSTS_TEST"  # a variable by which the processes of a run are known, wherever a launcher starts them


def complaints(err):
    """hetmp's lines; launchers have much to say of their own, and may put something before it."""
    return [line for line in err.splitlines() if "hetmp: " in line]


def new_mark():
    return f"mark-{os.getpid()}-{time.monotonic_ns()}"


def start(command, environment, **more):
    """A process that leads a group of its own; its standard input is empty, its output and its errors are read from it."""
    given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | more
    return subprocess.Popen(command, env=environment, start_new_session=True,
                            # A background job starts with the interrupt ignored, and children inherit that.
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **given)


def start_until_ready(command, environment):
    """The same, once the program has said that it is ready."""
    process = start(command, environment)
    line = process.stdout.readline()
    if line != "ready\n":
        check(False, f"the program did not come to its region: {line!r}, {finish(process)}")
    return process


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run_limited(command, environment, seconds):
    """(exit code or None when out of time, stdout, stderr); nothing of the process group outlives the call."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        out, err = process.communicate(timeout=seconds)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        code = None
    try:
        os.killpg(process.pid, signal.SIGKILL)  # stragglers
    except ProcessLookupError:
        pass
    return code, out.decode(errors="replace"), err.decode(errors="replace")


def finish(process, seconds=SECONDS, given=None):
    """(exit code, stdout, stderr) of a process that should end by itself; whatever happens, nothing of its group stays."""
    try:
        out, err = process.communicate(given, timeout=seconds)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        kill_group(process)
        out, err = process.communicate()
        raise Failure(f"still running after {seconds} s; output {out!r}, said {err!r}") from None
    finally:
        kill_group(process)


def field_of_stat(pid):
    """(name, state, parent) from /proc, or nothing where there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, parent = stat[stat.rindex(")") + 2:].split()[:2]
    return stat[stat.index("(") + 1:stat.rindex(")")], state, int(parent)


def pids():
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def children(pid):
    """{pid: name} of the processes below `pid`."""
    found = {}
    for each in pids():
        stat = field_of_stat(each)
        if stat and stat[2] == pid and stat[1] != "Z":
            found[each] = stat[0]
    return found


def alive(pid):
    stat = field_of_stat(pid)
    return stat is not None and stat[1] not in "ZX"


def wait_until_gone(found, seconds):
    end = time.monotonic() + seconds
    while left := [pid for pid in found if alive(pid)]:
        check(time.monotonic() < end, f"processes still alive: {left}")
        time.sleep(0.01)


def marked(mark):
    """{pid: name} of the processes with this text in their environment."""
    found = {}
    for pid in pids():
        if pid != os.getpid():
            try:
                if mark.encode() in Path(f"/proc/{pid}/environ").read_bytes():
                    found[pid] = Path(f"/proc/{pid}/comm").read_text().strip()
            except OSError:
                pass  # ended meanwhile, or somebody else's
    return found


def check_all_gone(mark, seconds=PATIENCE, but=()):
    end = time.monotonic() + seconds
    while left := {pid: name for pid, name in marked(mark).items() if name not in but}:
        check(time.monotonic() < end, f"processes are still there: {left}")
        time.sleep(0.05)


def borrow_socket(pid, descriptor):
    """Another process's socket, as a descriptor here."""
    calls = ctypes.CDLL(None, use_errno=True)
    pidfd = os.pidfd_open(pid)
    try:
        borrowed = calls.syscall(438, pidfd, descriptor, 0)  # pidfd_getfd
    finally:
        os.close(pidfd)
    check(borrowed >= 0, f"no socket of process {pid}: {os.strerror(ctypes.get_errno())}")
    return borrowed


def descriptors(pid):
    """{number: what it is} of a process that opens and closes files meanwhile."""
    found = {}
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed in between
            found[int(entry.name)] = os.readlink(entry)
    return found
