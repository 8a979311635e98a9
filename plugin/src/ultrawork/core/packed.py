"""Large tables that are made from data, packed: plain, they would be a thirtieth of an install."""


def unpack(packed: str) -> str:
    """Return the text that `pack` of the generators was given."""
    import binascii
    import zlib

    return zlib.decompress(binascii.a2b_base64(packed)).decode()
