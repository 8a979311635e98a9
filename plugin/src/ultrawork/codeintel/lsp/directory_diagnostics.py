"""Problems of a whole folder: by the language servers file by file, or by the compiler at once."""

import asyncio
import os
import re
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from ...core.errors import NotFound, Trouble, UltraworkError
from ...system import language_servers as servers
from ...system.process import ProgramRun, run_program
from ..child_process import make_environment
from ..files import walk
from . import questions, render
from .pool import Pool

Progress = Callable[[int, int], None]

MOST_FILES = 300
AT_ONCE = 4
TSC_SECONDS = 120.0
TSC_OUTPUT = 1_000_000
AUTO, TSC, LSP = "auto", "tsc", "lsp"
_TSC_LINE = re.compile(r"^(.+?)\((\d+),(\d+)\): (error|warning) (TS\d+): (.*)$", re.MULTILINE)


@dataclass(slots=True, frozen=True)
class FolderScope:
    """A folder in a worktree, and whether the project's own programs may run (see `servers.find`)."""

    folder: str
    top: str
    own: bool
    cure: str = ""


async def list_problems(pool: Pool, scope: FolderScope, strategy: str, progress: Progress) -> str:
    if strategy == TSC or (strategy == AUTO and _compiles(scope)):
        return await check_by_compiler(scope)
    return await check_by_servers(pool, scope, progress)


async def check_by_servers(pool: Pool, scope: FolderScope, progress: Progress) -> str:
    files = [path for path in walk(scope.folder) if servers.is_known(path)]
    if not files:
        raise NotFound("no file in this folder is in a language with a server")
    report = FolderReport(len(files))
    gate = asyncio.Semaphore(AT_ONCE)

    async def check(path: str) -> None:
        async with gate:
            await report.take(pool, path, scope)
            progress(report.looked, report.wanted)

    await asyncio.gather(*map(check, files[:MOST_FILES]))
    return report.text()


class FolderReport:
    def __init__(self, count: int) -> None:
        self.looked = 0
        self.wanted = min(count, MOST_FILES)
        self._found = count
        self._checked = 0
        self._lines: dict[str, list[str]] = {}
        self._missed: dict[str, int] = {}

    async def take(self, pool: Pool, path: str, scope: FolderScope) -> None:
        try:
            installed_server = servers.find(path, scope.top, own=scope.own, cure=scope.cure)
            lines = await pool.ask(installed_server, lambda workspace: questions.list_problems(workspace, path))
        except UltraworkError as trouble:
            self._missed[str(trouble)] = self._missed.get(str(trouble), 0) + 1
        else:
            self._checked += 1
            self._lines[path] = lines
        self.looked += 1

    def text(self) -> str:
        """Return the report with what was not checked; raise if nothing was."""
        missed = [f"not checked: {count} files: {why}" for why, count in self._missed.items()]
        if self._found > self.wanted:
            missed.append(f"not checked: {self._found - self.wanted} files beyond the first {MOST_FILES}")
        if not self._checked:
            raise Trouble("; ".join(missed))
        lines = [line for path in sorted(self._lines) for line in self._lines[path]]
        head = f"{len(lines)} problems in {self._checked} files" if lines else "no problems"
        return render.join_lines([f"{head} ({self._checked} files checked)", *missed, *lines])


async def check_by_compiler(scope: FolderScope) -> str:
    """Return what `tsc` reports about the project, without writing anything."""
    program = _tsc(scope)
    if program is None and scope.cure and _tsc(replace(scope, own=True)):
        raise NotFound(f"tsc is installed in this checkout, and {servers.NOT_YET}: {scope.cure}")
    if program is None:
        raise NotFound("tsc is not installed here; install it: npm install -D typescript")
    argv = [program, "--noEmit", "--pretty", "false", "-p", scope.folder]
    ran = await _ran(argv, scope.folder)
    output = ran.output
    compiler_lines = [_compiler_line(match, scope) for match in _TSC_LINE.finditer(output)]
    if ran.timed_out:
        raise Trouble(f"tsc did not end within {TSC_SECONDS:g} s; use strategy lsp")
    if ran.exit and not compiler_lines:
        raise Trouble(f"tsc failed: {' '.join(output.split())[:200]}")
    return render.join_lines(compiler_lines) or "no problems (tsc)"


async def _ran(argv: list[str], folder: str) -> ProgramRun:
    stop = threading.Event()
    try:
        return await asyncio.to_thread(
            run_program,
            argv,
            cwd=folder,
            env=make_environment(),
            deadline=TSC_SECONDS,
            output_limit=TSC_OUTPUT,
            should_stop=stop.is_set,
        )
    finally:
        stop.set()


def _compiler_line(match: re.Match[str], scope: FolderScope) -> str:
    name = os.path.relpath(os.path.join(scope.folder, match[1]), scope.top)
    return f"{name}:{match[2]}:{int(match[3]) - 1} {match[4]} [{match[5]}] {match[6]}"


def _compiles(scope: FolderScope) -> bool:
    return os.path.exists(os.path.join(scope.folder, "tsconfig.json")) and _tsc(scope) is not None


def _tsc(scope: FolderScope) -> str | None:
    places = servers.list_program_folders(scope.folder, scope.top, own=scope.own)
    paths = (shutil.which("tsc", path=place) for place in places)
    return next((path for path in paths if path and (scope.own or not servers.is_below(path, scope.top))), None)
