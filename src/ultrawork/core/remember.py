"""What an agent asks to be remembered: tags in its last words."""

PRIORITY = "priority"
WORKING = "working"
LONGEST = 2_000
MOST = 10
_WISDOM = {
    "learning": "learnings", "learnings": "learnings", "decision": "decisions", "decisions": "decisions",
    "issue": "issues", "issues": "issues", "problem": "problems", "problems": "problems",
}  # fmt: skip


def notes(text: str) -> list[tuple[str, str]]:
    """(section, note) for each `<remember>` and `<remember priority>`; code is not spoken to us."""
    import re

    found = re.findall(
        r"<remember(\s+priority)?\s*>(.*?)</remember>", _spoken(text), re.DOTALL | re.IGNORECASE
    )
    kept = [(PRIORITY if mark else WORKING, note.strip()[:LONGEST]) for mark, note in found]
    return [one for one in kept if one[1]][:MOST]


def wisdom(text: str) -> list[tuple[str, str]]:
    """(category, text) for `<wisdom category="…">` and its short forms, in the order they were said."""
    import re

    names = "learning|decision|issue|problem"
    pattern = rf'<wisdom\s+category="([^"]*)"\s*>(.*?)</wisdom>|<({names})>(.*?)</\3>'
    found = re.findall(pattern, _spoken(text), re.DOTALL | re.IGNORECASE)
    kept = [
        (_WISDOM.get((one or other).lower(), ""), (said or more).strip()[:LONGEST])
        for one, said, other, more in found
    ]
    return [(name, said) for name, said in kept if name and said][:MOST]


def _spoken(text: str) -> str:
    import re

    return re.sub(r"```.*?```|~~~.*?~~~", "", text, flags=re.DOTALL)
