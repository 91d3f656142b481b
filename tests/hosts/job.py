"""A program started by a launcher as `hetmp run`, and what is to be seen of it."""
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))
import run as conformance  # noqa: E402  (its toolchain, its environment, its process groups)

SECONDS = 60      # for what should take one
PATIENCE = 10     # for a launcher to have ended everything


def check(condition, message):
    if not condition:
        raise conformance.Failure(message)


class Site:
    """The program, as built, and a launcher to start it by."""

    def __init__(self, build, launcher):
        self.launcher = launcher
        self.tool = str(build / "bin" / "hetmp")
        self.build = build
        self.compiler = next(name for name in conformance.COMPILERS if conformance.shutil.which(name))
        self.program = str(conformance.compile_program(HERE / "job_program.c", self.compiler, build))

    def environment(self, **settings):
        environment = conformance.environment_for("one", settings, self.build, stock=False)
        del environment["LD_PRELOAD"]
        return environment | self.launcher.environment

    def command(self, processes, *arguments, options=(), launcher_options=(), before=()):
        return [*self.launcher.start(processes, *launcher_options), *before, self.tool, "run", *options, "--",
                self.program, *arguments]

    def run(self, processes, *arguments, options=(), launcher_options=(), before=(), **settings):
        """(exit code, stdout, stderr)"""
        command = self.command(processes, *arguments, options=options, launcher_options=launcher_options, before=before)
        code, out, err = conformance.run_limited(command, self.environment(**settings), SECONDS)
        check(code is not None, f"still running after {SECONDS} s; output {out!r}, said {err!r}")
        return code, out, err

    def start(self, processes, *arguments, before=(), **settings):
        """A process that has said that it is ready, and a text that is in the environment of all its processes."""
        mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
        process = subprocess.Popen(self.command(processes, *arguments, before=before),
                                   env=self.environment(HOSTS_TEST=mark, **settings), text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        line = process.stdout.readline()
        if line != "ready\n":
            check(False, f"the program did not come to its region: {line!r}, {finish(process)}")
        return process, mark


def marked(mark):
    """{pid: name} of the processes with this text in their environment."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if mark.encode() in (entry / "environ").read_bytes():
                    found[int(entry.name)] = (entry / "comm").read_text().strip()
            except OSError:
                pass  # ended meanwhile, or somebody else's
    return found


def check_all_gone(mark, but=()):
    end = time.monotonic() + PATIENCE
    while left := {pid: name for pid, name in marked(mark).items() if name not in but}:
        check(time.monotonic() < end, f"processes are still there: {left}")
        time.sleep(0.05)


def finish(process):
    """(exit code, stdout, stderr) of a launcher that should end by itself; nothing of its group stays."""
    try:
        out, err = process.communicate(timeout=SECONDS)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        raise conformance.Failure(f"still running after {SECONDS} s") from None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def complaints(err):
    """hetmp's lines; launchers have much to say of their own."""
    return [line for line in err.splitlines() if "hetmp: " in line]


def check_run(result, expected_out):
    code, out, err = result
    check(code == 0 and out == expected_out and not complaints(err), f"exit code {code}, output {out!r}, said {err!r}")


def check_refused(result, form):
    """One line, whatever the number of processes, and no program."""
    code, out, err = result
    lines = complaints(err)
    check(code == 1 and out == "" and len(lines) == 1 and re.search(form, lines[0]),
          f"exit code {code}, output {out!r}, said {err!r}")
