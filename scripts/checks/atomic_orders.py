#!/usr/bin/env python3
"""Finds atomic operations whose order nobody explains.

An operation that names a memory_order needs a comment on its line, in the three lines before it, or behind it on the
line that follows, or in the comment before its function, its class or the declaration of its atomic, that says what the
order is for: what it pairs with, what it orders, what guards the value, or that it is only a hint or a number. Where a
comment says `pairs with name()`, a function of that name must exist in the tree.

atomic_orders.py [--most N] [folder...]   lists them; fails if there are more than N, or if a partner does not exist
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("base", "dsm", "perf", "runtime", "schedulers")
ORDER = re.compile(r"\bmemory_order(_|::)(relaxed|consume|acquire|release|acq_rel|seq_cst)\b")
WORDS = re.compile(r"\b(pairs?|orders?|ordered|guard\w*|relaxed|acquir\w*|releas\w*|acq_rel|seq_cst|sequential\w*|hint|publish\w*|"
                   r"with the lock|lock's holder|under the lock|only the number|owner's|written by)\b", re.I)
PARTNER = re.compile(r"pairs with (?:the \w+ (?:in|of) )?(\w+)\(\)")
OPERATION = re.compile(r"([A-Za-z_]\w*)(?:\[[^\]]*\])?(?:\.|->)(?:load|store|exchange|fetch_\w+|compare_exchange_\w+)\s*\(")
NEAR = 3


def comment_of(line):
    at = line.find("//")
    return line[at:] if at >= 0 else ""


def block_before(lines, at):
    """The comment that ends right above the line."""
    found = []
    while at > 0 and lines[at - 1].strip().startswith("//"):
        at -= 1
        found.append(lines[at])
    return " ".join(found)


def comment_of_scope(lines, at):
    """The comments before what encloses the line, from the inside out."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    text = ""
    for above in range(at - 1, -1, -1):
        line = lines[above]
        if not line.strip() or line.strip().startswith("//"):
            continue
        depth = len(line) - len(line.lstrip())
        if depth < indent and "namespace" not in line:
            indent = depth
            text += " " + comment_of(line) + block_before(lines, above)
            if depth == 0:
                break
    return text


def comment_of_atomic(declarations, line, before):
    match = OPERATION.search(line) or OPERATION.search(before)
    return declarations.get(match.group(1), "") if match else ""


def declarations_in(texts):
    """What the comments beside or before the declarations of atomics say, by name."""
    declared = re.compile(r"(?:\bstd::atomic<[^;(]*>|\bAtomic<\w+>|\bFutexWord)&?\s+(\w+)\s*[{;=(\[,)]")
    found = {}
    for lines in texts.values():
        for at, line in enumerate(lines):
            for name in declared.findall(line):
                following = lines[at + 1].strip() if at + 1 < len(lines) else ""
                text = comment_of(line) + " " + block_before(lines, at) + (following if following.startswith("///<") else "")
                found[name] = found.get(name, "") + text
    return found


def is_explained(lines, at, declarations):
    near = " ".join(comment_of(line) for line in lines[max(0, at - NEAR):at + 2])
    if WORDS.search(near):
        return True
    before = lines[at - 1] if at else ""
    return bool(WORDS.search(comment_of_scope(lines, at) + comment_of_atomic(declarations, lines[at], before)))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--most", type=int, default=0)
    options.add_argument("folders", nargs="*", default=FOLDERS)
    options = options.parse_args()
    files = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.[ch]pp"))
    texts = {file.relative_to(ROOT): file.read_text().split("\n") for file in files}
    declarations = declarations_in(texts)
    total = unexplained = strangers = 0
    for file, lines in texts.items():
        if not any(str(file).startswith(folder.rstrip("/") + "/") for folder in options.folders):
            continue
        for at, line in enumerate(lines):
            code = line.split("//")[0]
            for partner in PARTNER.findall(comment_of(line)):
                if not re.search(r"\b%s\(" % partner, "\n".join(other.split("//")[0] for text in texts.values() for other in text)):
                    print(f"{file}:{at + 1}: no function {partner}()")
                    strangers += 1
            if not ORDER.search(code) or "HETMP_CHECK" in code:  # a check reads what its place knows anyway
                continue
            total += 1
            if not is_explained(lines, at, declarations):
                print(f"{file}:{at + 1}: {line.strip()}")
                unexplained += 1
    print(f"{total} lines with orders, {unexplained} of them unexplained; {strangers} partners that do not exist")
    return unexplained > options.most or strangers > 0


if __name__ == "__main__":
    sys.exit(main())
