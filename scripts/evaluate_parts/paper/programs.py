"""The ten programs of the paper, as they are run here: every loop has been given schedule(runtime), as the paper's authors edited theirs."""
import dataclasses
import glob
import os
import re
import shutil
import subprocess

from ..placement_programs import COMMON_FLAGS, MICROBENCH
from ..runs import Missing, RunFailed
from toolchain import omp_header_folder, stock_libomp_folder

COMPILERS = ("clang-16", "clang-14", "clang-19")
LOOP = re.compile(r"^\s*#\s*pragma\s+omp\s+(?:parallel\s+)?for\b.*$", re.M)


@dataclasses.dataclass
class Program:
    """`arguments`: sizes that take 5 to 40 s on the slow origin, and for a quick look. `share`: the origin's part of its CPU."""
    title: str
    sources: tuple
    arguments: str
    quick: str
    paper: str  # the paper's verdict
    share: float = 0.5


PROGRAMS = {
    "blackscholes": Program("Black-Scholes", ("blackscholes/*.c",), "--visits 50 --repeats 4", "--visits 20 --repeats 4", "both"),
    "ep": Program("EP", ("ep/*.c",), "A", "W", "both"),
    "kmeans": Program("kmeans", ("kmeans/*.c",), "A", "W", "both", share=1 / 6),
    "lavamd": Program("lavaMD", ("lavamd/*.c",), "A", "W", "both"),
    "bt": Program("BT", ("adi/bt.c", "adi/adi.c"), "A", "W", "one"),
    "sp": Program("SP", ("adi/sp.c", "adi/adi.c"), "W", "S", "one"),
    "cg": Program("CG", ("cg/*.c",), "A", "W", "one"),
    "cfd": Program("cfd", ("cfd/*.c",), "A", "W", "one"),
    "lud": Program("lud", ("lud/*.c",), "A", "W", "one"),
    "streamcluster": Program("streamcluster", ("streamcluster/*.c",), "A", "W", "one"),
}


def _edited_loop(pragma):
    if "BENCHMARK_SCHEDULE" in pragma:
        return pragma
    return re.sub(r"\bfor\b", "for schedule(runtime)", re.sub(r"\s*\bschedule\([^)]*\)", "", pragma), count=1)


def edited(source):
    """Its text as the paper's authors would have edited it."""
    with open(source, encoding="utf-8") as file:
        return LOOP.sub(lambda found: _edited_loop(found[0]), file.read())


def compiled(name, build):
    """The program's path; compiled again when a source, or this file, has changed."""
    compiler = next((found for found in COMPILERS if shutil.which(found)), None)
    library = compiler and stock_libomp_folder(compiler)
    if not library:
        raise Missing(f"none of {', '.join(COMPILERS)} with its libomp")
    folder = build / "paper"
    folder.mkdir(parents=True, exist_ok=True)
    sources = sorted(found for pattern in PROGRAMS[name].sources for found in glob.glob(os.path.join(MICROBENCH, pattern)))
    target = folder / name
    inputs = [*sources, *glob.glob(os.path.join(MICROBENCH, "common", "*")), *glob.glob(os.path.join(os.path.dirname(sources[0]), "*.h")),
              __file__]
    if target.exists() and target.stat().st_mtime > max(map(os.path.getmtime, inputs)):
        return str(target)
    copies = []
    for source in sources:
        copies.append(str(folder / f"{name}-{os.path.basename(source)}"))
        with open(copies[-1], "w", encoding="utf-8") as file:
            file.write(edited(source))
    words = [compiler, "-isystem", str(omp_header_folder(build)), f"-L{library}", f"-Wl,-rpath,{library}", f"-I{os.path.dirname(sources[0])}",
             f"-I{MICROBENCH}/common", "-std=gnu11", *COMMON_FLAGS, *copies, "-lm", "-o", str(target)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunFailed(f"{compiler} cannot compile {name}:\n{done.stderr[-2000:]}")
    return str(target)
