"""What a session teaches about its project: the user's standing wishes, and what commands show.

Also what an agent asks to remember: tags in its last message."""

import re

HIGH, NORMAL = "high", "normal"
LONGEST = 300
MOST = 5
_CODING = (
    r"(?:uses?|writes?|puts?|names?|imports?|keeps?|adds?|tests?|returns?|raises?|throws?|formats?|prefers?|avoids?)"
)
# (priority, how such a sentence begins); the rest of the line is the wish.
_WISHES = (
    (HIGH, r"(?:please )?(?:always|never)(?= )"),
    (HIGH, r"from now on,?"),
    (HIGH, r"important:"),
    (HIGH, r"(?:do not|don't) ever"),
    (HIGH, r"make sure (?:you )?(?:always|never)"),
    # A rule about code; "we always deploy on Fridays" describes a habit.
    (NORMAL, rf"(?:we|this project) (?:always|never)(?= {_CODING}\b)"),
    (NORMAL, r"prefer(?= )"),
    (NORMAL, r"only (?:use|work on|look at|focus on)"),
    (NORMAL, r"focus on"),
    (NORMAL, r"ignore all"),
    (NORMAL, r"(?:constraint|requirement|rule|convention|scope|remember):"),
)
_KEPT_WORD = ("always", "never")
_COMMANDS = (
    ("buildCommand", r"^(?:npm|pnpm|yarn|bun) (?:run )?build\b|^(?:cargo|go|make|gradle|mvn|dotnet) build\b|^tsc\b|^make$"),
    ("testCommand",
     r"^(?:npm|pnpm|yarn|bun) (?:run )?test\b|^(?:cargo|go|make|mix|dotnet) test\b|^(?:python3? -m )?pytest\b|^npx (?:jest|vitest)\b"),
    ("lintCommand",
     r"^(?:npm|pnpm|yarn|bun) (?:run )?lint\b|^ruff check\b|^npx eslint\b|^cargo clippy\b|^make lint\b|^golangci-lint run\b"),
)  # fmt: skip
_FACTS = (
    ("runtime", r"Node\.js v(\d[\d.]*)|^v(\d+\.\d+\.\d+)$", "Node.js v{}", r"\bnode\b"),
    ("runtime", r"Python (\d+\.\d+[\d.]*)", "Python {}", r"\bpython3?\b.*(?:-V|--version)"),
    ("runtime", r"rustc (\d[\d.]*)", "Rust {}", r"\brustc\b"),
    ("runtime", r"go version go(\d[\d.]*)", "Go {}", r"\bgo version\b"),
    ("dependency", r"Cannot find module '([@\w][\w@/.-]*)'", "Missing dependency: {}", r""),
    ("dependency", r"No module named '?([\w.]+)'?", "Missing dependency: {}", r""),
    ("env", r"(?:Missing|required) environment variable:? ['\"]?([A-Z][A-Z0-9_]{2,})", "Requires env var: {}", r""),
    ("env", r"([A-Z][A-Z0-9_]{2,}) (?:is not set|must be set|environment variable is (?:required|missing))", "Requires env var: {}", r""),
)  # fmt: skip
_OUTPUT = 20_000


def find_directives(text: str) -> list[tuple[str, str]]:
    """Return (wish, priority) for each sentence that is a standing request."""
    directives = []
    for line in re.split(r"\n+|(?<=[.!?])\s+", text):
        for priority, begins in _WISHES:
            match = re.match(rf"\s*(?:[-*] )?({begins})\s+(.+)", line, re.IGNORECASE)
            if match:
                directives.append((_wish(match[1].lower(), match[2]), priority))
                break
    return [directive for directive in dict.fromkeys(directives) if directive[0]][:MOST]


def _wish(begins: str, rest: str) -> str:
    words = rest.strip().rstrip(".!").strip()
    kept = next((word for word in _KEPT_WORD if begins.endswith(word)), "")
    return f"{kept} {words}".strip()[:LONGEST]


def find_commands(command: str) -> dict[str, str]:
    """Return which of the project's own commands this is."""
    plain = command.strip()
    if "\n" in plain or len(plain) > 200 or re.search(r"[;&|<>`$]", plain):
        return {}
    return {key: plain for key, pattern in _COMMANDS if re.search(pattern, plain)}


def find_facts(command: str, output: str) -> list[tuple[str, str]]:
    """(category, what it shows) in the output of a command."""
    facts = []
    for category, pattern, template, only in _FACTS:
        shown = re.search(pattern, output[:_OUTPUT], re.MULTILINE)
        if shown and re.search(only, command):
            facts.append((category, template.format(next(group for group in shown.groups() if group))))
    return list(dict.fromkeys(facts))


PRIORITY = "priority"
WORKING = "working"
LONGEST_NOTE = 2_000
MOST_NOTES = 10
_WISDOM = {
    "learning": "learnings", "learnings": "learnings", "decision": "decisions", "decisions": "decisions",
    "issue": "issues", "issues": "issues", "problem": "problems", "problems": "problems",
}  # fmt: skip


def find_notes(text: str) -> list[tuple[str, str]]:
    """(section, note) for each `<remember>` and `<remember priority>`; code is not spoken to us."""
    matches = re.findall(r"<remember(\s+priority)?\s*>(.*?)</remember>", _spoken(text), re.DOTALL | re.IGNORECASE)
    kept = [(PRIORITY if mark else WORKING, note.strip()[:LONGEST_NOTE]) for mark, note in matches]
    return [pair for pair in kept if pair[1]][:MOST_NOTES]


def find_wisdom(text: str) -> list[tuple[str, str]]:
    """Return (category, text) for `<wisdom category="…">` and its short forms, in order."""
    names = "learning|decision|issue|problem"
    pattern = rf'<wisdom\s+category="([^"]*)"\s*>(.*?)</wisdom>|<({names})>(.*?)</\3>'
    matches = re.findall(pattern, _spoken(text), re.DOTALL | re.IGNORECASE)
    kept = [
        (_WISDOM.get((category or other).lower(), ""), (wisdom or more).strip()[:LONGEST_NOTE])
        for category, wisdom, other, more in matches
    ]
    return [(name, wisdom) for name, wisdom in kept if name and wisdom][:MOST_NOTES]


def _spoken(text: str) -> str:
    return re.sub(r"```.*?```|~~~.*?~~~", "", text, flags=re.DOTALL)
