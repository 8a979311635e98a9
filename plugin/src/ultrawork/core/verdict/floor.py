"""What text alone shows about a change: a file's language, conflict markers, linter suppressions, and words and
patterns that a user should look at. Nothing worth a look refuses anything.

Two have an effect elsewhere: code that asks whether a test is running is never *proved*, and a suppression under a goal
that asks for that check is tried without it."""

import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..patterns import compile_late
from ..value import Value
from ..wording import cut

_ENDINGS = {
    "python": "py pyi",
    "javascript": "js mjs cjs",
    "json": "json geojson webmanifest ipynb har",
    "toml": "toml",
    "yaml": "yml yaml",
    "xml": "xml svg xsd xsl xslt plist csproj vbproj fsproj props targets xaml resx wsdl pom",
    "shell": "sh bash",
    "go": "go",
    "rust": "rs",
    "php": "php",
    "ruby": "rb rake gemspec",
}
LANGUAGES = {end: name for name, ends in _ENDINGS.items() for end in ends.split()}
_SHEBANGS = {"python": "python", "bash": "shell", "sh": "shell", "node": "javascript"}
# Tools accept comments and trailing commas in these.
_LENIENT = compile_late(
    r"(^|/)(\.vscode|\.devcontainer|\.zed|\.cursor)/|(^|/)\.[\w-]*rc(\.json)?$|\.code-(workspace|snippets)$"
    r"|(^|/)([tj]sconfig|tslint|angular|nx|project|turbo|deno|biome|wrangler|renovate|pyrightconfig|typedoc"
    r"|api-extractor|cspell|knip|rush|devcontainer|lerna|babel\.config|rolldown|oxlintrc)[\w.-]*\.json$"
)
_DATA = ("json", "toml", "yaml", "xml")
_TEMPLATE = compile_late(r"(?<!\$)\{\{|\{%-? |<%|@@\w+@@")
_MEANT_BROKEN = compile_late(
    r"(?i)(^|[/_.-])(broken|invalid|malformed|unparsable|unparseable|truncated|corrupt(ed)?|bad|syntax[-_]?errors?)"
    r"([/_.-]|$)"
)


def find_language(path: str, text: str = "") -> str:
    """Return the language by file ending or first line; empty if we cannot parse it or its syntax varies."""
    name = path.rpartition("/")[2]
    if "." not in name:
        return _find_interpreter(text)
    language = LANGUAGES.get(name.rpartition(".")[2].lower(), "")
    return "" if language == "json" and _LENIENT.search(path) else language


def _find_interpreter(text: str) -> str:
    first = text.partition("\n")[0]
    if not first.startswith("#!"):
        return ""
    program = first[2:].split()[-1:] if "env" in first else first[2:].split()[:1]
    bare = program[0].rpartition("/")[2].rstrip("0123456789.") if program else ""
    return _SHEBANGS.get(bare, "")


def is_meant_broken(path: str) -> bool:
    """Return whether its name marks a sample that does not parse."""
    return _MEANT_BROKEN.search(path) is not None


def is_template(path: str, text: str) -> bool:
    """Return whether a file is filled in before it is parsed: data with such markers, code in a template folder."""
    marked = _TEMPLATE.search(text) is not None
    named = "template" in path.lower() or "skeleton" in path.lower()
    return "{{" in path or (marked and (named or find_language(path, text) in _DATA))


_FENCED = compile_late(r"(?ms)^(```+|~~~+).*?^\1")
_CONFLICT = compile_late(r"(?ms)^<{7} [^\n]*$.*?^={7}$.*?^>{7} ")


def find_conflict(text: str, *, is_doc: bool = False) -> int:
    """Return the line of the first conflict marker; 0 if there is none. Docs may show one in a fence."""
    if "<<<<<<< " not in text:
        return 0
    body = text.replace("\r\n", "\n")
    body = _FENCED.sub(lambda fence: "\n" * fence[0].count("\n"), body) if is_doc else body
    match = _CONFLICT.search(body)
    return body.count("\n", 0, match.start()) + 1 if match else 0


