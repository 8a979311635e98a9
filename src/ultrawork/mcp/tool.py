"""A tool: its name, what a model reads about it, what it takes, what it runs."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .arguments import Schema
    from .call import Call

    Run = Callable[[Call], str]

QUICK = "quick"


class Tool:
    """`lane` names the queue its calls wait in: families that take long do not hold up the others."""

    __slots__ = ("about", "lane", "name", "other_names", "properties", "reads", "required", "run")

    def __init__(
        self,
        name: str,
        about: str,
        run: "Run",
        properties: "Mapping[str, Schema] | None" = None,
        *,
        required: "tuple[str, ...]" = (),
        reads: bool = False,
        lane: str = QUICK,
        other_names: "Mapping[str, str] | None" = None,
    ) -> None:
        self.name = name
        self.about = about
        self.run = run
        self.properties = properties or {}
        self.required = required
        self.reads = reads
        self.lane = lane
        self.other_names = other_names or {}

    def lane_of(self, arguments: "Mapping[str, Any]") -> str:
        """`interrupt` and its like must get through while their own lane is full."""
        control = arguments.get("action") not in (None, "execute")
        return QUICK if control else self.lane

    def document(self) -> "dict[str, Any]":
        """As `tools/list` shows it."""
        schema: dict[str, Any] = {"type": "object", "properties": dict(self.properties)}
        if self.required:
            schema["required"] = list(self.required)
        shown = {"name": self.name, "description": self.about, "inputSchema": schema}
        return {**shown, "annotations": {"readOnlyHint": True}} if self.reads else shown
