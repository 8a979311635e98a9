"""Changes that a server proposes: a rename, an action. Previewed, and written only when asked to."""

from ...core.errors import Conflict, NotFound, UsageError
from .. import changes
from . import diagnostics, edits, render
from .questions import Place, at, need, word_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .workspace import Workspace

_ROUNDS = 4


async def rename(workspace: "Workspace", place: Place, name: str, *, apply: bool) -> str:
    """Asks again until the server has seen every file that the rename touches as it is on disk."""
    new = {"newName": name}
    await workspace.show(word_at(workspace, place))
    for _ in range(_ROUNDS):
        answer = await at(workspace, place, "rename", "textDocument/rename", new)
        if not answer:
            raise NotFound(f"{workspace.client.name} finds nothing to rename at this place")
        strange = [path for path in edits.touched(answer) if not _shown(workspace, path)]
        if not strange:
            return _carried_out(workspace, answer, apply=apply)
    raise Conflict("the files of this rename keep changing; try again when they are at rest")


async def code_actions(workspace: "Workspace", start: Place, end: Place) -> str:
    """A numbered list; it is kept, so that a number means the same when one is resolved."""
    need(workspace, "codeAction")
    found = await diagnostics.of(workspace, start.path)
    document = workspace.documents.sync(start.path)
    span = {
        "start": document.text.position(start.line, start.character),
        "end": document.text.position(end.line, end.character),
    }
    context = {"diagnostics": [item for item in found if _meets(item["range"], span)]}
    answer = await workspace.ask(
        "textDocument/codeAction",
        {"textDocument": document.identifier, "range": span, "context": context},
    )
    actions = [item for item in answer or [] if not item.get("disabled")]
    workspace.listed[_span(start, end)] = (document.text.content, actions)
    lines = [f"{number}. {_title(item)}" for number, item in enumerate(actions, 1)]
    return render.bounded(lines) or f"{workspace.client.name} offers no action here"


async def resolve_action(
    workspace: "Workspace", start: Place, end: Place, number: int, *, apply: bool
) -> str:
    action = await _listed(workspace, start, end, number)
    provider = workspace.client.capabilities.get("codeActionProvider")
    if "edit" not in action and isinstance(provider, dict) and provider.get("resolveProvider"):
        action = await workspace.ask("codeAction/resolve", action) or action
    if action.get("edit"):
        for path in edits.touched(action["edit"]):
            _shown(workspace, path)
        return _carried_out(workspace, action["edit"], apply=apply)
    command = action if isinstance(action.get("command"), str) else action.get("command")
    if not command:
        raise NotFound(f"{workspace.client.name} gives no edit for {_title(action)}")
    if not apply:
        return (
            f"runs {command['command']} in {workspace.client.name}; its edit shows only with apply"
        )
    return await _ran(workspace, command)


async def _ran(workspace: "Workspace", command: "dict[str, Any]") -> str:
    workspace.client.offered.clear()
    arguments = {"command": command["command"], "arguments": command.get("arguments") or []}
    await workspace.ask("workspace/executeCommand", arguments)
    offered = list(workspace.client.offered)
    written = [_carried_out(workspace, edit, apply=True) for edit in offered]
    return "\n".join(written) or f"{command['command']} ran and proposed no edit"


async def _listed(
    workspace: "Workspace", start: Place, end: Place, number: int
) -> "dict[str, Any]":
    document = workspace.document(start.path)
    if _span(start, end) not in workspace.listed:
        await code_actions(workspace, start, end)
    text, actions = workspace.listed[_span(start, end)]
    if text != document.text.content:
        raise Conflict(
            "the file changed since its actions were listed; call lsp_code_actions again"
        )
    if not 1 <= number <= len(actions):
        raise UsageError(f"there is no action {number}; {len(actions)} were offered for this range")
    return actions[number - 1]


def _carried_out(workspace: "Workspace", edit: "dict[str, Any]", *, apply: bool) -> str:
    def known(path: str) -> str | None:
        if path in workspace.documents:
            return workspace.documents.known(path)
        return changes.on_disk(path)

    made = edits.plan(edit, known, workspace.documents.encoding)
    if not made:
        return "nothing to change"
    if apply:
        changes.write(made, workspace.top)
        workspace.refresh()
    done = "changed" if apply else "would change (preview; pass apply: true to write)"
    files = "1 file" if len(made) == 1 else f"{len(made)} files"
    return f"{files} {done}\n{changes.preview(made, workspace.top)}"


def _shown(workspace: "Workspace", path: str) -> bool:
    """Whether the server knew the file as it is now; it does afterwards."""
    before = workspace.documents.known(path) if path in workspace.documents else None
    return workspace.documents.sync(path).text.content == before


def _title(action: "dict[str, Any]") -> str:
    kind = f" [{action['kind']}]" if action.get("kind") else ""
    return str(action.get("title", "untitled")) + kind


def _meets(one: "dict[str, Any]", other: "dict[str, Any]") -> bool:
    def order(position: "dict[str, int]") -> tuple[int, int]:
        return position["line"], position["character"]

    return order(one["start"]) <= order(other["end"]) and order(other["start"]) <= order(one["end"])


def _span(start: Place, end: Place) -> tuple[object, ...]:
    return start.path, start.line, start.character, end.line, end.character
