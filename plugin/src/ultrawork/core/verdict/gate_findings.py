"""New complaints of linters about changed files, and which files are docs or belong to CI."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ..value import Value
from .gate_run import GREEN

_PLACED = r"\s*(-->\s*)?([\w./\\@+-]+\.\w+)(?::|\()\d+(?:[:,]\d+)?\)?:?\s*(?:- )?(.*)$"
_UNDER_HEADING = r"\s+\d+:\d+\s+(\S.*)$"
_HEADING = r"(\S[^:]*[./]\w[\w.-]*)$"


# Where tools print the rule name: `F401 …`, `error TS2322: …`, `… [assignment]`, `… (errcheck)`, `…  no-undef`.
_RULES = (
    r"^(?:error|warning|[CEFWRI]:)?[:\s]*\[?([A-Z]{1,8}\d{2,5})\b",
    r"\b((?:TS|SC)\d{3,5})\b",
    r"\[([\w./-]+)\]\s*$",
    r"\(([\w./-]+)\)\s*$",
    r"\b([A-Z]\w+/[A-Z]\w+)\b",
    r"\s{2,}(@?[\w./-]+)\s*$",
)
# What a C compiler prints when it gives up on a file; a test that prints its place prints no column.
_COMPILE_ERROR = r"(?m)^\S+:\d+:\d+: (?:fatal )?error: .*$"
_VALUES = r"`[^`]*`|'[^']*'|\"[^\"]*\"|\d+"


class LintComplaint(Value):
    """A complaint. `text` has no line number, so that it stays the same when it moves. `rule` is its rule."""

    path: str
    text: str
    rule: str


def _make_complaint(path: str, sentence: str) -> LintComplaint:
    place = path.removeprefix("./")
    text = f"{place}: {' '.join(sentence.split())}".rstrip(": ")
    return LintComplaint(place, text, _find_rule(sentence))


def _find_rule(sentence: str) -> str:
    """Return the name of the rule; if a tool reports none, its sentence without the values."""
    for pattern in _RULES:
        match = re.search(pattern, sentence)
        if match:
            return match[1]
    return re.sub(_VALUES, "_", " ".join(sentence.split()))


def read_complaints(output: str) -> list[LintComplaint]:
    complaints = []
    heading = previous = ""
    for line in output.splitlines():
        placed, under = re.match(_PLACED, line), re.match(_UNDER_HEADING, line)
        title = re.match(_HEADING, line)
        if placed:
            arrow, path, sentence = placed.groups()
            complaints.append(_make_complaint(path, previous if arrow else sentence))
        elif title:
            heading = title[1]
        elif under and heading:
            complaints.append(_make_complaint(heading, under[1]))
        previous = line
    return complaints


def keep_compile_errors(output: str) -> str:
    """Return the lines with which a compiler refuses a file; empty if it built."""
    return "\n".join(re.findall(_COMPILE_ERROR, output))


def find_new_complaints(now: str, base: str, changed: Iterable[str]) -> list[str]:
    """Return new complaints about changed files, by file, rule and count, so that one on a rewritten line is not
    new."""
    before, unmatched = read_complaints(base), []
    texts = Counter(complaint.text for complaint in before)
    kin = Counter((complaint.path, complaint.rule) for complaint in before)
    for complaint in read_complaints(now):
        if texts[complaint.text] > 0:
            texts[complaint.text] -= 1
            kin[complaint.path, complaint.rule] -= 1
        else:
            unmatched.append(complaint)
    files = tuple(changed)
    new_complaints = []
    for complaint in unmatched:
        if kin[complaint.path, complaint.rule] > 0:
            kin[complaint.path, complaint.rule] -= 1
        elif _among(complaint.path, files):
            new_complaints.append(complaint.text)
    return new_complaints


def list_new_lines(now: str, base: str) -> list[str]:
    """Return the lines of an output that hold a new complaint in one line; of some formats none."""
    files = {complaint.path for complaint in read_complaints(now)}
    new = {tuple(text.split(": ", 1)) for text in find_new_complaints(now, base, files)}
    folded = {line: " ".join(line.split()) for line in now.splitlines()}
    return [line for line, text in folded.items() if any(all(part in text for part in parts) for parts in new)]


def _among(path: str, files: Iterable[str]) -> bool:
    return any(("/" + path).endswith("/" + file) or ("/" + file).endswith("/" + path) for file in files)


SLOW_SECONDS = 30.0
_ENDINGS = (".md", ".rst", ".adoc", ".txt", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".bmp")
_NAMES = ("license", "licence", "copying", "notice", "authors", "changelog", "contributors")
# Text files that control what a program does.
_DECIDING = ("requirements", "constraints", "cmakelists", "robots", "manifest")
_CI = (".github/", ".gitlab-ci", ".circleci/", ".travis", "azure-pipelines", ".azure-pipelines", ".ci/")
_PROGRAMS = (".py", ".js", ".ts", ".mjs", ".cjs", ".rs", ".go", ".toml", ".json", ".yml", ".yaml")


def is_doc(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    stem = name.partition(".")[0]
    if stem.startswith(_DECIDING):
        return False
    folders = path.lower().split("/")[:-1]
    documentation = "docs" in folders and not name.endswith(_PROGRAMS)
    return name.endswith(_ENDINGS) or stem in _NAMES or documentation


def is_ci_file(path: str) -> bool:
    return path.startswith(_CI)


def has_only_docs(paths: Sequence[str]) -> bool:
    return bool(paths) and all(is_doc(path) for path in paths)


def explain_not_needed(paths: Sequence[str], *, seconds: float | None, base: str | None) -> str:
    """Return why a check need not run; empty if it must: only docs changed, it is slow, and the baseline passed."""
    slow = seconds is not None and seconds > SLOW_SECONDS
    return "only docs changed" if slow and base == GREEN and has_only_docs(paths) else ""
