"""The cases of `content/evals.toml`: what a client is asked, in which project, and how its result is checked."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from ..core.check import find_nearest, quote
from ..core.errors import NotFound, UsageError
from ..store.paths import find_root

FILE = "content/evals.toml"
_TOOLS = ("Read", "Glob", "Grep", "Edit", "Write", "Bash")


@dataclass(frozen=True, slots=True)
class EvalCase:
    """One task; see the head of the file for what each key means."""

    name: str
    about: str
    prompt: str
    files: Mapping[str, str]
    tags: Sequence[str] = ()
    hidden: Mapping[str, str] = field(default_factory=dict)
    kept: Sequence[str] = ()
    check: Sequence[str] = ()
    possible: bool = True
    plain: bool = False
    max_turns: int = 30
    seconds: int = 600
    tools: Sequence[str] = _TOOLS
    graders: Sequence[Mapping[str, Any]] = ()


def read_cases(root: str = "") -> list[EvalCase]:
    """All cases of the file; a key that is none is refused with its place."""
    with open(f"{root or find_root()}/{FILE}", "rb") as file:
        rows = tomllib.load(file)["case"]
    return [_make(row) for row in rows]


def _make(row: dict[str, Any]) -> EvalCase:
    known = [field.name for field in fields(EvalCase)]
    strange = next((key for key in row if key not in known), None)
    if strange is not None:
        raise UsageError(f"{FILE}: case {row.get('name')} has no key {quote(strange)}")
    texts = {
        key: {name: text.removeprefix("\n") for name, text in row.get(key, {}).items()} for key in ("files", "hidden")
    }
    return EvalCase(**{**row, **texts})


def choose(cases: Sequence[EvalCase], names: Sequence[str]) -> list[EvalCase]:
    """The named ones, or all that can be checked without a model that grades."""
    checked = {eval_case.name: eval_case for eval_case in cases if not eval_case.plain}
    for name in names:
        if name not in checked:
            close = find_nearest(name, checked)
            hint = f"did you mean {close}?" if close else f"there are: {', '.join(checked)}"
            raise NotFound(f"no case {quote(name)}; {hint}")
    return [checked[name] for name in names or checked]
