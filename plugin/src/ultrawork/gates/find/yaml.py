"""Read the part of YAML that CI files use, without a library: block and flow maps and lists, plain, quoted, literal
and folded text, anchors, merges, comments. Every scalar is text with its line number. Anything else is an error with
its line; nothing is executed or constructed."""

import re

LINES = 5_000
LINE = 4_000
DEPTH = 40
ALIASES = 500
_KEY = re.compile(
    r"""(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^']|'')*)'"""
    r"""|(?P<plain>(?:[^\s"'\[\]{}\#&*!|>%@`,?:-]|[?:-](?=\S))[^\n]*?))\s*:(?=\s|$)"""
)
_BLOCK = re.compile(r"([|>])([+-]?[1-9]?[+-]?)\s*(?:#.*)?")
_NAMED = re.compile(r"([&*!])(\S*)\s*(.*)", re.DOTALL)
_COMMENT = re.compile(r"\s#.*")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_SINGLE = re.compile(r"'((?:[^']|'')*)'", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "", "\n": ""}
_FLOW_PLAIN = re.compile(r"[^,\[\]{}\n]*")


class YamlText(str):
    """A scalar, always as text; `line` is where it begins."""

    __slots__ = ("line",)
    line: int


class YamlError(ValueError):
    """YAML that cannot be read, with its line."""


def parse_yaml(text: str) -> object:
    """Return the first document: maps, lists and texts. Raises `YamlError` for what is not read."""
    lines = text.split("\n")
    if len(lines) > LINES or any(len(line) > LINE for line in lines):
        raise YamlError("it is too long for a CI file")
    return _Reader(lines).read()


