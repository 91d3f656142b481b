"""Places that are short of something: no /proc or /sys, refused system calls, every limit of ulimit, closed streams, odd paths.

Each row runs one program on one node and on two node processes. It must do what it does without hetmp; where node processes cannot be,
one line says why, and there is one node. Nothing hangs, crashes or floods the terminal.
"""
import ctypes
import errno
import itertools
import os
import re
import resource
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

from cases import Cases
from modes import check_machine, environment_for
from outcome import Failure, Skip, check
from toolchain import COMPILERS, compile_program

HERE = Path(__file__).resolve().parent
CASES = Cases()
SECONDS = 60
SUM = "11994\n"
MODES = ("one", "proc2")
USUAL = re.compile(r"^hetmp: userfaultfd serves user code only here: .*\n", re.M)  # which users who are not the superuser are told anywhere


class Place:
    """`enter` is called in the process before it executes, `before` are words in front of the command, `prepare` makes the command of the
    program's path. `said`: {mode: regular expression of what is said}; a mode that is not in it is silent. `preload`: the library, by
    another name than usual."""

    def __init__(self, name, *, enter=None, before=(), said=None, may_be_silent=False, prepare=None, settings=None, output=SUM, code=0,
                 preload=None):
        self.name, self.enter, self.before, self.said, self.may_be_silent = name, enter, list(before), said or {}, may_be_silent
        self.prepare = prepare or (lambda program: [program, "sum"])
        self.settings, self.output, self.code, self.preload = settings or {}, output, code, preload


def has_node_processes(site):
    try:
        check_machine("proc2", site.build)
        return True
    except Skip:
        return False


def sum_program(site):
    compiler = next(name for name in COMPILERS if shutil.which(name))
    return str(compile_program(HERE.parent / "failure" / "program.c", compiler, site.build))


def run_in(place, mode, site, program):
    """(exit code, standard output, standard error): of the program only, since nothing before it is preloaded."""
    environment = environment_for(mode, place.settings, site.build, stock=False)
    preload = environment.pop("LD_PRELOAD")
    command = [*place.before, "env", f"LD_PRELOAD={place.preload or preload}", *place.prepare(program)]
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True, preexec_fn=place.enter, text=True, errors="replace")
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        out, err = process.communicate()
        raise Failure(f"{place.name}, {mode}: still running after {SECONDS} s; output {out!r}, said {err!r}") from None
    return process.returncode, out, err


def check_place(place, mode, site, program):
    code, out, err = run_in(place, mode, site, program)
    check(code == place.code and out == place.output, f"{place.name}, {mode}: exit code {code}, output {out[:300]!r}, said {err[:600]!r}")
    wanted = place.said.get(mode)
    err = USUAL.sub("", err, count=1)
    fits = re.fullmatch(wanted + "\n", err) if wanted and (err or not place.may_be_silent) else err == ""
    check(fits, f"{place.name}, {mode}: said {err[:600]!r}, not {wanted or 'nothing'!r}")


def check_places(site, places, program=None):
    """Every one of them; what is wrong is said of all together."""
    program, nodes, wrong = program or sum_program(site), has_node_processes(site), []
    for place in places:
        for mode in MODES:
            if mode == "one" or nodes:
                try:
                    check_place(place, mode, site, program)
                except Failure as failure:
                    wrong.append(str(failure))
    check(not wrong, "\n".join(wrong))


def guest_program(site):
    """guest.c, as the first compiler makes it."""
    return site.programs[0]


def limited(which, value):
    return lambda: resource.setrlimit(which, (value, value))


