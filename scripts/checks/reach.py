#!/usr/bin/env python3
"""How many files of the product know the structures that everything could depend on, and whether that is too many.

    reach.py [--tree FOLDER] [--files HEADER]

A .cpp file reaches a header that it includes, or that a header it reaches includes. What reaches the record of a thread is compiled anew,
and perhaps thought through anew, whenever that changes; so who needs one fact has a smaller header for it: runtime/team/current_thread.hpp,
implicit_task.hpp, loop_progress.hpp, team_facts.hpp. `--files` lists those that reach one header.
Exit codes: 0 no header is reached by more files than the limits below allow, 1 one is (a line for each) or is not there.
"""
import argparse
import sys
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from rooms import INCLUDE, included_file, source_files  # noqa: E402

MOST = {
    "runtime/team/thread.hpp": 35,
    "runtime/team/node_team.hpp": 25,
    "dsm/engine/service_thread.hpp": 8,
}


class Includes:
    """Who includes whom in a tree."""

    def __init__(self, tree):
        self.tree = tree
        self.sources = [file.resolve() for file in source_files(tree) if file.suffix == ".cpp"]

    @cache
    def of(self, file):
        found = (included_file(self.tree, file, name) for name in INCLUDE.findall(file.read_text()))
        return [target for target in found if target is not None]

    def reached_from(self, file):
        reached, waiting = {file}, [file]
        while waiting:
            for target in self.of(waiting.pop()):
                if target not in reached:
                    reached.add(target)
                    waiting.append(target)
        return reached

    def files_that_reach(self, header):
        return [file for file in self.sources if (self.tree / header).resolve() in self.reached_from(file)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--files", metavar="HEADER")
    options = parser.parse_args()
    includes = Includes(options.tree.resolve())
    if options.files:
        for file in includes.files_that_reach(options.files):
            print(file.relative_to(includes.tree))
        return 0
    too_many = False
    for header, most in MOST.items():
        if not (includes.tree / header).is_file():
            print(f"{header}: not there; whoever renames it changes its limit in {Path(__file__).name}")
            too_many = True
            continue
        count = len(includes.files_that_reach(header))
        print(f"{header}: reached by {count} .cpp files, of {most} at most")
        too_many |= count > most
    return 1 if too_many else 0


if __name__ == "__main__":
    sys.exit(main())
