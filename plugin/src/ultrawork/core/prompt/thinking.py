"""Whether the user asks for careful thought, in any language."""

from .thinking_words import ANYWHERE, OPINIONS, WHOLE


def strip_code(text: str) -> str:
    import re

    return re.sub(r"`[^`\n]+`", "", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def wants_thinking(text: str) -> bool:
    """`think about this`, `ultrathink`, `réfléchissez`; not code, and not `I think`."""
    import re

    plain = strip_code(text).lower()
    if wants_ultrathink(text) or any(word in plain for word in ANYWHERE):
        return True
    if any(re.search(rf"(?<!\w){word}(?!\w)", plain) for word in WHOLE):
        return True
    before = [plain[: match.start()].split() for match in re.finditer(r"\bthink\b", plain)]
    return any(not words or words[-1].strip(",.;:") not in OPINIONS for words in before)


def wants_ultrathink(text: str) -> bool:
    import re

    return re.search(r"\bultrathink\b", strip_code(text), re.IGNORECASE) is not None
