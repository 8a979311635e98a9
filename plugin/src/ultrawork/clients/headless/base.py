"""
The contract of a backend: find an agent program, build its command, read its output.

A backend keeps no state: `read` needs only the attempt's folder (`out.jsonl`, `err.log`). The program's messages decide
the result first, then how its process ended:

| trouble | meaning |
|---|---|
| `limit` | the provider asks to wait; `retry_at` says until when, 0 if it did not say |
| `auth` | no key, a wrong one, no account |
| `budget`, `turns` | a limit that we gave was reached |
| `refused` | the model or the client would not do it |
| `missing` | the program is not installed |
| `malformed` | it ended normally, but its output lacks the answer |
| `crash` | any other irregular end |
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from shutil import which
from typing import Any

from ...core.agent_variables import remove_session_variables
from ...core.run.prices import PriceTable
from ...core.wording import join_lines
from ...store.atomic import find_write_time
from ...store.codec import digest, dumps
from . import attempt as output
from .attempt import RUNNING, AgentCommand, AgentOutcome, Attempt, AttemptReport
from .login import Login

LIMIT = "limit"
AUTH = "auth"
BUDGET = "budget"
TURNS = "turns"
CRASH = "crash"
MISSING = "missing"
REFUSED = "refused"
MALFORMED = "malformed"

_DETAIL = 200
_NOT_FOUND = (126, 127)
# Only used for a failed run: a task may well mention rate limits. A number is a status only if it is called one: it
# may also be a line, a process or a port.
_STATUS = (
    r"(?:http|status|code|api error|error)(?:[\s_-]?code)?\W{{0,3}}(?:{0})\b(?!\s+\w+s\b)|\b(?:{0})\W{{1,2}}(?:{1})"
)
_SIGNS = (
    (LIMIT, (r"\brate[ _-]?limit", r"\btoo many requests\b", r"\busage limit\b", r"\boverloaded",
             r"\bhigh demand\b", r"\bresource[_ ]exhausted\b", r"\binsufficient[_ ]quota\b",
             r"\bexceeded your (?:\w+ )?quota\b", r"(?<!disk )\bquota[_ ](?:exceeded|exhausted)\b",
             _STATUS.format("429|529", "too many|overloaded|rate|resource"))),
    (AUTH, (r"\bunauthorized\b", r"\binvalid (?:x-)?api[ -]key\b", r"\bapi key not valid\b",
            r"\bauthentication\b", r"\bnot logged in\b", r"(?:^|\s)/login\b", r"\bapi_key_invalid\b",
            r"\bno api key\b", r"\bpermission_denied\b", r"\bset an auth method\b",
            r"\bmissing environment variable:? \W?\w*(?:key|token)\b",
            r"\bmust specify the \w*(?:key|token) environment variable\b",
            _STATUS.format("401|403", "unauthorized|forbidden"))),
    (REFUSED, (r"\busage policy\b", r"\bcontent policy\b", r"\bsafety\b", r"\bprohibited_content\b")),
)  # fmt: skip
_NEWEST = 4000  # characters of an error output: what was long ago did not end it
_PIECE = r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)[a-z]*[\s,]*(?:and\s+)?"
_SECONDS = {"ms": 0.001, "m": 60.0, "s": 1.0, "h": 3600.0, "d": 86400.0}
_ENDS = {
    "deadline": "stopped at its deadline of {seconds:.0f} s",
    "cancelled": "cancelled",
    "flooded": "stopped: it printed too much",
    "orphaned": "no engine resumed it in time",
    "handed back": "its machine shut down and returned the task",
    "no room": "the disk is full",
    "budget": "stopped: its share of the budget is used up",
    "hung": "stopped: no activity for a long time",
    "looping": "stopped: it repeated the same step with the same result",
}


def classify_error(message: str) -> str:
    """Return what a program's error message is about."""
    text, how = message[-_NEWEST:], re.IGNORECASE | re.MULTILINE
    kinds = (name for name, signs in _SIGNS if any(re.search(sign, text, how) for sign in signs))
    return next(kinds, CRASH)


