"""Output made readable: no colours, no carriage returns, one line for a message."""

import re

MESSAGE_LIMIT = 160
LINE_LIMIT = 1000
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_FRAME = re.compile(r"^\s*at (?:.*\()?(?:file://)?([^()\s][^()]*?):(\d+):\d+\)?", re.MULTILINE)
_NOT_OURS = ("node:", "node_modules/", "internal/")


def plain(output: str, root: str = "") -> str:
    """Without escape sequences; paths below `root` become relative, so runs can be compared."""
    text = output.replace("\r\n", "\n").replace("\r", "\n")
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    folder = root.rstrip("/")
    return text.replace("file://" + folder + "/", "").replace(folder + "/", "") if folder else text


def short_lines(text: str) -> str:
    """No line longer than a name and a message need: patterns meet endless lines with endless time."""
    if len(text) <= LINE_LIMIT:
        return text
    return "\n".join(
        line if len(line) <= LINE_LIMIT or line.startswith('{"') else line[:LINE_LIMIT]
        for line in text.split("\n")
    )


def one_line(lines: "str | list[str]") -> str:
    """The first line that says something; where it ends in a colon, the next one belongs to it."""
    parts = lines.splitlines() if isinstance(lines, str) else lines
    said = [" ".join(part.split()) for part in parts if part.strip()]
    if not said:
        return ""
    text = f"{said[0]} {said[1]}" if said[0].endswith(":") and len(said) > 1 else said[0]
    return text if len(text) <= MESSAGE_LIMIT else text[: MESSAGE_LIMIT - 1] + "…"


def placed(place: str, message: str) -> str:
    return f"{place}  {message}" if place and message else place or message


def frame(text: str) -> str:
    """`file:line` of the first frame of a JavaScript stack that is the project's own."""
    for path, line in _FRAME.findall(text):
        if not any(mark in path for mark in _NOT_OURS):
            return f"{path}:{line}"
    return ""


def number(pattern: "re.Pattern[str]", text: str) -> int:
    """The sum of group 1 over all places where the pattern fits."""
    return sum(int(found.group(1)) for found in pattern.finditer(text))
