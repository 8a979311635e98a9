"""Tool versions that a project pins in its pre-commit hooks, where no package manager looks."""

import re

from .folder import ProjectFolder, get_table
from .recipes.tasks import PRE_COMMIT_FILES

# Names under which the hooks of a tool are published: `ruff-pre-commit`, `mirrors-mypy`, `pre-commit-shfmt`.
_AROUND = re.compile(r"^(?:mirrors-|pre-commit-)|(?:-pre-commit|-mirror|\.git)$")


def read_pins(project: ProjectFolder) -> dict[str, str]:
    """Map a tool to pip's requirement: `ruff` -> `ruff==0.4.8`."""
    name = project.find_first(*PRE_COMMIT_FILES)
    listed = project.read_yaml(name).get("repos") if name else None
    found = {}
    for repository in map(get_table, listed if isinstance(listed, list) else ()):
        version = re.fullmatch(r"v?(\d[\w.]*)", str(repository.get("rev", "")))
        tool = str(repository.get("repo", "")).rstrip("/").rpartition("/")[2]
        while (shorter := _AROUND.sub("", tool)) != tool:
            tool = shorter
        if version and tool:
            found[tool] = f"{tool}=={version[1]}"
    return found
