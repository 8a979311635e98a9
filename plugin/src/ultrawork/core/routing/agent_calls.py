"""Decide about agent calls and about the coordinator's edits: which model, and which agent should do the work."""

import re
from collections.abc import Mapping
from posixpath import normpath
from typing import Any

from ..course.roles import OFF, STRICT, SUFFIXES, strip_prefix
from ..value import Value

AGENT_TOOLS = ("Agent", "Task")
WRITERS = ("write", "edit", "multiedit", "notebookedit", "apply_patch")
MANY_FILES = 3
_OWN_FOLDERS = (".omc/", ".claude/")
_OWN_FILES = ("CLAUDE.md", "AGENTS.md")


class AgentModels(Value):
    """Our agents and their tiers, aliases, and the models of the tiers."""

    agents: Mapping[str, str]
    aliases: Mapping[str, str]
    tiers: Mapping[str, str]


def find_model(agent: str, models: AgentModels) -> str:
    """Return the model an agent runs on; empty for the client's own default. `executor-low` is executor on the low
    tier."""
    name, tier = part_name(agent, models)
    return models.tiers.get(tier or models.agents[name], "") if name else ""


def part_name(agent: str, models: AgentModels) -> tuple[str, str]:
    """Return the agent that a spelling means and the tier it requests; both empty if it is not ours."""
    name = strip_prefix(agent)
    for suffix, tier in {"": "", **SUFFIXES}.items():
        plain = name.removesuffix(suffix)
        plain = models.aliases.get(plain, plain)
        if name.endswith(suffix) and plain in models.agents:
            return plain, tier
    return "", ""


def is_agent_call(tool: str, given: object) -> bool:
    """Return whether a call is complete: it names an agent and its work."""
    needed = ("subagent_type", "prompt", "description")
    return tool in AGENT_TOOLS and isinstance(given, dict) and all(isinstance(given.get(key), str) for key in needed)


def complete_call(tool: str, given: Mapping[str, Any], models: AgentModels, *, choose: bool) -> dict[str, Any] | None:
    """Return the whole input with the client's name for one of our agents; None if it is already correct. A tier in
    the name selects a model; `choose` selects one if neither call nor name does."""
    if not is_agent_call(tool, given):
        return None
    name, tier = part_name(given["subagent_type"], models)
    changed = dict(given)
    if name:
        changed["subagent_type"] = f"ultrawork:{name}"
    model = find_model(given["subagent_type"], models) if tier or choose else ""
    if model and not given.get("model"):
        changed["model"] = model
    return changed if changed != given else None


def may_edit(path: str) -> bool:
    """Return whether the coordinator may always edit a path: notes, plans, settings, guides."""
    if not path:
        return True
    plain = normpath(path.replace("\\", "/"))
    if plain.startswith(("/", "../")) or plain == ".." or plain[1:2] == ":":
        return False
    return plain.startswith(_OWN_FOLDERS) or plain.rpartition("/")[2] in _OWN_FILES


class EditDecision(Value):
    """The decision about an edit. `text` is the text for the model, if any; `who` is the agent that should do the
    edit."""

    text: str = ""
    who: str = ""
    refused: bool = False


def decide_edit(level: str, tool: str, path: str) -> EditDecision:
    """Decide about an edit by the coordinator: refused if strict, mentioned if warned."""
    if level == OFF or tool.lower() not in WRITERS or may_edit(path):
        return EditDecision()
    from .catalogue import choose_agent

    who, _, _ = choose_agent("", path=path)
    if level == STRICT:
        return EditDecision(f"delegation is strict here. Let {who} edit {path}", who, refused=True)
    return EditDecision(f"Delegate this to {who} and keep the overview", who)


def may_kill_session(command: str) -> bool:
    """Return whether `pkill -f` could match the session itself, because it searches whole command lines."""
    calls = re.findall(r"(?:^|[\s;&|(`])pkill(?=\s)([^;&|)`\n]*)", command)
    return any(re.fullmatch(r"-\w*f\w*|--full", word) for call in calls for word in call.split())
