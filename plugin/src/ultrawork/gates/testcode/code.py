"""Whether a program changed, or only its words: comments, strings, layout, markup and configuration do not run. And
what a test file lost, for languages whose tests cannot be read one by one."""

import ast
import re
from collections.abc import Sequence

from ...core.patterns import compile_late
from ..language.python import parse_source
from ..language.tokens import COMMENT, TEXT, split_tokens
from .cases import find_language
from .files import is_source_path

# A comment to the end of a line that goes on in the next one is left as it is.
_C_COMMENT = compile_late(r"""(?s)(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|//[^\n]*\\\n)|//[^\n]*|/\*.*?\*/""")


def has_other_code(path: str, before: str | None, after: str | None, *, strings: bool = True) -> bool:
    """Whether a source file does something else now: comments, docstrings and layout do not count, and without
    `strings` neither does text. A language that cannot be read may."""
    if not is_source_path(path) or before == after:
        return False
    language = find_language(path)
    if language == "python":
        return _python(before or "", strings) != _python(after or "", strings)
    if language:
        return _tokens(before or "", language, strings) != _tokens(after or "", language, strings)
    if path.endswith((".sh", ".bash")):
        return _shell(before or "") != _shell(after or "")
    if path.endswith((".c", ".h")):
        return _c(before or "") != _c(after or "")
    return True


def has_other_lines(before: str | None, after: str | None) -> bool:
    """Whether lines differ that are no comments, in a language that cannot be read. A line that only looks like a
    comment (`#include`) is left out too."""
    return _own_lines(before or "") != _own_lines(after or "")


def is_idle_line(line: str, marks: tuple[str, ...]) -> bool:
    """Whether a line gives a test nothing to pass with: a comment, or an import unless it renames something."""
    if line.startswith(marks):
        return True
    imports = line.startswith(("import ", "from ", "use ", "require", '"')) or line == ")"
    return imports and " as " not in line


def _own_lines(text: str) -> list[str]:
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith(("#", "//", "--"))]


def _shell(text: str) -> list[str]:
    """Return the lines that are no comments; all lines where one may belong to a text."""
    lines = text.splitlines()
    whole = "<<" in text or text.count('"') % 2 or text.count("'") % 2
    return lines if whole else [line for line in lines if line.strip() and not re.match(r"\s*#(?!!)", line)]


def _c(text: str) -> list[str]:
    """Return the lines without comments: a directive ends with its line. Raw text of C++ may look like a comment."""
    code = text if 'R"' in text else _C_COMMENT.sub(lambda match: match["text"] or " ", text)
    return [line for raw in code.splitlines() if (line := raw.strip())]


def _tokens(text: str, language: str, strings: bool) -> list[str]:
    kinds = (COMMENT,) if strings else (COMMENT, TEXT)
    return [token.text for token in split_tokens(text, language) if token.kind not in kinds]


def _python(text: str, strings: bool) -> str:
    tree = parse_source(text)
    if tree is None:
        return text
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not strings:
            node.value = ""
        elif isinstance(body := getattr(node, "body", None), list):
            # A docstring, or text used as a comment, is not a statement.
            node.body = [part for part in body if not _is_text(part)]  # type: ignore[attr-defined]  # checked above
    return ast.dump(tree)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


# A blank line ends a block if the next line is not indented.
_BETWEEN = re.compile(r"\n\s*\n(?=\S)")
# An import that runs nothing: it goes with what used it.
_IMPORT = re.compile(r"(?m)^[ \t]*(?:import|use|using)[ \t][\w.:*{}, ]+;$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def list_lost_blocks(before: str, after: str) -> list[str] | None:
    """Return the blocks that a text lost; None if it also has another line now."""
    # The last entry of a list that goes takes the comma or the backslash of the one before.
    old, new = ([line.rstrip(" \t,\\") for line in text.splitlines()] for text in (before, after))
    kept = 0
    runs: list[list[str]] = [[]]
    for line in old:
        if kept < len(new) and line == new[kept]:
            kept += 1
            runs.append([])
        else:
            runs[-1].append(line)
    blocks = [_IMPORT.sub("", block) for run in runs for block in _BETWEEN.split("\n".join(run))]
    return None if kept < len(new) else [block.strip("\n") for block in blocks if re.search(r"\w", block)]


def is_about(blocks: Sequence[str], names: Sequence[str], kept: str) -> bool:
    """Return whether there are blocks and each uses one of these names, or a part of one that is not in the files as
    they are now: `starts` for `ini_starts`."""
    parts = _list_words(" ".join(names)) - _list_words(kept)
    return bool(blocks) and all(_list_words(block) & (parts | set(names)) for block in blocks)


def _list_words(text: str) -> set[str]:
    """Return the identifiers of a text, and their parts in lower case."""
    names = set(re.findall(r"\w+", text))
    return names | {part.lower() for name in names for part in re.split("_+", _CAMEL.sub("_", name)) if part}
