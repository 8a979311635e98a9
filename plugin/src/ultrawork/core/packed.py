"""Large tables that are made from data, packed: plain, they would be a thirtieth of an install."""


def unpack(packed: str) -> str:
    """Return the text that `pack` of the generators was given."""
    import binascii
    import zlib

    return zlib.decompress(binascii.a2b_base64(packed)).decode()


def read_words(packed: str) -> dict[str, frozenset[str] | tuple[str, ...]]:
    """Return sets of words and lists of phrases by name: a row has tabs where phrases follow, else blanks."""
    found: dict[str, frozenset[str] | tuple[str, ...]] = {}
    for row in unpack(packed).split("\n"):
        name, *phrases = row.split("\t")
        if phrases:
            found[name] = tuple(phrases)
        else:
            name, _, words = row.partition(" ")
            found[name] = frozenset(words.split())
    return found
