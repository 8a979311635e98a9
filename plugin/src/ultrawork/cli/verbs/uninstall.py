"""`ultrawork uninstall`: list what `install` changed, then revert exactly that; with `--state` also remove all state."""

import os
import re
import sys
from collections.abc import Iterable
from shutil import rmtree

from ...clients import find, installation
from ...core.check import require_choice
from ...core.errors import Conflict, UltraworkError
from ...core.session.session import Session
from ...core.wording import count_things
from ...proof import notes
from ...store import anchors, install_record, sessions
from ...store.atomic import is_held
from ...store.install_entries import FOLDER, RecordedChange
from ...store.paths import ENGINE_LOCK
from ...system import ancestry, checkout, history
from ...system.git import Git
from ...system.history import RefMove
from ..command import Command, Result, split_list
from ..environment import MANY, Args, Flag, VerbEnvironment, switch
from ..headless.ending import forget_work

_WAY = "in a script: ultrawork uninstall --yes"
_NOT_PLAIN = re.compile("[^A-Za-z0-9]")
_OUR_REFS = ("refs/ultrawork/", "refs/heads/ultrawork-work/")
# Folders that git leaves empty in a repository after the last ref or worktree in them is gone.
_EMPTIED = ("refs/ultrawork", "refs/heads/ultrawork-work", "refs/heads/ultrawork", "refs/notes")


def uninstall(args: Args, env: VerbEnvironment) -> Result:
    """List everything, ask, then remove it. Refuse to remove state while a session uses it."""
    wanted = [client for text in args.many("--client") for client in split_list(text)]
    for name in wanted:
        require_choice(name, find.NAMES, "value for --client")
    is_whole = args.on("--state")
    if is_whole:
        _refuse_while_live(env)
    changes = [
        recorded_change
        for recorded_change in install_record.load(env.store.home)
        if not wanted or recorded_change.part in wanted
    ]
    recorded = {recorded_change.part for recorded_change in changes}
    others = [
        plugin_client
        for plugin_client in installation.list_plugin_clients(env.environ)
        if plugin_client not in recorded and (not wanted or plugin_client in wanted)
    ]
    remains = _list_remains(env) if is_whole else []
    shown = [*_describe(changes), *(f"remove the plugin from {client}" for client in others), *remains]
    if not shown:
        return Result({"removed": []}, "Nothing to remove: ultrawork install has changed nothing here.")
    if not args.on("--yes") and not env.has_yes(shown, "Remove these?", _WAY):
        return Result({"removed": []}, "nothing was removed")
    back = installation.take_back(env.store.home, env.environ, changes)
    for name in others:
        back += installation.remove_plugin(name, env.environ)
    if is_whole:
        back += _remove_remains(env)
    lines = [f"done: {line}" for line in shown]
    return Result({"removed": shown, "by_hand": back}, "\n".join([*lines, *back]))


def _describe(changes: Iterable[RecordedChange]) -> list[str]:
    """Return one line per change; files in a folder that we made share the line of that folder."""
    lines, made = ([], [recorded_change for recorded_change in changes if recorded_change.before is None])
    folders = {recorded_change.path for recorded_change in made if recorded_change.kind == FOLDER}
    for recorded_change in changes:
        if recorded_change.before is not None:
            lines.append(f"restore {recorded_change.path}")
        elif not any(recorded_change.path.startswith(f"{folder}/") for folder in folders):
            count = sum(change.path.startswith(f"{recorded_change.path}/") for change in made)
            lines.append(
                f"remove {recorded_change.path}" + (f" and {count_things(count, 'path')} in it" if count else "")
            )
    return lines


def _refuse_while_live(env: VerbEnvironment) -> None:
    for session in _list_sessions(env):
        anchor = anchors.get_anchor(env.store.database, session.id)
        running = is_held(f"{env.store.home.session(session.id)}/{ENGINE_LOCK}")
        alive = session.active and anchor is not None and not ancestry.is_gone(anchor)
        if running or alive:
            raise Conflict(
                f"session {session.id[:8]} is still on in {session.working_dir}; "
                f"end it first: ultrawork cancel --session {session.id[:8]}"
            )


