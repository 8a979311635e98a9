"""
The manifest: atomic tasks with their order, small enough to be done and checked one at a time.

No task takes more than four hours, or it is split; a whole of more than a day is split into tasks with a sub-PRD each.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ....core import check
from ....core.errors import UsageError
from ....core.plan import graph
from ....core.value import Value, fresh
from ....core.wording import cut, join_lines

TASK_HOURS = 4.0
DAY_HOURS = 8.0
MOST = 40
FIRST = 101
_KEYS = ("id", "title", "description", "path", "files", "context", "needs", "hours", "criteria", "sub_prd")


class ManifestTask(Value):
    """A task. `sub_prd` is its detailed specification in a large project."""

    id: str
    title: str
    hours: float
    description: str = ""
    files: list[str] = fresh(list)
    context: str = ""
    needs: list[str] = fresh(list)
    criteria: list[str] = fresh(list)
    sub_prd: str = ""


class Manifest(Value):
    tasks: list[ManifestTask] = fresh(list)

    @property
    def hours(self) -> float:
        return round(sum(task.hours for task in self.tasks), 2)

    @property
    def graph(self) -> dict[str, list[str]]:
        return {task.id: list(task.needs) for task in self.tasks}

    def document(self) -> "dict[str, Any]":
        return {"tasks": [task.document() for task in self.tasks], "hours": self.hours}


def parse_manifest(block: "Mapping[str, Any]") -> Manifest:
    """Parse the block that the architect ends with; raise for errors."""
    given = block.get("tasks")
    if not isinstance(given, list) or not given:
        raise UsageError("the manifest has no tasks")
    if len(given) > MOST:
        raise UsageError(f"the manifest has {len(given)} tasks; at most {MOST} are one requirement")
    manifest = Manifest([_parse_task(task, place) for place, task in enumerate(given)])
    names = [task.id for task in manifest.tasks]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"task {twice} is in the manifest twice")
    graph.check(manifest.graph)
    return manifest


def _parse_task(given: object, place: int) -> ManifestTask:
    if not isinstance(given, dict):
        raise UsageError(f"task {place + 1} of the manifest is not an object")
    name = check.require_task_id(str(given.get("id") or f"T-{FIRST + place}"))
    for key in given:
        if key not in (*_KEYS, "subject", "blockedBy"):
            raise UsageError(f"task {name} has the unknown key {check.quote(key)}")
    title = str(given.get("title") or given.get("subject") or "")
    path = given.get("path")
    return ManifestTask(
        name,
        check.clean_text(title, f"title of task {name}", 200),
        _parse_hours(given.get("hours"), name),
        str(given.get("description") or ""),
        _texts(given.get("files"), name) or ([path] if isinstance(path, str) and path else []),
        str(given.get("context") or ""),
        _texts(given.get("needs") or given.get("blockedBy"), name),
        _texts(given.get("criteria"), name),
        str(given.get("sub_prd") or ""),
    )


def _parse_hours(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1000:
        raise UsageError(f"task {name} has no hours; estimate it, such as 2 or 0.5")
    return round(float(value), 2)


def _texts(value: object, name: str) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise UsageError(f"task {name}: files, needs and criteria are lists of texts")
    return list(value)


def list_oversized(manifest: Manifest) -> list[str]:
    """Return tasks that have to be split before anything is built."""
    return [task.id for task in manifest.tasks if task.hours > TASK_HOURS]


def list_unwritten(manifest: Manifest) -> list[str]:
    """Return tasks for the sub-PRD writer: too large ones, else those of a project over a day."""
    oversized = list_oversized(manifest)
    if oversized or manifest.hours <= DAY_HOURS:
        return oversized
    return [task.id for task in manifest.tasks if not task.sub_prd]


def replace_task(manifest: Manifest, name: str, block: "Mapping[str, Any]") -> Manifest:
    """Replace a task by its parts, or by itself with its sub-PRD. Dependents wait for all of its last parts; its first
    parts wait for its needs."""
    old = next((task for task in manifest.tasks if task.id == name), None)
    if old is None:
        raise UsageError(f"the manifest has no task {check.quote(name)}")
    parts = parse_manifest(_drop_outer_needs(block)).tasks
    _require_small(old, parts)
    inner = {part.id for part in parts}
    taken = inner & {task.id for task in manifest.tasks if task.id != name}
    if taken:
        raise UsageError(f"task {min(taken)} is in the manifest already")
    lasts = [part.id for part in parts if not any(part.id in later.needs for later in parts)]
    for part in parts:
        part.criteria = part.criteria or list(old.criteria)
        if not any(need in inner for need in part.needs):
            part.needs = [*dict.fromkeys([*part.needs, *old.needs])]
    return Manifest(_put_in_place(manifest, name, parts, lasts))


def _put_in_place(
    manifest: Manifest, name: str, parts: "Sequence[ManifestTask]", lasts: "Sequence[str]"
) -> list[ManifestTask]:
    result: list[ManifestTask] = []
    for task in manifest.tasks:
        result += parts if task.id == name else [_wait_for(task, name, lasts)]
    return result


def _wait_for(task: ManifestTask, name: str, lasts: "Sequence[str]") -> ManifestTask:
    if name not in task.needs:
        return task
    waits = [need for need in task.needs if need != name]
    return ManifestTask(**{**task.document(), "needs": [*dict.fromkeys([*waits, *lasts])]})


def _drop_outer_needs(block: "Mapping[str, Any]") -> "dict[str, Any]":
    """Drop needs outside the parts: they wait for the task's own needs anyway."""
    given = block.get("tasks")
    tasks = [part for part in given if isinstance(part, dict)] if isinstance(given, list) else []
    inner = {task.get("id") for task in tasks}
    kept = []
    for task in tasks:
        needs = task.get("needs") or task.get("blockedBy")
        known = [need for need in needs if need in inner] if isinstance(needs, list) else needs
        kept.append({**{key: task[key] for key in task if key != "blockedBy"}, "needs": known})
    return {"tasks": kept}