_IN_PYTHON = compile_late(
    r"#\s*(?:(?:ruff:|flake8:)?\s*noqa|type:\s*ignore|ty:\s*ignore|pyright:\s*(?:ignore|basic)"
    r"|mypy:\s*(?:ignore|disable|allow)|pylint:\s*disable|pragma:\s*no\s*cover|nosec|pyre-(?:ignore|fixme))"
    r"(?![\w])[^#\n]*"
)
_IN_SCRIPTS = (
    r"(?:eslint-disable|@ts-(?:ignore|expect-error|nocheck)|(?:istanbul|c8|v8) ignore|biome-ignore"
    r"|tslint:disable|oxlint-disable|stylelint-disable|\$FlowFixMe|jshint ignore)"
)
_BLOCK = r"\{{?/\*+\s*{0}(?:(?!\*/)[^\n])*\*/\}}?|/\*+\s*{0}(?:(?!\*/)[^\n])*\*/|//\s*{0}[^\n]*"
_JVM = r"@Suppress(?:Warnings)?\s*\([^)]*\)|//\s*(?:NOSONAR|noinspection|CHECKSTYLE:OFF)[^\n]*"
_PHP = r"(?:@phpstan-ignore|phpcs:(?:ignore|disable)|@psalm-suppress|@codeCoverageIgnore)"
_C = r"//\s*NOLINT[^\n]*|#\s*pragma\s+(?:GCC|clang)\s+diagnostic\s+ignored[^\n]*"
# A value cast to any type: no complaint about it remains.
_AS_ANY = r"(?<=[\w)\]}'\"])[ \t]+as[ \t]+(?:any(?=[ \t]*(?:[;,)\].}:]|$))|unknown(?=[ \t]+as\b))"
# Marks that exclude code from coverage.
_COVERAGE = compile_late(r"no\s*cover|(?:istanbul|c8|v8) ignore|:nocov:|@codeCoverageIgnore")
_MARKS = {
    "js jsx mjs cjs vue svelte css scss less": _BLOCK.format(_IN_SCRIPTS),
    "ts tsx mts cts": f"(?m:{_BLOCK.format(_IN_SCRIPTS)}|{_AS_ANY})",
    "go": r"//\s*(?:nolint|lint:ignore|#nosec)\b[^\n]*",
    "rs": r"#!?\[(?:allow|expect)\([^\]]*\)\]",
    "java kt kts scala groovy": _JVM,
    "rb rake": r"#\s*(?:rubocop|standard):(?:disable|todo)[^\n]*|#\s*:nocov:",
    "php": _BLOCK.format(_PHP),
    "c h cc cpp hpp": _C,
    "cs": r"#pragma\s+warning\s+disable[^\n]*",
    "sh bash": r"#\s*shellcheck\s+disable=[^\n]*",
    "swift": r"//\s*swiftlint:disable[^\n]*",
}
_PATTERNS = {end: mark for ends, mark in _MARKS.items() for end in ends.split()}


class Suppression(Value):
    """A mark that disables a complaint: its line, its text, and its position."""

    path: str
    line: int
    mark: str
    start: int
    end: int


def find_suppressions(path: str, text: str) -> list[Suppression]:
    ending = path.rpartition(".")[2].lower()
    if ending in ("py", "pyi"):
        return list(_find_in_python(path, text))
    pattern = _PATTERNS.get(ending)
    return [
        _suppression(path, text, match.start(), match.end())
        for match in (re.finditer(pattern, text) if pattern else ())
    ]


def is_for_coverage(mark: Suppression) -> bool:
    return _COVERAGE.search(mark.mark) is not None


def _suppression(path: str, text: str, start: int, end: int) -> Suppression:
    mark = text[start:end].rstrip()
    line = text.count("\n", 0, start) + 1
    return Suppression(path, line, " ".join(mark.split()), start, start + len(mark))