def parse_wait(message: str) -> float:
    """Return the seconds that a message asks to wait, as in `try again in 6m0s`; 0 if it does not."""
    match = re.search(rf"(?:(?:try again|retry) in|retrydelay)\W+((?:{_PIECE})+)", message, re.IGNORECASE)
    if match is None:
        return 0.0
    pieces = re.findall(_PIECE, match[1], re.IGNORECASE)
    return sum(float(number) * _SECONDS[unit.lower()] for number, unit in pieces)


def conclude(attempt: Attempt, report: AttemptReport, reading: "OutputReading", errors: str) -> None:
    """Add what only the end can show; trouble that the program reported stays."""
    if reading.trouble:
        return
    if not reading.finished:
        reading.fail(*_unfinished(attempt, report, errors))
    elif attempt.schema is not None and reading.answer is None:
        reading.answer = find_answer(reading.text)
        if reading.answer is None:
            reading.fail(MALFORMED, "it exited without the requested JSON answer")


def _unfinished(attempt: Attempt, report: AttemptReport, errors: str) -> tuple[str, str]:
    """Return trouble from the process and its error output, because there is no final event."""
    line = _last_line(errors)
    if report.why in _ENDS:
        trouble = BUDGET if report.why == BUDGET else CRASH
        return trouble, _ENDS[report.why].format(seconds=attempt.seconds)
    if report.code in _NOT_FOUND:
        return MISSING, line or f"could not start the {attempt.backend} program"
    if report.code == 0:
        return MALFORMED, "it exited with status 0 but printed no final event"
    if report.code is None:
        return CRASH, line or "it exited without a status"
    if report.code < 0:
        return CRASH, f"killed by signal {-report.code}"
    return classify_error(errors), f"it exited with status {report.code}" + (f": {line}" if line else "")


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return join_lines(lines[-1])[:_DETAIL] if lines else ""


def find_answer(text: str) -> dict[str, Any] | None:
    """Return the last JSON object of a text: the whole of it, in a fenced block, or from a brace to the end."""
    from ...store.codec import loads

    for candidate in _candidates(text):
        try:
            value = loads(candidate)
        except ValueError:
            continue
        if isinstance(value, dict):
            return dict(drop_null(value))
    return None


def drop_null(value: Any) -> Any:
    """Drop empty keys: they count as not given."""
    if isinstance(value, dict):
        return {key: drop_null(each) for key, each in value.items() if each is not None}
    return [drop_null(each) for each in value] if isinstance(value, list) else value


def _candidates(text: str) -> list[str]:
    blocks = [block.partition("\n")[2] for block in text.split("```")[1::2]]
    first, last = text.find("{"), text.rfind("}")
    return [text.strip(), *reversed(blocks), text[first : last + 1] if first >= 0 else ""]


PATIENCE = 30.0
LAST = 200
_MOST_TOKENS = 1 << 50
_MOST_USD = 1e9
_LONGEST = 366 * 86_400.0
_LAST_DAY = 4e9  # as a time, in the year 2096
# A conversation is resumed by name, as a word of a command and a part of a path.
_CONVERSATION = re.compile(r"[A-Za-z0-9][\w.:-]{0,199}", re.ASCII)
_OURS = {"ULTRAWORK_DISABLE": "1"}


@dataclass(slots=True)
class AgentProgram:
    """An installed agent CLI and its version."""

    name: str
    path: str
    version: str


