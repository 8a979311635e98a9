"""The trials of `ultrawork eval` as tables: for a terminal, and as one self-contained page."""

from collections.abc import Mapping, Sequence

from ..core.run.trials import WITH, EvalTrial, TrialSums
from ..core.times import format_duration
from ..core.wording import escape_html
from .components import render_head
from .page_proof import make_table

HEAD = ("case", "ultrawork", "outcome", "verdict", "sent back", "cost", "time")
SUMS = ("", "without ultrawork", "with ultrawork")


def list_trial_rows(trials: Sequence[EvalTrial]) -> list[tuple[str, ...]]:
    """Return one row per trial, in the order of `HEAD`."""
    return [
        (
            eval_trial.case,
            eval_trial.arm,
            eval_trial.describe(),
            eval_trial.verdict or "-",
            str(eval_trial.sent_back) if eval_trial.arm == WITH else "-",
            describe_cost(eval_trial.cost_usd),
            format_duration(eval_trial.seconds),
        )
        for eval_trial in trials
    ]


def list_sums(sums: Sequence[TrialSums]) -> list[tuple[str, ...]]:
    """Return one row per figure, with a column for each arm."""
    return [
        ("solved", *(f"{trial_sums.solved} of {trial_sums.trials}" for trial_sums in sums)),
        ("claimed done, but it is not", *(str(trial_sums.false_claims) for trial_sums in sums)),
        ("sent back", *(str(trial_sums.sent_back) if trial_sums.arm == WITH else "-" for trial_sums in sums)),
        ("cost", *(describe_cost(trial_sums.cost_usd) for trial_sums in sums)),
        ("time", *(format_duration(trial_sums.seconds) for trial_sums in sums)),
    ]


def describe_cost(cost_usd: float | None) -> str:
    return "unknown" if cost_usd is None else f"${cost_usd:.2f}"


def render_trials_page(trials: Sequence[EvalTrial], sums: Sequence[TrialSums], facts: Mapping[str, str]) -> str:
    """Return the page. `facts` say when, with which versions and by which command it was made."""
    bullets = "".join(f"<li>{escape_html(name)}: {escape_html(value)}</li>" for name, value in facts.items())
    body = [
        "<h1>With ultrawork and without</h1>",
        _make_table(SUMS, list_sums(sums)),
        "<h2>Each trial</h2>",
        _make_table(HEAD, list_trial_rows(trials)),
        f"<h2>How it was measured</h2><ul>{bullets}</ul>",
    ]
    return f"{render_head('ultrawork eval')}<body>{''.join(body)}</body></html>\n"


def _make_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = ("".join(f"<td>{escape_html(cell)}</td>" for cell in row) for row in rows)
    return make_table(head, [f"<tr>{row}</tr>" for row in cells])
