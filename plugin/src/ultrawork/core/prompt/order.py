"""Does the user's prompt turn ultrawork on, or ask it something?

Runs on every prompt, so a prompt without the keyword must cost next to nothing: everything else is imported only when
the keyword occurs."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .request import FreeWord, Order

WORDS = ("ulw", "ultrawork")
LONGEST = 200_000
LONGEST_COMMAND = 2000
WRAPPERS = ("**", "()", "[]")
MARKS = ":,;.!?\uff1a\uff0c\u3001\uff1b\u3002\uff01\uff1f"

FREE_WORDS = {
    "off": "off",
    "stop": "off",
    "cancel": "off",
    "why": "why",
    "status": "status",
    "plan": "plan",
    "report": "report",
    "gates": "gates",
    "gates allow": "gates allow",
    "gates deny": "gates deny",
    "gates draft": "gates draft",
    "gates draft --write": "gates draft --write",
    "features on": "features on",
    "features off": "features off",
    "verify": "verify",
    "evidence": "evidence",
    "accept": "accept",
    "new": "new",
    "help": "help",
}
WHOLE_PROMPTS = {"cancelulw": "off", "cancel ulw": "off", "stop ulw": "off"}
PUNCTUATION = " \t\r\n.,;:!?\u2026\u3002\uff01\uff1f"

# How prompts begin that no user typed.
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


def find_order(prompt: str, words: "Sequence[str]" = WORDS) -> "Order | None":
    """Return where the user requests work with one of the words; None if it is only mentioned."""
    words = [word.lower() for word in words]
    lower = lower_in_place(prompt)
    if not any(word in lower for word in words) or is_not_for_us(lower):
        return None
    if find_free_word(prompt) is not None:
        return None
    return _search(prompt, words)


def find_free_word(prompt: str) -> "FreeWord | None":
    """Return the command that is the whole prompt, ignoring case and punctuation."""
    lower = prompt.lower()
    if len(prompt) > LONGEST_COMMAND or not any(word in lower for word in WORDS):
        return None
    from .request import FreeWord

    spoken = _plain(lower)
    if spoken in WHOLE_PROMPTS:
        return FreeWord(WHOLE_PROMPTS[spoken])
    head, _, rest = spoken.partition(" ")
    if head.rstrip(PUNCTUATION) in WORDS and rest in FREE_WORDS:
        return FreeWord(FREE_WORDS[rest])
    # Return the reason of `ulw accept …`.
    words = prompt.split(None, 2)
    heads = [word.lower().rstrip(PUNCTUATION) for word in words[:2]]
    reason = words[2].strip() if len(words) > 2 and heads[0] in WORDS and heads[1] == "accept" else ""
    return FreeWord("accept", reason) if reason else None


def extract_request(prompt: str, words: "Sequence[str]" = WORDS) -> str:
    """Return what the user's prompt asks for, without the keyword; empty if nothing."""
    if is_not_for_us(lower_in_place(prompt)) or find_free_word(prompt) is not None:
        return ""
    hit = find_order(prompt, words)
    return drop_bare_word(hit.goal if hit else prompt.strip(), words)


def drop_bare_word(goal: str, words: "Sequence[str]" = WORDS) -> str:
    """Return the goal; empty if only a keyword, `on` or marks are left."""
    is_bare = _plain(goal.lower()) in ("", "on", *words) or not any(sign.isalnum() for sign in goal)
    return "" if is_bare else goal


def _plain(text: str) -> str:
    from .order_words import COURTESIES

    parts = text.strip(PUNCTUATION).split()
    return " ".join(part for part in parts if part not in COURTESIES).strip(PUNCTUATION)


def lower_in_place(prompt: str) -> str:
    """Return the text in lowercase with every character in its place; a few would become two."""
    lower = prompt.lower()
    if len(lower) == len(prompt):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in prompt)


def is_not_for_us(lower: str) -> bool:
    start = lower[:200].lstrip()
    return start.startswith("/") or start.startswith(MACHINE_MADE)


def _search(prompt: str, words: "Sequence[str]") -> "Order | None":
    from . import grammar
    from .prose import keep_own_words
    from .request import Order

    for offset, part in split_long_prompt(prompt):
        text = lower_in_place(keep_own_words(part))
        first_order = grammar.find_first_order(text, words)
        if first_order:
            start, end = first_order
            needed = grammar.is_governed(text, start, end)
            goal = prompt.strip() if needed else remove_word(prompt, start + offset, end + offset)
            return Order(goal, start + offset)
    return None


def split_long_prompt(prompt: str) -> "Iterator[tuple[int, str]]":
    """Yield the whole prompt, or both ends of one so long that its middle must be pasted text."""
    if len(prompt) <= LONGEST:
        yield 0, prompt
        return
    half = LONGEST // 2
    yield 0, prompt[:half]
    line = prompt.find("\n", len(prompt) - half) + 1  # half a line could look like prose
    yield line, prompt[line:] if line else ""


def remove_word(prompt: str, start: int, end: int) -> str:
    """The prompt without the keyword and the marks that belonged to it."""
    before, after = prompt[:start], prompt[end:]
    while before and before[-1] + after[:1] in WRAPPERS:
        before, after = before[:-1], after[1:]
    after = after.lstrip(MARKS)
    if after.lstrip()[:2] in (": ", "; ", ", "):  # French puts a space before a colon
        after = after.lstrip()[1:]
    before, after = before.rstrip(" \t"), after.lstrip(" \t")
    if not before.strip():
        return after.lstrip("-\u2013\u2014 \n").strip() if after[1:2] == " " else after.strip()
    if not after.strip():
        return before.rstrip(" ,;:-\u2013\u2014\n").strip()
    joint = "" if before.endswith("\n") or after.startswith("\n") else " "
    return f"{before}{joint}{after}".strip()
