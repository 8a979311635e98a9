"""
Messages of the language server protocol (a header with the length, a blank line, JSON), and what can go wrong.

    Trouble
    ├── ServerEnded    it has exited
    ├── ServerSilent   it did not answer while we waited: it hangs
    ├── ServerSlow     it is busy, and the answer did not come in time
    └── ServerRefused  it answered with an error
"""

import asyncio
import json
from typing import Any

from ...core.errors import Trouble


class ServerEnded(Trouble):
    code = "server-ended"


class ServerSilent(Trouble):
    code = "server-silent"


class ServerSlow(Trouble):
    code = "server-slow"


class ServerRefused(Trouble):
    code = "server-refused"

    def __init__(self, sentence: str, number: int) -> None:
        super().__init__(sentence)
        self.number = number


LONGEST = 64 * 1024 * 1024
_JUNK_LINES = 200


class Garbled(Exception):  # noqa: N818 (named by what happened, like those above)
    """The server's output is not the protocol."""


def frame_message(message: dict[str, Any]) -> bytes:
    body = json.dumps(message, separators=(",", ":")).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


async def read_message(stream: asyncio.StreamReader) -> dict[str, Any] | None:
    """Return the next message; None at the end of the stream."""
    length = await _length(stream)
    if length is None:
        return None
    if length > LONGEST:
        raise Garbled(f"a message of {length:,} bytes")
    message = json.loads(await stream.readexactly(length))
    if not isinstance(message, dict):
        raise Garbled("a message that is not a JSON object")
    return message


async def _length(stream: asyncio.StreamReader) -> int | None:
    """Return the length; lines that are not headers are skipped, because servers sometimes print before they speak."""
    length = None
    for _ in range(_JUNK_LINES):
        line = await stream.readline()
        if not line:
            return None
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
        elif not line.strip() and length is not None:
            return length
    raise Garbled("no message in 200 lines of output")
