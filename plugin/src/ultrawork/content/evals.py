"""
The cases of `content/evals.toml`: what a client is asked, in which project, and how its result is checked.

`python -m ultrawork.content.evals` writes them into `evals/` as the client's own `plugin eval` reads them. JSON is
YAML too, so nothing here needs a YAML library.
"""

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from ..core.check import find_nearest, quote
from ..core.errors import NotFound, UsageError
from ..store import atomic
from ..store.plugin import find_root

FILE = "content/evals.toml"
FOLDER = "evals"
_HEAD = f"# Made from {FILE} by `make generate`: change the case there.\n"
_TOOLS = ("Read", "Glob", "Grep", "Edit", "Write", "Bash")
_COMMIT = (
    "git init -q .\ngit add -A\n"
    "git -c user.name=eval -c user.email=eval@example.org commit -q -m start\n"
)
_END = "END_OF_FILE"


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
    known = [one.name for one in fields(EvalCase)]
    strange = next((key for key in row if key not in known), None)
    if strange is not None:
        raise UsageError(f"{FILE}: case {row.get('name')} has no key {quote(strange)}")
    texts = {
        key: {name: text.removeprefix("\n") for name, text in row.get(key, {}).items()}
        for key in ("files", "hidden")
    }
    return EvalCase(**{**row, **texts})


def choose(cases: Sequence[EvalCase], names: Sequence[str]) -> list[EvalCase]:
    """The named ones, or all that can be checked without a model that grades."""
    checked = {one.name: one for one in cases if not one.plain}
    for name in names:
        if name not in checked:
            close = find_nearest(name, checked)
            hint = f"did you mean {close}?" if close else f"there are: {', '.join(checked)}"
            raise NotFound(f"no case {quote(name)}; {hint}")
    return [checked[name] for name in names or checked]


def render_case(case: EvalCase) -> str:
    """`case.yaml` of the client's own evals; every case but a plain one begins with our word."""
    document: dict[str, Any] = {
        "schema_version": "1.0",
        "name": case.name,
        "description": case.about,
        "tags": list(case.tags),
        "context": {"scaffold_script": "scaffold.sh"},
        "execution": {
            "prompt": case.prompt if case.plain else f"ulw {case.prompt}",
            "max_turns": case.max_turns,
            "timeout_seconds": case.seconds,
            "allowed_tools": list(case.tools),
        },
        "runs": 3,
        "graders": list(case.graders),
    }
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in document.items()]
    return _HEAD + "\n".join(lines) + "\n"


def render_scaffold(case: EvalCase) -> str:
    """The script that lays the project of a case, as a repository with one commit."""
    parts = [
        f"cat >'{name}' <<'{_END}'\n{text}{_END}\n" for name, text in sorted(case.files.items())
    ]
    return f"{_HEAD}set -eu\n{''.join(parts)}{_COMMIT}"


def render_all(root: str) -> dict[str, str]:
    """Every file below `evals/` that is made, by its path there."""
    found = {}
    for case in read_cases(root):
        found[f"{case.name}/case.yaml"] = render_case(case)
        found[f"{case.name}/scaffold.sh"] = render_scaffold(case)
    return found


def main() -> None:
    root = find_root()
    for name, text in render_all(root).items():
        path = f"{root}/{FOLDER}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        atomic.write(path, text, mode=0o644)


if __name__ == "__main__":
    main()
