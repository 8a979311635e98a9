"""Answer a prompt that begins with the keyword but starts nothing: one line says why.

Loaded only if the first word is ours and neither a command nor an order was found."""

from ..wording import NO_GOAL, WIDTH, cut, join_lines
from .order import FREE_WORDS, PUNCTUATION, is_not_for_us, lower_in_place
from .sentence import is_alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_WRAPPERS = ' \t\r\n*[("\u201c\u201e\u00ab'
_TITLE = 40
# Other names of commands.
_SYNONYMS = {
    "quit": "off",
    "exit": "off",
    "abort": "off",
    "disable": "off",
    "pause": "off",
    "turn off": "off",
    "switch off": "off",
    "-h": "help",
    "--help": "help",
    "commands": "help",
    "usage": "help",
    "checks": "gates",
    "receipts": "evidence",
}
# Verbs that a person types in a terminal; a task may begin with the same word.
TERMINAL_VERBS = (
    "answer",
    "clean",
    "config",
    "dashboard",
    "demo",
    "doctor",
    "features",
    "inbox",
    "install",
    "logs",
    "notify",
    "restore",
    "restore --all",
    "restore --last-green",
    "resume",
    "run",
    "session list",
    "stats",
    "undo",
    "uninstall",
    "version",
    "--version",
    "watch",
)


def find_rest(prompt: str, words: "Sequence[str]") -> str | None:
    """Return what follows the keyword at the beginning of a prompt; None if it begins otherwise."""
    lower = lower_in_place(prompt)
    start = len(lower) - len(lower.lstrip(_WRAPPERS))
    keyword = next((word for word in words if word and lower.startswith(word.lower(), start)), "")
    end = start + len(keyword)
    if not keyword or is_not_for_us(lower) or not is_alone(lower, start, end):
        return None
    return prompt[end:]


def find_near_command(rest: str) -> str:
    """Return the command that was probably meant, at most one typo away; after a colon anything is a goal."""
    if rest[:1] not in ("", " ", "\t"):
        return ""
    typed = rest.lower().split()
    if not typed:
        return ""
    whole = " ".join(typed).strip(PUNCTUATION)
    near = _SYNONYMS.get(whole) or next((known for known in FREE_WORDS if _is_near(whole, known)), "")
    # The reason after `accept` is free text.
    return near or ("accept" if len(typed) > 1 and _is_near(typed[0], "accept") else "")


def find_terminal_verb(rest: str) -> str:
    """Return the verb of our program that is the whole rest, for which a client has no command."""
    if rest[:1] not in (" ", "\t"):
        return ""
    whole = " ".join(rest.lower().split()).strip(PUNCTUATION)
    return whole if whole in TERMINAL_VERBS else ""


def _is_near(typed: str, known: str) -> bool:
    """Return whether one letter is missing, too many, wrong, or has changed places with its neighbor."""
    if typed == known or abs(len(typed) - len(known)) > 1:
        return False
    start = 0
    while start < min(len(typed), len(known)) and typed[start] == known[start]:
        start += 1
    left, right = typed[start:], known[start:]
    swapped = left[:2] == right[:2][::-1] and left[2:] == right[2:]
    return swapped or left[1:] == right or left == right[1:] or left[1:] == right[1:]


def ask_near_command(rest: str, near: str) -> str:
    typed = cut(join_lines(rest), _TITLE)
    return f"ultrawork: no command `{typed}`. Did you mean ulw {near}? To use it as a task: ulw: {typed}"


def name_terminal_verb(verb: str) -> str:
    return f"ultrawork: `{verb}` is a command for the terminal: ultrawork {verb}. To use it as a task: ulw: {verb}"


def explain_remark(rest: str, *, is_on: bool) -> str:
    """Explain that it reads as a remark or a question about ultrawork itself, and how to turn it into a task."""
    if not rest.strip(PUNCTUATION + "-") and not is_on:
        return NO_GOAL
    kept = "still on, with the same goal" if is_on else "not on"
    kind = "question" if rest.rstrip().endswith(("?", "\uff1f")) else "remark"
    start = f"ultrawork: {kept}. I read this as a {kind}. To use it as a task: ulw: "
    return start + cut(join_lines(rest).lstrip(PUNCTUATION + "-").rstrip('"\u201d\u00bb'), WIDTH - len(start))
