"""Changes to documentation alone, which slow gates need not judge."""

from .results import GREEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT = 30.0
_ENDINGS = (
    ".md", ".rst", ".adoc", ".txt", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".bmp",
)  # fmt: skip
_NAMES = ("license", "licence", "copying", "notice", "authors", "changelog", "contributors")
# Text files that decide what a program does.
_DECIDING = ("requirements", "constraints", "cmakelists", "robots", "manifest")
_PROGRAMS = (".py", ".js", ".ts", ".mjs", ".cjs", ".rs", ".go", ".toml", ".json", ".yml", ".yaml")


def is_doc(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    stem = name.partition(".")[0]
    if stem.startswith(_DECIDING):
        return False
    folders = path.lower().split("/")[:-1]
    documentation = "docs" in folders and not name.endswith(_PROGRAMS)
    return name.endswith(_ENDINGS) or stem in _NAMES or documentation


def docs_only(paths: "Sequence[str]") -> bool:
    return bool(paths) and all(is_doc(path) for path in paths)


def not_needed(paths: "Sequence[str]", *, seconds: float | None, base: str | None) -> str:
    """Why a gate need not run; empty if it must: only docs changed, it is slow, base was green."""
    slow = seconds is not None and seconds > LIMIT
    return "only docs changed" if slow and base == GREEN and docs_only(paths) else ""
