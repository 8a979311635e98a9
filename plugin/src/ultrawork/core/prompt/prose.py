"""A prompt's own words: a text of the same length with code, markup, quotations and pasted lines blanked out, so that
positions match."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

OPAQUE = "\ue000"  # in the place of something within a line
BREAK = "\n"  # in the place of a block of lines

QUOTES = {
    '"': '"',
    "'": "'",
    "\u201c": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u2018": "\u2019",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u2039": "\u203a",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
    "\u300a": "\u300b",
}
STRAIGHT = "\"'"
LONGEST_QUOTE = 400
MOST_APOSTROPHES = 8
LONGEST_TAG = 1000
DEEPEST_TAG = 50
FARTHEST_TICKS = 200

PASTED_STARTS = ("> ", ">>", "|", "$ ", "% ", "\u276f ", "\u23bf", "\u25cf ", "+++ ", "--- ", "@@ ")
LOG_LEVELS = frozenset(("TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL"))
LIST_MARKS = ("- ", "* ", "+ ", "\u2022 ")


def keep_own_words(text: str) -> str:
    for find in (_ticks, _fences, _tags, _pasted_lines, _texts, _quotations):
        text = _blanked(text, find(text))
    return text


def _blanked(text: str, spans: "Iterator[tuple[int, int]]") -> str:
    pieces, place = [], 0
    for start, end in sorted(spans):
        if end > place:
            fill = BREAK if "\n" in text[start:end] else OPAQUE
            pieces += [text[place:start], fill * (end - max(start, place))]
            place = end
    return "".join([*pieces, text[place:]])


def _lines(text: str) -> "Iterator[tuple[int, str]]":
    place = 0
    for line in text.split("\n"):
        yield place, line
        place += len(line) + 1


def _fences(text: str) -> "Iterator[tuple[int, int]]":
    """Yield blocks between lines of tildes; backtick fences are found elsewhere."""
    opened, mark = -1, ""
    for place, line in _lines(text):
        bare = line.strip()
        tildes = bare[: len(bare) - len(bare.lstrip("~"))]
        if opened < 0 and len(tildes) >= 3:
            opened, mark = place, tildes
        elif opened >= 0 and tildes == bare and len(tildes) >= len(mark):
            yield opened, place + len(line)
            opened = -1
    if opened >= 0:
        yield opened, len(text)


def _ticks(text: str) -> "Iterator[tuple[int, int]]":
    """Yield code between backticks; an unclosed run of three or more takes the rest."""
    runs = list(_runs(text, "`"))
    place = 0
    for index, (start, end) in enumerate(runs):
        if start < place:
            continue
        closing = _closing_ticks(text, runs, index)
        if closing or end - start >= 3:
            place = closing or len(text)
            yield start, place


def _runs(text: str, character: str) -> "Iterator[tuple[int, int]]":
    start = text.find(character)
    while start >= 0:
        end = start
        while text[end : end + 1] == character:
            end += 1
        yield start, end
        start = text.find(character, end)


def _closing_ticks(text: str, runs: list[tuple[int, int]], index: int) -> int:
    """Return the closing run: for one or two, as many in the same paragraph; for three or more, at least as many."""
    start, end = runs[index]
    length = end - start
    for later, stop in runs[index + 1 : index + FARTHEST_TICKS]:
        if length >= 3 and stop - later >= length:
            return stop
        if length < 3 and stop - later == length:
            return 0 if "\n\n" in text[end:later] else stop
    return 0


def _tags(text: str) -> "Iterator[tuple[int, int]]":
    """Yield each tag, and the range from each opening tag to its closing one."""
    opened: list[tuple[str, int]] = []
    for start, end, name in _each_tag(text):
        yield start, end
        if name.startswith("/"):
            names = [other for other, _ in opened[-DEEPEST_TAG:]]
            if name[1:] in names:
                while opened[-1][0] != name[1:]:
                    opened.pop()
                yield opened.pop()[1], end
        elif name and text[end - 2] != "/":
            opened.append((name, start))


def _each_tag(text: str) -> "Iterator[tuple[int, int, str]]":
    """Start, end and name; a closing tag's name begins with a slash, a comment has none."""
    start = text.find("<")
    while start >= 0:
        end = _tag_end(text, start)
        if end > 0:
            inner = text[start + 1 : end - 1].split(None, 1)
            yield start, end, "" if text.startswith("<!", start) else inner[0].lower()
        start = text.find("<", max(end, start + 1))


