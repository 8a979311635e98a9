"""Agent calls and the coordinator's edits, before they happen."""

import os
from typing import Any

from ...core.routing.agent_calls import EditDecision
from ...store import markers
from ...store.paths import find_root
from ..event import Answer, Event
from ..tool import find_target
from .common import make_relative, note_enforced

DEFAULT_LEVEL = "warn"


def choose_model(event: Event) -> Answer | None:
    """Return the whole input with a model; planned sessions choose for their own agents."""
    given = event.mapping("tool_input")
    agent = str(given.get("subagent_type") or "")
    if markers.find_planned_session(event.home, event.session) and agent.startswith("ultrawork:"):
        return None
    changed = _complete(event, choose=True)
    if changed is None:
        return None
    if changed.get("model") != given.get("model"):
        note_enforced(event, "model-chosen", agent=agent, model=str(changed["model"]))
    return Answer(input=changed)


def correct_name(event: Event) -> Answer | None:
    """Correct another spelling of one of our agents; a correct one costs nothing more."""
    agent = str(event.mapping("tool_input").get("subagent_type") or "")
    if os.path.exists(f"{find_root()}/agents/{agent.removeprefix('ultrawork:')}.md") and ":" in agent:
        return None
    changed = _complete(event, choose=False)
    return Answer(input=changed) if changed is not None else None


def _complete(event: Event, *, choose: bool) -> dict[str, Any] | None:
    """Return the completed input; None for agents of others."""
    given = event.mapping("tool_input")
    agent = str(given.get("subagent_type") or "")
    if not agent or _is_own(event, agent) or _is_installed(event, agent):
        return None
    from ...content import models
    from ...core.routing import agent_calls

    return agent_calls.complete_call(event.text("tool_name"), given, models.load(), choose=choose)


def _is_own(event: Event, agent: str) -> bool:
    """Return whether the project or the user defined the agent; then it chooses its own model."""
    places = (event.place, event.environ.get("HOME", ""))
    folder = event.adapter.agents_folder
    return any(os.path.exists(f"{place}/{folder}/{agent}.md") for place in places if place and folder)


def _is_installed(event: Event, agent: str) -> bool:
    """Return whether another installed plugin owns the agent, even if its name is one of ours."""
    plugin, _, name = agent.partition(":")
    if not name or plugin == "ultrawork":
        return False
    from ...clients.find import list_client_plugins

    return plugin in {name for name, _ in list_client_plugins(event.environ.get("HOME", ""))}


def check_direct_edit(event: Event) -> Answer | None:
    """Record each decision; warn once per session, and only about many files."""
    from ...core.routing import agent_calls

    level = event.features.get("delegation") or DEFAULT_LEVEL
    path = make_relative(event, find_target(event))
    if not path or markers.find_planned_session(event.home, event.session):
        return None
    edit_decision = agent_calls.decide_edit(level, event.text("tool_name"), path)
    if not edit_decision.text:
        return None
    if not edit_decision.refused:
        return _warned(event, path, edit_decision)
    note_enforced(event, "delegation-required", path=path, who=edit_decision.who)
    return Answer(
        deny=f"ultrawork: {edit_decision.text.replace(edit_decision.who, name_agent(event, edit_decision.who))}"
    )


def _warned(event: Event, path: str, edit_decision: EditDecision) -> Answer | None:
    from ...core.routing.agent_calls import MANY_FILES
    from ...store.omc import failures
    from ...store.omc.folder import HASTE, Omc

    omc = Omc(event.place, HASTE)
    if failures.take_new(omc, event.session, f"edited {path}"):
        note_enforced(event, "edited-directly", path=path, who=edit_decision.who)
    edited = len(failures.list_known(omc, event.session, "edited "))
    if edited < MANY_FILES or not failures.take_new(omc, event.session, "delegate"):
        return None
    note_enforced(event, "delegation-advised", path=path, who=edit_decision.who)
    words = edit_decision.text.replace(edit_decision.who, name_agent(event, edit_decision.who))
    return Answer(context=f"ultrawork: {edited} files have been changed here. {words}")


def name_agent(event: Event, who: str) -> str:
    """Return the agent under a name that a call can use; the project's or the user's own first."""
    return who if _is_own(event, who) else f"ultrawork:{who}"


def advise_agent(event: Event) -> Answer | None:
    """Suggest an agent for work that is too large for one, once per kind."""
    if event.features.get("delegation") == "off":
        return None
    if markers.is_armed_anywhere(event.home, event.environ, event.session):
        return None
    from ...core.routing.catalogue import choose_agent
    from ...store.omc import failures
    from ...store.omc.folder import HASTE, Omc

    words = event.text("prompt")
    typed = words.lstrip().startswith(("<", "/"))
    who, why, delegate = ("", "", False) if typed else choose_agent(words)
    if not delegate or not failures.take_new(Omc(event.place, HASTE), event.session, f"suited {who}"):
        return None
    note_enforced(event, "delegation-advised", who=who, why=why)
    return Answer(
        context=f"ultrawork: this looks like {why}. Delegate it to {name_agent(event, who)}, which has its own context"
    )
