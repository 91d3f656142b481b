"""The programs that the cases of run.py put into trouble, and how they are started."""
import json
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import processes  # noqa: E402
from cases import Cases  # noqa: E402
from modes import environment_for  # noqa: E402
from outcome import check  # noqa: E402
from processes import run_limited  # noqa: E402
from toolchain import COMPILERS, compile_program  # noqa: E402

SECONDS = 30      # for what should take one
PATIENCE = 2.0    # within which the program must have ended after a node is lost
SUM = "11994\n"
CASES = Cases()


class Site:
    """The program, as built, and how to start it."""

    def __init__(self, build):
        self.build = build
        compiler = next(name for name in COMPILERS if shutil.which(name))
        self.program = str(compile_program(HERE / "program.c", compiler, build))

    def environment(self, mode="proc2", **settings):
        return environment_for(mode, settings, self.build, stock=False)

    def run(self, *arguments, mode="proc2", before=(), **settings):
        """(exit code, stdout, stderr)"""
        code, out, err = run_limited([*before, self.program, *arguments],
                                                 self.environment(mode, **settings), SECONDS)
        check(code is not None, f"still running after {SECONDS} s; standard error: {err!r}")
        return code, out, err

    def start_spinning(self, shell_script=None):
        command = [self.program, "spin", str(SECONDS)]
        return processes.start_until_ready(["sh", "-c", shell_script, "sh", *command] if shell_script else command,
                                           self.environment())


def run_tool(site, *arguments, seconds=SECONDS, **settings):
    environment = {name: value for name, value in site.environment("one").items() if name != "LD_PRELOAD"} | settings
    return run_limited([str(site.build / "bin" / "hetmp"), *arguments], environment, seconds)


class Sharing:
    """Programs that count on shared pages or not (sharing.cpp), by each compiler: with and without source locations."""

    def __init__(self, site, mode="proc2"):
        self.site, self.mode = site, mode
        self.programs = [(name, str(compile_program(HERE / "sharing.cpp", name, site.build)))
                         for name in COMPILERS if shutil.which(name)]

    def run(self, program, where, report):
        code, out, err = run_limited([program, where],
                                                 self.site.environment(self.mode, HETMP_REPORT=str(report)), SECONDS)
        check(code == 0 and out == "", f"{where}: exit code {code}, output {out!r}, said {err!r}")
        return err

    def reports(self, where):
        """(compiler, report) of each compiler's program."""
        with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
            for name, program in self.programs:
                file = Path(folder) / f"{name}.json"
                err = self.run(program, where, file)
                check(err == "", f"{where} by {name}: said {err!r}")
                yield name, json.loads(file.read_text())
