"""What one run adds to the machines: its files with the libraries that they load, the command, the settings."""
import contextlib
import os
import shlex
import shutil
from pathlib import Path

from .archive import Archive, inside
from .libraries import STANDARD, Libraries, is_binary, needed

HERE = Path(__file__).parent
NAMES = {1: "one", 2: "two"}


class Files:
    """Goes through what is given, and adds it to an archive."""

    def __init__(self, archive):
        self.archive = archive
        self.binaries = []
        self.given = []  # the folders, as they are here

    def add(self, source, destination):
        if source.is_dir():
            self.given.append(source.resolve())
            self._add_folder(source, destination)
        else:
            self._add_file(source, destination)

    def _add_folder(self, source, destination):
        self.archive.add_folder(destination)
        for entry in sorted(os.scandir(source), key=lambda entry: entry.name):
            target = f"{destination}/{entry.name}"
            if entry.is_symlink() and self._stays_inside(entry):
                self.archive.add_link(target, os.readlink(entry.path))
            elif entry.is_dir():
                self._add_folder(Path(entry.path), target)
            elif entry.is_file():
                self._add_file(Path(entry.path), target)

    def _stays_inside(self, entry):
        """Whether a link can go in as it is, or what it leads to has to. One that leads nowhere may lead somewhere there."""
        if os.path.isabs(os.readlink(entry.path)):
            return not os.path.exists(entry.path)
        return Path(entry.path).resolve().is_relative_to(self.given[-1])

    def _add_file(self, source, destination):
        self.archive.add_file(destination, source)
        if is_binary(source):
            self.binaries.append(source)

    def add_libraries(self, tree, present):
        """Each where it is here, and where every program looks. Those that all machines have there stay as they are: they fit together."""
        there = {os.path.basename(name) for name in present if os.path.dirname(name) == inside(STANDARD)}
        for name, path in sorted(needed(self.binaries, Libraries(), Libraries(tree))):
            if any(path.resolve().is_relative_to(folder) for folder in self.given):
                continue
            is_usual = path.is_relative_to(tree) or inside(path.parent) == inside(STANDARD)
            if not is_usual:
                self.archive.add_file(path, path)
            if name in there:
                continue
            there.add(name)
            if is_usual:
                self.archive.add_file(f"{STANDARD}/{name}", path)
            else:
                self.archive.add_link(f"{STANDARD}/{name}", str(path))


def source_and_destination(text):
    """Of SRC[:DEST]."""
    source, _, destination = text.partition(":")
    return Path(source), os.path.normpath(destination or os.path.abspath(source))


def write(stream, cache, options):
    """What all machines of the run get."""
    archive = Archive(stream)
    files = Files(archive)
    for text in options.file:
        files.add(*source_and_destination(text))
    files.add_libraries(cache.tree, cache.names())
    for name, path in (("guest_init", "/init"), ("guest_on", "/usr/bin/on")):
        archive.add_text(path, (HERE / name).read_text(), 0o755)
    archive.add_text("/job/command", f"#!/bin/sh\nexec {shlex.join(options.command)}\n", 0o755)
    if options.also:
        archive.add_text("/job/also", f"#!/bin/sh\n{options.also}\n", 0o755)
    archive.close()


@contextlib.contextmanager
def first_file_system(cache, job, number, options):
    """A descriptor of memory that holds what machine `number` begins with."""
    with os.fdopen(os.memfd_create(f"rdma-vm-{number}"), "w+b") as memory:
        with cache.archive.open("rb") as base:
            shutil.copyfileobj(base, memory)
        memory.write(job)
        archive = Archive(memory)
        settings = {"machine": number, "name": NAMES[number], "machines": options.machines, "mtu": options.mtu,
                    "memlock": options.memlock or "unlimited", "files": "yes" if options.out else "no"}
        archive.add_text("/job/settings", "".join(f"{name}={value}\n" for name, value in settings.items()))
        archive.close()
        memory.flush()
        yield memory.fileno()