def _find_in_python(path: str, text: str) -> Iterator[Suppression]:
    """Yield suppressions in comments; strings may mention them."""
    if not _IN_PYTHON.search(text):
        return
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    try:
        lines = iter(text.splitlines(keepends=True))
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.COMMENT:
                begin = starts[token.start[0] - 1] + token.start[1]
                for match in _IN_PYTHON.finditer(token.string):
                    yield _suppression(path, text, begin + match.start(), begin + match.end())
    except (tokenize.TokenError, SyntaxError, IndexError):
        return


def find_new_suppressions(before: Mapping[str, str], after: Mapping[str, str]) -> list[Suppression]:
    """Marks that no line of before explains: an old line with its mark may be edited, moved or renamed."""
    known = Counter(mark.mark for path, text in before.items() for mark in find_suppressions(path, text))
    fresh = []
    for path, text in after.items():
        lines = set(before.get(path, "").splitlines())
        now = text.splitlines()
        for mark in find_suppressions(path, text):
            if now[mark.line - 1] in lines:
                known[mark.mark] -= 1
            else:
                fresh.append(mark)
    return [suppression for suppression in fresh if not _take(known, suppression.mark)]


def _take(known: Counter[str], mark: str) -> bool:
    known[mark] -= 1
    return known[mark] >= 0


def remove_suppressions(text: str, suppressions: Sequence[Suppression]) -> str:
    """Return the text without these marks, each line where it was."""
    for mark in sorted(suppressions, key=lambda suppression: -suppression.start):
        head, tail = text[: mark.start], text[mark.end :]
        bare = head.rstrip(" \t") if tail[:1] in ("", "\n", "\r") else head
        text = bare + tail
    return text


def is_named(mark: Suppression, output: str) -> bool:
    """Return whether an output speaks of the line of a suppression, or of the one below it."""
    lines = rf"(?:{mark.line}|{mark.line + 1})"
    name = re.escape(mark.path.rpartition("/")[2])
    return re.search(rf"{name}[:(]{lines}\b", output) is not None


def shorten_mark(mark: str) -> str:
    """Return the mark as a screen shows it."""
    return f"`{cut(mark, 40)}`"


# Names that only mean a running test.
_RUNNING = (
    "PYTEST_CURRENT_TEST", "PYTEST_VERSION", "JEST_WORKER_ID", "process.env.VITEST", "import.meta.vitest",
    "NODE_TEST_CONTEXT", "testing.Testing()", 'flag.Lookup("test.', "cfg!(test)", "cfg(not(test))",
)  # fmt: skip
_ASKS = compile_late(
    r"""["'](?:pytest|unittest|_pytest|jest|vitest|mocha)["']\s+(?:not\s+)?in\s+sys\.modules"""
    r"""|sys\.modules(?:\.get)?[\[(]\s*["'](?:pytest|unittest)"""
    r"""|(?:NODE|APP|RAILS|RACK|FLASK|DJANGO)_ENV\b["'\])]*\s*(?:,\s*["']\w*["']\)\s*)?[!=]==?\s*["']test(?:ing)?["']"""
    r"""|(?:sys\.argv|process\.argv|os\.Args|env::args)[^\n]*(?:pytest|jest|vitest|mocha|unittest|\.test\b|_test\b)"""
)
# Inspects the caller.
_CALLER = compile_late(
    r"\binspect\.(?:stack|currentframe|getframeinfo|getouterframes|trace)\b|\bsys\._getframe\b|\b_getframe\("
    r"|\btraceback\.(?:extract_stack|format_stack|walk_stack)\b|\bsys\._current_frames\b|\blinecache\.getline"
    r"|new Error\([^)]*\)\.stack|Error\.captureStackTrace|\bruntime\.Callers?\b|getStackTrace\(|StackWalker"
    r"|\bdebug_backtrace\(|\bcaller_locations\b|\bcaller\(\d"
)
# Code whose purpose is to inspect callers.
_TRACES = compile_late(r"(?i)(?:^|/)(?:[\w-]*(?:log|trace|debug|error|exception|warn|stack)[\w-]*)\.\w+$")
_COUNTS = compile_late(
    r"\b_?(?:call|invocation)s?_?count\w*\s*(?:\+=|\+\+|=\s*\w*count)|\b_?(?:calls|invocations)\s*\+=\s*1"
    r"|\.(?:calls|call_count|callCount|invocations)\s*(?:\+=|\+\+)"
)
_WAITS = compile_late(
    r"\b(?:time\.)?sleep\(|\bsetTimeout\(|\bwaitForTimeout\(|time\.Sleep\(|thread::sleep|Thread\.sleep"
    r"|\bflaky\b|\breruns?\b|\bretr(?:y|ies)\b|jest\.retryTimes|this\.retries"
)
_MARK = compile_late(r"\b(?:TODO|FIXME|XXX)\b")
_OWNED = compile_late(
    r"\b(?:TODO|FIXME|XXX)\b\s*(?:\([^)\s][^)]*\)|\[[^\]\s][^\]]*\]|:?\s*(?:@\w|#\d|[A-Z]{2,}-\d))|https?://"
)
_PARTED = compile_late(r"""["']\s*\+\s*["']""")
_CALL = compile_late(
    # No bracket in between: the call inside another one is not what is compared.
    r"""(?:assert[\w.!]*\s*\(?|expect\(|equal\()[^\n(]*?\b([\w.]+)\(([^()\n]*)\)\s*(?:\)?\s*(?:==|\.toBe\(|\.toEqual\(|,))\s*([^\n,)]+)"""
)