def _text(value: str, line: int) -> YamlText:
    made = YamlText(value)
    made.line = line
    return made


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        self.ready = -1
        self.found: tuple[int, str] | None = None
        self.depth = 0
        self.aliases = 0
        self.anchors: dict[str, object] = {}

    def read(self) -> object:
        peek = self._peek()
        while peek is not None and peek[1].startswith(("%", "---")):
            self.at += 1
            peek = self._peek()
        value = self._node(0)
        rest = self._peek()
        if rest is not None:
            raise self._wrong("is indented unlike any line above it")
        return value

    def _wrong(self, why: str) -> YamlError:
        return YamlError(f"line {min(self.at + 1, len(self.lines))} {why}")

    def _peek(self) -> tuple[int, str] | None:
        """Return indent and text of the next line with content; None at the end of the document."""
        if self.ready != self.at:
            self.found = self._look()
            self.ready = self.at
        return self.found

    def _look(self) -> tuple[int, str] | None:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            text = line.lstrip(" ")
            if text.strip() and not text.startswith("#"):
                indent = len(line) - len(text)
                if text.startswith("\t"):
                    raise self._wrong("is indented by a tab")
                ends = indent == 0 and text.startswith(("---", "...")) and self.at > 0
                return None if ends and not self._is_start() else (indent, text.rstrip())
            self.at += 1
        return None

    def _is_start(self) -> bool:
        above = (line.strip() for line in self.lines[: self.at])
        return all(not line or line.startswith(("#", "%")) for line in above)

    def _node(self, least: int) -> object:
        peek = self._peek()
        if peek is None or peek[0] < least:
            return _text("", self.at + 1)
        self.depth += 1
        if self.depth > DEPTH:
            raise self._wrong("is nested too deep")
        indent, text = peek
        if _is_item(text):
            value: object = self._sequence(indent)
        elif _KEY.match(text):
            value = self._mapping(indent)
        else:
            self.at += 1
            value = self._value(text, least - 1)
        self.depth -= 1
        return value

    def _sequence(self, indent: int) -> list[object]:
        items: list[object] = []
        while (peek := self._peek()) is not None and peek[0] == indent and _is_item(peek[1]):
            inner = peek[1][1:].lstrip(" ")
            if not inner or inner.startswith("#"):
                self.at += 1
            else:
                # After the dash begins a block of its own, further to the right.
                start = indent + len(peek[1]) - len(inner)
                self.lines[self.at] = " " * start + inner
                self.found = (start, inner)
            items.append(self._node(indent + 1))
        self._check_end(indent)
        return items

    def _mapping(self, indent: int) -> dict[str, object]:
        table: dict[str, object] = {}
        merged: dict[str, object] = {}
        while (peek := self._peek()) is not None and peek[0] == indent and not _is_item(peek[1]):
            match = _KEY.match(peek[1])
            if match is None:
                raise self._wrong("is not a key and value")
            self.at += 1
            key = _key_text(match)
            value = self._value(peek[1][match.end() :].strip(), indent, in_map=True)
            if key == "<<":
                for mapping in value if isinstance(value, list) else [value]:
                    merged = {**(mapping if isinstance(mapping, dict) else {}), **merged}
            else:
                table[key] = value
        self._check_end(indent)
        return {**merged, **table}

    def _check_end(self, indent: int) -> None:
        peek = self._peek()
        if peek is not None and peek[0] > indent:
            raise self._wrong("is indented further than its parent")

    def _value(self, rest: str, parent: int, *, in_map: bool = False) -> object:
        """Return the value after a key or dash, on that line or below it."""
        line = self.at
        if not rest or rest.startswith("#"):
            peek = self._peek()
            if in_map and peek is not None and peek[0] == parent and _is_item(peek[1]):
                return self._sequence(parent)
            return self._node(parent + 1)
        if rest[0] in "&*!":
            return self._named(rest, parent, in_map=in_map)
        block = _BLOCK.fullmatch(rest)
        if block:
            return self._block(block[1], block[2], parent)
        if rest[0] in "[{":
            return self._flow(rest, line)
        if rest[0] in "\"'":
            return self._quoted(rest, line)
        if rest[0] in "@`%":
            raise YamlError(f"line {line} begins with {rest[0]}, which YAML reserves")
        return self._plain(rest, parent, line)

    def _named(self, rest: str, parent: int, *, in_map: bool) -> object:
        match = _NAMED.fullmatch(rest)
        assert match is not None
        mark, name, behind = match.groups()
        if mark == "*":
            self.aliases += 1
            if name not in self.anchors or self.aliases > ALIASES:
                raise YamlError(f"line {self.at} uses an anchor that is not known here")
            return self.anchors[name]
        value = self._value(behind, parent, in_map=in_map)
        if mark == "&":
            self.anchors[name] = value
        # A product's own tag (`!reference`) is not understood: read it as empty.
        return value if mark == "&" or name.startswith("!") else _text("", self.at)

    def _block(self, style: str, how: str, parent: int) -> YamlText:
        first, taken = self.at, []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip() and len(line) - len(line.lstrip(" ")) <= parent:
                break
            taken.append(line)
            self.at += 1
        given = next((int(mark) for mark in how if mark.isdigit()), 0)
        first_line = next((line for line in taken if line.strip()), "")
        indent = max(parent, 0) + given if given else len(first_line) - len(first_line.lstrip(" "))
        lines = [line[indent:].rstrip() for line in taken]
        joined = "\n".join(lines) if style == "|" else _fold(lines)
        return _text(joined.rstrip("\n"), first + 1)

    def _plain(self, rest: str, parent: int, line: int) -> YamlText:
        parts = [_COMMENT.sub("", " " + rest).strip()]
        if parts[0] and not _COMMENT.search(" " + rest):
            while (peek := self._peek()) is not None and peek[0] > parent:
                if _KEY.match(peek[1]) and ": " in peek[1]:
                    raise self._wrong("is a key inside a plain text")
                parts.append(_COMMENT.sub("", " " + peek[1]).strip())
                self.at += 1
        return _text(" ".join(parts) if parts not in (["~"], ["null"]) else "", line)

    def _gather(self, rest: str) -> str | None:
        """Return the next line as well, for what has not ended yet."""
        if self.at >= len(self.lines):
            return None
        self.at += 1
        return f"{rest}\n{self.lines[self.at - 1].strip()}"

    def _quoted(self, rest: str, line: int) -> YamlText:
        pattern = _DOUBLE if rest[0] == '"' else _SINGLE
        whole: str | None = rest
        while whole is not None:
            match = pattern.match(whole)
            if match:
                after = whole[match.end() :].strip()
                if after and not after.startswith("#"):
                    raise YamlError(f"line {self.at} continues after a closing quote")
                return _text(_unquote(match[0]), line)
            whole = self._gather(whole)
        raise YamlError(f"line {line} opens a quote that is never closed")

    def _flow(self, rest: str, line: int) -> object:
        whole: str | None = rest
        while whole is not None:
            flow = _Flow(whole, line, self.anchors)
            value = flow.read()
            if not flow.open:
                return value
            whole = self._gather(whole) if whole.count("\n") < LINES // 10 else None
        raise YamlError(f"line {line} opens a bracket that is never closed")


