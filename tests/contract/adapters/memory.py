"""Notepad and project memory, against the earlier program's."""

import re

from ultrawork.core.project import directives
from ultrawork.features.notepad import store as notepad
from ultrawork.store.omc import memory, memory_scan
from ultrawork.store.omc.folder import Omc

from .hooks import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .cases import Case, Place

_COMMENT = re.compile(r"<!--.*?-->")
_PAD = ".omc/notepad.md"


def notepad_case(case: "Case", place: "Place") -> "tuple[Any, Any]":
    """The wording of the four comment lines is each program's own."""
    place.write(case.input.get("files", {}))
    omc, expect = Omc(place.dir), place.expected(case.expect)
    args = [one for one in place.filled(case.input["args"]) if one != place.dir]
    given = args[0] if args else None
    if "stored_verbatim" in expect:
        notepad.set_priority(omc, str(given))
        return notepad.read(omc, "priority") == given, expect["stored_verbatim"]
    if case.fn == "initNotepad":
        text = omc.read(omc.notepad) or notepad.make_empty().render()
        before = place.filled(case.input.get("files", {})).get(_PAD)
        return _plain(text), _plain(before or expect["files_changed"][_PAD])
    ours, wanted = _NOTEPAD[case.fn](omc, given, place.now), expect["result"]
    if case.fn == "getNotepadStats":
        # The size counts the comment lines too.
        ours, wanted = ({**one, "totalSize": bool(one["totalSize"])} for one in (ours, wanted))
    if isinstance(wanted, dict) and "warning" in wanted:
        wanted = {**wanted, "warning": True}
    changed = expect.get("files_changed", {}).get(_PAD)
    if changed is None:
        return ours, wanted
    return (ours, _plain(omc.read(omc.notepad) or "")), (wanted, _plain(changed))


def _plain(text: str) -> str:
    return _COMMENT.sub("<!-- -->", text)


def _set_priority(omc: Omc, content: str, _now: float) -> "dict[str, Any]":
    warning = notepad.set_priority(omc, content)
    return {"success": True, "warning": True} if warning else {"success": True}


def _added(omc: Omc, name: str, content: str, now: float) -> bool:
    notepad.add(omc, name, content, now)
    return True


def _injected(omc: Omc, _given: object, _now: float) -> str | None:
    text = notepad.read(omc, "priority")
    frame = "<notepad-priority>\n\n## Priority Context\n\n{}\n\n</notepad-priority>\n"
    return frame.format(text) if text else None


_NOTEPAD: "dict[str, Any]" = {
    "readNotepad": lambda omc, *_: notepad.read_all(omc),
    "getPriorityContext": lambda omc, *_: notepad.read(omc, "priority"),
    "getWorkingMemory": lambda omc, *_: notepad.read(omc, "working"),
    "getManualSection": lambda omc, *_: notepad.read(omc, "manual"),
    "setPriorityContext": _set_priority,
    "addWorkingMemoryEntry": lambda omc, text, now: _added(omc, "working", text, now),
    "addManualEntry": lambda omc, text, now: _added(omc, "manual", text, now),
    "pruneOldEntries": lambda omc, days, now: dict(
        zip(("pruned", "remaining"), notepad.prune(omc, days, now), strict=True)
    ),
    "getNotepadStats": lambda omc, *_: notepad.collect_stats(omc),
    "formatNotepadContext": _injected,
}


def project_case(case: "Case", place: "Place") -> "tuple[Any, Any]":
    place.write(case.input.get("files", {}))
    omc, expect = Omc(place.dir), place.expected(case.expect)
    args = place.filled(case.input["args"])
    found: tuple[Any, Any] = _PROJECT[case.fn](omc, args, expect, place)
    return found


def _loaded(omc: Omc, _args: "Any", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    return memory.read(omc), expect["result"]


def _saved(omc: Omc, args: "Any", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    memory.write(omc, args[1], merge=False)
    return _files(expect, place)


def _noted(omc: Omc, args: "Any", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    memory.add_note(omc, args[1], args[2], place.now)
    return _files(expect, place)


def _learned(omc: Omc, args: "Any", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    tool, given, output = args[0], args[1], args[2]
    if tool == "Bash" and memory.read(omc) is not None:
        command = given.get("command", "")
        memory.learn(omc, directives.find_commands(command), directives.find_facts(command, output), place.now)
    return _files(expect, place)


def _wishes(_omc: Omc, args: "Any", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    found = directives.find_directives(args[0])
    return found, [(one["directive"], one["priority"]) for one in expect["result"]]


def _files(expect: "Any", place: "Place") -> "tuple[Any, Any]":
    changed = expect.get("files_changed", {})
    return {name: place.read(name) for name in changed}, changed


def _scanned(omc: Omc, _args: "Any", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    return memory_scan.scan_project(omc.top, place.now), expect["result"]


def _due(_omc: Omc, args: "Any", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    return memory_scan.is_due(args[0], place.now), expect["result"]


def _summed_up(_omc: Omc, args: "Any", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    """The same facts in the same order; the words around them are each program's own."""
    theirs = expect["result"].removeprefix("[Project Environment] ").lower().split(" | ")
    return _facts(memory.summarize(args[0]).split("; ")), _facts(theirs)


def _facts(parts: "list[str]") -> list[str]:
    bare = (part.lower().removeprefix("using ").removeprefix("uses ") for part in parts)
    return [fact for part in bare for fact in (part.split(", ") if ": " not in part else [part])]


def _visited(omc: Omc, _args: "Any", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    """The accesses that the case tells in words, in two sessions: a file counts once in each."""
    work = {"s1": ("src/a.ts", "node_modules/x.js", "../outside.ts", "src/b.ts"), "s2": ("src/a.ts",)}  # fmt: skip
    for session, paths in work.items():
        here = {"session_id": session, "cwd": place.dir}
        for path in paths:
            edit = {"tool_name": "Edit", "tool_input": {"file_path": f"{place.dir}/{path}"}}
            Event("post-tool-use", {**here, **edit}, None, place).told()
        Event("session-end", {**here, "reason": "other"}, None, place).told()
    hot = (memory.read(omc) or {}).get("hotPaths", [])
    return [[one["path"], one["accessCount"]] for one in hot], expect["result"]


def _scanned_again(omc: Omc, _args: "Any", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    """What people and sessions noted, after the files were looked at again."""
    old = {"lastScanned": 0, "customNotes": [{"content": "n"}], "hotPaths": [{"path": "a"}], "userDirectives": [{"directive": "d"}]}  # fmt: skip
    memory.write(omc, old, merge=False)
    found = memory_scan.renew(omc, place.now)
    return {key: found[key] for key in expect["after_rescan"]}, expect["after_rescan"]


_PROJECT: "dict[str, Any]" = {
    "getMemoryPath": lambda omc, _args, expect, _place: (omc.memory, expect["result"]),
    "loadProjectMemory": _loaded,
    "saveProjectMemory": _saved,
    "addCustomNote": _noted,
    "learnFromToolOutput": _learned,
    "detectDirectivesFromMessage": _wishes,
    "detectProjectEnvironment": _scanned,
    "shouldRescan": _due,
    "formatContextSummary": _summed_up,
    "trackAccess x5": _visited,
    "registerProjectMemoryContext": _scanned_again,
}
