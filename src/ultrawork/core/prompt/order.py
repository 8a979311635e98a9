"""
Does a person's prompt switch ultrawork on, or ask something of it?

Runs on every prompt, so the common case, a prompt without the word, must cost next to nothing:
everything else is imported only when the word occurs.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WORDS = ("ulw", "ultrawork")
LONGEST = 200_000
LONGEST_COMMAND = 2000
MOST_PLACES = 500
CHUNK = 200

SPACELESS = "\u0e00"  # from Thai on
BEFORE_JOINS = "_-#@$%&+=~./\\{<*`'\u2019"
AFTER_JOINS = "_(=~/\\@%&+}>[*`<$#"
AFTER_JOINS_IN_WORD = ".:-'\u2019"
# Between two keywords: what the first is, the second is.
LIST_MARKS = " ,/&|\u3001"
LIST_WORDS = [
    "",
    *[
        "and",
        "or",
        "und",
        "oder",
        "et",
        "ou",
        "y",
        "o",
        "e",
        "en",
        "of",
        "i",
        "и",
        "или",
        "和",
        "と",
    ],
]
WRAPPERS = ("**", "()", "[]")

FREE_WORDS = {
    "off": "off",
    "stop": "off",
    "cancel": "off",
    "why": "why",
    "status": "status",
    "gates": "gates",
    "gates allow": "gates allow",
    "verify": "verify",
    "evidence": "evidence",
    "accept": "accept",
    "help": "help",
}
WHOLE_PROMPTS = {"cancelulw": "off", "cancel ulw": "off", "stop ulw": "off"}
COURTESIES = ("please", "pls", "bitte")
PUNCTUATION = " \t\r\n.,;:!?\u2026\u3002\uff01\uff1f"

# How prompts begin that no person has typed.
MACHINE_MADE = (
    "<task-notification",
    "<system-reminder",
    "<command-",
    "<local-command-",
    "<bash-",
    "<user-prompt-submit-hook",
    "<teammate-message",
    "<agent-message",
    "<hook_context",
    "<session-",
    "<tool-",
    "<monitor",
    "<scheduled-",
    "[request interrupted",
    "[system",
    "[hook",
    "stop hook feedback",
    "subagentstop hook feedback",
    "userpromptsubmit hook",
    "userpromptsubmit says",
    "pretooluse hook",
    "posttooluse hook",
    "stop says",
    "caveat: the messages below were generated",
    "this session is being continued from a previous conversation",
    "this conversation is being continued",
    "here is a summary of the conversation",
    "summary of the conversation so far",
    "please continue the conversation from where we left",
    "ultrawork: on.",
    "ultrawork: on,",
    "ultrawork: not on",
    "ultrawork: off for this session",
    "ultrawork: sent back",
    "ultrawork: pass ",
    "ultrawork: unverified",
    "ultrawork: files changed since",
    "ultrawork is on. goal:",
    "ultrawork is ready",
    "ultrawork: in the swarm",
    *(
        f"ultrawork: {mode}{goes_on}"
        for mode in ("autopilot", "ultrapilot", "team", "pipeline", "ralph", "ultraqa", "swarm")
        for goes_on in (",", " on,", " is ", " was ")
    ),
)


class Order:
    """
    `goal` is the prompt without the keyword, or whole where the sentence needs it (`with ulw`);
    `position` is where the keyword stands in the prompt.
    """

    __slots__ = ("goal", "position")

    def __init__(self, goal: str, position: int) -> None:
        self.goal = goal
        self.position = position


class FreeWord:
    """A free word that the hook answers by itself; `argument` is the reason of `accept`."""

    __slots__ = ("argument", "name")

    def __init__(self, name: str, argument: str = "") -> None:
        self.name = name
        self.argument = argument


def find_order(prompt: str, words: "Sequence[str]" = WORDS) -> Order | None:
    """Where a person asks for work with one of the words; None where it is only spoken about."""
    words = [word.lower() for word in words]
    lower = lower_in_place(prompt)
    if not any(word in lower for word in words) or is_not_for_us(lower):
        return None
    if find_free_word(prompt) is not None:
        return None
    return _search(prompt, words)


def find_free_word(prompt: str) -> FreeWord | None:
    """The free word that is the whole prompt, in any case, with or without punctuation."""
    lower = prompt.lower()
    if len(prompt) > LONGEST_COMMAND or not any(word in lower for word in WORDS):
        return None
    spoken = _plain(lower)
    if spoken in WHOLE_PROMPTS:
        return FreeWord(WHOLE_PROMPTS[spoken])
    head, _, rest = spoken.partition(" ")
    if head.rstrip(PUNCTUATION) in WORDS and rest in FREE_WORDS:
        return FreeWord(FREE_WORDS[rest])
    return _acceptance(prompt)


def extract_request(prompt: str, words: "Sequence[str]" = WORDS) -> str:
    """What a person's prompt asks for, without the keyword; empty if it asks for nothing."""
    if is_not_for_us(lower_in_place(prompt)) or find_free_word(prompt) is not None:
        return ""
    hit = find_order(prompt, words)
    goal = hit.goal if hit else prompt.strip()
    return "" if _plain(goal.lower()) in ("", *words) else goal