def _tag_end(text: str, start: int) -> int:
    if text.startswith("<!--", start):
        return text.find("-->", start) + 3 if "-->" in text[start:] else len(text)
    first = text[start + 1 : start + 3].lstrip("/")[:1]
    if not (first.isalpha() or first == "!"):
        return -1
    end = text.find(">", start, start + LONGEST_TAG)
    return end + 1 if end > 0 and "<" not in text[start + 1 : end] else -1


def _pasted_lines(text: str) -> "Iterator[tuple[int, int]]":
    before = ""  # the last line that was neither blank nor indented
    after_blank = False
    for place, line in _lines(text):
        indented = line.startswith(("    ", "\t"))
        listed = before.startswith(LIST_MARKS) or line.lstrip().startswith(LIST_MARKS)
        code = indented and after_blank and bool(before) and not listed
        if code or _looks_pasted(line.strip()):
            yield place, place + len(line)
        if line.strip() and not indented:
            before = line
        after_blank = not line.strip() or code


def _looks_pasted(bare: str) -> bool:
    if bare.startswith(PASTED_STARTS) or bare == ">":
        return True
    first = bare.split(None, 1)[0] if bare else ""
    return _is_heading(first) or _is_time(first) or first.strip("[]():") in LOG_LEVELS


def _texts(text: str) -> "Iterator[tuple[int, int]]":
    """Skip quoted text: `Translate this paragraph:` is followed by a text, not by a request."""
    for place, line in _lines(text):
        if not line.rstrip().endswith((":", "\uff1a")) or len(line) > LONGEST_QUOTE:
            continue
        if not _announces_text(line):
            continue
        start = place + len(line)
        while text[start : start + 1].isspace():
            start += 1
        end = text.find("\n\n", start)
        yield start, len(text) if end < 0 else end


def _announces_text(line: str) -> bool:
    from .order_words import ABOUT_TEXTS, TEXTS

    words = "".join(c if c.isalpha() else " " for c in line.lower()).split()
    return not ABOUT_TEXTS.isdisjoint(words[:3]) and not TEXTS.isdisjoint(words)


def _is_heading(first: str) -> bool:
    return first.startswith("#") and not first.strip("#") and len(first) < 7


def _is_time(first: str) -> bool:
    """`2026-11-15T14:02:11Z`, `14:02:11`, `[2026-11-15` at the start of a line."""
    digits = first.strip("[]()")
    return digits[:2].isdigit() and (digits.count(":") >= 2 or digits[:8].count("-") == 2)


def _quotations(text: str) -> "Iterator[tuple[int, int]]":
    place = 0
    for start, character in enumerate(text):
        if start < place or character not in QUOTES:
            continue
        end = _quote_end(text, start)
        if end > 0:
            yield start, end
            place = end


def _quote_end(text: str, start: int) -> int:
    opening = text[start]
    if opening in STRAIGHT and not _may_open(text, start):
        return -1
    limit = start + LONGEST_QUOTE
    stop = text.find("\n" if opening == "'" else "\n\n", start, limit)
    limit = limit if stop < 0 else stop
    ends = (text.find(closing, start + 1, limit) for closing in QUOTES[opening])
    place = min((end for end in ends if end > 0), default=-1)
    for _ in range(MOST_APOSTROPHES if opening == "'" else 0):
        if place < 0 or _may_close(text, place):
            break
        place = text.find("'", place + 1, limit)
    return place + 1


def _may_open(text: str, start: int) -> bool:
    """A straight mark after a letter or digit is an apostrophe or an inch."""
    after = text[start + 1 : start + 2]
    return not text[max(start - 1, 0) : start].isalnum() and bool(after.strip())


def _may_close(text: str, place: int) -> bool:
    return not text[place + 1 : place + 2].isalnum() and bool(text[place - 1].strip())
