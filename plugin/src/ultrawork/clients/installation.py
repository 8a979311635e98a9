"""The steps of `ultrawork install`, and how they are reverted.

Each step says what it changes before it does, and its real changes are recorded by comparison."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..core.agent_variables import remove_agent_variables
from ..core.errors import Conflict, NotFound, Trouble, UltraworkError
from ..store import install_record
from ..store.install_entries import CHANGED, FILE, LINK, OURS, Entry, RecordedChange, list_entries, list_missing_folders
from ..store.install_record import Intent
from ..store.paths import Home, find_root
from ..system.process import run_program
from .find import NAMES, get_client
from .headless import table
from .install import NAME, ClientInstall, SettingsEdit, apply_put, has_taken_out, render_put

LINKS, STATUSLINE = "links", "statusline"
_PROGRAMS = (NAME, "ulw")
_PATIENCE = 180.0


@dataclass(frozen=True, slots=True)
class InstallStep:
    """`watched` are the paths that the act may change; `foresee` returns what it will have written, where that is known."""

    part: str
    says: str
    watched: tuple[str, ...]
    act: Callable[[], None]
    foresee: Callable[[], Mapping[str, Entry]] = field(default=dict)

    def carry_out(self, home: Home) -> list[RecordedChange]:
        """Run the step and record what changed, even if it failed or was killed halfway."""
        folders = [missing_folder for path in self.watched for missing_folder in list_missing_folders(path)]
        watched = (*folders, *self.watched)
        foreseen = {path: entry.digest for path, entry in self.foresee().items()}
        intent = Intent(self.part, watched, list_entries(watched), foreseen)
        install_record.announce(home, intent)
        try:
            self.act()
        except OSError as error:
            raise Trouble(
                f"could not {self.says} ({error.strerror}); fix that and run ultrawork install again"
            ) from None
        finally:
            made = install_record.record_made(home, intent)
        return made


def list_link_steps(environ: Mapping[str, str]) -> list[InstallStep]:
    """Return links to our programs in a folder on the user's PATH; none if they are found already."""
    root, folder = find_root(), find_link_folder(environ)
    steps = []
    for name in _PROGRAMS:
        path, target = f"{folder}/{name}", f"{root}/bin/{name}"
        is_linked = os.path.realpath(path) == os.path.realpath(target)
        if is_linked or _is_on_path(name, environ) or not os.path.isfile(target):
            continue
        if os.path.lexists(path):
            raise Conflict(f"{path} already exists and is not ours; move it away, or put {root}/bin on your PATH")
        steps.append(
            InstallStep(
                LINKS,
                f"link {path} -> {target}",
                (path,),
                _make_linker(path, target),
                lambda path=path, target=target: {path: Entry(LINK, os.fsencode(target))},  # type: ignore[misc]
            )
        )
    return steps


def find_link_folder(environ: Mapping[str, str]) -> str:
    """Return the first of the user's own program folders on the PATH, else the usual one."""
    home = environ.get("HOME", "")
    usual = [f"{home}/.local/bin", f"{home}/bin"]
    listed = environ.get("PATH", "").split(os.pathsep)
    return next((folder for folder in usual if folder in listed), usual[0])


def is_link_folder_on_path(environ: Mapping[str, str]) -> bool:
    return find_link_folder(environ) in environ.get("PATH", "").split(os.pathsep)


def _is_on_path(name: str, environ: Mapping[str, str]) -> bool:
    from ..system.program import find_program

    return find_program(name, environ) is not None


def _make_linker(path: str, target: str) -> Callable[[], None]:
    def link() -> None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(target, path)

    return link


def list_statusline_steps(environ: Mapping[str, str], program: str) -> list[InstallStep]:
    edits = [get_client(name).make_statusline_edit(environ, program) for name in NAMES]
    return [_make_edit_step(STATUSLINE, edit) for edit in edits if edit is not None]


def list_client_steps(name: str, environ: Mapping[str, str]) -> list[InstallStep]:
    """Return its own commands, or entries of its settings file."""
    plan = get_client(name).plan_install(environ, find_root())
    if plan is None or not (plan.commands or plan.edits):
        raise NotFound(
            f"hooks for {name} are not part of this package; run ultrawork install in a clone of the project"
        )
    steps = [_make_edit_step(name, edit) for edit in plan.edits]
    if plan.commands:
        program = _require_program(name, environ)
        steps += [
            InstallStep(
                name,
                f"run {name} {' '.join(words)}",
                plan.watched,
                lambda words=words: run_client(program, words, environ),  # type: ignore[misc]
            )
            for words in plan.commands
        ]
    return steps


def _make_edit_step(part: str, edit: SettingsEdit) -> InstallStep:
    return InstallStep(
        part,
        f"write {edit.path}: {edit.says}",
        (edit.path,),
        lambda: apply_put(edit),
        lambda: {edit.path: Entry(FILE, render_put(edit).encode())},
    )


