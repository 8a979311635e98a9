"""Everything that the library is held to, as a table of rules."""

from . import row_rules, text_rules
from .records import Complaint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .library import Library

RULES: "dict[str, Callable[[Library], Iterator[tuple[str, str]]]]" = {
    "names": row_rules.names,
    "triggers": row_rules.triggers,
    "tiers": row_rules.tiers,
    "profiles": row_rules.profiles,
    "promises": row_rules.promises,
    "allowances": row_rules.allowances,
    "fragments": row_rules.fragments,
    "families": row_rules.families,
    "files": text_rules.files,
    "heads": text_rules.heads,
    "lengths": text_rules.lengths,
    "marks": text_rules.marks,
    "pasted": text_rules.pasted,
    "mentions": text_rules.mentioned,
}


def complaints(library: "Library") -> list[Complaint]:
    """What is wrong, by all rules; whether files are up to date is `sync`'s question."""
    found = list(library.complaints)
    for rule, look in RULES.items():
        found += [Complaint(path, rule, what) for path, what in look(library)]
    return found
