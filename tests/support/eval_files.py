"""
The cases of `content/evals.toml` as files in `evals/` that the client's own `plugin eval` reads; `make generate` writes them.

JSON is YAML too, so nothing here needs a YAML library.
"""

import json
import os
from typing import Any

from ultrawork.content.models import FILE, EvalCase, read_cases
from ultrawork.store import atomic

from .floor import PLUGIN

_HEAD = f"# Made from {FILE} by `make generate`.\n"
_COMMIT = "git init -q .\ngit add -A\ngit -c user.name=eval -c user.email=eval@example.org commit -q -m start\n"
_END = "END_OF_FILE"


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
    compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
    return _HEAD + "".join(f"{key}: {compact.encode(value)}\n" for key, value in document.items())


def render_scaffold(case: EvalCase) -> str:
    """The script that lays the project of a case, as a repository with one commit."""
    parts = [f"cat >'{name}' <<'{_END}'\n{text}{_END}\n" for name, text in sorted(case.files.items())]
    return f"{_HEAD}set -eu\n{''.join(parts)}{_COMMIT}"


def render_all(root: str) -> dict[str, str]:
    """Every file below `evals/` that is made, by its path there."""
    found = {}
    for case in read_cases(root):
        found[f"{case.name}/case.yaml"] = render_case(case)
        found[f"{case.name}/scaffold.sh"] = render_scaffold(case)
    return found


def main() -> None:
    for name, text in render_all(PLUGIN).items():
        path = f"{PLUGIN}/evals/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        atomic.write(path, text, mode=0o644)


if __name__ == "__main__":
    main()
