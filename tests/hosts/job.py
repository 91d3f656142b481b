"""A program started by a launcher as `hetmp run`, and what is to be seen of it."""
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import processes  # noqa: E402
from modes import environment_for  # noqa: E402
from outcome import check  # noqa: E402
from processes import SECONDS, complaints, run_limited  # noqa: E402
from toolchain import COMPILERS, compile_program  # noqa: E402


class Site:
    """The program, as built, and a launcher to start it by."""

    def __init__(self, build, launcher):
        self.launcher = launcher
        self.tool = str(build / "bin" / "hetmp")
        self.build = build
        self.compiler = next(name for name in COMPILERS if shutil.which(name))
        self.program = str(compile_program(HERE / "job_program.c", self.compiler, build))

    def environment(self, **settings):
        environment = environment_for("one", settings, self.build, stock=False)
        del environment["LD_PRELOAD"]
        return environment | self.launcher.environment

    def command(self, processes, *arguments, options=(), launcher_options=(), before=()):
        return [*self.launcher.start(processes, *launcher_options), *before, self.tool, "run", *options, "--",
                self.program, *arguments]

    def run(self, processes, *arguments, options=(), launcher_options=(), before=(), **settings):
        """(exit code, stdout, stderr)"""
        command = self.command(processes, *arguments, options=options, launcher_options=launcher_options, before=before)
        code, out, err = run_limited(command, self.environment(**settings), SECONDS)
        check(code is not None, f"still running after {SECONDS} s; output {out!r}, said {err!r}")
        return code, out, err

    def start(self, count, *arguments, before=(), **settings):
        """A process that has said that it is ready, and a text that is in the environment of all its processes."""
        mark = processes.new_mark()
        return processes.start_until_ready(self.command(count, *arguments, before=before),
                                           self.environment(**{processes.MARK: mark}, **settings)), mark


def check_run(result, expected_out):
    code, out, err = result
    check(code == 0 and out == expected_out and not complaints(err), f"exit code {code}, output {out!r}, said {err!r}")


def check_refused(result, form):
    """One line, whatever the number of processes, and no program."""
    code, out, err = result
    lines = complaints(err)
    check(code == 1 and out == "" and len(lines) == 1 and re.search(form, lines[0]),
          f"exit code {code}, output {out!r}, said {err!r}")
