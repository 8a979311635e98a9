"""Read what a check's runs say about a change: a check that fails now, one whose definition changed, and new complaints
of linters about changed files, which may be docs or belong to CI.

A test that passed on the baseline, or was not there, fails because of this change. One that failed there too costs
nothing, unless the goal wants it to pass, or the goal is a fix, nothing is proved and the test runs the changed code. A
check whose command, target, script or settings changed runs as it is, and as it was: the result under the old
definition is the result, and where that passes, the change of the definition hides nothing."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ..value import Value, fresh
from .gate_run import GREEN, GateResult, TestReport, shorten_name
from .verdict import render_names

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


class FailingTests(Value):
    """Tests of one check that fail now for the same reason; no `names` if the check names none. `wanted`: the goal
    wants them to pass. `reaches`: whether they run the changed code; None if unknown."""

    gate: str
    names: Sequence[str] = fresh(list)
    failed_on_baseline: bool = False
    wanted: bool = False
    is_fix: bool = False
    proved: bool = False
    reaches: bool | None = False
    reason: str = ""
    where: str = ""
    receipt: int | None = None
    label: str = ""

    @property
    def counts_against(self) -> bool:
        """Whether the change broke them, or should have fixed them."""
        return not self.failed_on_baseline or self.wanted

    @property
    def is_unproved_fix(self) -> bool:
        return self.is_fix and not self.proved

    @property
    def words(self) -> dict[str, str]:
        check = self.label or self.gate
        own = shorten_name(self.names[0]) if self.names else ""
        description = render_names(self.names) or (f": {self.reason}" if self.reason else "")
        return {
            "check": check,
            "names": description,
            "failing": description or f": {check}",
            "fix": f"get `{own if len(self.names) == 1 else check}` to pass",
            "before": ", as it did before" if self.failed_on_baseline else "",
        }


_LINE, _COMMA = "\n", ", "


class DefinitionChange(Value):
    """A changed definition. `before` and `after` are the two definitions, `as_it_was` the result of the old one on the
    new code. `failed_alike`: it fails there only as it failed on the baseline. `program_left`: its program left the
    manifest, so it can no longer run. `never_ran`: it is not a test check, and its old form ran neither at the start
    nor now. `guessed`: no script or target contains its old command."""

    gate: str
    before: str
    after: str
    now: GateResult
    as_it_was: GateResult
    failed_alike: bool = False
    program_left: bool = False
    never_ran: bool = False
    guessed: bool = False
    baseline: TestReport | None = None
    where: str = ""
    label: str = ""

    @property
    def runs_as_many(self) -> bool:
        now, before = self.now, self.baseline.ran if self.baseline else None
        ran = now.report.ran if now.colour == GREEN and now.report else None
        return ran is not None and before is not None and ran >= before > 0

    @property
    def receipt(self) -> int | None:
        return self.as_it_was.receipt

    @property
    def words(self) -> dict[str, str]:
        run = self.as_it_was
        return {
            "gate": self.gate,
            "check": self.label or self.gate,
            "became": describe_difference(self.before, self.after),
            "names": render_names(run.failed),
            "why": run.reason or "it could not run as it was",
        }


def describe_difference(before: str, after: str) -> str:
    """Name only what differs: a definition may be long, with a script or a table of options."""
    if not after:
        return f"`{before.partition(_LINE)[0]}` was removed"
    if _LINE not in before + after:
        return _describe_line(before, after)
    old_words, new_words = (text.replace(_LINE, _COMMA).split(_COMMA) for text in (before, after))
    gone = _COMMA.join(word for word in old_words if word not in new_words)
    came = _COMMA.join(word for word in new_words if word not in old_words)
    if gone and came:
        return _describe_line(gone.strip(), came.strip())
    return f"`{(gone or came).strip()}` was {'removed' if gone else 'added'}"


def _describe_line(before: str, after: str) -> str:
    """Name what differs in one line: only the words that were added or removed, if all others stayed."""
    for find_words in (str.split, _find_unquoted):
        old_words, new_words = find_words(before), find_words(after)
        if added := _find_inserted(old_words, new_words):
            return f"`{added}` was added to `{before}`"
        if removed := _find_inserted(new_words, old_words):
            return f"`{removed}` was removed from `{before}`"
    return f"`{before}` became `{after}`"


def _find_unquoted(text: str) -> list[str]:
    """Return the words of a setting (`"addopts": "-ra -q"`), without the quotes at the ends of its value."""
    return text.replace('"', " ").split()


def _find_inserted(short: list[str], long: list[str]) -> str:
    """Return the words in one place that `long` has more than `short`; empty if that is not the whole difference."""
    more = len(long) - len(short)
    for at in range(len(short) + 1) if more > 0 and len(short) > 1 else ():
        if long[:at] + long[at + more :] == short:
            return " ".join(long[at : at + more])
    return ""
