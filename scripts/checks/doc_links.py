#!/usr/bin/env python3
"""Whether the documents name what is there: README.md and all of docs/.

    doc_links.py [--tree FOLDER]

- A relative link leads to a file or folder of the tree, and its #anchor to a heading of that document.
- A path in backticks or in a block of code exists: from the root if its first folder is one of the tree's (`runtime/wait/wait.hpp`, also
  without the ending: `runtime/wait/wait`), or beside the document. Braces and stars are expanded: `lib.{cpp,hpp}`, `tests/*/run.py`.
- In a table's row that begins with "| number | `file` | `function` |" the file mentions the function.
- A file name alone in backticks (`seats.cpp`) is the name of a file somewhere in the tree, if its ending is a source file's.
What a build makes (`build/...`), absolute paths, variables and addresses are left alone.
Exit codes: 0 all is there, 1 something is not (a line for each).
"""
import itertools
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "common"))
import tree_check  # noqa: E402

SOURCE_ENDINGS = {".cpp", ".hpp", ".c", ".h", ".py", ".def", ".md", ".dot", ".cmake"}
MADE = {"build", "lib", "bin", "libexec"}  # by a build or an installation
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^(?:```.*?^```|(?: {4}[^\n]*\n)+)", re.M | re.S)
HOP = re.compile(r"^\| *\d+ *\| *`([^`]+)` *\| *`([^`]+)` *\|", re.M)
PATH = re.compile(r"\.?[A-Za-z0-9_][A-Za-z0-9_.{},*+-]*(?:/[A-Za-z0-9_.{},*+-]+)*/?")


def expand(word):
    """The words that braces stand for: `a.{cpp,hpp}` is two."""
    parts = re.split(r"\{([^{}]*)\}", word)
    return ["".join(choice) for choice in itertools.product(*(part.split(",") if i % 2 else [part] for i, part in enumerate(parts)))]


def exists(folder, path):
    """Also without its ending, as documents name a source file and its header together."""
    if ".." in Path(path).parts and not (folder / path).exists():
        return False
    path = path.rstrip("/")
    return any(next(folder.glob(pattern), None) is not None for pattern in (path, path + ".[ch]pp", path + ".py"))


def anchors(text):
    """As GitHub makes them from headings."""
    headings = re.findall(r"^#{1,6} +(.*)$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


class Tree:
    def __init__(self, root):
        self.root = root
        self.folders = {path.name for path in root.iterdir() if path.is_dir()} - MADE
        self.names = {path.name for folder in self.folders - {".git"} for path in (root / folder).rglob("*")} | {path.name for path in root.iterdir()}

    def documents(self):
        return [self.root / "README.md", *sorted((self.root / "docs").rglob("*.md"))]

    def refuse_link(self, document, target):
        if re.match(r"[a-z]+:", target):
            return None
        path, _, anchor = target.partition("#")
        file = (document.parent / path) if path else document
        if not file.exists():
            return f"the link {target} leads nowhere"
        if anchor and anchor not in anchors(file.read_text()):
            return f"the link {target} leads to no heading"
        return None

    def refuse_hop(self, path, function):
        file = self.root / path
        if file.is_file() and not re.search(rf"\b{re.escape(function)}\b", file.read_text()):
            return f"`{function}` is not in {path}"
        return None  # whether the file is there, refuse_word() says

    def refuse_word(self, document, word):
        first, slash, _ = word.partition("/")
        if first in MADE:
            return None
        if slash and first in self.folders:
            found = all(exists(self.root, path) for path in expand(word))
        elif Path(expand(word)[0]).suffix in SOURCE_ENDINGS and slash:
            found = all(exists(document.parent, path) or exists(self.root, path) for path in expand(word))
        elif Path(expand(word)[0]).suffix in SOURCE_ENDINGS - {".c", ".h"} and re.match(r"[a-z_]", word):
            found = all(path in self.names or any(Path(name).match(path) for name in self.names) for path in expand(word))
        else:
            return None
        return None if found else f"`{word}` is not in the tree"


def code_words(text):
    """The words that may be paths, and where they stand."""
    blocks = [(match.start(), match[0]) for match in FENCE.finditer(text)]
    prose = FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    spans = [(match.start(1), match[1]) for match in CODE.finditer(prose)]
    for start, code in blocks + spans:
        is_block = (start, code) in blocks
        for match in re.finditer(r"[^\s()\"';:<>|\[\]]+", code):
            word = match[0].rstrip(".,:")
            if PATH.fullmatch(word) and (not is_block or "/" in word):
                yield start + match.start(), word


def problems(root):
    tree = Tree(root)
    for document in tree.documents():
        text = document.read_text()
        found = [(match.start(), tree.refuse_link(document, match[1])) for match in LINK.finditer(FENCE.sub(lambda m: " " * len(m[0]), text))]
        found += [(match.start(), tree.refuse_hop(match[1], match[2])) for match in HOP.finditer(text)]
        found += [(at, tree.refuse_word(document, word)) for at, word in code_words(text)]
        for at, problem in sorted((at, problem) for at, problem in found if problem):
            line = text.count("\n", 0, at) + 1
            yield f"{document.relative_to(root)}:{line}: {problem}"


if __name__ == "__main__":
    sys.exit(tree_check.run(__doc__, problems, "doc_links: all that the documents name is there"))
