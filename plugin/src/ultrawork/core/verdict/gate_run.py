"""The result of one run of a check: passing, failing, or broken because it did not really run; and its tests by
name."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..toolchains.toolchain import find_toolchains, get_built_in
from ..value import Value, fresh
from .gate import TEST

GREEN = "green"
RED = "red"
FLAKY = "flaky"
BROKEN = "broken"
ALL = (GREEN, RED, FLAKY, BROKEN)

PASSED = "passed"
FAILED = "failed"
SKIPPED = "skipped"


class TestReport(Value):
    """Tests of one run. `outcomes` maps names to passed, failed or skipped if the runner reports names. `ran`,
    `failed_count` and `skipped_count` are set if it only prints counts. `messages` keeps one line per failure
    (`tests/test_x.py:41 AssertionError: 200 != 401`). `complete`: `outcomes` names every test of the run; only then
    does a missing name mean anything. `errored`: failed tests whose body never ran, because loading or setup failed.
    `by_ending` is an optional index for looking up one name among thousands."""

    __test__ = False  # not a test class, whatever its name says to a test runner

    outcomes: Mapping[str, str] = fresh(dict)
    messages: Mapping[str, str] = fresh(dict)
    ran: int | None = None
    failed_count: int | None = None
    skipped_count: int | None = None
    complete: bool | None = None
    errored: Collection[str] = ()
    by_ending: dict[str, list[str]] = fresh(dict)

    def __post_init__(self) -> None:
        self.outcomes, self.messages = dict(self.outcomes), dict(self.messages)
        self.errored = sorted(self.errored)
        counted = list(self.outcomes.values())
        named = bool(counted) and self.complete is not False
        self.ran = _either(self.ran, len(counted) - counted.count(SKIPPED), named)
        self.failed_count = _either(self.failed_count, counted.count(FAILED), bool(counted))
        self.skipped_count = _either(self.skipped_count, counted.count(SKIPPED), named)
        self.complete = named and len(counted) >= (self.ran or 0) + (self.skipped_count or 0)

    def names(self, outcome: str) -> list[str]:
        return [name for name, value in self.outcomes.items() if value == outcome]

    @property
    def failed(self) -> list[str]:
        return self.names(FAILED)

    def has_failed(self, name: str) -> bool:
        """Return whether the body of a test ran and failed."""
        return self.outcomes.get(name) == FAILED and name not in self.errored


def _either(given: int | None, counted: int, known: bool) -> int | None:
    if given is not None:
        return given
    return counted if known else None


def shorten_name(name: str) -> str:
    """Return a test's own name, without its file and suites."""
    for mark in ("::", " > "):
        if mark in name:
            return name.rpartition(mark)[2]
    parts = name.partition("[")[0].split(".")
    dotted = len(parts) > 1 and all(part.isidentifier() for part in parts)
    return name[len(".".join(parts[:-1])) + 1 :] if dotted else name


def quote_name(name: str) -> str:
    """Return a test's own name for the middle of a sentence: in quotes if it reads as words."""
    own = shorten_name(name)
    return f'"{own}"' if " " in own or (own.isalpha() and own.islower()) else own


def list_packages() -> frozenset[str]:
    """Return names of tools and their packages: if such a name is missing, a tool is missing."""
    known = get_built_in().collect("package")
    return frozenset([*known, *known.values()])


HIDDEN = "a test failed, but the command exited with 0"
REWRITES = "it rewrites tracked files"
REPLAYED = "the tool replayed a cached result"
# Why a narrowed check runs.
SOME_TESTS = "only some of its tests"
# What an unstable test can be, beside failing and flaky.
ONLY_HERE = "only here"
UNKNOWN = "unknown"
MOVES = "files changed while it ran"
# What keeps a check from its first test, beside the kinds of `troubles`.
PROGRAM = "program"
SERVICE = "service"
TEMPLATE = "COMMAND THAT WORKS IN YOUR SHELL"
_CANNOT_RUN = (126, 127)
_INTERRUPTED = {1: "SIGHUP", 2: "SIGINT", 9: "SIGKILL", 15: "SIGTERM"}
_PROGRAM_MISSING = (
    r"(?m)^(?:.*: )?(?:line \d+: |\d+: )?([\w./+-]+): (?:command )?not found$",
    r"(?m)command not found: (\S+)$",
    r"(?m)^(?:make|gmake)(?:\[\d+\])?: ([\w./+-]+): No such file or directory",
    r"(?m)^(?:/usr/bin/)?env: \W?([\w./+-]+)\W?: No such file or directory",
    r"error: Failed to spawn: `([^`]+)`",
    r"(?m)Command not found: (\S+)$",
    r"error: no such (?:sub)?command: `([^`]+)`",
    r'[Cc]ommand "([^"]+)" not found',
)
_MODULE_MISSING = r"No module named '?([\w.]+)'?|Cannot find (?:module|package) '([^']+)'"
_MAKE_HIDES = r"(?m)^(?:make|gmake)(?:\[\d+\])?: \*\*\* .*Error 12[67]$"
_NO_SERVICE = (
    "connection refused", "econnrefused", "could not connect to server", "can't connect to mysql server",
    "cannot connect to the docker daemon", "is the docker daemon running",
)  # fmt: skip


