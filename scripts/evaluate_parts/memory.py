"""Resident memory: of a program with one region, of a further node process, and of the page directory."""
import os
import shutil
import subprocess
import tempfile

from .quota import find_node
from .runs import Missing, RunFailed, met, shown, start

MIB = 1 << 20
SHARED_MIB = 64
SHARED_BEGIN = 16 << 40  # dsm/space/address_plan.hpp: the program's shared memory
SHARED_END = SHARED_BEGIN + (64 << 40)


def _compile(folder):
    source = os.path.join(os.path.dirname(__file__), "region_memory.c")
    for clang in ("clang-16", "clang-19", "clang-14", "clang"):
        program = os.path.join(folder, "region_memory")
        if shutil.which(clang) and subprocess.run([clang, "-O2", "-fopenmp", source, "-o", program],
                                                  stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return program
    raise Missing("no clang that compiles and links OpenMP programs")


class Stopped:
    """The program, waiting after a step."""

    def __init__(self, settings, words, step):
        self._process = start(settings, words, stdin=subprocess.PIPE)
        self.pid = self._process.pid
        self._expect(step)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def go_on(self, step):
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        self._expect(step)

    def _expect(self, step):
        line = self._process.stdout.readline().strip()
        if line != step:
            raise RunFailed(f"expected {step!r}, got {line!r}")


def _rollup(pid):
    """smaps_rollup's fields, in bytes."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        lines = [line.split() for line in list(file)[1:]]
    return {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines}


def _private_bytes(pid):
    rollup = _rollup(pid)
    return rollup["Private_Clean"] + rollup["Private_Dirty"]


def _private_bytes_of_library(pid):
    """Private memory outside the program's shared address range: what the libraries have for themselves."""
    total, counts = 0, False
    with open(f"/proc/{pid}/smaps", encoding="ascii") as file:
        for line in file:
            words = line.split()
            if "-" in words[0] and not words[0].endswith(":"):
                counts = not SHARED_BEGIN <= int(words[0].split("-")[0], 16) < SHARED_END
            elif counts and words[0] in ("Private_Clean:", "Private_Dirty:"):
                total += int(words[1]) * 1024
    return total


def _one_node(context, program):
    sizes = {}
    for label, settings in {"hetmp": context.hetmp(), "release libomp": context.release_libomp(),
                            "system's libomp": context.system_libomp()}.items():
        with Stopped(settings, [program], "hello") as stopped:
            rollup = _rollup(stopped.pid)
        sizes[label] = {"rss": rollup["Rss"], "pss": rollup["Pss"]}
        print(f"   {shown(settings, [program])}: resident {rollup['Rss'] / MIB:.2f} MiB, proportional "
              f"{rollup['Pss'] / MIB:.2f} MiB")
    for rival in ("release libomp", "system's libomp"):
        for kind in ("rss", "pss"):
            above = (sizes["hetmp"][kind] - sizes[rival][kind]) / MIB
            print(f"   above {rival}, {kind}: {above:+.2f} MiB; {met(above, 4)}")
    context.keep("one node", sizes)


def _directory(context, program):
    pages = SHARED_MIB * MIB // 4096
    settings = context.hetmp("proc:2")
    words = [program, str(SHARED_MIB)]
    with Stopped(settings, words, "hello") as stopped:
        nodes = [stopped.pid, find_node(stopped.pid, 1)]
        private = _private_bytes(nodes[1])
        print(f"   {shown(settings, words[:1])}: private memory of node 1 {private / MIB:.2f} MiB; "
              f"{met(private / MIB, 8)}")
        before = [_private_bytes_of_library(node) for node in nodes]
        stopped.go_on("shared")
        growth = [_private_bytes_of_library(node) - size for node, size in zip(nodes, before)]
    print(f"   {shown(settings, words)}: {pages} pages of node 0, read by node 1: the libraries' private memory grew by")
    for node, size in enumerate(growth):
        print(f"      node {node}: {size / 1024:.0f} KiB, {size / pages:.1f} bytes a page")
    total = sum(growth) / pages
    print(f"   both nodes: {total:.1f} bytes a page in use (by construction 12 directory at the home, 1 local and 1 of "
          "flags on each node: 16)")
    context.keep("private memory of node 1", private)
    context.keep("directory growth", growth)


def footprint(context):
    with tempfile.TemporaryDirectory() as folder:
        program = _compile(folder)
        _one_node(context, program)
        _directory(context, program)
