"""Which shared libraries binaries load, as a dynamic loader says it."""
import os
import re
import subprocess
from pathlib import Path

TRIPLE = "x86_64-linux-gnu"
STANDARD = f"/usr/lib/{TRIPLE}"  # where every program looks
LOADER = "ld-linux-x86-64.so.2"
LINE = re.compile(r"^\s+(\S+)(?: => (not found|\S+))?(?: \(0x[0-9a-f]+\))?$", re.M)
EXECUTABLE, SHARED, X86_64 = 2, 3, 62  # e_type and e_machine


def is_binary(path):
    """A program or a library, of this kind of processor."""
    with open(path, "rb") as file:
        head = file.read(20)
    return (len(head) == 20 and head[:4] == b"\x7fELF" and int.from_bytes(head[16:18], "little") in (EXECUTABLE, SHARED)
            and int.from_bytes(head[18:20], "little") == X86_64)


class Libraries:
    """Of this machine, or of a folder that packages were unpacked into."""

    def __init__(self, tree=None):
        self.folders = [tree / "lib" / TRIPLE, tree / "usr/lib" / TRIPLE] if tree else []
        self.command = [str(tree / "lib" / TRIPLE / LOADER), "--library-path", ":".join(map(str, self.folders))] if tree else [f"/lib64/{LOADER}"]

    def program(self, *words):
        """The words that run a program with these libraries and no others."""
        return [*self.command, *map(str, words)]

    def find(self, name):
        return next((folder / name for folder in self.folders if (folder / name).exists()), None)

    def listed(self, binary):
        """[(name, path or None)] of what the binary loads, and of what that loads. Nothing of a static one."""
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        environment["LD_TRACE_LOADED_OBJECTS"] = "1"  # the loader lists, and goes on where one is missing
        done = subprocess.run(self.program(binary), capture_output=True, text=True, errors="replace", env=environment, check=False)
        found = []
        for name, path in LINE.findall(done.stdout):
            path = path or (name if name.startswith("/") else "")
            base = os.path.basename(name)
            if path and base != LOADER:
                found.append((base, None if path == "not found" else Path(path)))
        return found


def needed(binaries, own, spare=None):
    """{(name, path)} of the libraries that the binaries load: those of `own`, and of `spare` what `own` has not. What nobody has is left
    out."""
    found, waiting = set(), [(binary, own) for binary in binaries]
    while waiting:
        binary, libraries = waiting.pop()
        for name, path in libraries.listed(binary):
            if path is None and spare and (path := spare.find(name)) and (name, path) not in found:
                waiting.append((path, spare))
            if path is not None:
                found.add((name, path))
    return found
