"""How many agents a request for a swarm wants, and what is left of it as the goal."""

from .errors import UsageError

USUAL = 3
MOST = 20
_AGENTS = ("agent", "agents", "worker", "workers")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_BEFORE = 2


def crew(words: str) -> tuple[int, str]:
    """`5 fix the tests`, `5 agents: fix the tests`, `port it with a swarm of three workers`, or a goal alone."""
    parts = words.split()
    if parts and _number(parts[0]) and parts[0][0].isdigit():
        count = _number(parts[0])
        named = len(parts) > 1 and _plain(parts[1]) in _AGENTS
        return _checked(count), _after(words, 2 if named else 1)
    return _checked(_told(parts) or USUAL), words.strip()


def _told(parts: list[str]) -> int:
    """The number that stands right before the agents, or before one word between them."""
    for place, word in enumerate(parts):
        if _plain(word) in _AGENTS:
            before = parts[max(0, place - _BEFORE) : place]
            found = [_number(one) for one in reversed(before)]
            return next((one for one in found if one), 0)
    return 0


def _plain(word: str) -> str:
    return word.strip(".,:;!?").lower()


def _number(word: str) -> int:
    plain = _plain(word)
    if plain.isascii() and plain.isdigit():
        return int(plain[:9]) or -1
    return _NUMBERS.index(plain) + 1 if plain in _NUMBERS else 0


def _after(words: str, count: int) -> str:
    """As it was written, without its first words."""
    parts = words.split(None, count)
    return parts[count].strip() if len(parts) > count else ""


def _checked(count: int) -> int:
    if 1 <= count <= MOST:
        return count
    raise UsageError(f"a swarm has 1 to {MOST} agents, not {max(count, 0)}")
