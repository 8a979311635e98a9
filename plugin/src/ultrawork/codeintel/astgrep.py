"""Search and rewrite code by structure (extra `ast`)."""

import os
import site
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core import check
from ..core.errors import Conflict, NotFound
from ..store.codec import digest
from . import changes, isolated
from .changes import TextChange
from .isolated import Progress

SECONDS = 120.0
LANGUAGES = {
    "bash": (".sh", ".bash"),
    "c": (".c", ".h"),
    "cpp": (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx"),
    "csharp": (".cs",),
    "css": (".css",),
    "elixir": (".ex", ".exs"),
    "go": (".go",),
    "haskell": (".hs",),
    "html": (".html", ".htm"),
    "java": (".java",),
    "javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "json": (".json",),
    "kotlin": (".kt", ".kts"),
    "lua": (".lua",),
    "php": (".php",),
    "python": (".py", ".pyi"),
    "ruby": (".rb", ".rake", ".gemspec"),
    "rust": (".rs",),
    "scala": (".scala",),
    "swift": (".swift",),
    "tsx": (".tsx",),
    "typescript": (".ts", ".mts", ".cts"),
    "yaml": (".yaml", ".yml"),
}


@dataclass(slots=True, frozen=True)
class SearchJob:
    """Where to search (`path`, inside `top`), and how a caller follows or stops it."""

    top: str
    path: str
    extras: str = field(kw_only=True)
    progress: Progress | None = field(default=None, kw_only=True)
    should_stop: Callable[[], bool] | None = field(default=None, kw_only=True)


def search(job: SearchJob, language: str, pattern: str, *, context: int = 2, most: int = 20) -> str:
    limits = {"context": context, "most": most}
    ran = _ran(job, "search", language, pattern, limits)
    blocks = [_shown(match, job.top) for match in ran["matches"]]
    more = " or more" if ran["more"] else ""
    head = f"{len(blocks)}{more} matches in {ran['files']} files"
    return "\n\n".join([head + _why(ran["hint"]), *blocks])


def replace(job: SearchJob, language: str, pattern: str, replacement: str, *, dry_run: bool = True) -> str:
    ran = _ran(job, "rewrite", language, pattern, {"replacement": replacement})
    plan = {change["path"]: _outcome(change, job.top) for change in ran["changes"]}
    plan = {path: outcome for path, outcome in plan.items() if outcome.before != outcome.after}
    if not plan:
        return f"nothing to change in {ran['files']} files{_why(ran['hint'])}"
    if not dry_run:
        changes.write(plan, job.top)
    places = sum(len(change["edits"]) for change in ran["changes"])
    head = "would change (dry run; pass dryRun: false to write)" if dry_run else "changed"
    inner = f"; {ran['inner']} nested matches need a second run" if ran["inner"] else ""
    return f"{places} places in {len(plan)} files {head}{inner}\n{changes.render_diff(plan, job.top)}"


def _ran(job: SearchJob, function: str, language: str, pattern: str, more: Mapping[str, object]) -> dict[str, Any]:
    language = check.require_choice(language, LANGUAGES, "language")
    if not os.path.exists(job.path):
        raise NotFound(f"{check.quote(os.path.relpath(job.path, job.top))} does not exist")
    places = _places(job.extras)
    arguments = {"path": job.path, "language": language, "endings": LANGUAGES[language], **more}
    answer: dict[str, Any] = isolated.call(
        f"ultrawork.codeintel.astgrep_child:{function}",
        {"pattern": check.clean_text(pattern, "pattern", 20_000), **arguments},
        name="ast-grep",
        places=places,
        seconds=SECONDS,
        progress=job.progress,
        should_stop=job.should_stop,
    )
    return answer


def _places(extras: str) -> Sequence[str]:
    """Return where the engine is: our own folder for extras, or this interpreter's packages."""
    places = [extras, *sys.path, *site.getsitepackages()]
    if any(os.path.isdir(os.path.join(place, "ast_grep_py")) for place in places):
        return [place for place in places if os.path.isdir(place)]
    raise NotFound(
        f"ast-grep is not installed; get it with: {sys.executable} -m pip install --target {extras} ast-grep-py"
    )


def _shown(match: dict[str, Any], top: str) -> str:
    name = os.path.relpath(match["path"], top)
    lines = [
        f"{'>' if match['line'] <= number <= match['end'] else ' '} {number:>5}  {line}"
        for number, line in enumerate(match["lines"], match["start"])
    ]
    return "\n".join([f"{name}:{match['line']}:{match['column']}", *lines])


def _outcome(change: dict[str, Any], top: str) -> TextChange:
    before = changes.read_current(change["path"])
    if before is None or digest(before) != change["digest"]:
        name = os.path.relpath(change["path"], top)
        raise Conflict(f"{name} changed meanwhile, so nothing was written; try again")
    pieces, done = [], 0
    for start, end, new in change["edits"]:
        pieces += [before[done:start], new]
        done = end
    return TextChange(before, "".join(pieces) + before[done:])


def _why(hint: str) -> str:
    return f" ({hint})" if hint else ""
