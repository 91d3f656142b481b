"""A cpio archive (the format newc), as a kernel unpacks it into its first file system. Everything in it belongs to root."""
import itertools
import os
import shutil
import stat
from pathlib import PurePosixPath

MERGED = {"bin", "sbin", "lib", "lib64"}  # links to the folders of these names below usr; an entry of such a name would replace the link


def inside(path):
    """The name that an absolute path has in an archive."""
    parts = PurePosixPath(os.path.normpath(path)).parts[1:]
    return "/".join(("usr", *parts) if parts and parts[0] in MERGED else parts)


class Archive:
    """Writes to a stream. Parents come by themselves; names are those of the machine, absolute."""

    def __init__(self, stream):
        self.names = set()
        self._stream = stream
        self._numbers = itertools.count(1)

    def add_folder(self, path):
        name = inside(path)
        if name and name not in self.names:
            self._add_bytes(path, stat.S_IFDIR | 0o755, b"")

    def add_link(self, path, target):
        self._add_bytes(path, stat.S_IFLNK | 0o777, target.encode())

    def add_merged_folders(self):
        for name in sorted(MERGED):
            self.add_folder(f"/usr/{name}")
            self._write_entry(name, stat.S_IFLNK | 0o777, f"usr/{name}".encode())

    def add_text(self, path, text, mode=0o644):
        self._add_bytes(path, stat.S_IFREG | mode, text.encode())

    def add_data(self, path, data, mode=0o644):
        self._add_bytes(path, stat.S_IFREG | mode, data)

    def add_file(self, path, source):
        """What `source` is or leads to."""
        with open(source, "rb") as file:
            facts = os.fstat(file.fileno())
            self._write_header(self._new_name(path), stat.S_IFREG | stat.S_IMODE(facts.st_mode), facts.st_size, int(facts.st_mtime))
            begin = self._stream.tell()
            shutil.copyfileobj(file, self._stream)
            if self._stream.tell() != begin + facts.st_size:
                raise OSError(f"{source} changes while it is read")
        self._align()

    def close(self):
        self._write_entry("TRAILER!!!", 0, b"")

    def _add_bytes(self, path, mode, data):
        self._write_entry(self._new_name(path), mode, data)

    def _new_name(self, path):
        parent = os.path.dirname(os.path.normpath(path))
        if parent != "/":
            self.add_folder(parent)
        name = inside(path)
        self.names.add(name)
        return name

    def _write_entry(self, name, mode, data):
        self._write_header(name, mode, len(data))
        self._stream.write(data)
        self._align()

    def _write_header(self, name, mode, size, changed=0):
        encoded = os.fsencode(name) + b"\0"
        # number, mode, owner, group, links, time, size, two devices of two numbers, length of the name, no checksum
        fields = (next(self._numbers), mode, 0, 0, 1, changed, size, 0, 0, 0, 0, len(encoded), 0)
        self._stream.write(b"070701" + b"".join(b"%08X" % field for field in fields) + encoded)
        self._align()

    def _align(self):
        self._stream.write(b"\0" * (-self._stream.tell() % 4))
