"""Tables as packed text for modules that `make generate` writes."""

import base64
import re
import zlib

from ultrawork.core.packed import unpack


def pack(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def show_unpacked(module: str) -> str:
    """Return a module's text with what is packed in plain: another zlib packs the same text in another way."""
    return re.sub(r'"([\w+/]{1000,}=*)"', lambda packed: repr(unpack(packed[1])), module)