def _require_small(old: ManifestTask, parts: "Sequence[ManifestTask]") -> None:
    """Raise if a part is still too large, or a sub-PRD is empty."""
    large = [part.id for part in parts if part.hours > TASK_HOURS]
    if large:
        raise UsageError(f"task {large[0]} still takes more than {TASK_HOURS:g} hours; split it")
    if len(parts) == 1 and (parts[0].id != old.id or not parts[0].sub_prd.strip()):
        raise UsageError(f"a single part must keep the id {old.id} and have a sub_prd")


def list_plan_entries(manifest: Manifest, default: "Sequence[str]") -> "list[dict[str, Any]]":
    """Return the tasks in plan form; one without criteria gets the `default` ones."""
    return [
        {
            "id": task.id,
            "subject": task.title,
            "description": "\n\n".join(filter(None, (task.description, task.context, task.sub_prd))),
            "files": task.files,
            "blockedBy": task.needs,
            "criteria": task.criteria or list(default),
            "complexity": _weigh(task.hours),
        }
        for task in manifest.tasks
    ]


def _weigh(hours: float) -> str:
    return "simple" if hours <= 0.5 else "standard" if hours <= 2 else "complex"


def render_graph(manifest: Manifest) -> str:
    """Return the order as a Mermaid graph; titles contain no sign that ends a label."""
    lines = ["```mermaid", "graph TD"]
    nodes = {task.id: _node(task.id) for task in manifest.tasks}
    for task in manifest.tasks:
        label = "".join(sign if sign not in '"[]{}|<>`' else " " for sign in join_lines(task.title))
        lines.append(f'  {nodes[task.id]}["{task.id}: {cut(label, 60)}"]')
    for task in manifest.tasks:
        lines += [f"  {nodes[need]} --> {nodes[task.id]}" for need in task.needs]
    return "\n".join([*lines, "```"])


def _node(name: str) -> str:
    return "".join(sign if sign.isalnum() else "_" for sign in name)


def render_manifest(manifest: Manifest, goal: str, done: "Sequence[str]" = ()) -> str:
    """Return `manifest.md`: the graph, then a checkbox for each task."""
    lines = [f"# Manifest: {cut(join_lines(goal), 80)}", ""]
    lines += [f"{len(manifest.tasks)} tasks, {manifest.hours:g} hours", "", render_graph(manifest), ""]
    for task in manifest.tasks:
        box = "x" if task.id in done else " "
        lines.append(f"- [{box}] **{task.id}: {join_lines(task.title)}** ({task.hours:g} h)")
        lines += [f"  - Path: {', '.join(task.files)}"] if task.files else []
        lines += [f"  - Context: {cut(join_lines(task.context), 200)}"] if task.context else []
        lines += [f"  - Dependencies: {', '.join(task.needs)}"] if task.needs else []
    return "\n".join(lines) + "\n"
