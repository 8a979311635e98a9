"""Is the conformance page correct? `make row-mutants` removes what a row claims, and runs the tests that it cites.

A row's `breaks` is a file, a piece of it that occurs once, and its replacement without the behavior, or a list of
those. The row is shown if one of its tests fails then, each time: `noticed` if given, else all that need no real client. First they must pass without a
change."""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass

from .conformance import AXIOM, CORE, ENGINE, MODES, SESSIONS, TOOLS, rows
from .mutants import Checkout, NothingRunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SECONDS = 150.0
PARTS = (SESSIONS, CORE, MODES, TOOLS, AXIOM, ENGINE)
# Slow ones run too. Nothing is found by chance here, so tests that try many inputs are left out.
MARKS = "not client"
_LEFT_OUT = ("tests/clients/test_", "tests/hooks/test_fuzz.py")


@dataclass(frozen=True, slots=True)
class RowBreak:
    part: str
    row: str
    feature: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]

    def mutate(self, text: str) -> str:
        """The file without the behaviour; the piece has to be there exactly once."""
        if text.count(self.old) != 1:
            raise ValueError(f"row {self.row}: {self.old!r} is {text.count(self.old)} times in {self.path}")
        return text.replace(self.old, self.new)


def list_breaks() -> list[RowBreak]:
    found = []
    for part in PARTS:
        for name, row in rows(part).items():
            given = row.get("breaks", ())
            for path, old, new in [given] if given and isinstance(given[0], str) else given:
                found.append(RowBreak(part, name, row["feature"], path, old, new, _list_asked(row)))
    return found


def _list_asked(row: "dict[str, Any]") -> tuple[str, ...]:
    named = row.get("noticed") or [one for one in row["tests"] if not one.startswith(_LEFT_OUT)]
    return tuple(one.removeprefix("tests/") for one in named)


def try_row(one: RowBreak, checkout: Checkout) -> bool:
    """Whether a cited test notices; the copy is whole again afterwards."""
    path = f"{checkout.folder}/{one.path}"
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    try:
        _write(path, one.mutate(whole))
        return not checkout.is_green(one.tests, SECONDS, MARKS)
    finally:
        _write(path, whole)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="row_mutants", description=__doc__)
    parser.add_argument("rows", nargs="*", help="`core`, or `engine:S3`; all without one")
    given = parser.parse_args(argv)
    wanted = [
        one
        for one in list_breaks()
        if not given.rows or one.part in given.rows or f"{one.part}:{one.row}" in given.rows
    ]
    unnoticed = 0
    with tempfile.TemporaryDirectory() as root:
        checkout = Checkout(root)
        every = tuple(dict.fromkeys(test for one in wanted for test in one.tests))
        green = checkout.is_green(every, SECONDS + 30.0 * len(wanted), MARKS)
        for one in wanted:
            began = time.monotonic()
            told = _judge(one, checkout, green=green)
            unnoticed += told != NOTICED
            seconds = time.monotonic() - began
            print(f"{one.part:8} {one.row:>3} {one.feature:40} {told:14} {seconds:4.0f} s", flush=True)
    print(f"{len(wanted) - unnoticed} of {len(wanted)} rows are shown by a test that fails without them")
    return int(unnoticed > 0)


NOTICED = "noticed"


def _judge(one: RowBreak, checkout: Checkout, *, green: bool) -> str:
    """`green`: all tests together were, before anything was taken away."""
    try:
        if not green and not checkout.is_green(one.tests, SECONDS, MARKS):
            return "RED ANYWAY"
        return NOTICED if try_row(one, checkout) else "NOT NOTICED"
    except NothingRunError:
        return "NOT RUN"


if __name__ == "__main__":
    sys.exit(main())
