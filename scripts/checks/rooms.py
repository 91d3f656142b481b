#!/usr/bin/env python3
"""Whether every include keeps to the ladder of rooms in docs/architecture.md.

    rooms.py [--tree FOLDER]

A room is a folder of product code. The document lists all of them in a block that begins with "```rooms", the lowest first, a line each:
`folder  -- what it is`. A file may include what lies in its own room or in one above it in the list. `never: a -> b` forbids rooms at or
below the folder `a` to include files at or below the folder `b`, whatever their order. So there is no cycle of rooms. And no room has more
than 30 source files, no source file 400 lines or more.
Exit codes: 0 it does, 1 it does not (a line for each place).
"""
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "common"))
import tree_check  # noqa: E402

PRODUCT = ("base", "schedulers", "perf", "dsm", "runtime")
MOST_FILES = 30
MOST_LINES = 399
INCLUDE = re.compile(r'^[ \t]*#\s*include\s+"([^"]+)"', re.M)


class Ladder:
    """What the document says."""

    def __init__(self, text):
        block = re.search(r"^```rooms\n(.*?)^```", text, re.M | re.S)
        if not block:
            raise SystemExit("rooms: docs/architecture.md has no block that begins with ```rooms")
        lines = [line.strip() for line in block[1].splitlines() if line.strip()]
        self.never = [tuple(word.strip() for word in line[len("never:"):].split("->")) for line in lines if line.startswith("never:")]
        rooms = [line.partition("--")[0].strip() for line in lines if not line.startswith("never:")]
        self.step = {room: step for step, room in enumerate(rooms)}
        if len(self.step) != len(rooms):
            raise SystemExit(f"rooms: named twice: {', '.join(room for room, count in Counter(rooms).items() if count > 1)}")

    def refusal(self, room, other):
        """Why a file of `room` may not include one of `other`, or None."""
        for name in (room, other):
            if name not in self.step:
                return f"{name} is not in the ladder"
        if self.step[other] > self.step[room]:
            return f"{room} may not include from {other}, which is higher"
        for low, high in self.never:
            if is_within(room, low) and is_within(other, high):
                return f"{room} may never include from {other}"
        return None


def is_within(room, folder):
    return room == folder or room.startswith(folder + "/")


def source_files(tree):
    for folder in PRODUCT:
        yield from sorted(path for path in (tree / folder).rglob("*") if path.suffix in (".cpp", ".hpp", ".h", ".c"))


def included_file(tree, file, name):
    """The file of the tree that an include names: from its root, or beside the one that includes it. None if it is another's."""
    for candidate in (tree / name, file.parent / name):
        if candidate.is_file():
            return candidate.resolve()
    return None


def problems(tree):
    ladder = Ladder((tree / "docs" / "architecture.md").read_text())
    files = list(source_files(tree))
    in_room = Counter(str(file.parent.relative_to(tree)) for file in files)
    for room in ladder.step:
        if not in_room[room]:
            yield f"docs/architecture.md: the room {room} has no source file"
    for room, count in in_room.items():
        if room not in ladder.step:
            yield f"{room}: not in the ladder of docs/architecture.md"
        if count > MOST_FILES:
            yield f"{room}: {count} source files; a room has at most {MOST_FILES}"
    for file in files:
        text, room, place = file.read_text(), str(file.parent.relative_to(tree)), file.relative_to(tree)
        if text.count("\n") > MOST_LINES:
            yield f"{place}: {text.count(chr(10))} lines; a file has at most {MOST_LINES}"
        for match in INCLUDE.finditer(text):
            target = included_file(tree, file, match[1])
            if target is None or target.relative_to(tree).parts[0] not in PRODUCT:
                continue
            if refusal := ladder.refusal(room, str(target.parent.relative_to(tree))):
                yield f"{place}:{text.count(chr(10), 0, match.start()) + 1}: {refusal}: {match[1]}"


if __name__ == "__main__":
    sys.exit(tree_check.run(__doc__, problems, "rooms: every include keeps to the ladder"))