class OutputReading(AgentOutcome):
    """A result in progress. `finished`: the program itself reported its end. `retry_after`: seconds that a provider
    asked to wait, from the newest output. `prices` are for programs that report tokens before money. `speaking`: the
    last text may continue in the next event. `steps` are digests of its texts and of each call with its result, oldest
    first."""

    def __init__(self) -> None:
        super().__init__()
        self.finished = False
        self.retry_after = 0.0
        self.speaking = False
        self.steps: list[str] = []
        self._open: dict[str, int] = {}
        self._paid: dict[str, tuple[int, float | None]] = {}
        self.counted = False
        self.prices: PriceTable = {}

    def name_session(self, name: object) -> None:
        """Record the program's name of this conversation, unless it could be read as an option or as a path."""
        if isinstance(name, str) and _CONVERSATION.fullmatch(name):
            self.session = name

    def spend(self, identity: str, tokens: int, usd: float | None) -> None:
        """Record what one message has cost so far; None if unknown. The program's own sum takes precedence."""
        self._paid[identity] = (tokens, usd)
        if not self.counted:
            known = [cost for _, cost in self._paid.values() if cost is not None]
            self.tokens = sum(count for count, _ in self._paid.values())
            self.cost_usd = sum(known) if known else None

    @property
    def is_estimate(self) -> bool:
        """Return whether `cost_usd` is ours, by a price table, and not what the program says."""
        return bool(self._paid) and not self.counted

    def count_anew(self) -> None:
        """Use the program's own figures from here on."""
        if not self.counted:
            self.counted, self.tokens, self.cost_usd = True, 0, None

    def call(self, identity: str, name: str, given: Mapping[str, Any]) -> None:
        """Record a tool call; the same call again is not a second one."""
        if identity in self._open:
            return
        self.tool_inputs.take(name, given)
        self._open[identity] = len(self.steps)
        self.steps.append(digest(f"{name} {dumps(given)}"))

    def get_result(self, identity: str, output: object) -> None:
        """Add a call's result: the same call with another result is another step."""
        place = self._open.get(identity)
        if place is not None:
            self.steps[place] = digest(f"{self.steps[place]} {dumps(output)}")

    def say(self, text: str) -> None:
        """Record the agent's text; the newest is its answer."""
        if text.strip():
            self.text = text
            self.steps.append(digest(text))
            self.show(text.strip().rpartition("\n")[2])

    def say_more(self, piece: str) -> None:
        """Words that come in pieces: all up to the next step belong together."""
        if self.speaking and self.steps:
            self.steps.pop()
        self.say(self.text + piece if self.speaking else piece)
        self.speaking = True

    def show(self, line: str) -> None:
        self.speaking = False
        if line.strip():
            self.last = join_lines(line)[:LAST]

    def fail(self, trouble: str, detail: str) -> None:
        self.trouble = trouble
        self.detail = join_lines(detail)[:LAST]

    def fail_as(self, message: str) -> None:
        """An error of which there is nothing but its message."""
        self.fail(classify_error(message), message)
        self.retry_after = parse_wait(message)

    def wait(self, seconds: float) -> None:
        """Record that the provider asked to wait and the program does: others should wait too."""
        self.fail(LIMIT, f"the provider asks us to wait {seconds:.0f} s")
        self.retry_after = seconds

    def limit_claims(self) -> None:
        """Drop figures that no program can mean: an agent may print any number, and these are summed and stored."""
        self.tokens = max(0, min(self.tokens, _MOST_TOKENS))
        self.cost_usd = self.cost_usd if _is_possible(self.cost_usd, _MOST_USD) else None
        self.retry_at = self.retry_at if _is_possible(self.retry_at, _LAST_DAY) else 0.0
        self.retry_after = self.retry_after if _is_possible(self.retry_after, _LONGEST) else 0.0
        self.bills = {
            model: (counts, usd)
            for model, (counts, usd) in self.bills.items()
            if all(_is_possible(count, _MOST_TOKENS) for count in (*counts, usd))
        }

    def go_on(self) -> None:
        """Record that the wait is over."""
        if self.trouble == LIMIT:
            self.trouble = self.detail = ""
            self.retry_after = self.retry_at = 0.0


def _is_possible(claim: float | None, most: float) -> bool:
    return claim is not None and 0 <= claim <= most


