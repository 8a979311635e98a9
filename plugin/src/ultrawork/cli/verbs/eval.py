"""`ultrawork eval`: the same small tasks for your own client and model, with ultrawork and without, side by side."""

import sys
from collections.abc import Sequence
from shlex import join
from time import strftime

from ...clients import installation
from ...clients.headless import table
from ...clients.headless.base import Backend
from ...content import models
from ...content.models import EvalCase
from ...core.errors import Conflict, UsageError
from ...core.run import trials as sums
from ...core.run.trials import ARMS, EvalTrial
from ...core.times import format_iso
from ...core.wording import count_things
from ...report import trials as report
from ...store import atomic
from ...store.paths import read_version
from ..command import Command, Result, render_table, split_list
from ..environment import NUMBER, Args, Flag, VerbEnvironment, switch
from ..headless.trial_runner import TrialRunner

_WAY = "in a script: ultrawork eval --max-cost 1 --yes"
_MOST_RUNS = 20
_DEFAULT_COST = 1.0


def run_eval(args: Args, env: VerbEnvironment) -> Result:
    """Nothing is spent before the user has seen how many sessions it takes and what they may cost."""
    backend = table.choose(args.text("--client") or "", env.environ)
    max_cost = _read_cost(args, backend)
    _require_plugin(backend, env)
    cases = models.choose(models.read_cases(), split_list(args.text("--cases")))
    runs = args.number("--runs", low=1, high=_MOST_RUNS) or 1
    count = len(cases) * len(ARMS) * runs
    limit = f"at most ${max_cost:g}" if max_cost else "this client reports no cost"
    shown = [f"{count_things(count, 'session')} of {backend.title} with your account; {limit}"]
    if not args.on("--yes") and not env.has_yes(shown, "Start?", _WAY):
        return Result({"trials": []}, "nothing was started")
    folder = f"{env.store.home.root}/evals/{strftime('%Y%m%d-%H%M%S')}"
    runner = TrialRunner(backend, args.text("--model") or "", folder, env.environ)
    done = _run_all(runner, cases, runs, max_cost, env)
    return _report(env, runner, done, count, args)


def _read_cost(args: Args, backend: Backend) -> float:
    text = args.text("--max-cost")
    if not backend.tells_cost:
        if text is not None:
            raise UsageError(f"{backend.title} does not report costs, so --max-cost cannot be enforced; omit it")
        return 0.0
    try:
        value = _DEFAULT_COST if text is None else float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise UsageError(f"--max-cost is {text!r}; give an amount in US dollars, such as 2.50")
    return value


def _require_plugin(backend: Backend, env: VerbEnvironment) -> None:
    """Without our hooks both arms would measure the same."""
    if backend.automatic and backend.name not in installation.list_plugin_clients(env.environ):
        raise Conflict(
            f"ultrawork is not installed in {backend.title}, so there is nothing to compare; "
            f"run: ultrawork install --client {backend.name}"
        )


def _run_all(
    runner: TrialRunner, cases: Sequence[EvalCase], runs: int, max_cost: float, env: VerbEnvironment
) -> list[EvalTrial]:
    """Both arms of a case come one after the other: a budget that ends early leaves whole pairs."""
    done: list[EvalTrial] = []
    for number in range(1, runs + 1):
        for case in cases:
            remaining = sums.find_remaining(max_cost, done)
            if max_cost and remaining <= 0:
                return done
            for arm in ARMS:
                budget = sums.find_remaining(max_cost, done) if max_cost else 0.0
                done.append(runner.run(case, arm, number, budget))
                _tell(env, done[-1])
    return done


def _tell(env: VerbEnvironment, eval_trial: EvalTrial) -> None:
    if not env.json:
        cost = report.describe_cost(eval_trial.cost_usd)
        sys.stderr.write(
            f"{eval_trial.case}, {eval_trial.arm} ultrawork: {eval_trial.describe()}; {eval_trial.seconds:g} s, {cost}\n"
        )
        sys.stderr.flush()


def _report(env: VerbEnvironment, runner: TrialRunner, done: Sequence[EvalTrial], count: int, args: Args) -> Result:
    program = runner.backend.find_program(env.environ)
    versions = {
        "ultrawork": read_version(),
        runner.backend.name: program.version if program else "",
        "python": sys.version.split()[0],
    }
    # The command is what anyone repeats; the program's own path is of this machine.
    command = join(["ultrawork", *sys.argv[1:]])
    date = str(format_iso(env.store.now()))
    both = sums.sum_up(done)
    data = {
        "schema": sums.SCHEMA, "date": date, "versions": versions, "command": command,
        "model": runner.model, "not_run": count - len(done),
        "trials": [eval_trial.document() for eval_trial in done], "sums": [trial_sums.document() for trial_sums in both],
    }  # fmt: skip
    facts = {"date": date, "command": command, **versions}
    page = args.text("--page") or f"{runner.folder}/eval.html"
    atomic.write(page, report.render_trials_page(done, both, facts), mode=0o644)
    trials = render_table(report.HEAD, report.list_trial_rows(done))
    compared = render_table(report.SUMS, report.list_sums(both))
    lines = [trials, "", compared, "", f"page     {page}", f"projects {runner.folder}"]
    if count > len(done):
        lines.append(f"{count_things(count - len(done), 'session')} not run: the budget is used up")
    return Result({**data, "page": page}, "\n".join(lines))


COMMANDS = (
    Command(
        "",
        "Gives small tasks to your client and model, with ultrawork and without; it costs money",
        run_eval,
        flags=(
            Flag("--client", "which agent program works", metavar="|".join(table.BACKENDS)),
            Flag("--model", "which model it uses; its own default if omitted", metavar="NAME"),
            Flag("--cases", "only these cases, separated by commas", metavar="NAMES"),
            Flag("--runs", "how often each case is given", kind=NUMBER),
            Flag("--max-cost", "spend at most this many US dollars (1)", metavar="USD"),
            Flag("--page", "where the page goes", metavar="FILE"),
            switch("--yes", "do not ask"),
        ),
        example="ultrawork eval --max-cost 2\nultrawork eval --cases wrong-test --runs 3 --yes --json",
    ),
)
