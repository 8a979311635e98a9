"""A project's feature switch: `.omc/features`, one name per line, valid as the user wrote or allowed it.

Hooks read it at every event, so it is a plain list: `rules`, or `delegation=strict`. One that came with a repository
enables nothing: `store.checkouts` knows the user's decision."""

from collections.abc import Iterable

from ...core import check
from ...core.course.roles import LEVELS, WARN
from ...core.errors import UsageError
from .. import checkouts, paths
from ..paths import Home
from .folder import Omc

# name → what it does
ALL = {
    "models": "give agents without a model the one that fits",
    "delegation": "leave large edits to agents (off, warn or strict)",
    "context": "send AGENTS.md at the start, and those of edited folders",
    "rules": "send rules files that match a file, once per session",
    "notepad": "send priority notes at the start; keep notes of agents",
    "memory": "send project facts at the start; learn from commands and directives",
    "boulder": "show open boxes of the active plan at the start and at a stop",
    "todo": "send the agent back once for open to-do items",
    "errors": "keep the last failures and warn when one repeats",
    "recovery": "give advice after well-known tool failures",
    "limits": "resume an attended session after a rate limit",
    "think": "ask for careful thought when the user does",
    "tracker": "track running agents: stale ones, edit conflicts, cost",
    "checkpoint": "save the state before compaction and restore it afterwards",
    "cleanup": "remove what an ended session leaves behind",
    "comments": "report comments that describe the edit instead of the code",
    "skills": "send learned skills whose triggers occur in a prompt",
}
VALUES = {"delegation": (WARN, LEVELS)}


def read(home: Home, top: str) -> dict[str, str]:
    """Return the features that are on, with their values; unknown names are ignored."""
    features = checkouts.read_features(home, top)
    return {name: _value(name, value) for name, value in features.items() if name in ALL}


def _value(name: str, value: str) -> str:
    default, known = VALUES.get(name, ("", ()))
    return value if value in known else default


def switch_on(home: Home, omc: Omc, words: Iterable[str]) -> dict[str, str]:
    """Turn on all features, or add the named ones."""
    wanted = [_wanted(word) for word in words] or [(name, _value(name, "")) for name in ALL]
    return _changed(home, omc, {**read(home, omc.top), **dict(wanted)})


def switch_off(home: Home, omc: Omc, names: Iterable[str]) -> dict[str, str]:
    gone = [_wanted(name)[0] for name in names]
    left = {name: value for name, value in read(home, omc.top).items() if gone and name not in gone}
    return _changed(home, omc, left)


def _wanted(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    check.require_choice(name, ALL, "feature")
    if equals and value not in VALUES.get(name, ("", ()))[1]:
        raise UsageError(f"{name} takes no value {check.quote(value)}; see ultrawork features list")
    return name, _value(name, value)


def _changed(home: Home, omc: Omc, features: dict[str, str]) -> dict[str, str]:
    """Store the features. A linked worktree without a file uses its checkout's, so there an empty file means none."""
    lines = [f"{name}={value}" if value else name for name, value in features.items()]
    stays = lines or paths.find_main_checkout(omc.top) != omc.top
    omc.change(f"{omc.root}/features", lambda _: "\n".join([*lines, ""]) if stays else None)
    checkouts.allow_features(home, omc.top)
    return features
