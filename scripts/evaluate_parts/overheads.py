"""What constructs cost on one node, against the better of a release libomp and libgomp (microbench/overheads)."""
import math
import os
import re
import shutil
import statistics
import subprocess
import tempfile

from .runs import NUMBER, Missing, RunFailed, met, run, take_turns

SOURCES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "microbench", "overheads")
LEAST = 0.002  # us: below it a figure is the clock's, and no ratio is taken of it
LIMIT, MEAN_LIMIT = 1.15, 0.85
OVERSUBSCRIBED = 8
OVERSUBSCRIBED_MEAN_LIMIT = 0.7


def _figures(output):
    found = {name: float(value) for name, value in re.findall(rf"^(.+): {NUMBER} us \(", output, re.MULTILINE)}
    if not found:
        raise RunFailed(f"no figures in {output[-300:]!r}")
    return found


def _compile_by_gcc(folder):
    """The same sources for libgomp, which has no entry points that clang would call."""
    gcc = shutil.which("gcc")
    if not gcc:
        raise Missing("needs gcc")
    program = os.path.join(folder, "overheads")
    sources = [os.path.join(SOURCES, name) for name in ("overheads.c", "constructs.c")]
    done = subprocess.run([gcc, "-O3", "-fopenmp", *sources, "-lm", "-o", program], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunFailed(f"gcc: {done.stderr[-300:]!r}")
    return program


def _print_figures(values, names):
    """The ratios of hetmp, the first one, to the better peer, of each construct, paired within rounds."""
    ratios = {}
    print(f"   {'us':28} {' '.join(f'{label:>9}' for label in values)}   hetmp / better, paired (quartiles)")
    for name in names:
        columns = {label: [figures[name] for figures in rounds] for label, rounds in values.items()}
        medians = {label: statistics.median(column) for label, column in columns.items()}
        better = min(list(values)[1:], key=medians.get)
        line = f"   {name:28} {' '.join(f'{median:9.4f}' for median in medians.values())}"
        if min(medians.values()) >= LEAST:
            paired = [mine / other for mine, other in zip(columns["hetmp"], columns[better])]
            ratios[name] = statistics.median(paired)
            low, _, high = statistics.quantiles(paired, n=4, method="inclusive") if len(paired) > 1 else paired * 3
            line += f"   {ratios[name]:.3f} ({low:.3f} .. {high:.3f})"
        print(line, flush=True)
    return ratios


def _compare(context, contenders):
    """Of each construct the ratio to the better peer, and their geometric mean."""
    values = take_turns({label: lambda settings=settings, program=program: _figures(run(context, settings, [program]))
                         for label, (settings, program) in contenders.items()}, context.rounds(9))
    ratios = _print_figures(values, values["hetmp"][0])
    return values, ratios, math.exp(statistics.fmean(map(math.log, ratios.values())))


def overheads(context):
    clang_program = context.kernel("overheads")
    with tempfile.TemporaryDirectory() as folder:
        gcc_program = _compile_by_gcc(folder)
        for threads in (2, OVERSUBSCRIBED):
            libgomp = ({"OMP_NUM_THREADS": str(threads)}, gcc_program)
            print(f"   {threads} threads; {context.rounds(9)} rounds")
            values, ratios, mean = _compare(context, {"hetmp": (context.hetmp(threads=threads), clang_program),
                                                      "libomp": (context.release_libomp(threads=threads), clang_program),
                                                      "libgomp": libgomp})
            limit = MEAN_LIMIT if threads == 2 else OVERSUBSCRIBED_MEAN_LIMIT
            print(f"   geometric mean over {len(ratios)} constructs: {mean:.3f}; {met(mean, limit)}")
            if threads == 2:
                worst = max(ratios, key=ratios.get)
                print(f"   the dearest: {worst}, {ratios[worst]:.3f}; {met(ratios[worst], LIMIT)}")
            context.keep(f"{threads} threads", values)
            print(f"   {threads} threads, both by gcc's code")
            values, ratios, mean = _compare(context, {"hetmp": (context.hetmp(threads=threads), gcc_program), "libgomp": libgomp})
            print(f"   geometric mean over {len(ratios)} constructs: {mean:.3f}")
            context.keep(f"{threads} threads, gcc", values)
