"""
Breaks of a real commit: the same change with one hunk missing, or with one small fault in a line that it added, and
the removal of the tests that notice. Text in, text out; whether a break is one is for the project's own suite to say.
"""

import difflib
import random
import re
from dataclasses import dataclass

SOURCE = re.compile(r"\.(py|js|mjs|cjs|ts|go|rs|c|h|rb|java)$")
TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__)/|(^|/)tests?\.(c|js|rb)$|(^|/)test_[^/]+$|_(test|spec)\.\w+$|\.(spec|test)\.\w+$"
)
_COMMENT = re.compile(r"\s*(#|//|/\*|\*|\"\"\"|'''|import |from |use |package |require)")
# Small faults that keep a line valid in most languages: what is replaced, and by what.
MUTATIONS = (
    (re.compile(r"=="), "!="),
    (re.compile(r"!=="), "==="),
    (re.compile(r"!=(?!=)"), "=="),
    (re.compile(r"(?<= )<= "), "> "),
    (re.compile(r"(?<= )>= "), "< "),
    (re.compile(r"(?<= )< "), ">= "),
    (re.compile(r"(?<= )> "), "<= "),
    (re.compile(r"(?<= )\+ "), "- "),
    (re.compile(r"(?<= )- "), "+ "),
    (re.compile(r"(?<= )&& "), "|| "),
    (re.compile(r"(?<= )\|\| "), "&& "),
    (re.compile(r"(?<= )and "), "or "),
    (re.compile(r"(?<= )or "), "and "),
    (re.compile(r"\bTrue\b"), "False"),
    (re.compile(r"\bFalse\b"), "True"),
    (re.compile(r"\btrue\b"), "false"),
    (re.compile(r"\bfalse\b"), "true"),
    (re.compile(r"\bif not "), "if "),
    (re.compile(r"(?<![\w.])0(?![\w.])"), "1"),
    (re.compile(r"(?<![\w.])1(?![\w.])"), "2"),
    (re.compile(r"(['\"])(\w[\w .-]*)\1"), r"\1\2x\1"),
)


@dataclass(slots=True)
class Break:
    """A file of the change and its broken text. `what` says which line."""

    kind: str
    path: str
    text: str
    what: str


def is_product(path):
    return bool(SOURCE.search(path)) and not TEST.search(path)


def list_hunks(before, after):
    """The places where two texts differ, as lines of the old and of the new one; Rust's tests inside a file are none."""
    after = after.partition("#[cfg(test)]")[0]
    before = before.partition("#[cfg(test)]")[0]
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(old[one:two], three, new[three:four]) for tag, one, two, three, four in found if tag != "equal"]  # fmt: skip


def revert_hunks(path, before, after):
    """One break for each hunk that holds code."""
    lines = after.splitlines(keepends=True)
    found = []
    for old, start, new in list_hunks(before, after):
        if any(_is_code(line) for line in [*old, *new]):
            text = "".join([*lines[:start], *old, *lines[start + len(new) :]])
            found.append(Break("hunk reverted", path, text, f"{path}:{start + 1}"))
    return found


def mutate(path, before, after):
    """One break for each fault that fits a line which the change added."""
    lines = after.splitlines(keepends=True)
    found = []
    for _, start, new in list_hunks(before, after):
        for number, line in enumerate(new, start):
            if not _is_code(line):
                continue
            for pattern, put in MUTATIONS:
                changed = pattern.sub(put, line, count=1)
                if changed != line:
                    text = "".join([*lines[:number], changed, *lines[number + 1 :]])
                    found.append(Break("mutant", path, text, f"{path}:{number + 1}: {put}"))
    return found


def _is_code(line):
    return bool(line.strip()) and not _COMMENT.match(line)


def draw(found, seed, most):
    """At most so many of them, the same ones each time."""
    return random.Random(seed).sample(found, min(most, len(found)))


# --- the tests that notice ------------------------------------------------------------------------------

# How each language's runner names a failing test.
_FAILING = {
    "Python": re.compile(r"^(?:FAILED|ERROR) \S*?::(?:\w+::)*(\w+)", re.MULTILINE),
    "Go": re.compile(r"^\s*--- FAIL: (\w+)", re.MULTILINE),
    "Rust": re.compile(r"^test (?:\w+::)*(\w+) \.\.\. FAILED", re.MULTILINE),
    "JavaScript": re.compile(r"^\s+\d+\) (.+?):?$", re.MULTILINE),
    "TypeScript": re.compile(r"^\s*(?:\d+\)|\u00d7|\u2717|FAIL\s.*>) (.+?)(?: \d+ms)?:?$", re.MULTILINE),
    "Ruby": re.compile(r"^\s*(?:\d+\) )?(?:Failure|Error):\s*\w+#(test_\w+)", re.MULTILINE),
}
# The line at which a test of this name begins.
_BEGINS = {
    "Python": r"^[ \t]*(?:async )?def {name}\b",
    "Go": r"^func {name}\(",
    "Rust": r"^[ \t]*fn {name}\(",
    "JavaScript": r"^[ \t]*(?:it|test)\(\s*['\"`]{name}['\"`]",
    "TypeScript": r"^[ \t]*(?:it|test)\(\s*['\"`]{name}['\"`]",
    "Ruby": r"^[ \t]*def {name}\b",
}
_DECORATION = re.compile(r"\s*(@|#\[)")


def list_failing(language, output):
    """Names of the tests that failed, in the order of the output."""
    pattern = _FAILING.get(language)
    return list(dict.fromkeys(pattern.findall(output))) if pattern else []


def remove_tests(language, text, names):
    for name in names:
        text = remove_test(language, text, name)
    return text


def remove_test(language, text, name):
    """The text without the test of that name; unchanged if it has none."""
    begins = _BEGINS.get(language)
    found = re.search(begins.format(name=re.escape(name)), text, re.MULTILINE) if begins else None
    if found is None:
        return text
    lines = text.splitlines(keepends=True)
    first = text.count("\n", 0, found.start())
    last = (_find_dedent if language in ("Python", "Ruby") else _find_brace)(lines, first)
    if language == "Ruby" and last < len(lines):
        last += 1  # its `end`
    while first and _DECORATION.match(lines[first - 1]):
        first -= 1
    return "".join([*lines[:first], *lines[last:]])


def _find_dedent(lines, first):
    depth = _measure_indent(lines[first])
    for number in range(first + 1, len(lines)):
        if lines[number].strip() and _measure_indent(lines[number]) <= depth:
            return number
    return len(lines)


def _measure_indent(line):
    return len(line) - len(line.lstrip())


def _find_brace(lines, first):
    """The line after the one where every brace is closed again. Braces in strings count too: the suite notices."""
    depth, opened = 0, False
    for number in range(first, len(lines)):
        depth += lines[number].count("{") - lines[number].count("}")
        opened = opened or "{" in lines[number]
        if opened and depth <= 0:
            return number + 1
    return len(lines)
