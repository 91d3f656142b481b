"""Rounds of measurements that are kept in a file as soon as each was run, so that a part that was broken off goes on where it stood."""
import hashlib
import json
import lzma


def identity(*paths):
    """Of what these files contain."""
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:12]


class Rounds:
    """The rounds run so far: a list of records under each key. A path that ends in .xz is compressed."""

    def __init__(self, path):
        self.path = path
        self._open = lzma.open if path.suffix == ".xz" else open
        try:
            with self._open(path, "rt", encoding="utf-8") as file:
                self.records = json.load(file)
        except FileNotFoundError:
            self.records = {}

    def of(self, key):
        return self.records.setdefault(key, [])

    def add(self, key, record):
        self.of(key).append(record)
        temporary = self.path.with_name(self.path.name + ".new")
        with self._open(temporary, "wt", encoding="utf-8") as file:
            json.dump(self.records, file, indent=1)
            file.write("\n")
        temporary.replace(self.path)
