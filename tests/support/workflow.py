"""
A composite action as GitHub runs it: its steps, their environment from expressions, outputs, a job summary. The shell
is real, the hosting is not.
"""

import os
import re
import subprocess
from dataclasses import dataclass, field
from typing import Any

import yaml  # type: ignore[import-untyped]  # of the tests alone

from .floor import REPOSITORY

_EXPRESSION = re.compile(r"\$\{\{\s*([\w.]+)\s*\}\}")
PATIENCE = 120.0


@dataclass
class Job:
    """What a run of the action left: its exit status, its outputs, the summary and the log."""

    status: int = 0
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    log: str = ""


def run_action(
    place: str, environ: dict[str, str], github: dict[str, Any], inputs: "dict[str, str] | None" = None
) -> Job:
    """`github` is the context, nested as its expressions name it."""
    with open(f"{REPOSITORY}/action.yml", encoding="utf-8") as file:
        action = yaml.safe_load(file)
    given = {name: one.get("default", "") for name, one in action["inputs"].items()}
    context: dict[str, Any] = {"inputs": {**given, **(inputs or {})}, "github": github, "steps": {}}
    job = Job()
    for step in action["runs"]["steps"]:
        if job.status and step.get("if") != "always()":
            continue
        before = job.status
        told = _run_step(place, environ, step, context, job)
        context["steps"][step["id"]] = {"outputs": told}
        job.status = before or job.status
    job.outputs = {name: _fill(one["value"], context) for name, one in action["outputs"].items()}
    return job


def _run_step(
    place: str, environ: dict[str, str], step: dict[str, Any], context: dict[str, Any], job: Job
) -> dict[str, str]:
    files = {name: f"{place}.{name}" for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for path in files.values():
        with open(path, "w", encoding="utf-8"):
            pass
    own = {name: _fill(str(value), context) for name, value in step.get("env", {}).items()}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=place,
        env={**environ, **files, **_name_folders(place), **own},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    job.status, job.log = done.returncode, job.log + done.stdout + done.stderr
    texts = {}
    for name, path in files.items():
        with open(path, encoding="utf-8") as file:
            texts[name] = file.read()
        os.unlink(path)
    job.summary += texts["GITHUB_STEP_SUMMARY"]
    lines = (line.partition("=") for line in texts["GITHUB_OUTPUT"].splitlines())
    return {name: value for name, _, value in lines}


def _name_folders(place: str) -> dict[str, str]:
    return {"GITHUB_ACTION_PATH": REPOSITORY, "RUNNER_TEMP": os.path.dirname(place)}


def _fill(text: str, context: dict[str, Any]) -> str:
    return _EXPRESSION.sub(lambda found: str(_find(found[1], context)), text)


def _find(path: str, context: dict[str, Any]) -> Any:
    """An expression that leads nowhere is empty, as on GitHub."""
    value: Any = context
    for name in path.split("."):
        value = value.get(name, "") if isinstance(value, dict) else ""
    return value
