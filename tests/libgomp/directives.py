"""What the tests of gcc say of themselves in comments: { dg-do run }, { dg-options "-O2" { target c } } and their like.

They are words of Tcl for DejaGnu. What is needed of both is here: words, lists in braces, and conditions on the target.
"""
import fnmatch
import re
from dataclasses import dataclass, field

TRIPLET = "x86_64-pc-linux-gnu"
DIRECTIVE = re.compile(r"\{\s*dg-([a-z-]+)\s(.*)\}")
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


class Unknown(Exception):
    """A directive or a property of the target of which this module does not know what it means."""


class Group(str):
    """A word that stood in braces: a list of words, or text as it is."""


@dataclass
class Test:
    """One file of the suite as one compiler is to see it."""
    action: str = "run"                              # or compile, link, skip
    options: list = field(default_factory=list)      # that take the place of the default ones
    has_options: bool = False
    more_options: list = field(default_factory=list)
    sources: list = field(default_factory=list)      # that are compiled with it
    environment: dict = field(default_factory=dict)
    output: str = ""                                 # a regular expression
    fails: bool = False                              # the program must


def words(text):
    """The words of a line of Tcl; substitutes backslashes, which is all that the suite needs."""
    found, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] == "{":
            end, depth = at + 1, 1
            while depth and end < len(text):
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            found.append(Group(text[at + 1:end - 1]))
            at = end
        elif text[at] == '"':
            word = re.compile(r'"((?:[^"\\]|\\.)*)"?').match(text, at)
            found.append(re.sub(r"\\(.)", lambda escape: ESCAPES.get(escape[1], escape[1]), word[1]))
            at = word.end()
        else:
            word = re.compile(r"[^\s]+").match(text, at)
            found.append(word[0])
            at = word.end()
    return found


def _or(terms, has):
    value = _and(terms, has)
    while terms and terms[0] == "||":
        terms.pop(0)
        value = _and(terms, has) or value
    return value


def _and(terms, has):
    value = _term(terms, has)
    while terms and terms[0] == "&&":
        terms.pop(0)
        value = _term(terms, has) and value
    return value


def _term(terms, has):
    word = terms.pop(0)
    if word == "!":
        return not _term(terms, has)
    if isinstance(word, Group):
        return holds(word, has)
    return fnmatch.fnmatchcase(TRIPLET, word) if "-" in word else has(word)


def holds(condition, has):
    """Whether a condition is true: names, triplets with wildcards, !, && and ||; a list of them means any of them.
    has(name) knows the effective targets."""
    terms, value = words(condition), False
    while terms:
        value = _or(terms, has) or value
    return value


def _selected(given, has):
    """Whether the words that follow a directive's own let it count: nothing, or { target CONDITION }."""
    selectors = [word.split(None, 1) for word in given if isinstance(word, Group)]
    return all(holds(selector[1], has) for selector in selectors if selector[0] == "target")


def _skips(given, options, has):
    """dg-skip-if REASON CONDITION [FLAGS [BUT-FLAGS]]: where the condition holds, with these flags but not with those."""
    condition, flags, but = (given + ["*", ""][len(given) - 2:])[1:4]
    line = " ".join(options)

    def match(patterns):
        return any(fnmatch.fnmatchcase(line, f"*{pattern}*") for pattern in words(patterns))
    return holds(condition, has) and match(flags) and not match(but)


# What is about the compiler's messages and dumps, or about what there is only with accelerators; time limits, since the runner has one
# that holds on slow machines, too; and what ELF has in any case.
IGNORED = {"final", "warning", "error", "bogus", "prune-output", "excess-errors", "xfail-if", "xfail-run-if", "timeout",
           "timeout-factor", "require-alias"}


def _apply(test, name, given, has, default_options):
    if name in IGNORED:
        return
    if name == "do":
        if not _selected(given[1:], has):
            test.action = "skip"
        elif test.action != "skip":
            test.action = given[0]
    elif name == "options":
        if _selected(given[1:], has):
            test.options, test.has_options = given[0].split(), True
    elif name == "additional-options":
        if _selected(given[1:], has):
            test.more_options += given[0].split()
    elif name == "add-options":  # of a type: x86 needs none
        has(given[0])
    elif name == "additional-sources":
        test.sources += " ".join(given).split()
    elif name == "set-target-env-var":
        if _selected(given[2:], has):
            test.environment[given[0]] = given[1]
    elif name == "require-effective-target":
        if not has(given[0]):
            test.action = "skip"
    elif name == "skip-if":
        if _skips(given, default_options, has):
            test.action = "skip"
    elif name == "output":
        if _selected(given[1:], has):
            test.output += given[0]
    elif name == "shouldfail":
        test.fails = test.fails or _selected(given[1:], has)
    else:
        raise Unknown(f"dg-{name}")


def parse(text, has, default_options):
    """The test that a file describes."""
    test = Test()
    for name, rest in DIRECTIVE.findall(text):
        _apply(test, name, words(rest), has, default_options)
    return test
