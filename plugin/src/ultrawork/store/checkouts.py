"""
What the user decided about a checkout, kept outside the checkout: `checkouts/PATH/:word` in the state folder, small
files that a shell can test.

`known`: the user works here with ultrawork, so programs in the checkout may start. `features`: the digest of the
`.omc/features` that the user turned on or allowed. `denied`: since when hooks start no check here. `told`: the user
has seen that hooks run this checkout's checks. `prepared`: when packages were last installed here, which invalidates
earlier check results. `offered`: the user was asked about features, or answered. `used`: a session was on here. In a
checkout without any of these words the launcher leaves at once, without starting Python.
"""

import os

from .codec import digest
from .paths import find_main_checkout, read_git_link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .paths import Home

FOLDER = "checkouts"
KNOWN = "known"
FEATURES = "features"
DENIED = "denied"
TOLD = "told"
PREPARED = "prepared"
OFFERED = "offered"
USED = "used"
# How the user makes a checkout known, typed in the client.
CURE = "ulw gates allow"


def say(home: "Home", place: str, word: str, content: str = "") -> bool:
    """Record a word; return True if it is new."""
    from . import atomic

    path = _path(home, place, word)
    is_new = not os.path.lexists(path)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    atomic.write(path, content + "\n")
    return is_new


def note_use(home: "Home", place: str) -> None:
    """Write it down once: from then on hooks look at every session that starts here."""
    if not os.path.lexists(_path(home, place, USED)):
        say(home, place, USED)


def unsay(home: "Home", place: str, word: str) -> None:
    try:
        os.unlink(_path(home, place, word))
    except OSError:
        pass


def lift_denial(home: "Home", place: str) -> None:
    """Lift a denial, also that of the checkout of a linked worktree, which would apply here."""
    for checkout in _list_places(place):
        unsay(home, checkout, DENIED)


def is_recorded(home: "Home", place: str, word: str) -> bool:
    """Return whether a word is recorded for this checkout, or for the one of a linked worktree."""
    return any(os.path.isfile(_path(home, checkout, word)) for checkout in _list_places(place))


def find_denial(home: "Home", place: str) -> float | None:
    """Since when hooks start no gate here; None if they may."""
    stamps = [stamp for checkout in _list_places(place) if (stamp := _read(_path(home, checkout, DENIED)))]
    try:
        return max((float(text) for text in stamps), default=None)
    except ValueError:
        return float("inf")


def find_prepared(home: "Home", place: str) -> float:
    """Return when we last installed packages here; 0 if never."""
    try:
        return float(_read(_path(home, place, PREPARED)) or 0.0)
    except ValueError:
        return 0.0


def allow_features(home: "Home", place: str) -> None:
    """Allow the features that are there now, and no others that replace them."""
    say(home, place, OFFERED)
    text = _read(f"{place}/.omc/features")
    if text is None:
        unsay(home, place, FEATURES)
    else:
        say(home, place, FEATURES, digest(text))


def read_features(home: "Home", place: str) -> dict[str, str]:
    """Return the enabled names of a worktree's `.omc/features` with their values, if the user allowed it. A linked
    worktree without one uses its checkout's."""
    places = _list_places(place)
    texts = (_read(f"{checkout}/.omc/features") for checkout in places)
    text = next((text for text in texts if text is not None), "")
    is_allowed = text and digest(text) in [
        (_read(_path(home, checkout, FEATURES)) or "").strip() for checkout in places
    ]
    return parse_features(text) if is_allowed else {}


def has_unsaid_features(home: "Home", place: str) -> bool:
    """Return whether the checkout asks for features that the user has not allowed."""
    text = _read(f"{place}/.omc/features")
    return bool(text and parse_features(text)) and not read_features(home, place)


def parse_features(text: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in text.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs if name.strip()}


def _path(home: "Home", place: str, word: str) -> str:
    return f"{home.root}/{FOLDER}{place}/:{word}"


def _list_places(place: str) -> list[str]:
    main = find_owner(place)
    return [place, main] if main != place else [place]


def find_owner(place: str) -> str:
    """Return the checkout of a linked worktree, if that one knows it; any other place is its own."""
    main = find_main_checkout(place)
    return main if main != place and _is_linked(place, main) else place


def _is_linked(place: str, main: str) -> bool:
    """Return whether the main checkout knows the worktree: a folder may claim to belong to any checkout."""
    named = read_git_link(place)
    folder = f"{main}/.git/worktrees/{os.path.basename(named.rstrip('/'))}"
    back = (_read(f"{folder}/gitdir") or "").strip()
    back = back if back.startswith("/") else os.path.join(folder, back)
    return os.path.realpath(back) == os.path.realpath(f"{place}/.git")


def _read(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return file.read(65_536).decode("utf-8", "replace")
    except OSError:
        return None
