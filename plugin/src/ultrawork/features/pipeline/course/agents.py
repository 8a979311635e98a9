"""The agents that stages of a pipeline can name: ours, the project's, the user's, and those of plugins."""

from collections.abc import Iterator, Mapping

from ....clients.find import list_client_plugins
from ....content.library import AGENT, list_members, parse
from ....content.models import load as load_models
from ....store.atomic import list_folder, read_text
from ..values.agents import StageAgent, resolve
from ..values.expression import Pipeline, StageMember, list_names

_CHANGING = ("Edit", "MultiEdit", "Write", "NotebookEdit", "Bash")
_OURS = "ultrawork"


def resolve_agents(expression: Pipeline, place: str, environ: Mapping[str, str]) -> dict[str, StageAgent]:
    """Return the agent for each name of a pipeline; refuse unknown names."""
    known = _find_own_agents(place, environ.get("HOME", ""))
    models = load_models()
    tiers = {**models.agents, **{alias: models.agents[to] for alias, to in models.aliases.items()}}
    return {name: resolve(name, known, tiers) for name in list_names(expression)}


def require_agent(name: str, place: str, environ: Mapping[str, str]) -> None:
    """Refuse a name that no pipeline could use here."""
    resolve_agents(Pipeline([[StageMember(name)]], ""), place, environ)


def _find_own_agents(place: str, home: str) -> dict[str, StageAgent]:
    """Return the agents; the project's take precedence over the user's, plugins' have a prefix."""
    own_agents: dict[str, StageAgent] = {}
    for name, path in (*_list_member_pages(place, home), *_plugins(home)):
        if name not in own_agents:
            own_agents[name] = StageAgent(name, name, reads=_reads(path), page=path)
    return own_agents


def _list_member_pages(place: str, home: str) -> Iterator[tuple[str, str]]:
    for member in list_members(place, home or place):
        if member.kind == AGENT:
            yield member.name, member.path


def _plugins(home: str) -> Iterator[tuple[str, str]]:
    for plugin, folder in list_client_plugins(home):
        for file in list_folder(f"{folder}/agents"):
            if file.endswith(".md") and plugin != _OURS:
                path = f"{folder}/agents/{file}"
                head = parse(read_text(path) or "").head
                yield f"{plugin}:{head.get('name') or file[:-3]}", path


def _reads(path: str) -> bool:
    """Return whether an agent is read-only: it lists its tools, and none changes anything."""
    tools = parse(read_text(path) or "").head.get("tools")
    named = tools if isinstance(tools, list) else str(tools or "").split(",")
    plain = [str(tool).partition("(")[0].strip() for tool in named if str(tool).strip()]
    return bool(plain) and not any(tool in _CHANGING or tool == "*" for tool in plain)