def _list_sessions(env: VerbEnvironment) -> list[Session]:
    if not os.path.exists(env.store.home.database):
        return []
    return sessions.list_all(env.store.database, checkouts=True)


def _list_places(env: VerbEnvironment) -> list[str]:
    places = dict.fromkeys(session.working_dir for session in _list_sessions(env))
    return [place for place in places if os.path.isdir(place)]


def _list_refs(env: VerbEnvironment, place: str) -> dict[str, str]:
    try:
        return history.list_refs(Git(place, env.environ), *_OUR_REFS, notes.REF)
    except (UltraworkError, OSError):
        return {}


def _list_conversations(env: VerbEnvironment) -> list[str]:
    """Return the client's conversation folders of our agents: their names begin with the path of our worktrees."""
    environ = env.environ
    folder = f"{environ.get('CLAUDE_CONFIG_DIR') or environ.get('HOME', '') + '/.claude'}/projects"
    state = environ.get("XDG_STATE_HOME") or f"{environ.get('HOME', '')}/.local/state"
    ours = [_NOT_PLAIN.sub("-", f"{root}/worktrees/") for root in (env.store.home.root, f"{state}/ultrawork")]
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [f"{folder}/{name}" for name in names if name.startswith(tuple(ours))]


def _list_folders(env: VerbEnvironment) -> list[str]:
    state = env.environ.get("XDG_STATE_HOME") or f"{env.environ.get('HOME', '')}/.local/state"
    folders = [env.store.home.root, f"{state}/ultrawork", *installation.list_caches(env.environ)]
    return [path for path in folders if os.path.isdir(path)] + _list_conversations(env)


def _list_remains(env: VerbEnvironment) -> list[str]:
    refs = {place: len(_list_refs(env, place)) for place in _list_places(env)}
    lines = [f"remove {count_things(count, 'ref')} of ours in {place}" for place, count in refs.items() if count]
    runs = [session for session in _list_sessions(env) if session.state.run]
    lines += [f"remove worktrees and branches of run {session.id[:8]} in {session.working_dir}" for session in runs]
    return lines + [f"remove {path}" for path in _list_folders(env)]


def _remove_remains(env: VerbEnvironment) -> list[str]:
    """Remove state, worktrees and refs. Keep a branch with results that no other branch has, and report it."""
    places, folders = _list_places(env), _list_folders(env)
    for session in _list_sessions(env):
        forget_work(env, session)
    complaints = []
    for place in places:
        moves = [RefMove(ref, "", value) for ref, value in _list_refs(env, place).items()]
        if moves and not history.move_refs(Git(place, env.environ), moves, "ultrawork: uninstalled"):
            complaints.append(f"refs of ours in {place} are being moved by another program; run this again")
        _remove_emptied(place)
    # A later import would write bytecode and so create the folder again.
    sys.dont_write_bytecode = True
    for path in folders:
        rmtree(path, ignore_errors=True)
        if os.path.lexists(path):
            complaints.append(f"{path} could not be removed whole; remove it by hand: rm -r {path}")
        _remove_empty(os.path.dirname(path), env.environ.get("HOME", ""))
    return complaints


def _remove_emptied(place: str) -> None:
    """Remove the empty folders that git leaves after refs and worktrees are gone."""
    repository = checkout.find(place)
    if repository is None:
        return
    for name in ("worktrees", *_EMPTIED, *(f"logs/{path}" for path in _EMPTIED)):
        for folder, _, _ in os.walk(f"{repository.common}/{name}", topdown=False):
            try:
                os.rmdir(folder)
            except OSError:
                pass


def _remove_empty(folder: str, home: str) -> None:
    """Remove empty folders above ours, up to the home folder."""
    while folder.startswith(f"{home}/"):
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)


COMMANDS = (
    Command(
        "",
        "Lists everything and asks first",
        uninstall,
        flags=(
            Flag("--client", "only what was installed into this client", kind=MANY, metavar="|".join(find.NAMES)),
            switch("--state", "also remove state, caches, worktrees, branches and refs"),
            switch("--yes", "do not ask"),
        ),
        example="ultrawork uninstall\nultrawork uninstall --state",
    ),
)
