"""One prompt file: the header between two lines of three dashes, and the text below it.

Read leniently, since people write them: real headers have unquoted colons, tabs, nested maps and no end. Nothing is
refused: what is clear is used, what is not is a line in `doubts`."""

import re

from ..core.value import Value
from ..store.codec import loads

HeadValue = str | int | float | bool | list[str]
Head = dict[str, HeadValue]
AGENT = "agent"
SKILL = "skill"
FENCE = "---"
LONGEST = 200_000
_END = f"\n{FENCE}\n"
_ENTRY = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,63})\s*:(?:\s+(.*))?")
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_BLOCK = re.compile(r"[>|][+-]?[0-9]?")
_COMMENT = re.compile(r"<!--.*-->")


class PromptFile(Value):
    """What a file says about itself; `doubts` are the lines that could not be understood."""

    head: Head
    body: str
    doubts: list[str]


def get_body(text: str) -> str:
    """Return what follows the header; a file without one is all body."""
    _, end, body = text.partition(_END)
    return body if end and text.startswith(f"{FENCE}\n") else text


def get_prompt(text: str) -> str:
    """Return the body as an agent reads it, without our comment lines."""
    return "\n".join(line for line in get_body(text).split("\n") if not _COMMENT.fullmatch(line.strip())).strip()


def parse(text: str) -> PromptFile:
    text = text[:LONGEST].removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if lines[0].strip() != FENCE:
        return PromptFile({}, text, ["no header: the file does not start with ---"])
    end = next((n for n, line in enumerate(lines[1:], 1) if line.strip() == FENCE), None)
    if end is None:
        return PromptFile({}, text, ["the header is not closed"])
    head, doubts = _entries(lines[1:end])
    return PromptFile(head, "\n".join(lines[end + 1 :]), doubts)


def _entries(lines: list[str]) -> tuple[Head, list[str]]:
    head: Head = {}
    doubts: list[str] = []
    for first, more in _groups(lines):
        match = _ENTRY.fullmatch(first.rstrip())
        if match is None:
            doubts.append(f"could not parse: {first.strip()[:80]}")
            continue
        value = _value(match.group(2) or "", more)
        if value is None:
            doubts.append(f"could not read the value of {match.group(1)}")
        else:
            head[match.group(1)] = value
    return head, doubts


def _groups(lines: list[str]) -> list[tuple[str, list[str]]]:
    """Return each unindented line, with the indented ones (and items) that belong to it."""
    groups: list[tuple[str, list[str]]] = []
    for line in lines:
        inner = not line.strip() or line[:1] in " \t" or line.startswith("- ")
        if inner and groups:
            groups[-1][1].append(line.strip())
        elif line.strip() and not line.startswith("#"):
            groups.append((line, []))
    return groups


def _value(given: str, more: list[str]) -> HeadValue | None:
    text = given.strip()
    below = [line for line in more if line]
    if _BLOCK.fullmatch(text):
        return (" " if text[0] == ">" else "\n").join(below)
    if not text and below and all(line.startswith("- ") for line in below):
        return [_text(line[2:].strip()) for line in below]
    if not text:
        return None
    if text[0] == "[" and text.endswith("]"):
        return [_text(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    return _scalar(" ".join([text, *below]))


def _scalar(text: str) -> HeadValue:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    number = _NUMBER.fullmatch(text)
    if number:
        return float(text) if number.group(1) else int(text)
    return _text(text)


def _text(text: str) -> str:
    """Return the text without quotes and a trailing comment."""
    close = text[:1]
    if close not in ("'", '"') or not close:
        return text.partition(" #")[0].rstrip()
    end = text.rfind(close)
    inner = text[1:end] if end > 0 else text[1:]
    if close == "'":
        return inner.replace("''", "'")
    try:
        return str(loads(f'"{inner}"'))
    except ValueError:
        return inner.replace('\\"', '"')
