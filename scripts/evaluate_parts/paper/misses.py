"""Experiment E5: cache misses of the programs that the paper kept on one node, by cachegrind: where no hardware counts them, a model does.

One thread on one node; small sizes, since cachegrind takes fifty times as long. The caches are the paper's Xeon's."""
import os
import re
import shutil
import subprocess
import tempfile

from ..runs import Missing, RunFailed
from . import programs

SIZES = {"cg": "S", "sp": "S", "streamcluster": "S", "bt": "S", "lud": "W", "cfd": "S"}
CACHES = ("--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64")  # small sizes want a small last level: see LAST_LEVEL
LAST_LEVEL = "1 MiB in place of 20, as the sizes are smaller, too"
HIGH = ("cg", "sp", "streamcluster")  # the paper's figure 9: above 3 misses per 1000 instructions; the others below
SECONDS = 600


def measure(experiments, _, go_on):
    if not shutil.which("valgrind"):
        raise Missing("valgrind is not installed")
    for name, arguments in SIZES.items():
        key = experiments.key("misses", name)
        if experiments.done(key) or not go_on():
            continue
        experiments.add(key, _counted(experiments.context, name, arguments) | {"arguments": arguments})


def _counted(context, name, arguments):
    with tempfile.TemporaryDirectory() as folder:
        words = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", f"--cachegrind-out-file={folder}/out", *CACHES,
                 programs.compiled(name, context.build_folder), *arguments.split()]
        done = subprocess.run(words, env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True, timeout=SECONDS, check=False)
    counts = {label: int(number.replace(",", "")) for label, number in re.findall(r"^==\d+== (\w+ +\w+): +([\d,]+)", done.stderr, re.M)}
    counts = {re.sub(" +", " ", label): number for label, number in counts.items()}
    if done.returncode != 0 or "I refs" not in counts or "LLd misses" not in counts:
        raise RunFailed(f"cachegrind of {name}: {done.stderr[-300:]}")
    return {"instructions": counts["I refs"], "misses": counts["LLd misses"]}


def per_kilo_instruction(experiments):
    found = {}
    for name in SIZES:
        for record in experiments.shown(experiments.key("misses", name)):
            found[name] = 1000 * record["misses"] / record["instructions"]
    return found


def are_separated(found):
    """Whether each of those that the paper found bound by memory misses more than each of the others."""
    high, low = [found[name] for name in found if name in HIGH], [found[name] for name in found if name not in HIGH]
    return bool(high and low) and min(high) > max(low)