def _acceptance(prompt: str) -> FreeWord | None:
    words = prompt.split(None, 2)
    if len(words) < 3 or words[0].lower().rstrip(PUNCTUATION) not in WORDS:
        return None
    accepts = words[1].lower().rstrip(PUNCTUATION) == "accept"
    return FreeWord("accept", words[2].strip()) if accepts else None


def _plain(text: str) -> str:
    parts = text.strip(PUNCTUATION).split()
    return " ".join(part for part in parts if part not in COURTESIES).strip(PUNCTUATION)


def lower_in_place(prompt: str) -> str:
    """In lower case with every character in its place; a few would become two."""
    lower = prompt.lower()
    if len(lower) == len(prompt):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in prompt)


def is_not_for_us(lower: str) -> bool:
    start = lower[:200].lstrip()
    return start.startswith("/") or start.startswith(MACHINE_MADE)


def _search(prompt: str, words: "Sequence[str]") -> Order | None:
    from .prose import keep_own_words

    for offset, part in split_long_prompt(prompt):
        text = lower_in_place(keep_own_words(part))
        found = _first_order(text, words)
        if found:
            start, end = found
            needed = is_governed(text, start, end)
            goal = prompt.strip() if needed else remove_word(prompt, start + offset, end + offset)
            return Order(goal, start + offset)
    return None


def _first_order(text: str, words: "Sequence[str]") -> tuple[int, int] | None:
    mentioned = -1  # the end of the last one that was no order
    for start, end in _places(text, words):
        listed = mentioned >= 0 and text[mentioned:start].strip(LIST_MARKS) in LIST_WORDS
        if not listed and is_alone(text, start, end) and is_order(text, start, end):
            return start, end
        mentioned = end
    return None


def split_long_prompt(prompt: str) -> "Iterator[tuple[int, str]]":
    """All of it, or both ends of a text so long that its middle must be a paste."""
    if len(prompt) <= LONGEST:
        yield 0, prompt
        return
    half = LONGEST // 2
    yield 0, prompt[:half]
    line = prompt.find("\n", len(prompt) - half) + 1  # half a line could not be told from prose
    yield line, prompt[line:] if line else ""


def _places(text: str, words: "Sequence[str]") -> "Iterator[tuple[int, int]]":
    found: list[tuple[int, int]] = []
    for word in words:
        place = text.find(word) if word else -1
        while place >= 0 and len(found) < MOST_PLACES:
            found.append((place, place + len(word)))
            place = text.find(word, place + len(word))
    yield from sorted(found)


def is_alone(text: str, start: int, end: int) -> bool:
    """A word by itself, not part of an identifier, a path, an address or a flag."""
    before, after = text[max(start - 2, 0) : start], text[end : end + 2]
    if before.endswith("**") and after == "**":
        before, after = text[max(start - 4, 0) : start - 2], text[end + 2 : end + 4]
    if _joins(before[-1:], BEFORE_JOINS) or _joins(after[:1], AFTER_JOINS):
        return False
    if after[:1] in AFTER_JOINS_IN_WORD and _joins(after[1:], "/_"):
        return False
    if before[-1:] == ":" and _joins(before[:1], ""):
        return False
    return not any(mark in _chunk(text, start, end) for mark in ("://", "@", "\\", "/"))


def _joins(character: str, marks: str) -> bool:
    """Scripts beyond Thai are written without blanks: their letters end a word."""
    if not character:
        return False
    return character in marks or (character.isalnum() and character < SPACELESS)


def _chunk(text: str, start: int, end: int) -> str:
    """What stands between the blanks around a place, or the letters of scripts without any."""
    left, right = start, end
    while left > max(0, start - CHUNK) and _in_chunk(text[left - 1]):
        left -= 1
    while right < min(len(text), end + CHUNK) and _in_chunk(text[right]):
        right += 1
    return text[left:right]


def _in_chunk(character: str) -> bool:
    return character < SPACELESS and not character.isspace() and character not in ",;"


def is_order(text: str, start: int, end: int) -> bool:
    from . import cjk, sentence

    if cjk.is_cjk(text, start, end):
        return cjk.is_order(text, start, end)
    return sentence.is_order(text, start, end)


def is_governed(text: str, start: int, end: int) -> bool:
    """Whether the sentence needs the word, as in `with ulw` or `ulw mode`."""
    from . import cjk, sentence

    if cjk.is_cjk(text, start, end):
        return cjk.is_governed(text, start, end)
    return sentence.is_governed(text, start, end)


def remove_word(prompt: str, start: int, end: int) -> str:
    """The prompt without the keyword and the marks that belonged to it."""
    before, after = prompt[:start], prompt[end:]
    while before and before[-1] + after[:1] in WRAPPERS:
        before, after = before[:-1], after[1:]
    after = after.lstrip(":,;.!?")
    before, after = before.rstrip(" \t"), after.lstrip(" \t")
    if not before.strip():
        return after.lstrip("-\u2013\u2014 \n").strip() if after[1:2] == " " else after.strip()
    if not after.strip():
        return before.rstrip(" ,;:-\u2013\u2014\n").strip()
    joint = "" if before.endswith("\n") or after.startswith("\n") else " "
    return f"{before}{joint}{after}".strip()
