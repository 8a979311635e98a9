"""Large tables that are made from data, packed: plain, they would be a tenth of an install."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Words = frozenset[str] | tuple[str, ...]


def unpack(packed: str) -> str:
    """Return the text that `pack` of the generators was given."""
    import binascii
    import zlib

    return zlib.decompress(binascii.a2b_base64(packed)).decode()


def defer_words(packed: str, module: dict[str, object]) -> "Callable[[str], Words]":
    """Return the `__getattr__` of a module of words: sets are made when first asked for, since that takes longest.
    In a row, phrases follow the name after tabs, words after blanks."""
    rows: dict[str, str] = {}

    def find(name: str) -> "Words":
        if not rows:
            rows.update(
                (row.replace("\t", " ", 1).split(" ", 1)[0], row)
                for row in unpack(packed).split("\n")
            )
        if name not in rows:
            raise AttributeError(name)
        _, *phrases = rows[name].split("\t")
        made: Words = tuple(phrases) if phrases else frozenset(rows[name].split()[1:])
        module[name] = made
        return made

    return find
