"""Whether a program changed, or only its words: comments, strings, layout, markup and configuration do not run."""

import ast

from .cases import find_language
from .files import is_source_path, is_support_path, is_test_path
from .tokens import COMMENT, TEXT, split_tokens

_LIKE = {"python": "", "javascript": "javascript", "go": "go", "rust": "rust"}


def has_other_code(path: str, before: str | None, after: str | None) -> bool:
    """Whether product code of a file does something else now; a language that cannot be read may."""
    if not is_source_path(path) or is_test_path(path) or is_support_path(path) or before == after:
        return False
    language = find_language(path)
    if language == "python":
        return _python(before or "") != _python(after or "")
    if language in _LIKE:
        return _tokens(before or "", language) != _tokens(after or "", language)
    return True


def _tokens(text: str, language: str) -> list[str]:
    kinds = (COMMENT, TEXT)
    return [one.text for one in split_tokens(text, language) if one.kind not in kinds]


def _python(text: str) -> str:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return text
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)
