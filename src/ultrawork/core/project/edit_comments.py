"""Comments that tell of an edit instead of the code: what was there before is in the history."""

_MOST = 3
_TELLS = (
    r"(?:added|removed|changed|updated|modified|fixed|renamed|moved|refactored|replaced|deleted)\b(?! (?:to|by|from) the\b)",
    r"new(?:ly)?:? (?:function|method|code|import|field|helper|logic)\b",
    r"(?:now|no longer|previously|formerly|used to|was originally)\b",
    r"(?:old|previous|original) (?:code|version|implementation|logic)\b",
    r"(?:this|the) (?:change|fix|edit|update)\b",
    r"\.\.\. ?(?:rest|existing|remaining) (?:of )?(?:the )?(?:code|file|implementation|function)",
)  # fmt: skip
_COMMENT = r"^\s*(?:#(?!!|\s*(?:type:|noqa|pragma|region))|//(?!/?\s*(?:eslint|ts-|@))|/\*+|\*|--|<!--)\s*(.*)$"
_WITHOUT = (".md", ".mdx", ".rst", ".txt", ".json", ".csv", ".html", ".svg", ".diff", ".patch")


def find_remarks(path: str, before: str, after: str) -> list[str]:
    """New comment lines that speak of the change; a few of them are enough to say it."""
    import re

    if path.lower().endswith(_WITHOUT) or "changelog" in path.lower():
        return []
    known = {line.strip() for line in before.splitlines()}
    found = []
    for line in after.splitlines():
        comment = re.match(_COMMENT, line)
        told = comment is not None and any(
            re.match(one, comment[1], re.IGNORECASE) for one in _TELLS
        )
        if told and line.strip() not in known:
            found.append(line.strip())
    return found[:_MOST]
