"""Programs from Debian that use libgomp, as they are, with hetmp preloaded: the same output, and about the same time."""
import glob
import os
import re
import statistics
import subprocess
import tempfile
import time

from debian_programs import PROGRAMS, THREADS, Missing

from .runs import RunFailed, known, met, paired_ratios, shown, spread, take_turns

LIMIT = 1.05
COMPARED = ("FastTreeMP", "clustalo", "GraphicsMagick", "OpenBLAS under numpy")


def _finish(context, settings, words):
    try:
        done = subprocess.run(words, env={**os.environ, **settings}, capture_output=True, timeout=context.options.timeout, check=False)
    except subprocess.TimeoutExpired:
        raise RunFailed(f"{shown(settings, words)}: still running after {context.options.timeout:g} s") from None
    if done.returncode != 0:
        raise RunFailed(f"{shown(settings, words)}: exit code {done.returncode}: {done.stderr[-300:]!r}")
    return done


def _run(context, settings, task):
    """(seconds, what has to be the same from every run)"""
    task.forget()
    begun = time.monotonic()
    done = _finish(context, settings, task.command)
    seconds = time.monotonic() - begun
    context.pass_on(done.stderr.decode(errors="replace"))
    return seconds, task.result(done.stdout)


def _check_runtime(context, settings, words, library, folder):
    """Lets no comparison be made of a runtime that the program does not use: the loader must have found its regions' entry points
    in this library."""
    notes = os.path.join(folder, "bindings")
    _finish(context, settings | {"LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": notes}, words)
    owners = set()
    for part in glob.glob(notes + ".*"):
        with open(part, encoding="utf-8", errors="replace") as file:
            owners.update(re.findall(r" to \S*/(\S+) \[\d+\]: normal symbol `GOMP_parallel\w*'", file.read()))
        os.remove(part)
    if owners != {library}:
        raise RunFailed(f"{shown(settings, words)}: the entry points are those of {', '.join(sorted(owners)) or 'nothing'}, "
                        f"not of {library}")


def _compare(context, name, folder):
    task = PROGRAMS[name](folder)
    words, common = task.command, task.settings
    contenders = {"hetmp": common | context.hetmp(threads=THREADS), "libgomp": common | {"OMP_NUM_THREADS": str(THREADS)}}
    outputs = {label: set() for label in contenders}
    for label, library in (("hetmp", "libhetmp.so"), ("libgomp", "libgomp.so.1")):
        _check_runtime(context, contenders[label], words, library, folder)

    def measure(label, settings):
        seconds, output = _run(context, settings, task)
        outputs[label].add(output)
        return seconds

    values = take_turns({label: lambda label=label, settings=settings: measure(label, settings)
                         for label, settings in contenders.items()}, context.rounds(5),
                        enough=context.precise(("hetmp", "libgomp")))
    print(f"   -- {name}: {shown(contenders['hetmp'], words)}")
    for label, times in values.items():
        print(f"   {label}: {spread(times)} s")
    ratios = paired_ratios(values, "hetmp", "libgomp")
    print(f"   hetmp / libgomp, paired: {known(ratios)}; {met(statistics.median(ratios), LIMIT)}")
    context.keep(name, values)
    if outputs["hetmp"] != outputs["libgomp"] or len(outputs["hetmp"]) != 1:
        raise RunFailed(f"{len(outputs['hetmp'])} different outputs with hetmp, {len(outputs['libgomp'])} with libgomp"
                        f"{'' if outputs['hetmp'] & outputs['libgomp'] else ', none in common'}")
    print("   output: the same in all runs", flush=True)


def programs(context):
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for name in COMPARED:
            try:
                _compare(context, name, folder)
            except Missing as missing:
                print(f"   {name}: skipped, {missing}", flush=True)
            except RunFailed as failure:
                print(f"   {name}: FAILED, {failure}", flush=True)
                failed.append(name)
    if failed:
        raise RunFailed(", ".join(failed))
