"""How thoroughly a change has to be reviewed, by its size and what it touches."""

import re

from ..value import Value

LIGHT, STANDARD, THOROUGH = "LIGHT", "STANDARD", "THOROUGH"
FULL, PARTIAL, NONE = "full", "partial", "none"
SMALL_FILES, SMALL_LINES, MANY_FILES = 5, 100, 20
# The complexity for a tier in a project's settings: simple, standard or complex.
COMPLEXITY = {LIGHT: "simple", STANDARD: "standard", THOROUGH: "complex"}

_SECURITY = frozenset(
    (
        "auth", "authentication", "authorization", "authorisation", "oauth", "oauth2", "jwt", "token", "tokens", "login",
        "password", "passwords", "secret", "secrets", "credential", "credentials", "permission", "permissions", "security",
        "crypto", "encryption", "acl", "rbac", "csrf", "cors", "env",
    )
)  # fmt: skip
# Files that shape many others, with any extension: `config.ts`, `schema.sql`.
_SHAPING = frozenset(("config", "schema", "types", "definitions", "interfaces", "migration"))
_MANIFESTS = frozenset(
    (
        "package.json", "tsconfig.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml", "build.gradle",
        "Dockerfile", "docker-compose.yml", "Makefile",
    )
)  # fmt: skip
_SHAPING_FOLDERS = frozenset(("migrations", "schemas"))


class ChangeSize(Value):
    """`coverage` is full if tests were changed with the code, none if nothing here is tested."""

    files: int
    lines: int
    architecture: bool = False
    security: bool = False
    coverage: str = PARTIAL


def measure_change(paths: list[str], lines: int, coverage: str = PARTIAL) -> ChangeSize:
    return ChangeSize(
        len(paths),
        lines,
        architecture=any(map(is_architectural, paths)),
        security=any(map(is_sensitive, paths)),
        coverage=coverage,
    )


def choose_tier(made: ChangeSize) -> str:
    if made.security or made.architecture or made.files > MANY_FILES:
        return THOROUGH
    small = made.files < SMALL_FILES and made.lines < SMALL_LINES
    return LIGHT if small and made.coverage == FULL else STANDARD


def choose_for_files(paths: list[str], lines: int, *, tested: bool) -> str:
    """Return how thoroughly such a change has to be reviewed; `tested`: tests changed with it."""
    return choose_tier(measure_change(paths, lines, FULL if tested else PARTIAL))


def is_sensitive(path: str) -> bool:
    """Return whether a folder or name contains a sensitive word: `auth/token.py`, not `tokenizer.py`."""
    return not _SECURITY.isdisjoint(_words(path))


def is_architectural(path: str) -> bool:
    *folders, name = path.split("/")
    shaped = name in _MANIFESTS or name.partition(".")[0].lower() in _SHAPING
    return shaped or not _SHAPING_FOLDERS.isdisjoint(folders)


def _words(path: str) -> set[str]:
    parted = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", path)
    return set(re.split(r"[^a-z0-9]+", parted.lower()))
