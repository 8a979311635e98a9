"""What a seat at any real client has: a program, a HOME, a project, a model, an empty environment."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .scripted_model import ScriptedModel

LIMIT = 120.0


class Client:
    """Only PATH is inherited, so no credential can leak in; `furnish` writes what it reads first."""

    def __init__(
        self, program: str, *, home: str, project: str, model: "ScriptedModel", env: "Mapping[str, str] | None" = None
    ) -> None:
        self.program = program
        self.home = home
        self.project = project
        self.model = model
        common = {"HOME": home, "PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
        self.env = {**common, **self.variables(), **(env or {})}
        self.furnish()

    def variables(self) -> "Mapping[str, str]":
        """Return the client's own variables."""
        raise NotImplementedError

    def furnish(self) -> None:
        """Write the client's configuration if it needs one."""

    def keep(self, name: str, text: str) -> None:
        """A file in HOME, unless there is one already."""
        path = os.path.join(self.home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.exists(path):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
