"""Programs from Debian that use OpenMP, as they are: each with an input that is made here, always the same, and with its result.

A recipe is called with a folder for its files and gives a Task, or raises Missing with what is not installed. `small`: with as little
input as makes it do everything once, for runs that are to be right and need not be fast.
"""
import dataclasses
import glob
import hashlib
import os
import random
import re
import shutil
import subprocess

THREADS = 2
THREAD_LOCAL = "has thread-local variables; only node 0 can use it"
PYTHON = "/usr/bin/python3"  # the one that Debian's modules belong to


class Missing(Exception):
    """A program or a part of it is not installed."""


@dataclasses.dataclass
class Task:
    command: list
    settings: dict = dataclasses.field(default_factory=dict)  # variables that the program needs
    made: str = ""         # the file that holds the result, where standard output does not
    folder: str = ""       # where it runs, if it leaves files there
    lines: str = ""        # of the output, those that match are the result; all by default
    brings: str = ""       # the library by which a program comes to OpenMP while it runs: on nodes it has to be there from the start
    said: str = ""         # what hetmp may say on several nodes: lines that match

    def forget(self):
        """What an earlier run has left is gone."""
        if self.made and os.path.exists(self.made):
            os.remove(self.made)

    def result(self, output):
        """The hash of what has to be the same from every run, after one that printed `output` (bytes)."""
        if self.made:
            with open(self.made, "rb") as file:
                output += file.read()
        if self.lines:
            output = b"\n".join(re.findall(self.lines.encode(), output, re.M))
        return hashlib.sha256(output).hexdigest()


def _program(*names):
    found = next(filter(None, map(shutil.which, names)), None)
    if not found:
        raise Missing(f"{names[0]} is not installed: scripts/install-deps all")
    return found


def _succeeds(*words):
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def _write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


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


def _fasta(folder, name, sequences):
    return _write(folder, name, "".join(f">s{number}\n{sequence}\n" for number, sequence in enumerate(sequences)))


def fast_tree(folder, small=False):
    program = _program("fasttreeMP", "FastTreeMP")
    sequences = _sequences("ACGT", 40, 200, True) if small else _sequences("ACGT", 300, 800, True)
    return Task([program, "-nt", "-quiet", _fasta(folder, "aligned.fa", sequences)])


def clustal_omega(folder, small=False):
    program = _program("clustalo")
    path = _fasta(folder, "proteins.fa", _sequences("ACDEFGHIKLMNPQRSTVWY", 30 if small else 220, 250, False))
    return Task([program, "-i", path, f"--threads={THREADS}"])


def iq_tree(folder, small=False):
    program = _program("iqtree2-omp", "iqtree2")
    path = _fasta(folder, "few.fa", _sequences("ACGT", 5 if small else 8, 100 if small else 400, True))
    # Likelihoods are sums of many logarithms, in the order of threads: two digits after the point hold.
    return Task([program, "-s", path, "-m", "JC", "-T", str(THREADS), "-seed", "1", "-redo", "-quiet", "-pre", os.path.join(folder, "few")],
                made=os.path.join(folder, "few.iqtree"), lines=r"^Log-likelihood of the tree: -\d+\.\d\d")


def graphics_magick(folder, small=False):
    program = _program("gm")
    path = os.path.join(folder, "in.ppm")
    made = os.path.join(folder, "out.ppm")
    with open(path, "wb") as file:
        file.write(b"P6\n3000 2000\n255\n" + random.Random(2).randbytes(3 * 3000 * 2000))
    return Task([program, "convert", path, "-blur", "0x5", "-resize", "70%", "-sharpen", "0x2", made], made=made)


def _openblas():
    """The folder of OpenBLAS's build with OpenMP: the program finds it in place of the one with threads of its own."""
    folders = glob.glob("/usr/lib/*/openblas-openmp")
    if not folders:
        raise Missing("OpenBLAS with OpenMP is not installed: scripts/install-deps all")
    return {"LD_LIBRARY_PATH": folders[0]}


NUMPY = """
import hashlib, numpy
n = SIZE
a = (numpy.arange(n * n) % 1009 / 1009.0).reshape(n, n)
b = (numpy.arange(n * n) % 997 / 997.0).reshape(n, n)
for _ in range(40):
    c = a @ b
print(hashlib.sha256(c.tobytes()).hexdigest())
print(hashlib.sha256(numpy.linalg.solve(a + n * numpy.eye(n), b).tobytes()).hexdigest())
"""


def numpy(folder, small=False):
    if not _succeeds(PYTHON, "-c", "import numpy"):
        raise Missing("numpy is not installed: scripts/install-deps all")
    blas = _openblas()
    return Task([PYTHON, _write(folder, "matrices.py", NUMPY.replace("SIZE", "300" if small else "1200"))], blas, brings=os.path.join(*blas.values(), "libopenblas.so.0"),
                said=THREAD_LOCAL)