def lifted(which):
    """As high as it goes, which for most is no limit at all."""
    def enter():
        try:
            resource.setrlimit(which, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except (ValueError, PermissionError):
            hard = resource.getrlimit(which)[1]
            resource.setrlimit(which, (hard, hard))
    return enter


def as_somebody_else(processes=None):
    """A user who has no processes but these, of which there may be so many. Only the superuser becomes one."""
    def enter():
        nobody = 64000 + os.getpid() % 1000
        os.setgroups([])
        os.setgid(nobody)
        os.setuid(nobody)
        if processes:
            limited(resource.RLIMIT_NPROC, processes)()
    return enter


# --- refused system calls (x86-64)

NO_TCP = r"hetmp: node processes need TCP connections within this machine, and one fails: .*; using one node"
NEW_USERFAULTFD = 0xAA00  # the request to /dev/userfaultfd
CALLS = {
    "userfaultfd": 323, "sched_setscheduler": 144, "sched_setaffinity": 203, "sched_getaffinity": 204, "perf_event_open": 298,
    "memfd_create": 319, "pidfd_open": 434, "clone3": 435, "getrandom": 318, "prctl": 157, "setpriority": 141, "membarrier": 324,
    "ioctl": 16, "prlimit64": 302, "madvise": 28, "mincore": 27, "sysinfo": 99, "rseq": 334, "get_mempolicy": 239, "eventfd2": 290, "socket": 41,
}


def refuse(call, error, request=None):
    """A seccomp filter that answers one system call with this error; and another one, `request`, with that second argument."""
    load, equal, answer, allow, refused = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000 | error
    steps = [(load, 0, 0, 0), (equal, 0, 1, CALLS[call]), (answer, 0, 0, refused)]
    if request:
        second_argument = 24  # in struct seccomp_data
        steps += [(equal, 0, 3, CALLS[request[0]]), (load, 0, 0, second_argument), (equal, 0, 1, request[1]), (answer, 0, 0, refused)]
    program = b"".join(struct.pack("HBBI", *step) for step in [*steps, (answer, 0, 0, allow)])
    text = ctypes.create_string_buffer(program)

    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]

    steps = Filter(len(program) // 8, ctypes.addressof(text))
    libc = ctypes.CDLL(None, use_errno=True)

    def enter():
        no_new_privileges, set_seccomp, by_filter = 38, 22, 2
        if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0 or libc.prctl(set_seccomp, by_filter, ctypes.byref(steps), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "no filter of system calls")
    enter.keeps = text
    return enter


@CASES.add
def system_calls_are_refused(site):
    """As in a sandbox: what is a matter of speed or of figures is done without."""
    places = [Place(f"{call} answers {os.strerror(error)}", enter=refuse(call, error))
              for call in CALLS for error in (errno.EPERM, errno.ENOSYS)
              if call not in ("clone3", "eventfd2", "madvise", "userfaultfd", "ioctl", "socket")]
    places.append(Place("no event descriptors", enter=refuse("eventfd2", errno.EPERM),
                        said={"proc2": r"hetmp: node processes need event descriptors, and one is refused: .*; using one node"}))
    places.append(Place("no sockets", enter=refuse("socket", errno.EPERM), settings={"HETMP_TRANSPORT": "tcp"},
                        said={"proc2": NO_TCP}))
    places.append(Place("clone3 is not there", enter=refuse("clone3", errno.ENOSYS)))
    no_threads = refuse("clone3", errno.EPERM)  # so the C library cannot make threads either
    smaller = r"hetmp: cannot create another thread \(.*\); teams will be smaller"
    places.append(Place("no threads", enter=no_threads, said={"one": smaller, "proc2": rf"hetmp: node processes need \d+ processes and "
                                                                                      rf"threads, .*; using one node\n{smaller}"}))
    refusal = r"hetmp: node processes need userfaultfd, which is refused here: .*; using one node"
    places.append(Place("no userfaultfd", enter=refuse("userfaultfd", errno.EPERM, ("ioctl", NEW_USERFAULTFD)), said={"proc2": refusal}))
    check_places(site, places)


@CASES.add
def limits_are_small(site):
    """Each of ulimit's, as small as the program itself can bear. Limits that keep node processes from coming into being are named."""
    needs = r"hetmp: node processes need .*\(ulimit %s is %d\); using one node"
    descriptors, gib = "-n", 1 << 30
    check_places(site, [
        Place("-c 0", enter=limited(resource.RLIMIT_CORE, 0)),
        Place("-d 100 MiB", enter=limited(resource.RLIMIT_DATA, 100 << 20), said={"proc2": needs % ("-d", 100 << 10)}),
        Place("-f 0", enter=limited(resource.RLIMIT_FSIZE, 0)),
        Place("-i 0", enter=limited(resource.RLIMIT_SIGPENDING, 0)),
        Place("-l 0", enter=limited(resource.RLIMIT_MEMLOCK, 0)),
        Place("-m 0", enter=limited(resource.RLIMIT_RSS, 0)),
        Place("-n 4", enter=limited(resource.RLIMIT_NOFILE, 4), said={"proc2": needs % (descriptors, 4)}),
        Place("-n 6", enter=limited(resource.RLIMIT_NOFILE, 6), said={"proc2": needs % (descriptors, 6)}),
        Place("-n 6 by tcp", enter=limited(resource.RLIMIT_NOFILE, 6), said={"proc2": needs % (descriptors, 6)},
              settings={"HETMP_TRANSPORT": "tcp"}),
        Place("-n 16", enter=limited(resource.RLIMIT_NOFILE, 16)),
        Place("-n 16 by tcp", enter=limited(resource.RLIMIT_NOFILE, 16), said={"proc2": needs % (descriptors, 16)},
              settings={"HETMP_TRANSPORT": "tcp"}),
        Place("-n 64 by tcp", enter=limited(resource.RLIMIT_NOFILE, 64), settings={"HETMP_TRANSPORT": "tcp"}),
        Place("-q 0", enter=limited(resource.RLIMIT_MSGQUEUE, 0)),
        Place("-r 0", enter=limited(resource.RLIMIT_RTPRIO, 0)),
        Place("-e 0", enter=limited(resource.RLIMIT_NICE, 0)),
        Place("-s 64 KiB", enter=limited(resource.RLIMIT_STACK, 64 << 10)),
        Place("-t 30", enter=limited(resource.RLIMIT_CPU, 30)),
        Place("-v 1 GiB", enter=limited(resource.RLIMIT_AS, gib), said={"proc2": needs % ("-v", gib >> 10)}),
        Place("-R 0", enter=limited(resource.RLIMIT_RTTIME, 0), prepare=lambda program: [program, "work", "1"], output="ready\n"),
    ])


@CASES.add
def processes_are_limited(site):
    """-u, which does not hold for the superuser: who is that becomes somebody else first."""
    if os.getuid() != 0 or run_in(Place("-", enter=as_somebody_else()), "one", site, sum_program(site))[0] != 0:
        raise Skip("no other user can be had who reaches the program")
    smaller = r"hetmp: cannot create another thread \(.*\); teams will be smaller"
    needs = r"hetmp: node processes need \d+ processes and threads, and number %s cannot be made: .* \(ulimit -u is %d\); using one node"
    check_places(site, [
        Place("-u 1", enter=as_somebody_else(1), said={"one": smaller, "proc2": rf"{needs % (1, 1)}\n{smaller}"}),
        Place("-u 6", enter=as_somebody_else(6), said={"proc2": needs % (6, 6)}),
        Place("a team of all", enter=as_somebody_else(600), settings={"OMP_NUM_THREADS": "99999999", "HETMP_NODES": "1"},
              said=dict.fromkeys(MODES, r"hetmp: OMP_NUM_THREADS=99999999: more than half of the threads that there can be "
                                        r"\(ulimit -u is 600\); using 300")),
        Place("-u 4000", enter=as_somebody_else(4000)),
    ])
    check_places(site, [
        Place("a team of all by its clause", enter=as_somebody_else(600), settings={"HETMP_NODES": "1"}, output="300 300\n",
              prepare=lambda program: [program, "crowd"],
              said=dict.fromkeys(MODES, r"hetmp: a team of 99999999 threads would take more than half of what there is "
                                        r"\(ulimit -u is 600\); teams have at most 300")),
    ], guest_program(site))


@CASES.add
def limits_are_lifted(site):
    """`unlimited`, as far as whoever runs this may."""
    check_places(site, [Place(f"{name[7:]} unlimited", enter=lifted(getattr(resource, name)))
                        for name in dir(resource) if name.startswith("RLIMIT_") and name != "RLIMIT_OFILE"])


@CASES.add
def streams_are_closed(site):
    """Their numbers stay free for the program, which may well write to them."""
    for count in range(1, 4):
        for closed in itertools.combinations(range(3), count):
            for transport in ("shared-memory", "tcp"):
                mask = sum(1 << number for number in range(3) if number not in closed)
                place = Place(f"closed {closed} by {transport}", enter=lambda closed=closed: [os.close(number) for number in closed],
                              prepare=lambda program: [program, "streams"], output=f"{mask}\n" if 1 not in closed else "",
                              code=mask, settings={"HETMP_TRANSPORT": transport})
                check_places(site, [place], guest_program(site))


@CASES.add
def network_is_missing(site):
    """Not even the machine's own address answers."""
    if subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode != 0:
        raise Skip("no name space of networks can be made here")
    check_places(site, [
        Place("no network", before=["unshare", "-n"]),
        Place("no network by tcp", before=["unshare", "-n"], settings={"HETMP_TRANSPORT": "tcp"}, said={"proc2": NO_TCP}),
    ])


@CASES.add
def file_systems_are_missing(site):
    """No /proc, no /sys, no /dev: other mounts, in a name space of the run's own."""
    if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/sys"], capture_output=True, check=False).returncode != 0:
        raise Skip("no name space of mounts can be made here")

    def without(*folders):
        script = "; ".join(f"mount -t tmpfs none {folder}" for folder in folders)
        return ["unshare", "-m", "sh", "-c", f'{script}; exec "$@"', "sh"]

    no_proc = {"proc2": r"hetmp: cannot execute /proc/self/exe again for node processes: .*; using one node"}
    check_places(site, [
        Place("no /proc", before=without("/proc"), said=no_proc),
        Place("no /sys", before=without("/sys")),
        Place("neither", before=without("/proc", "/sys"), said=no_proc),
        Place("no /dev", before=without("/dev"), said={"proc2": r"hetmp: node processes need userfaultfd, .*; using one node"},
              may_be_silent=True),
    ])


@CASES.add
def paths_are_odd(site):
    with tempfile.TemporaryDirectory(prefix="hetmp guest ") as folder:
        odd = Path(folder) / "pro gram ü"
        shutil.copy2(sum_program(site), odd)
        gone = f'cp "$1" "{folder}/gone"; exec 3<"{folder}/gone"; rm "{folder}/gone"; exec /proc/self/fd/3 sum'
        nowhere = f'mkdir "{folder}/here"; cd "{folder}/here"; rmdir "{folder}/here"; exec "$@"'
        relative = ["env", "-C", str(site.build)]
        check_places(site, [
            Place("blank in the path", prepare=lambda program: [str(odd), "sum"]),
            Place("executable deleted", prepare=lambda program: ["sh", "-c", gone, "sh", program]),
            Place("folder deleted", before=["sh", "-c", nowhere, "sh"]),
            Place("long arguments", prepare=lambda program: [program, "sum", *["x" * 100000] * 10]),
            Place("many arguments", prepare=lambda program: [program, "sum", *["x"] * 50000]),
            Place("long environment", settings={f"GUEST{i}": "x" * 100000 for i in range(10)}),
            Place("many variables", settings={f"GUEST{i}": "x" for i in range(10000)}),
            Place("no name", prepare=lambda program: ["bash", "-c", f"exec -a '' '{program}' sum"]),
            Place("empty arguments", prepare=lambda program: [program, "sum", "", "", "x", ""]),
            Place("relative preload", before=relative, preload="lib/libhetmp.so"),
            Place("preload by another name", preload=str(site.build / "lib" / "omp" / "libomp.so.5")),
        ])