class RunFacts(Value):
    """The facts of one run. `base_ran` is how many tests the same check ran on the baseline, `limit` its time limit in
    seconds, `missing` the declared needs that were absent (it then never ran), `replayed`: a tool printed an earlier
    result, `partial`: only some tests were requested, `prefix` how this project starts its programs (`uv run`,
    `.venv/bin/`), `absent` the modules that could not be imported and that the manifests require."""

    exit: int | None
    output: str = ""
    signal: int | None = None
    timed_out: bool = False
    report: TestReport | None = None
    runner: str = ""
    toolchain: Mapping[str, Any] = fresh(dict)
    kind: str = TEST
    gate: str = "test"
    command: str = ""
    base_ran: int | None = None
    limit: float = 60.0
    missing: Sequence[str] = ()
    replayed: bool = False
    partial: bool = False
    prefix: str = ""
    absent: Sequence[str] = ()


class Colour(Value):
    """The result of a run. `line` is what to put into ultrawork.toml; `ran` is False if nothing was started; `trouble`
    says what kept it from its first test (a kind of `troubles`, PROGRAM or SERVICE), `missing` the program, `helps`
    the tool's own advice."""

    value: str
    reason: str = ""
    line: str = ""
    ran: bool = True
    trouble: str = ""
    missing: str = ""
    helps: Sequence[str] = ()


class GateResult(Value):
    """One check on one tree: its result, its tests, its output, the receipt that proves it."""

    colour: str
    report: TestReport | None = None
    output: str = ""
    reason: str = ""
    receipt: int | None = None

    @property
    def passes(self) -> bool:
        return self.colour in (GREEN, FLAKY)

    @property
    def failed(self) -> list[str]:
        """The tests that failed, by name."""
        return self.report.failed if self.report else []


def find_colour(run: RunFacts) -> Colour:
    """Return the result of a run by itself; `against_base` turns broken into failing if it did run before."""
    if run.missing:
        return Colour(BROKEN, f"needs {', '.join(run.missing)}", ran=False)
    if run.timed_out:
        return Colour(BROKEN, f"did not finish in {run.limit:.0f} s")
    if run.signal in _INTERRUPTED:
        return Colour(BROKEN, f"was stopped by {_INTERRUPTED[run.signal]}")
    if run.signal is not None:
        return Colour(RED, f"crashed with signal {run.signal}")
    if run.exit is None:
        return Colour(BROKEN, "did not start", ran=False)
    if run.replayed and not run.exit:
        return Colour(BROKEN, REPLAYED, ran=False)
    return _without_tests(run) or _environment(run) or _by_exit(run)


def compare_to_base(now: Colour, base: str | None) -> Colour:
    """Return the result; a check that ran on the baseline and cannot run now has failed."""
    if now.value == BROKEN and now.ran and base in (GREEN, RED, FLAKY):
        return Colour(RED, f"{now.reason}; it ran at the start", line=now.line)
    return now


def needs_service(now: GateResult, base: GateResult) -> bool:
    """Return whether it fails the same way on the baseline with the same refused connection: then it could not run."""
    same = bool(now.failed) and now.failed == base.failed
    return same and bool(_no_service(now.output) and _no_service(base.output))


def has_results(run: RunFacts) -> bool:
    report = run.report
    return report is not None and bool(report.ran or report.failed_count or report.outcomes)


def list_wavered(red: GateResult, again: GateResult) -> list[str]:
    """Tests that failed in the first run and not in the second; empty where none has a name."""
    return [name for name in red.failed if name not in again.failed]


def judge_wavering(names: Sequence[str], base: Sequence[GateResult]) -> str:
    """Classify unstable tests by baseline runs. RED if one failed in all of them, because then it must pass in all of
    ours. FLAKY if all failed there sometimes. Otherwise ONLY_HERE. UNKNOWN if the baseline reported nothing."""
    if not base or any(result.colour not in (GREEN, RED) for result in base):
        return UNKNOWN
    if not names:
        reds = [result.colour == RED for result in base]
        return RED if all(reds) else FLAKY if any(reds) else ONLY_HERE
    often = [sum(name in result.failed for result in base) for name in names]
    if len(base) in often:
        return RED
    return FLAKY if all(often) else ONLY_HERE


