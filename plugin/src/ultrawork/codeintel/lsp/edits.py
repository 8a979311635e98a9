"""Changes that a server proposes, a rename or an action: planned on the texts that it knows, written only on
request."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...core.check import quote
from ...core.errors import Conflict, NotFound, Trouble, UsageError
from ...core.wording import count_things
from .. import changes
from ..changes import TextChange, TextChanges
from . import diagnostics, render
from .documents import DocumentText, parse_uri
from .questions import FilePosition, ask_at, find_word, require_feature
from .workspace import Workspace


def list_touched(edit: Mapping[str, Any]) -> list[str]:
    """Return the files whose text the server must have known to propose this."""
    return [path for kind, path, _ in _steps(edit) if kind == "edit"]


def plan_changes(edit: Mapping[str, Any], known: Callable[[str], str | None], encoding: str) -> TextChanges:
    """Return the new content of every file; `known` returns the text that the server used."""
    made: TextChanges = {}
    for kind, path, detail in _steps(edit):
        outcome = made.setdefault(path, _as_is(path, known))
        if kind == "edit":
            outcome.after = apply_edits(_text(outcome, path), detail, encoding)
        elif kind == "create":
            _create(outcome, path, detail)
        elif kind == "delete":
            outcome.after = None
        else:
            target = _local(str(detail.get("newUri")))
            moved = made.setdefault(target, _as_is(target, known))
            _free(moved, target, detail)
            moved.after, outcome.after = _text(outcome, path), None
    return {path: outcome for path, outcome in made.items() if outcome.before != outcome.after}


def apply_edits(text: str, edits: list[dict[str, Any]], encoding: str) -> str:
    """Return the text after all edits; their ranges refer to the original text."""
    source = DocumentText(text, encoding)
    spans = [
        (source.offset(edit["range"]["start"]), source.offset(edit["range"]["end"]), place, edit)
        for place, edit in enumerate(edits)
    ]
    pieces, done = [], 0
    for start, end, _, edit in sorted(spans, key=lambda span: span[:3]):
        if start < done or end < start:
            raise Trouble("the server proposed edits that overlap; nothing was changed")
        pieces += [text[done:start], str(edit["newText"])]
        done = end
    return "".join(pieces) + text[done:]


def _steps(edit: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """(kind, path, detail) in order; servers use `documentChanges` or the older `changes`."""
    changes = edit.get("documentChanges")
    if changes is None:
        for uri, edits in (edit.get("changes") or {}).items():
            yield "edit", _local(uri), edits
        return
    for change in changes:
        kind = change.get("kind")
        if kind is None:
            yield "edit", _local(change["textDocument"]["uri"]), change["edits"]
        else:
            yield kind, _local(change.get("oldUri") or change["uri"]), change


def _local(uri: str) -> str:
    path = parse_uri(uri)
    if path is None:
        raise Trouble(f"the edit reaches {quote(uri)}, which is not a local file; nothing was changed")
    return os.path.realpath(path)


def _as_is(path: str, known: Callable[[str], str | None]) -> TextChange:
    text = known(path)
    return TextChange(text, text)


def _text(outcome: TextChange, path: str) -> str:
    if outcome.after is None:
        raise NotFound(f"the edit changes {quote(path)}, which does not exist")
    return outcome.after


def _create(outcome: TextChange, path: str, detail: Mapping[str, Any]) -> None:
    options = detail.get("options") or {}
    if outcome.after is not None and options.get("ignoreIfExists"):
        return
    _free(outcome, path, detail)
    outcome.after = ""


def _free(outcome: TextChange, path: str, detail: Mapping[str, Any]) -> None:
    if outcome.after is not None and not (detail.get("options") or {}).get("overwrite"):
        raise Conflict(f"the edit creates {quote(path)}, which already exists")


_ROUNDS = 4


async def rename(workspace: Workspace, place: FilePosition, name: str, *, apply: bool) -> str:
    """Rename; repeat until the server has seen every touched file as on disk."""
    new = {"newName": name}
    await workspace.show(find_word(workspace, place))
    for _ in range(_ROUNDS):
        answer = await ask_at(workspace, place, "rename", "textDocument/rename", new)
        if not answer:
            raise NotFound(f"{workspace.client.name} found nothing to rename at this position")
        strange = [path for path in list_touched(answer) if not _shown(workspace, path)]
        if not strange:
            return _carried_out(workspace, answer, apply=apply)
    raise Conflict("the files of this rename keep changing; try again in a moment")


async def list_actions(workspace: Workspace, start: FilePosition, end: FilePosition) -> str:
    """Return a numbered list; it is kept, so that the numbers stay valid."""
    require_feature(workspace, "codeAction")
    problems = await diagnostics.fetch(workspace, start.path)
    document = workspace.documents.sync(start.path)
    span = {
        "start": document.text.position(start.line, start.character),
        "end": document.text.position(end.line, end.character),
    }
    context = {"diagnostics": [item for item in problems if _meets(item["range"], span)]}
    answer = await workspace.ask(
        "textDocument/codeAction", {"textDocument": document.identifier, "range": span, "context": context}
    )
    actions = [item for item in answer or [] if not item.get("disabled")]
    workspace.listed[_span(start, end)] = (document.text.content, actions)
    lines = [f"{number}. {_title(item)}" for number, item in enumerate(actions, 1)]
    return render.join_lines(lines) or f"{workspace.client.name} offers no action here"


async def resolve_action(
    workspace: Workspace, start: FilePosition, end: FilePosition, number: int, *, apply: bool
) -> str:
    action = await _listed(workspace, start, end, number)
    provider = workspace.client.capabilities.get("codeActionProvider")
    if "edit" not in action and isinstance(provider, dict) and provider.get("resolveProvider"):
        action = await workspace.ask("codeAction/resolve", action) or action
    if action.get("edit"):
        for path in list_touched(action["edit"]):
            _shown(workspace, path)
        return _carried_out(workspace, action["edit"], apply=apply)
    command = action if isinstance(action.get("command"), str) else action.get("command")
    if not command:
        raise NotFound(f"{workspace.client.name} offers no edit for {_title(action)}")
    if not apply:
        return f"runs {command['command']} in {workspace.client.name}; its edit shows only with apply"
    return await _ran(workspace, command)


async def _ran(workspace: Workspace, command: dict[str, Any]) -> str:
    workspace.client.offered.clear()
    arguments = {"command": command["command"], "arguments": command.get("arguments") or []}
    await workspace.ask("workspace/executeCommand", arguments)
    offered = list(workspace.client.offered)
    written = [_carried_out(workspace, edit, apply=True) for edit in offered]
    return "\n".join(written) or f"{command['command']} ran and proposed no edit"


async def _listed(workspace: Workspace, start: FilePosition, end: FilePosition, number: int) -> dict[str, Any]:
    document = workspace.document(start.path)
    if _span(start, end) not in workspace.listed:
        await list_actions(workspace, start, end)
    text, actions = workspace.listed[_span(start, end)]
    if text != document.text.content:
        raise Conflict("the file changed since its actions were listed; call lsp_code_actions again")
    if not 1 <= number <= len(actions):
        raise UsageError(f"there is no action {number}; {len(actions)} were offered for this range")
    return actions[number - 1]


def _carried_out(workspace: Workspace, edit: dict[str, Any], *, apply: bool) -> str:
    def known(path: str) -> str | None:
        if path in workspace.documents:
            return workspace.documents.get_text(path)
        return changes.read_current(path)

    made = plan_changes(edit, known, workspace.documents.encoding)
    if not made:
        return "nothing to change"
    if apply:
        changes.write(made, workspace.top)
        workspace.refresh()
    done = "changed" if apply else "would change (preview; pass apply: true to write)"
    files = count_things(len(made), "file")
    return f"{files} {done}\n{changes.render_diff(made, workspace.top)}"


def _shown(workspace: Workspace, path: str) -> bool:
    """Return whether the server knew the file as it is now; it does afterwards."""
    before = workspace.documents.get_text(path) if path in workspace.documents else None
    return workspace.documents.sync(path).text.content == before


def _title(action: dict[str, Any]) -> str:
    kind = f" [{action['kind']}]" if action.get("kind") else ""
    return str(action.get("title", "untitled")) + kind


def _meets(span: dict[str, Any], other: dict[str, Any]) -> bool:
    def order(position: dict[str, int]) -> tuple[int, int]:
        return position["line"], position["character"]

    return order(span["start"]) <= order(other["end"]) and order(other["start"]) <= order(span["end"])


def _span(start: FilePosition, end: FilePosition) -> tuple[object, ...]:
    return start.path, start.line, start.character, end.line, end.character
