"""
Does the page of conformance tell the truth? `make row-mutants` takes away what a row says, and asks the tests that it cites.

A row's `breaks` is a file, a piece of it that stands there once, and what stands there when the behaviour is gone. The row is
shown if one of its tests fails then; those that need a real client are left out, so each row has one that does not.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass

from .conformance import SESSIONS, rows
from .floor import REPOSITORY
from .mutants import Checkout

SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class RowBreak:
    row: str
    feature: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]

    def mutate(self) -> str:
        """The file without the behaviour; the piece has to be there exactly once."""
        with open(f"{REPOSITORY}/{self.path}", encoding="utf-8") as file:
            text = file.read()
        if text.count(self.old) != 1:
            raise ValueError(
                f"row {self.row}: {self.old!r} is {text.count(self.old)} times in {self.path}"
            )
        return text.replace(self.old, self.new)


def list_breaks() -> list[RowBreak]:
    found = []
    for name, row in rows(SESSIONS).items():
        if "breaks" in row:
            path, old, new = row["breaks"]
            tests = tuple(
                one.removeprefix("tests/") for one in row["tests"] if "/clients/" not in one
            )
            found.append(RowBreak(name, row["feature"], path, old, new, tests))
    return found


def try_row(one: RowBreak, checkout: Checkout) -> bool:
    """Whether a cited test notices; the copy is whole again afterwards."""
    path = f"{checkout.folder}/{one.path}"
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    try:
        _write(path, one.mutate())
        return not checkout.is_green(one.tests, SECONDS)
    finally:
        _write(path, whole)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="row_mutants", description=__doc__)
    parser.add_argument("rows", nargs="*", help="their numbers; all without one")
    given = parser.parse_args(argv)
    wanted = [one for one in list_breaks() if not given.rows or one.row in given.rows]
    unnoticed = 0
    with tempfile.TemporaryDirectory() as root:
        checkout = Checkout(root)
        for one in wanted:
            began = time.monotonic()
            noticed = try_row(one, checkout)
            unnoticed += not noticed
            told = "noticed" if noticed else "NOT NOTICED"
            print(
                f"{one.row:>3} {one.feature:24} {told:12} {time.monotonic() - began:4.0f} s",
                flush=True,
            )
    print(
        f"{len(wanted) - unnoticed} of {len(wanted)} rows are shown by a test that fails without them"
    )
    return int(unnoticed > 0)


if __name__ == "__main__":
    sys.exit(main())
