#!/usr/bin/env python3
"""Runs fuzzers, each from what its corpus here and earlier runs have found.

    run.py --build build/fuzz [--seconds 20] [--jobs 2] [TARGET ...]

New inputs are kept in BUILD/corpus/TARGET, those that show a fault in BUILD/findings. Once the fault is mended its input belongs into
corpus/TARGET, beside the seeds. Exit codes: 0 nothing was found, 1 something was.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LONGEST = {"frames": 20000}  # bytes of an input
USUAL = 4096


def targets():
    return sorted(file.stem for file in HERE.glob("*.cpp"))


def command(target, given):
    found, findings = given.build / "corpus" / target, given.build / "findings"
    for folder in found, findings:
        folder.mkdir(parents=True, exist_ok=True)
    seeds, words = HERE / "corpus" / target, HERE / f"{target}.dict"
    return [str(given.build / "tests" / "fuzz" / f"fuzz_{target}"), f"-max_total_time={given.seconds}",
            f"-max_len={LONGEST.get(target, USUAL)}", "-timeout=20", "-rss_limit_mb=1500", "-print_final_stats=1",
            f"-artifact_prefix={findings}/{target}-", *([f"-dict={words}"] if words.exists() else []), str(found), str(seeds)]


def run(target, given):
    """True if nothing was found."""
    # What this user has set is no input.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "KMP_", "GOMP_", "LIBOMP_", "HETMP_"))}
    done = subprocess.run(command(target, given), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    said = done.stdout.decode(errors="replace")
    figures = dict(line[len("stat::"):].split(":", 1) for line in said.splitlines() if line.startswith("stat::"))
    print(f"{target}: {'nothing found' if done.returncode == 0 else f'FOUND, exit code {done.returncode}'}, "
          f"{figures.get('number_of_executed_units', '?').strip()} inputs", flush=True)
    if done.returncode != 0:
        print(said[-6000:], flush=True)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=20, help="for each target")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("targets", nargs="*", help="default: " + " ".join(targets()))
    given = parser.parse_args()
    if unknown := set(given.targets) - set(targets()):
        parser.error(f"no such target: {' '.join(sorted(unknown))}")
    given.build = given.build.resolve()
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        right = list(pool.map(lambda target: run(target, given), given.targets or targets()))
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