def _require_program(name: str, environ: Mapping[str, str]) -> str:
    backend = table.get(name)
    program = backend.find_program(environ)
    if program is None:
        raise NotFound(f"{backend.title} is not installed: {backend.how_to_get}")
    return program.path


def run_client(program: str, words: Sequence[str], environ: Mapping[str, str]) -> None:
    """Run a command of the client; its complaints are passed on verbatim."""
    done = run_program(
        [program, *words], cwd=environ.get("HOME") or "/", env=remove_agent_variables(environ), deadline=_PATIENCE
    )
    if done.exit != 0:
        lines = [line.strip() for line in done.output.splitlines() if line.strip()]
        name = os.path.basename(program)
        raise Trouble(f"{name} {' '.join(words)} failed: {lines[-1] if lines else 'it did not say why'}")


def take_back(home: Home, environ: Mapping[str, str], changes: Sequence[RecordedChange]) -> list[str]:
    """Restore every byte that is still as we left it; return what remains to be done by hand."""
    sentences: list[str] = []
    recorded_changes = [
        recorded_change for recorded_change in install_record.load(home) if recorded_change not in changes
    ]
    for part in dict.fromkeys(change.part for change in changes):
        own = [change for change in changes if change.part == part]
        sentences += _take_back_part(environ, part, own)
    install_record.save(home, recorded_changes)
    return sentences


def _take_back_part(environ: Mapping[str, str], part: str, changes: Sequence[RecordedChange]) -> list[str]:
    plan = _find_plan(part, environ)
    noise = plan.noise if plan else ()
    serious = [recorded_change for recorded_change in changes if not _is_below(recorded_change.path, noise)]
    sentences: list[str] = []
    if plan and plan.removal and any(recorded_change.find_state() == CHANGED for recorded_change in serious):
        sentences += _remove_by_client(part, plan, environ)
    for change in _order(changes):
        sentences += _take_back_one(environ, change, quiet=_is_below(change.path, noise) or bool(plan and plan.removal))
    return sentences


def _order(changes: Sequence[RecordedChange]) -> list[RecordedChange]:
    """Order changes: what we made goes first, deepest before its folder; then earlier content is restored."""
    made = [change for change in changes if change.before is None]
    return sorted(made, key=lambda recorded_change: recorded_change.path, reverse=True) + [
        change for change in changes if change.before is not None
    ]


def _take_back_one(environ: Mapping[str, str], change: RecordedChange, *, quiet: bool) -> list[str]:
    state = change.find_state()
    if state == OURS or (state != CHANGED and change.before is not None):
        try:
            install_record.bring_back(change)
        except OSError as error:
            return [f"{change.path} could not be restored: {error.strerror}"]
        return []
    if state != CHANGED:
        return []
    edits = [edit for edit in _list_edits(environ) if edit.path == change.path]
    try:
        settings_edits = [edit for edit in edits if has_taken_out(edit)]
    except UltraworkError as error:
        return [str(error)]
    if settings_edits or quiet:
        return []
    return [f"{change.path} was changed after the installation and stays as it is"]


def _remove_by_client(part: str, plan: ClientInstall, environ: Mapping[str, str]) -> list[str]:
    """Remove our part by the client's own commands, because others changed its files."""
    sentences = []
    try:
        program = _require_program(part, environ)
    except NotFound:
        return [f"{part} is not here; remove the plugin there: {part} {' '.join(plan.removal[0])}"]
    for words in plan.removal:
        try:
            run_client(program, words, environ)
        except UltraworkError as error:
            sentences.append(str(error))
    return sentences


def remove_plugin(name: str, environ: Mapping[str, str]) -> list[str]:
    """Remove a plugin that a user installed by hand: only its client can."""
    plan = _find_plan(name, environ)
    return _remove_by_client(name, plan, environ) if plan else []


def _find_plan(part: str, environ: Mapping[str, str]) -> ClientInstall | None:
    return get_client(part).plan_install(environ, find_root()) if part in NAMES else None


def _list_edits(environ: Mapping[str, str]) -> list[SettingsEdit]:
    """Return everything we ever put into a client's file: one file may hold several."""
    clients = [get_client(name) for name in NAMES]
    bars = [client.make_statusline_edit(environ, NAME) for client in clients]
    plans = [client.plan_install(environ, find_root()) for client in clients]
    return [settings_edit for settings_edit in bars if settings_edit] + [
        edit for plan in plans if plan for edit in plan.edits
    ]


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def list_plugin_clients(environ: Mapping[str, str]) -> list[str]:
    """Return clients that have our plugin, however it was installed."""
    home = environ.get("HOME", "")
    return [name for name in NAMES if any(plugin == NAME for plugin, _ in get_client(name).list_plugins(home))]


def list_caches(environ: Mapping[str, str]) -> list[str]:
    """Return copies of our plugin that clients keep after its removal."""
    plans = [get_client(name).plan_install(environ, find_root()) for name in NAMES]
    return [path for plan in plans if plan for path in plan.caches if os.path.isdir(path)]
