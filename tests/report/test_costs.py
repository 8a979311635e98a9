"""Cost and claims, summed from what each attempt reported."""

import csv
import io
import json

import pytest

from ultrawork.core.plan import statuses
from ultrawork.core.session.session import Session
from ultrawork.report.costs import KEYS, render_csv, sum_costs
from ultrawork.store import attempts, sessions
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

NOON = 1_700_000_000.0


@pytest.fixture
def worked(program):
    """Three attempts: one taken, one refused after it said it was done, one that reported no cost."""
    store = Store(Home(program.home), actor="engine", clock=lambda: NOON)
    with store.change("s1") as change:
        sessions.create(change, Session("s1", "goal", f"{program.root}/shop", NOON))
    ends = [
        ("opus", statuses.RESOLVED, 0.5),
        ("opus", statuses.FAILED, 0.25),
        ("=haiku", statuses.RESOLVED, None),
    ]
    for number, (model, status, cost) in enumerate(ends):
        with store.change("s1") as change:
            name = f"explore-{number}"
            opened = attempts.claim(
                change, name, "explorer", folder="/f", backend="claude", is_task=False, model=model
            )
            end = attempts.AttemptEnd(status, code=0, tokens=1000, cost_usd=cost)
            attempts.finish(change, name, opened.epoch, end, is_task=False)
    yield program, store
    store.database.close()


def test_cost_and_claims_are_summed_by_model_and_a_missing_part_is_marked(worked):
    program, store = worked
    haiku, opus = sum_costs(store.database, "model", 0.0)
    assert (opus.cost_usd, opus.complete, opus.refuted, opus.claims) == (0.75, True, 1, 2)
    assert (haiku.cost_usd, haiku.complete) == (None, False)
    shown = program.done("stats", "--by", "model").out
    assert "FALSE CLAIMS" in shown
    assert "1 of 2" in shown
    assert "not reported" in shown


@pytest.mark.parametrize("by", KEYS)
def test_every_sum_counts_each_attempt_once(worked, by):
    program, store = worked
    rows = sum_costs(store.database, by, 0.0)
    assert sum(row.attempts for row in rows) == 3
    assert sum(row.tokens for row in rows) == 3000
    assert sum(row.cost_usd or 0 for row in rows) == 0.75
    assert sum_costs(store.database, by, NOON + 1) == []
    told = json.loads(program.done("stats", "--by", by, "--json").out)["data"]["rows"]
    assert told == [row.document() for row in rows]


def test_csv_can_be_read_back_and_holds_no_formula(worked):
    _, store = worked
    rows = list(csv.DictReader(io.StringIO(render_csv(sum_costs(store.database, "model", 0.0)))))
    assert [row["name"] for row in rows] == ["'=haiku", "opus"]
    assert rows[0]["cost_usd"] == ""


def test_an_unknown_key_is_refused_with_those_that_exist(program):
    found = program.call("stats", "--by", "colour")
    assert found.status == 2
    assert "day, project, session, agent, model" in found.err