class _Flow:
    """`[a, {b: c}]`, which may go over several lines; `open` if it has not ended where the text does."""

    def __init__(self, text: str, line: int, anchors: dict[str, object]) -> None:
        self.text = re.sub(r"(?m)(^|\s)#.*$", "", text)
        self.at = 0
        self.line = line
        self.depth = 0
        self.open = False
        self.anchors = anchors

    def read(self) -> object:
        value = self._one()
        if not self.open and self.text[self.at :].strip():
            raise YamlError(f"line {self.line} continues after a closing bracket")
        return value

    def _next(self) -> str:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        self.open = self.open or self.at >= len(self.text)
        return self.text[self.at : self.at + 1]

    def _one(self) -> object:
        first = self._next()
        if first in ("[", "{"):
            self.depth += 1
            if self.depth > DEPTH:
                raise YamlError(f"line {self.line} is nested too deep")
            self.at += 1
            value = self._list() if first == "[" else self._table()
            self.depth -= 1
            return value
        return self._scalar(first, in_key=False)

    def _scalar(self, first: str, *, in_key: bool) -> object:
        pattern = {'"': _DOUBLE, "'": _SINGLE}.get(first)
        match = (pattern or _FLOW_PLAIN).match(self.text, self.at)
        if match is None:
            self.open = True
            return ""
        part = match[0]
        if in_key and pattern is None:
            part = re.split(r":(?=\s|$)", part, maxsplit=1)[0]
        self.at += len(part)
        if first == "*":
            return self.anchors.get(part.strip()[1:], "")
        return _text(_unquote(part) if pattern else part.strip(), self.line)

    def _list(self) -> list[object]:
        items: list[object] = []
        while not self.open and self._next() != "]":
            items.append(self._one())
            self._separate("]")
        self.at += 1
        return items

    def _table(self) -> dict[str, object]:
        table: dict[str, object] = {}
        while not self.open and self._next() != "}":
            key = str(self._scalar(self._next(), in_key=True))
            table[key] = ""
            if self._next() == ":":
                self.at += 1
                table[key] = self._one() if self._next() not in (",", "}") else ""
            self._separate("}")
        self.at += 1
        return table

    def _separate(self, end: str) -> None:
        mark = self._next()
        if mark == ",":
            self.at += 1
        elif mark != end and not self.open:
            raise YamlError(f"line {self.line} lacks a comma or {end}")


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _key_text(match: re.Match[str]) -> str:
    if match["plain"] is not None:
        return match["plain"].strip()
    return _unquote(match[0].rstrip(": \t"))


def _unquote(text: str) -> str:
    inner = re.sub(r"[ \t]*\n[ \t]*", " ", text[1:-1].replace("\\\n", ""))
    if text[0] == "'":
        return inner.replace("''", "'")
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), inner)


def _fold(lines: list[str]) -> str:
    """Join lines with spaces; empty and more indented ones keep their breaks."""
    text = ""
    for line in lines:
        deeper = line.startswith(" ")
        glue = "" if not text or text.endswith("\n") else "\n" if deeper or not line else " "
        text += glue + line + ("\n" if deeper else "")
    return text
