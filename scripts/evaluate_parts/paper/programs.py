"""The ten programs of the paper, as they are run here: every loop has been given schedule(runtime), as the paper's authors edited theirs."""
import dataclasses
import os
import re
import shutil

from .. import placement_programs
from ..runs import Missing

COMPILERS = ("clang-16", "clang-14", "clang-19")
LOOP = re.compile(r"^\s*#\s*pragma\s+omp\s+(?:parallel\s+)?for\b.*$", re.M)


@dataclasses.dataclass
class Program:
    """`arguments`: sizes that take 5 to 40 s on the slow origin, and for a quick look. `share`: the origin's part of its CPU."""
    title: str
    arguments: str
    quick: str
    paper: str  # the paper's verdict
    share: float = 0.5


PROGRAMS = {
    "blackscholes": Program("Black-Scholes", "--visits 50 --repeats 4", "--visits 20 --repeats 4", "both"),
    "ep": Program("EP", "A", "W", "both"),
    "kmeans": Program("kmeans", "A", "W", "both", share=1 / 6),
    "lavamd": Program("lavaMD", "A", "W", "both"),
    "bt": Program("BT", "A", "W", "one"),
    "sp": Program("SP", "B", "W", "one"),
    "cg": Program("CG", "A", "W", "one"),
    "cfd": Program("cfd", "A", "W", "one"),
    "lud": Program("lud", "A", "W", "one"),
    "streamcluster": Program("streamcluster", "B", "W", "one"),
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
    if not compiler:
        raise Missing(f"none of {', '.join(COMPILERS)}")
    folder = build / "paper"
    folder.mkdir(parents=True, exist_ok=True)
    sources, target = placement_programs.sources_of(placement_programs.PROGRAMS[name]), folder / name
    if placement_programs.is_up_to_date(target, sources, __file__):
        return str(target)
    copies = []
    for source in sources:
        copies.append(str(folder / f"{name}-{os.path.basename(source)}"))
        with open(copies[-1], "w", encoding="utf-8") as file:
            file.write(edited(source))
    flags = [*placement_programs.clang_flags(compiler, build), f"-I{os.path.dirname(sources[0])}", "-std=gnu11", *placement_programs.COMMON_FLAGS]
    placement_programs.compile_with([compiler, *flags, *copies, "-lm", "-o", str(target)], name)
    return str(target)
