"""The runs behind a verdict: one module makes them, each at most once."""

import re
from pathlib import Path

import pytest

from support.floor import PLUGIN
from ultrawork.store.codec import loads

SOURCE = Path(PLUGIN, "src", "ultrawork")


def test_one_module_runs_checks_in_copies():
    """Whoever needs a run asks the matrix for a cell."""
    calling = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if re.search(r"source\.copy\(|make_scratch_copy\(", path.read_text(encoding="utf-8"))
    ]
    assert sorted(calling) == ["gates/judge/matrix.py", "gates/trees/source.py"]


@pytest.mark.slow
def test_no_run_in_a_copy_is_made_twice_for_one_verdict(stage_of, shop):
    """But for the repetition of a proof, which has a name of its own."""
    added = "\n    def test_three(self):\n        self.assertEqual(total([1, 1, 5]), 7)\n"
    stage = stage_of({**shop, "shop.py": "def total(prices):\n    return len(prices)\n"})
    stage.apply({"write": {**shop, "test_shop.py": shop["test_shop.py"] + added}})
    assert stage.verify().value == "PASS"
    query = "SELECT document FROM receipts ORDER BY number"
    runs = [loads(text) for (text,) in stage.store().database.rows(query)]
    keys = [
        (one["run"]["on"], one["tree"]["before"], str(one["gate"]))
        for one in runs
        if one["run"]["on"] not in ("new", "again")
    ]
    assert len(keys) >= 3
    assert len(keys) == len(set(keys)), keys
