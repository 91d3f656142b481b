#!/usr/bin/env python3
"""Random stress programs with fresh seeds, in one mode after the other, until the time is up.

    soak.py --build BUILD [--minutes N] [--modes proc4,tcp4] [--programs a,b] [--first-seed N]

Every second run is random_programs.cpp (random reads, writes, atomics, locks, allocations and regions against a sequential
model); between them come the other programs whose decisions depend on the seed. One line a minute says how far it is; the last
ones say how many runs there were and how to repeat those that failed. What these said, and the stacks of those that hung
(with gdb), is kept in BUILD/stress/soak.
Exit codes: 0 nothing failed, 1 something failed, 77 skipped (the machine does not allow the modes).
"""
import argparse
import itertools
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import processes  # noqa: E402
from modes import check_machine  # noqa: E402
from outcome import SKIPPED, Failure, Skip  # noqa: E402


def load_stress_runner():
    import importlib.util  # two runners are called run
    spec = importlib.util.spec_from_file_location("stress_run", HERE / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


stress = load_stress_runner()
MAIN_PROGRAM = "random_programs.cpp"
SECONDS = 120  # for one run, on a machine that does other things as well
SCHEDULES = ("static", "dynamic,2", "guided", "hetprobe", "hetprobe-i")


def seeded_programs():
    """The other programs that decide by the seed."""
    return [path.name for path in stress.programs() if path.name != MAIN_PROGRAM and "stress::seed()" in path.read_text()]


def stacks_of(found):
    """What all threads of these processes are doing."""
    texts = []
    for pid, name in found.items():
        texts.append(f"--- {name}, process {pid}\n")
        if shutil.which("gdb"):
            try:
                texts.append(subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 20"], text=True,
                                            capture_output=True, timeout=60).stdout)
            except subprocess.TimeoutExpired:
                texts.append("gdb takes too long\n")
    return "".join(texts)


class Soak:
    def __init__(self, given):
        self.build = given.build.resolve()
        self.folder = self.build / "stress" / "soak"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.runs = {mode: 0 for mode in given.modes}
        self.failures = []  # how to repeat them, and why

    def run(self, name, mode, seed):
        """A seed chooses the schedule of loops as well."""
        source = stress.PROGRAMS / name
        wanted = stress.directives(source)
        settings = {"OMP_SCHEDULE": SCHEDULES[seed % len(SCHEDULES)]}
        environment = stress.environment_for(mode, settings, self.build, seed)
        mark = processes.new_mark()
        process = processes.start([str(stress.compile_program(source, self.build))],
                                  environment | {processes.MARK: mark})
        self.runs[mode] += 1
        try:
            out, err = process.communicate(timeout=SECONDS)
            stress.check_outcome(wanted, mode, process.returncode, out, err)
            processes.check_all_gone(mark, 5)
            return
        except subprocess.TimeoutExpired:
            problem, stacks = f"still running after {SECONDS} s", stacks_of(processes.marked(mark))
            processes.kill_group(process)
            out, err = process.communicate()
            err += stacks
        except Failure as failure:
            problem = str(failure)
        finally:
            processes.kill_group(process)
        self.keep(f"run.py --mode {mode} --source {name} --seed {seed} --set OMP_SCHEDULE={settings['OMP_SCHEDULE']}", problem,
                  out, err)

    def keep(self, command, problem, out, err):
        file = self.folder / f"failure-{len(self.failures) + 1}-{os.getpid()}.txt"
        file.write_text(f"{command}\n{problem}\n\n--- standard output\n{out}\n--- standard error\n{err}\n")
        first = (err.strip().splitlines() or ["it said nothing"])[0]
        self.failures.append(f"{command}: {problem.splitlines()[0]}; {first}")
        print(f"FAILED: {self.failures[-1]} (all of it in {file})", flush=True)

    def progress(self, began):
        counts = ", ".join(f"{mode} {count}" for mode, count in self.runs.items())
        return f"{(time.monotonic() - began) / 60:5.1f} min: {sum(self.runs.values())} runs ({counts}), {len(self.failures)} failed"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=Path, help="the build folder")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--modes", default="proc4,tcp4", type=lambda text: text.split(","), help=f"of {', '.join(stress.MODES)}")
    parser.add_argument("--programs", type=lambda text: text.split(","), help="instead of all that depend on the seed")
    parser.add_argument("--first-seed", type=int, default=int(time.time()), help="default: the time, so never the same")
    given = parser.parse_args()
    if unknown := [mode for mode in given.modes if mode not in stress.MODES]:
        parser.error(f"no such mode: {', '.join(unknown)}")
    if unknown := [name for name in given.programs or [] if not (stress.PROGRAMS / name).exists()]:
        parser.error(f"no such program: {', '.join(unknown)}")
    return given


def main():
    given = parse_arguments()
    try:
        for mode in given.modes:
            check_machine(mode, given.build.resolve())
    except Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    soak = Soak(given)
    others = itertools.cycle(given.programs or seeded_programs())
    seeds = itertools.count(given.first_seed)
    began = time.monotonic()
    print(f"seeds from {given.first_seed}, modes {', '.join(given.modes)}, {given.minutes:g} minutes", flush=True)
    told = 0
    end = began + given.minutes * 60
    while time.monotonic() < end:
        for name in (MAIN_PROGRAM, next(others)) if not given.programs else (next(others),):
            for mode in given.modes:
                if time.monotonic() < end:
                    soak.run(name, mode, next(seeds))
                if (minute := int((time.monotonic() - began) / 60)) > told:
                    told = minute
                    print(soak.progress(began), flush=True)
    print(f"done after {soak.progress(began)}")
    for failure in soak.failures:
        print(f"   {failure}")
    return 1 if soak.failures else 0


if __name__ == "__main__":
    sys.exit(main())
