"""
Runs files of recorded cases through our own functions: `python tests/contract/peer_cases.py FILE...`.

Prints a line for each case that differs (with the reason) or failed, and the counts by area. The reasons are
in `differences.toml` beside this file. Ends with 1 if a case failed. `--pin` with all files writes down what we
answer to those that differ (`pinned.json`).
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.abspath(f"{HERE}/{folder}") for folder in ("../../src", "..")]

from contract.adapters import judge, report  # noqa: E402 (the two folders are put on the path first)
from contract.adapters.table import Table  # noqa: E402 (as above)


def main(words):
    verbose = "-v" in words
    files = [word for word in words if word not in ("-v", "--pin")]
    if not files:
        print(__doc__.strip())
        return 2
    table = Table(f"{HERE}/differences.toml")
    try:
        outcomes = [one for path in files for one in judge.run(path, table)]
    except (OSError, ValueError) as error:
        print(f"no file of cases: {error}", file=sys.stderr)
        return 2
    if "--pin" in words:
        pin(outcomes)
    print(report.text(outcomes, verbose=verbose))
    return 1 if any(one.kind == judge.FAILED for one in outcomes) else 0


def pin(outcomes):
    """What we answer where we differ, from now on; to be looked at in the diff."""
    found = {one.case.id: one.ours for one in outcomes if one.ours}
    with open(f"{HERE}/pinned.json", "w", encoding="utf-8") as file:
        json.dump(dict(sorted(found.items())), file, ensure_ascii=False, indent=0)
        file.write("\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