class Backend:
    """One agent program. `name` is what users type, `program` what is looked for on the PATH, `how_to_get` how to
    install it. An `automatic` one may be chosen by default. If it reports no cost, no budget can be enforced."""

    name = ""
    title = ""
    program = ""
    how_to_get = ""
    automatic = True
    tells_cost = True
    login: Login | None = None
    prices: PriceTable = {}  # noqa: RUF012 (a run gives its own, no code changes this one)

    def find_program(self, environ: Mapping[str, str]) -> AgentProgram | None:
        """Return the program, if it is installed and answers `--version`."""
        path = which(self.program, path=environ.get("PATH", os.defpath))
        if path is None:
            return None
        known = _versions.get(path)
        if known is None:
            known = _versions[path] = _version(path, environ)
        return AgentProgram(self.name, path, known) if known else None

    def command(self, attempt: Attempt, environ: Mapping[str, str]) -> AgentCommand:
        """Return the command for this attempt; `environ` is the user's own."""
        raise NotImplementedError

    def take(self, event: dict[str, Any], reading: OutputReading) -> None:
        """Read one line of the program's output."""
        raise NotImplementedError

    def overhear(self, errors: str, reading: OutputReading) -> None:
        """Read, while it runs, what a program reports only on its error output."""

    def find_quota_reset(self, _environ: Mapping[str, str], _now: float) -> float:
        """Return when a used-up quota is refilled; 0 if some is left or unknown."""
        return 0.0

    def read(self, attempt: Attempt, report: AttemptReport | None = None) -> AgentOutcome:
        """Return the result, or while it runs (no report) the session, the last line, and whether it waits for its
        provider. Never raises for a program's output; reads a bounded part of it."""
        out = os.path.join(attempt.folder, "out.jsonl")
        running = report is None or report.state == RUNNING
        reading = OutputReading()
        for event in output.read_ends(out) if running else output.read_events(out):
            take(self, event, reading)
        err = os.path.join(attempt.folder, "err.log")
        if report is not None and not running:
            conclude(attempt, report, reading, output.read_tail(err))
        elif find_write_time(err) > find_write_time(out):
            self.overhear(output.read_tail(err), reading)
        if reading.trouble != LIMIT:
            reading.retry_at = 0.0
        elif reading.retry_after and not reading.retry_at:
            reading.retry_at = find_write_time(out) + reading.retry_after
        return reading

    def find_path(self, environ: Mapping[str, str]) -> str:
        """Return the program's path for a command, or its name if it is gone."""
        agent_program = self.find_program(environ)
        return agent_program.path if agent_program else self.program


def make_agent_environment(environ: Mapping[str, str], **more: str) -> dict[str, str]:
    """Return the user's environment, without the session that started us."""
    return {**remove_session_variables(environ), **_OURS, **more}


def encode_prompt(prompt: str, schema: dict[str, Any] | None = None) -> bytes:
    """Return the prompt's bytes; for a program without schemas, the schema is described in words."""
    if schema is not None:
        wish = "End with exactly one JSON object in a ```json block that matches this JSON schema:"
        prompt = f"{prompt}\n\n{wish}\n{dumps(schema)}\n"
    return prompt.encode("utf-8", "replace")


def take(backend: Backend, event: dict[str, Any], reading: OutputReading) -> None:
    """Read an event; an unexpected form is ignored, and the end of the run shows whether it matters."""
    try:
        backend.take(event, reading)
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        pass
    reading.limit_claims()


def _version(path: str, environ: Mapping[str, str]) -> str:
    """Return the version; empty if it does not start."""
    from ...system.process import run_program

    done = run_program([path, "--version"], cwd="/", env=make_agent_environment(environ), deadline=PATIENCE)
    lines = [line.strip() for line in done.output.splitlines() if line.strip()]
    return lines[-1] if done.exit == 0 and lines else ""


_versions: dict[str, str] = {}
