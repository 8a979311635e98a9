"""What the doctor finds around ultrawork: logins, other plugins, earlier systems, orphaned state, disk, our links."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from shutil import rmtree
from typing import Any

from ...clients import find
from ...clients.headless import table
from ...clients.installation import LINKS
from ...core.agent_variables import remove_agent_variables
from ...core.errors import UltraworkError
from ...core.wording import count_things
from ...flow.retention import MEGABYTE
from ...store import install_record, legacy, markers, program_copy
from ...store.atomic import list_folder
from ...store.codec import loads
from ...store.install_entries import LINK, OURS
from ...system.files import measure_folder, read_bytes
from ...system.process import run_program
from ..environment import VerbEnvironment
from ..migration import list_findings, list_old_sessions

_PATIENCE = 15.0
_OWN = "ultrawork"
_LITTLE = 500 * MEGABYTE
# Plugins that also keep an agent from stopping: two of them work against each other.
_LOOPS = ("ralph-loop", "ralph-wiggum")


@dataclass(slots=True, frozen=True)
class DoctorCheck:
    """One examined thing; `mend` is empty if all is well."""

    name: str
    value: str
    mend: str = ""
    summary: dict[str, Any] | None = None


def list_checks(env: VerbEnvironment) -> list[DoctorCheck]:
    return [
        *_list_logins(env),
        *_list_links(env),
        *_list_plugins(env),
        *_list_earlier(env),
        _examine_orphans(env),
        _examine_disk(env),
    ]


def _list_logins(env: VerbEnvironment) -> Iterator[DoctorCheck]:
    """Yield logins by the client's own answer: no file with credentials is opened."""
    clean = remove_agent_variables(env.environ)
    for name in find.NAMES:
        words, yes, no = find.get_client(name).login_question
        backend = table.get(name)
        program = backend.find_program(env.environ) if words else None
        if program is None:
            continue
        keys = backend.login.keys if backend.login else ()
        key = next((variable for variable in keys if env.environ.get(variable)), "")
        if key:
            yield DoctorCheck(f"{name} login", f"uses {key}")
            continue
        home = env.environ.get("HOME") or "/"
        done = run_program([program.path, *words], cwd=home, env=clean, deadline=_PATIENCE)
        if no in done.output:
            cure = f"run {backend.how_to_get.rpartition('then ')[2]}"
            yield DoctorCheck(f"{name} login", "not logged in", cure)
        else:
            text = "logged in" if yes in done.output else "the client does not say"
            yield DoctorCheck(f"{name} login", text)


def _list_links(env: VerbEnvironment) -> Iterator[DoctorCheck]:
    try:
        changes = install_record.load(env.store.home)
    except UltraworkError as error:
        yield DoctorCheck("installed changes", "unknown", str(error))
        return
    for recorded_change in changes:
        if recorded_change.part == LINKS and recorded_change.kind == LINK:
            is_fine = recorded_change.find_state() == OURS and os.path.exists(recorded_change.path)
            mend = "" if is_fine else "its program is gone; run ultrawork install again"
            yield DoctorCheck(os.path.basename(recorded_change.path) + " link", recorded_change.path, mend)


def _list_plugins(env: VerbEnvironment) -> Iterator[DoctorCheck]:
    """Yield what other plugins add to each event and to the context; `--context` measures the latter in bytes."""
    for name, folder in find.list_client_plugins(env.environ.get("HOME", "")):
        if name == _OWN:
            continue
        events = _count_hooks(folder)
        parts = [count_things(sum(events.values()), "hook")]
        parts += [f"at {', '.join(sorted(events))}"] if events else []
        for kind in ("skills", "agents", "commands"):
            count = _count_entries(f"{folder}/{kind}")
            parts += [count_things(count, kind[:-1])] if count else []
        mend = f"it also decides when a session may stop; keep one: claude plugin disable {name}"
        yield DoctorCheck(f"plugin {name}", ", ".join(parts), mend if name in _LOOPS else "")


def _count_hooks(folder: str) -> dict[str, int]:
    """Handlers by event; a file in another form has none that we could count."""
    try:
        hooks = loads(read_bytes(f"{folder}/hooks/hooks.json").decode("utf-8", "replace"))["hooks"]
        return {str(event): sum(len(group["hooks"]) for group in groups) for event, groups in hooks.items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        return {}


def _count_entries(folder: str) -> int:
    return sum(name[0] != "." for name in list_folder(folder))


def _list_earlier(env: VerbEnvironment) -> Iterator[DoctorCheck]:
    for number, migration_finding in enumerate(list_findings(env), 1):
        more = " (ultrawork doctor --fix does it)" if migration_finding.is_taken else ""
        text = migration_finding.what if migration_finding.is_conflict else migration_finding.line + more
        yield DoctorCheck(f"earlier {number}", text, migration_finding.cure if migration_finding.is_conflict else "")


def _list_orphaned_markers(env: VerbEnvironment) -> list[str]:
    """Return markers of sessions that no record knows: nothing can end them."""
    folder = f"{env.store.home.root}/{markers.ACTIVE}"
    try:
        names = sorted(os.listdir(folder))
        known = {name for (name,) in env.store.database.rows("SELECT id FROM sessions")}
    except (OSError, UltraworkError):
        return []
    return [f"{folder}/{name}" for name in names if name not in known]


def _examine_orphans(env: VerbEnvironment) -> DoctorCheck:
    lost, copies = _list_orphaned_markers(env), program_copy.list_unused(env.store.home)
    if not lost and not copies:
        return DoctorCheck("leftover", "none")
    text = f"{count_things(len(lost), 'marker')} of unknown sessions, {count_things(len(copies), 'unused copy', 'unused copies')} of the program"
    return DoctorCheck("leftover", text, "ultrawork doctor --fix removes them" if lost else "")


def _examine_disk(env: VerbEnvironment) -> DoctorCheck:
    root = env.store.home.root
    used = measure_folder(root)
    disk = os.statvfs(root if os.path.isdir(root) else "/")
    free = disk.f_bavail * disk.f_frsize
    text = f"{used / MEGABYTE:.0f} MB used by ultrawork, {free / MEGABYTE:,.0f} MB free"
    return DoctorCheck("disk", text, "" if free > _LITTLE else "free some space: ultrawork clean")


def fix(env: VerbEnvironment) -> list[str]:
    """Apply the fixes that cost nothing; return what was done."""
    lines = []
    for path in _list_orphaned_markers(env):
        os.unlink(path)
        lines.append(f"fixed: removed {path}")
    for path in program_copy.list_unused(env.store.home):
        rmtree(path, ignore_errors=True)
        lines.append(f"fixed: removed {path}, which no session uses")
    if list_old_sessions(env):
        taken, refused = legacy.import_all(env.store, [env.store.home.root], force=False)
        lines += [f"fixed: imported session {name}" for name in taken]
        lines += [f"not imported: {path}: {why}" for path, why in refused]
    return lines


def make_document(lines: list[DoctorCheck]) -> Mapping[str, Mapping[str, object]]:
    data: dict[str, dict[str, object]] = {line.name: {"value": line.value, "mend": line.mend} for line in lines}
    return data | {line.name: {**data[line.name], "summary": line.summary} for line in lines if line.summary}
