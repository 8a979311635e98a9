"""One rule of the judge as people read it: what asks for it, what runs, and what follows."""

from ..core.verdict import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What an effect means for the person.
EFFECTS = {
    rules.FAIL: "FAIL: sent back until it is fixed, within the limits of a session",
    rules.ONCE: "sent back once, then UNVERIFIED",
    rules.ASK: "asked for once, then PASS",
    rules.UNVERIFIED: "UNVERIFIED, not sent back",
    rules.SAID: "a note; it costs nothing",
    "": "nothing is said",
}


def describe_rule(name: str) -> "tuple[dict[str, Any], str] | None":
    """A document and a text; None if there is no such rule."""
    rule = rules.RULES.get(name)
    if rule is None:
        return None
    runs = rule.cell + (f", held against {rule.control}" if rule.control else "")
    lines = [
        f"{rule.id}",
        f"  asked for when  {rule.asks}",
        f"  reads           {runs}",
        f"  follows         {EFFECTS[rule.effect]}",
    ]
    lines += [f"  says            {rule.words}"] if rule.words else []
    lines += [f"  cleared by      {rule.clears}"] if rule.effect not in ("", rules.SAID) else []
    document = {
        "rule": rule.id,
        "family": rule.family,
        "asks": rule.asks,
        "cell": rule.cell,
        "control": rule.control,
        "effect": rule.effect,
        "words": rule.words,
        "clears": rule.clears,
    }
    return document, "\n".join(lines)
