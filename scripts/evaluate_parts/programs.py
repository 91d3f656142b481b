"""Programs from Debian that use libgomp, as they are, with hetmp preloaded: the same output, and about the same time."""
import glob
import hashlib
import os
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time

from .runs import Missing, RunFailed, known, met, paired_ratios, shown, spread, take_turns

LIMIT = 1.05
THREADS = 2


def _sequences(alphabet, count, length, gaps):
    """Relatives of one another: each a copy of an earlier one with a tenth of its letters changed."""
    chance = random.Random(1)
    found = ["".join(chance.choice(alphabet) for _ in range(length))]
    while len(found) < count:
        parent = chance.choice(found)
        found.append("".join(chance.choice(alphabet) if chance.random() < 0.1 else letter for letter in parent))
    if gaps:
        return found
    return [sequence[chance.randrange(20):length - chance.randrange(20)] for sequence in found]


def _fasta(path, sequences):
    with open(path, "w", encoding="ascii") as file:
        for number, sequence in enumerate(sequences):
            file.write(f">s{number}\n{sequence}\n")


def _image(path, width, height):
    chance = random.Random(2)
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (width, height))
        file.write(chance.randbytes(3 * width * height))


MATRICES = """
import hashlib, numpy
n = 1200
a = (numpy.arange(n * n) % 1009 / 1009.0).reshape(n, n)
b = (numpy.arange(n * n) % 997 / 997.0).reshape(n, n)
for _ in range(40):
    c = a @ b
print(hashlib.sha256(c.tobytes()).hexdigest())
print(hashlib.sha256(numpy.linalg.solve(a + n * numpy.eye(n), b).tobytes()).hexdigest())
"""


def _program(name):
    path = shutil.which(name)
    if not path:
        raise Missing(f"{name} is not installed: scripts/install-deps all")
    return path


def _fast_tree(folder):
    program = _program("fasttreeMP") if shutil.which("fasttreeMP") else _program("FastTreeMP")
    path = os.path.join(folder, "aligned.fa")
    _fasta(path, _sequences("ACGT", 300, 800, True))
    return [program, "-nt", "-quiet", path], {}, None


def _clustal_omega(folder):
    program = _program("clustalo")
    path = os.path.join(folder, "proteins.fa")
    _fasta(path, _sequences("ACDEFGHIKLMNPQRSTVWY", 220, 250, False))
    return [program, "-i", path, f"--threads={THREADS}"], {}, None


def _graphics_magick(folder):
    program = _program("gm")
    path = os.path.join(folder, "in.ppm")
    made = os.path.join(folder, "out.ppm")
    _image(path, 3000, 2000)
    return [program, "convert", path, "-blur", "0x5", "-resize", "70%", "-sharpen", "0x2", made], {}, made


def _numpy(folder):
    python = "/usr/bin/python3"  # the one that Debian's numpy belongs to
    if subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False).returncode != 0:
        raise Missing("numpy is not installed: scripts/install-deps all")
    folders = glob.glob("/usr/lib/*/openblas-openmp")
    if not folders:
        raise Missing("OpenBLAS with OpenMP is not installed: scripts/install-deps all")
    script = os.path.join(folder, "matrices.py")
    with open(script, "w", encoding="ascii") as file:
        file.write(MATRICES)
    return [python, script], {"LD_LIBRARY_PATH": folders[0]}, None


PROGRAMS = {"FastTreeMP": _fast_tree, "clustalo": _clustal_omega, "GraphicsMagick": _graphics_magick,
            "OpenBLAS under numpy": _numpy}


def _finish(context, settings, words):
    try:
        done = subprocess.run(words, env={**os.environ, **settings}, capture_output=True, timeout=context.options.timeout, check=False)
    except subprocess.TimeoutExpired:
        raise RunFailed(f"{shown(settings, words)}: still running after {context.options.timeout:g} s") from None
    if done.returncode != 0:
        raise RunFailed(f"{shown(settings, words)}: exit code {done.returncode}: {done.stderr[-300:]!r}")
    return done


def _run(context, settings, words, made):
    """(seconds, the output's hash): of what it prints, and of the file it makes."""
    if made and os.path.exists(made):
        os.remove(made)
    begun = time.monotonic()
    done = _finish(context, settings, words)
    seconds = time.monotonic() - begun
    context.pass_on(done.stderr.decode(errors="replace"))
    output = hashlib.sha256(done.stdout)
    if made:
        with open(made, "rb") as file:
            output.update(file.read())
    return seconds, output.hexdigest()


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
    words, common, made = PROGRAMS[name](folder)
    contenders = {"hetmp": common | context.hetmp(threads=THREADS), "libgomp": common | {"OMP_NUM_THREADS": str(THREADS)}}
    outputs = {label: set() for label in contenders}
    for label, library in (("hetmp", "libhetmp.so"), ("libgomp", "libgomp.so.1")):
        _check_runtime(context, contenders[label], words, library, folder)

    def measure(label, settings):
        seconds, output = _run(context, settings, words, made)
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
        for name in PROGRAMS:
            try:
                _compare(context, name, folder)
            except Missing as missing:
                print(f"   {name}: skipped, {missing}", flush=True)
            except RunFailed as failure:
                print(f"   {name}: FAILED, {failure}", flush=True)
                failed.append(name)
    if failed:
        raise RunFailed(", ".join(failed))