def describe_flaky(failed: Sequence[str], *, red: int, runs: int) -> str:
    named = ", ".join(map(quote_name, failed[:3]))
    return f"flaky{': ' if named else ''}{named}, failed in {red} of {runs} runs"


def _without_tests(run: RunFacts) -> Colour | None:
    report = run.report
    if run.kind != TEST or report is None or report.ran != 0 or report.failed_count:
        return None
    if run.base_ran:
        return Colour(RED, f"no test ran, but {run.base_ran} did at the start")
    return Colour(BROKEN, "no test ran")


def _environment(run: RunFacts) -> Colour | None:
    """Return what kept it from its first test, if no test body ran."""
    if run.exit == 0 or _has_entered_tests(run):
        return None
    missing = None if has_results(run) else _missing_program(run)
    if missing is not None:
        name = missing or "a program it starts"
        return Colour(BROKEN, f"{name} is not installed", line=_remedy(run, missing), trouble=PROGRAM, missing=missing)
    return _trouble(run) or _cannot_start(run)


def _trouble(run: RunFacts) -> Colour | None:
    from ..toolchains import troubles

    start_trouble = troubles.find_start_trouble(run.output, run.toolchain.get("troubles"))
    if start_trouble is not None:
        return Colour(BROKEN, start_trouble.reason, trouble=start_trouble.kind, helps=start_trouble.helps)
    if run.absent:
        reason = f"{troubles.WORDS[troubles.INSTALL]}: no module {run.absent[0]}"
        return Colour(BROKEN, reason, trouble=troubles.INSTALL)
    return None


def _cannot_start(run: RunFacts) -> Colour | None:
    if has_results(run):
        return None
    if run.exit in _CANNOT_RUN:
        reason = f"could not start (exit {run.exit})"
        return Colour(BROKEN, reason, line=_remedy(run, ""), trouble=PROGRAM)
    service = _no_service(run.output)
    if service:
        return Colour(BROKEN, f"needs a service: {service}", trouble=SERVICE)
    if any(
        run.exit in toolchain.trouble_exits for toolchain in find_toolchains(run.runner, run.toolchain) if run.runner
    ):
        return Colour(BROKEN, f"{run.runner} could not run the tests (exit {run.exit})")
    return None


def _has_entered_tests(run: RunFacts) -> bool:
    """Return whether the body of a test ran. Files that could not be loaded are named too, but prove nothing."""
    report = run.report
    if report is None:
        return False
    entered = (report.ran or 0) > len(report.errored) or (report.failed_count or 0) > len(report.errored)
    return entered or any(name not in report.errored for name in report.outcomes)


def _by_exit(run: RunFacts) -> Colour:
    """Return the result by exit status. For a narrowed run only its tests count: coverage thresholds do not apply."""
    report = run.report
    if run.partial and run.exit and report is not None and report.ran and not report.failed_count:
        return Colour(GREEN)
    if run.exit == 0 and run.kind == TEST and report is not None and report.failed_count:
        # A pipe, a dash before the command or a later command hides the status: a failed test still counts.
        return Colour(RED, HIDDEN)
    return Colour(GREEN) if run.exit == 0 else Colour(RED, f"exit {run.exit}")


def _missing_program(run: RunFacts) -> str | None:
    """Return the missing program; empty if only make reports it; None if none is missing."""
    for pattern in _PROGRAM_MISSING:
        program_match = re.search(pattern, run.output)
        if program_match:
            return program_match.group(1)
    for match in re.finditer(_MODULE_MISSING, run.output):
        name = next(part for part in match.groups() if part)
        if list_packages().intersection(re.split(r"[/.\\]", name)):
            return name.rpartition("/")[2]
    return "" if re.search(_MAKE_HIDES, run.output) else None


def _no_service(output: str) -> str:
    lower = output.lower()
    return next((sign for sign in _NO_SERVICE if sign in lower), "")


def _remedy(run: RunFacts, missing: str) -> str:
    """Return one line for ultrawork.toml: the command as this project starts its programs."""
    command = run.command or missing
    if run.prefix:
        joint = "" if run.prefix.endswith("/") else " "
        return f'[gates] {run.gate} = "{run.prefix}{joint}{command}"'
    return f'[gates] {run.gate} = "{TEMPLATE}"  # now: {command}'
