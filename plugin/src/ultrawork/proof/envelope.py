"""Blocks of a note: DSSE envelopes, one per line, which makes a note an in-toto Bundle.

A line is independent and never changes. So in whatever order two writers' lines come, and however often git's union
merge repeats them, the set of blocks is the same."""

import base64
import binascii
import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ..store.codec import dumps

PAYLOAD_TYPE = "application/vnd.in-toto+json"
LARGEST_NOTE = 8_000_000
LARGEST_BLOCK = 2_000_000
_FIELDS = {"payload", "payloadType", "signatures"}


@dataclass(frozen=True, slots=True)
class Block:
    """`payload` is the exact signed bytes; `statement` what it says."""

    payload: bytes
    signatures: tuple[bytes, ...]
    statement: dict[str, Any]

    @property
    def digest(self) -> str:
        return sha256(encode_block(self.payload, self.signatures).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Note:
    """The blocks of a note, and why each other line is not one."""

    blocks: tuple[Block, ...]
    faults: tuple[str, ...]


def make_payload(statement: dict[str, Any]) -> bytes:
    return dumps(statement).encode("utf-8", "replace")


def make_signed_bytes(payload: bytes) -> bytes:
    """Return DSSE's pre-authentication encoding, so that a payload of another type cannot be passed off."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def encode_block(payload: bytes, signatures: Iterable[bytes]) -> str:
    """Return one line, without its end."""
    signed = [{"sig": base64.b64encode(signature).decode()} for signature in signatures]
    return dumps({"payload": base64.b64encode(payload).decode(), "payloadType": PAYLOAD_TYPE, "signatures": signed})


def add_lines(text: str, lines: Iterable[str]) -> str:
    """Return the lines of a note with some more, each once, in the order of git's own union merge."""
    every = {line for line in (*text.splitlines(), *lines) if line.strip()}
    return "".join(f"{line}\n" for line in sorted(every))


def parse_note(data: bytes) -> Note:
    """Return every line that is a block; a damaged one affects only itself."""
    if len(data) > LARGEST_NOTE:
        return Note((), ("the note is larger than 8 MB",))
    blocks: dict[str, Block] = {}
    faults: list[str] = []
    for line in data.decode("utf-8", "replace").split("\n"):
        if not line.strip():
            continue
        try:
            block = parse_envelope(line)
        except ValueError as error:
            faults.append(str(error))
        else:
            blocks[block.digest] = block
    return Note(tuple(blocks.values()), tuple(faults))


def parse_envelope(line: str) -> Block:
    """Parse a line; raise ValueError with what is wrong."""
    if len(line) > LARGEST_BLOCK:
        raise ValueError("a block is larger than 2 MB")
    envelope = _read_json(line, "a line")
    if not isinstance(envelope, dict) or set(envelope) != _FIELDS:
        raise ValueError("a line is not a DSSE envelope")
    if envelope["payloadType"] != PAYLOAD_TYPE:
        raise ValueError("a block's payload is not an in-toto statement")
    payload = _read_base64(envelope["payload"])
    signatures = envelope["signatures"]
    if not isinstance(signatures, list) or not all(isinstance(signature, dict) for signature in signatures):
        raise ValueError("a block's signatures are not a list")
    signed = tuple(_read_base64(signature.get("sig")) for signature in signatures)
    statement = _read_json(payload.decode("utf-8", "strict"), "a payload")
    if not isinstance(statement, dict):
        raise ValueError("a payload is not a JSON object")  # noqa: TRY004 (callers catch one kind)
    return Block(payload, signed, statement)


def _read_base64(value: object) -> bytes:
    try:
        return base64.b64decode(str(value), validate=True) if isinstance(value, str) else _refuse()
    except binascii.Error:
        return _refuse()


def _refuse() -> bytes:
    raise ValueError("a block holds something that is not base64")


def _read_json(text: str, name: str) -> Any:
    """Strictly: a key twice, or a number that JSON does not have, means two readers may read two things."""
    try:
        return json.loads(text, object_pairs_hook=_read_object, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError(f"{name} is nested too deeply") from None
    except json.JSONDecodeError:
        raise ValueError(f"{name} is not valid JSON") from None


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a JSON object names a key twice")
    return table


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
