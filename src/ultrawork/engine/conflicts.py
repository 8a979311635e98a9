"""A merge that cannot be made by itself, told so that a worker can settle it: both sides of each file."""

import os

from .history import History

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..system.git import Git
    from .ground import Ground
    from .queue import Bench

LIMIT = 12_000
_AROUND = 3
_BASE, _OURS, _THEIRS = "1", "2", "3"
_SIDES = {
    frozenset((_BASE, _OURS)): "{others} changed it, this task deleted it",
    frozenset((_BASE, _THEIRS)): "{others} deleted it, this task changed it",
    frozenset((_OURS, _THEIRS)): "{others} and this task both made it",
    frozenset((_OURS,)): "{others} moved a file to this name",
    frozenset((_THEIRS,)): "this task moved a file to this name",
    frozenset((_BASE,)): "{others} and this task both moved or deleted it",
}
_BOTH = "{others} and this task both changed it"


def files(git: "Git") -> list[str]:
    return list(dict.fromkeys(path for path, _ in _stages(git)))


def told(ground: "Ground", subject: str, commit: str, head: str, bench: "Bench") -> str:
    """Each file: who changed it, and the places in question with both sides and what was there before."""
    stages: dict[str, set[str]] = {}
    for path, stage in _stages(bench.git):
        stages.setdefault(path, set()).add(stage)
    texts = []
    left = LIMIT
    for path, found in stages.items():
        others = _others(ground, commit, head, path)
        sentence = f"{path}: {_SIDES.get(frozenset(found), _BOTH).format(others=others)}\n"
        body = _places(f"{bench.path}/{path}", others, subject)
        text = sentence + (body if len(body) <= left else "(too long to show)\n")
        left -= len(text)
        texts.append(text)
    return "".join(texts)


def _stages(git: "Git") -> list[tuple[str, str]]:
    printed = os.fsdecode(git.ask(["ls-files", "-u", "-z"]))
    records = (record.partition("\t") for record in printed.split("\0") if record)
    return [(path, head.split(" ")[2]) for head, _, path in records]


def _others(ground: "Ground", commit: str, head: str, path: str) -> str:
    """The tasks that changed a file since this one began."""
    git = ground.git.beside({"GIT_LITERAL_PATHSPECS": "1"})
    span = f"{commit}^..{head}"
    listed = os.fsdecode(git.ask(["log", "--no-renames", "--format=%H", span, "--", path]))
    known = {step.commit: step.task for step in History(ground, head).steps}
    tasks = [known.get(name, "") for name in listed.split()]
    return ", ".join(dict.fromkeys(task for task in reversed(tasks) if task)) or "another task"


def _places(place: str, others: str, subject: str) -> str:
    """The parts of a file between marks, with a few lines around them."""
    try:
        with open(place, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    shown = _marked(lines)
    names = {"<<<<<<<": others, "|||||||": "before", ">>>>>>>": subject}
    text = []
    for number, line in enumerate(lines):
        if number in shown:
            label = names.get(line[:7])
            text.append(f"{line[:7]} {label}" if label else line)
        elif text and text[-1] != "…":
            text.append("…")
    return "".join(f"  {line}\n" for line in text)


def _marked(lines: list[str]) -> set[int]:
    shown: set[int] = set()
    start = -1
    for number, line in enumerate(lines):
        if line.startswith("<<<<<<< "):
            start = number
        elif line.startswith(">>>>>>> ") and start >= 0:
            shown.update(range(start - _AROUND, number + _AROUND + 1))
            start = -1
    return shown
