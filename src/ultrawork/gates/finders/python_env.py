"""How a Python project starts its programs: uv, poetry and the like, a virtual environment, PATH."""

from .place import Place, table

# Lock file -> what runs programs in that environment.
_LOCKS = {"poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv"}
_FOLDERS = (".venv", "venv", "env")


def program(place: Place, name: str) -> list[str]:
    """The words that start an installed program here."""
    return _managed(place, name) or _installed(place, name) or [name]


def module(place: Place, name: str) -> list[str]:
    """The words that run a module here, with the project's own folder importable."""
    interpreter = _managed(place, "python") or _installed(place, "python") or ["python3"]
    return [*interpreter, "-m", name]


def python(place: Place) -> list[str]:
    return module(place, "")[:-2]


def has_environment(place: Place) -> bool:
    return bool(_managed(place, "python") or _installed(place, "python"))


def _managed(place: Place, name: str) -> list[str]:
    if place.upward("uv.lock"):
        return ["uv", "run", name]
    lock = place.first(*_LOCKS)
    if lock:
        return [_LOCKS[lock], "run", name]
    return ["hatch", "run", name] if _uses_hatch(place) else []


def _installed(place: Place, name: str) -> list[str]:
    for folder in _FOLDERS:
        found = place.upward(f"{folder}/bin/{name}")
        if found:
            return [found]
    return []


def _uses_hatch(place: Place) -> bool:
    """Only where the default environment brings the project's tools and no folder has them."""
    default = table(place.toml("pyproject.toml"), "tool", "hatch", "envs", "default")
    return bool(default.get("dependencies")) and not _installed(place, "python")
