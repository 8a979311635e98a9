"""Where to look for a goal: words of the goal and of the stack → areas worth an explorer each."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# (words of the goal, words of the stack or none, areas)
MATRIX: "tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...]" = (
    (
        ("auth", "login", "user", "session", "token"),
        ("next",),
        ("middleware and api/auth", "the user model"),
    ),
    (
        ("auth", "login", "user", "session", "token"),
        ("express",),
        ("routes and passport set-up", "sessions"),
    ),
    (
        ("auth", "login", "user", "session", "token"),
        (),
        ("how callers are authenticated", "where users are stored"),
    ),
    (
        ("api", "endpoint", "route", "http"),
        (),
        ("existing routes and controllers", "request and response schemas"),
    ),
    (
        ("database", "model", "schema", "migration", "table"),
        ("prisma",),
        ("schema.prisma and migrations", "existing models"),
    ),
    (
        ("database", "model", "schema", "migration", "table"),
        ("typeorm",),
        ("entities and migrations",),
    ),
    (
        ("database", "model", "schema", "migration", "table"),
        (),
        ("models and how they are stored", "migrations"),
    ),
    (
        ("test", "tests", "coverage", "flaky"),
        (),
        ("existing tests and their set-up", "fixtures and doubles"),
    ),
    (
        ("ui", "component", "page", "button", "css", "style"),
        ("react", "next", "vue", "svelte"),
        ("components and styles", "how state reaches them"),
    ),
    (
        ("bug", "fix", "error", "crash", "broken", "fails"),
        (),
        ("the code that the failure names, and its callers", "tests around it"),
    ),
    (
        ("performance", "slow", "speed", "memory", "latency"),
        (),
        ("the hot path", "what is measured today"),
    ),
    (
        ("refactor", "rename", "move", "split", "clean"),
        (),
        ("every user of what moves", "tests that hold it"),
    ),
    (
        ("cli", "flag", "command", "option"),
        (),
        ("how arguments are parsed", "help texts and their tests"),
    ),
    (
        ("config", "setting", "environment"),
        (),
        ("where settings are read", "defaults and their tests"),
    ),
    (("docs", "readme", "documentation"), (), ("existing documents and what checks them",)),
)
MOST = 5


def list_areas(goal: str, stack: "Iterable[str]", own: "Sequence[str]" = ()) -> list[str]:
    """At most five; `own` are the project's, as `word, word: area, area`. A goal without a match gets one."""
    words = _words(goal)
    known = " ".join(stack).lower()
    found: list[str] = []
    covered: set[tuple[str, ...]] = set()
    for keys, needs, places in (*_own(own), *MATRIX):
        if keys in covered or not words.intersection(keys):
            continue
        if needs and not any(need in known for need in needs):
            continue
        covered.add(keys)
        found += [place for place in places if place not in found]
    return (found or ["where the goal's words occur, and what depends on it"])[:MOST]


def _words(goal: str) -> set[str]:
    cleaned = "".join(c if c.isalnum() else " " for c in goal.lower())
    words = set(cleaned.split())
    return words | {word[:-1] for word in words if word.endswith("s")}


def _own(
    lines: "Sequence[str]",
) -> "list[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]":
    parsed = [line.partition(":") for line in lines if ":" in line]
    return [(_split(keys.lower()), (), _split(places)) for keys, _, places in parsed]


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