SCIKIT_LEARN = """
import numpy
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier
chance = numpy.random.RandomState(1)
points = numpy.concatenate([chance.normal(centre, 1.0, (1000, 8)) for centre in range(0, 30, 3)])
labels = numpy.repeat(numpy.arange(10), 1000)
found = KMeans(10, n_init=2, max_iter=20, random_state=1).fit(points)
print(sorted(numpy.bincount(found.labels_)), "%.6g" % found.inertia_)
model = HistGradientBoostingClassifier(max_iter=3, random_state=1).fit(points, labels)
print("%.6f" % model.score(points, labels))
"""


def scikit_learn(folder, small=False):
    if not _succeeds(PYTHON, "-c", "import sklearn"):
        raise Missing("scikit-learn is not installed: scripts/install-deps all")
    # Its modules come one by one, and they have thread-local variables: it stays on one node, and is told so.
    return Task([PYTHON, _write(folder, "clusters.py", SCIKIT_LEARN)], said="OpenMP was loaded after the program had begun")


OCTAVE = """
n = 1000;
a = mod(reshape(1:n*n, n, n) * 7919, 10007) / 10007 + n * eye(n);
b = mod(reshape(1:n*n, n, n) * 104729, 9973) / 9973;
x = a \\ b;
printf("%.8g %d\\n", norm(x, "fro"), norm(a * x - b, "fro") < 1e-8);
s = svd(b);
printf("%.8g %.8g\\n", s(1), sum(s));
printf("%.8g\\n", norm(fft2(b), "fro"));
"""


def octave(folder, small=False):
    return Task([_program("octave-cli"), "--norc", "--quiet", _write(folder, "matrices.m", OCTAVE)])


R_TABLES = """
suppressMessages(library(data.table))
set.seed(1)
n <- 1000000L
d <- data.table(group = sample.int(5000L, n, TRUE), x = (seq_len(n) * 7919) %% 10007, y = runif(n))
a <- d[, .(count = .N, total = sum(x), mean = mean(y)), by = group][order(group)]
cat(sprintf("%.10g %.10g %.10g\\n", sum(a$count * a$group), sum(a$total * a$group), sum(a$mean)))
setorder(d, group, -x)
cat(sprintf("%.10g\\n", sum(d$x * (seq_len(n) %% 1009))))
cat(sprintf("%.10g", unlist(parallel::mclapply(1:4, function(i) sum(d[group %% 4L == i - 1L]$x), mc.cores = 2))), "\\n")
"""


def r_tables(folder, small=False):
    program = _program("R")
    if not _succeeds(program, "--vanilla", "--slave", "-e", "library(data.table)"):
        raise Missing("R's data.table is not installed: scripts/install-deps all")
    return Task([program, "--vanilla", "--slave", "-f", _write(folder, "tables.R", R_TABLES)],
                {"R_DATATABLE_NUM_THREADS": str(THREADS)})


GROMACS = "integrator = md\nnsteps = 20\ndt = 0.001\ncutoff-scheme = Verlet\ncoulombtype = PME\nrcoulomb = 0.9\nrvdw = 0.9\nnstenergy = 20\ngen-vel = no\n"


def gromacs(folder, small=False):
    """A box of water; the energies of its first step, as they are printed."""
    program = _program("gmx")
    topology = _write(folder, "water.top", '#include "oplsaa.ff/forcefield.itp"\n#include "oplsaa.ff/spc.itp"\n'
                                           "[ system ]\nwater\n[ molecules ]\n")
    parameters = _write(folder, "run.mdp", GROMACS)
    box, input_file, made = (os.path.join(folder, name) for name in ("box.gro", "run.tpr", "run.log"))
    for words in ([program, "-quiet", "solvate", "-cs", "spc216.gro", "-box", "2.5", "2.5", "2.5", "-o", box, "-p", topology],
                  [program, "-quiet", "grompp", "-f", parameters, "-c", box, "-p", topology, "-o", input_file,
                   "-po", os.path.join(folder, "out.mdp"), "-maxwarn", "2"]):
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder)
        if done.returncode != 0:
            raise Missing(f"GROMACS makes no input: {done.stderr[-200:]!r}")
    return Task([program, "-quiet", "mdrun", "-s", input_file, "-deffnm", os.path.join(folder, "run"), "-ntmpi", "1", "-ntomp", str(THREADS),
                 "-reprod", "-pin", "off"], said=THREAD_LOCAL, made=made, folder=folder, lines=r"^   Energies \(kJ/mol\)(?:\n.*){4}")


PROGRAMS = {"FastTreeMP": fast_tree, "clustalo": clustal_omega, "IQ-TREE": iq_tree, "GraphicsMagick": graphics_magick,
            "OpenBLAS under numpy": numpy, "scikit-learn": scikit_learn, "Octave": octave, "R": r_tables, "GROMACS": gromacs}