class AddedLine(Value):
    """A new line of a source file. `in_test`: of a test that was there before; `in_product`: of what is delivered."""

    path: str
    number: int
    text: str
    in_test: bool = False
    in_product: bool = False

    @property
    def where(self) -> str:
        return f"{self.path}:{self.number}"

    @property
    def words(self) -> dict[str, str]:
        return {"where": self.where}


def find_awareness(line: AddedLine) -> str:
    """Return what a product line uses to ask whether a test is running, or who calls."""
    whole = _PARTED.sub("", line.text) if line.in_product else ""
    question = next((sign for sign in _RUNNING if sign in whole), "")
    match = _ASKS.search(whole) or (None if _TRACES.search(line.path) else _CALLER.search(whole))
    return question or (match[0].strip() if match else "")


def is_counting_calls(line: AddedLine) -> bool:
    return line.in_product and _COUNTS.search(line.text) is not None


def is_waiting(line: AddedLine) -> bool:
    """Return whether a test sleeps or tries again."""
    return line.in_test and _WAITS.search(line.text) is not None


def find_mark(line: AddedLine) -> str:
    """Return a TODO, FIXME or XXX in a comment that names no issue, link or person."""
    match = _MARK.search(line.text) if line.in_product else None
    before = line.text[: match.start()] if match else ""
    if not match or not re.search(r"#|//|/\*|\*|--|<!--", before) or _OWNED.search(line.text):
        return ""
    return line.text[match.start() :].strip().removesuffix("*/").rstrip()[:60]


def find_contradiction(text: str) -> tuple[int, int] | None:
    """Return two lines that expect different constants from the same function with the same literals, with nothing
    but assertions between them. A method may answer anew at each call."""
    seen: dict[tuple[str, str], tuple[str, int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = _CALL.search(line)
        if not match and line.strip():
            seen.clear()
        if (
            not match
            or not match[2].strip()
            or "." in match[1]
            or not re.fullmatch(r"[\s\d\w'\"\[\](),.:{}-]*", match[2])
        ):
            continue
        # Only literals: a name may have another value by the second line.
        if re.search(r"[A-Za-z_]\w*", re.sub(r"'[^']*'|\"[^\"]*\"|True|False|None|true|false|null", "", match[2])):
            continue
        key, value = (match[1], "".join(match[2].split())), match[3].strip().rstrip(";)")
        if re.search(r"[A-Za-z_]\w*\(", value):
            continue
        known = seen.setdefault(key, (value, number))
        if known[0] != value:
            return known[1], number
    return None
