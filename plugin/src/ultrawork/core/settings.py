"""Every setting: its type, its default, and which source takes precedence."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import check
from .course.roles import LEVELS, STRICT
from .errors import UsageError
from .notices import TERMINALS, parse_quiet
from .status_line import FOCUSED, PRESETS

GATES = "gates"
DEFAULT = "default"
# Retention, other models and where code is sent are the user's decision. A project cannot set them.
OWN_SECTIONS = ("keep", "helpers", "cluster", "notify")


def _duration(value: object, key: str) -> float:
    return check.parse_duration(value, f"time for {key}")


def _number(value: object, key: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise UsageError(f"{key} is {check.quote(value)}; give a whole number")
    return check.parse_number(str(value), f"value for {key}")


def _amount(value: object, key: str) -> float:
    try:
        amount = float(str(value))
    except ValueError:
        amount = -1.0
    if isinstance(value, bool) or not 0 <= amount < 1e9:
        raise UsageError(f"{key} is {check.quote(value)}; give an amount, 0 for no limit")
    return amount


def _switch(value: object, key: str) -> bool:
    known = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    text = str(value).lower()
    if text not in known:
        raise UsageError(f"{key} is {check.quote(value)}; give true or false")
    return known[text]


def _text(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{key} is {check.quote(value)}; give a text in quotes")
    return value


def _texts(value: object, key: str) -> list[str]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return list(value)
    raise UsageError(f"{key} is {check.quote(value)}; give a list of texts")


def _changed_tests(value: object, key: str) -> str:
    return check.require_choice(_text(value, key), ("note", "ask", "refuse"), f"value for {key}")


def _questions(value: object, key: str) -> int:
    """Parse a number of questions. The client shows at most four at once."""
    number = _number(value, key)
    if not 1 <= number <= 4:
        raise UsageError(f"{key} is {check.quote(value)}; give a number from 1 to 4")
    return number


def _strength(value: object, key: str) -> str:
    return check.require_choice(_text(value, key), ("pass", "proved"), f"value for {key}")


def _terminal(value: object, key: str) -> str:
    return check.require_choice(_text(value, key), TERMINALS, f"value for {key}")


def _quiet(value: object, key: str) -> str:
    text = _text(value, key)
    parse_quiet(text)
    return text


def _preset(value: object, key: str) -> str:
    return check.require_choice(_text(value, key), PRESETS, f"value for {key}")


def _level(value: object, key: str) -> str:
    return check.require_choice(_text(value, key), LEVELS, f"value for {key}")


KNOWN: dict[str, tuple[Callable[[object, str], Any], Any]] = {
    "stop.budget": (_duration, "120s"),
    "stop.refusals": (_number, 8),
    "stop.repeats": (_number, 2),
    "stop.cooldown": (_duration, "3s"),
    "stop.questions": (_switch, True),
    "tests.changed": (_changed_tests, "note"),
    "tests.paths": (_texts, []),
    "tests.product": (_texts, []),
    "tests.ignore": (_texts, []),
    "tests.flaky_reruns": (_number, 1),
    "tests.fix_needs_test": (_switch, True),
    "proof.require": (_strength, "pass"),
    "proof.signers": (_text, ".ultrawork/allowed_signers"),
    "proof.who": (_texts, []),
    "proof.cover": (_texts, []),
    "trigger.words": (_texts, ["ulw", "ultrawork"]),
    "trigger.plain": (_switch, False),
    "trigger.other_modes": (_switch, True),
    "explore.areas": (_texts, []),
    "explore.reads": (_number, 7),
    "plan.questions": (_questions, 1),
    "delegation.level": (_level, STRICT),
    "run.backend": (_text, "auto"),
    "run.executor": (_text, "local"),
    "run.max_workers": (_number, 0),
    "run.max_iterations": (_number, 5),
    "run.max_retry": (_number, 2),
    "run.budget_usd": (_amount, 0),
    "run.deadline": (_text, ""),
    "run.agent_deadline": (_duration, "1h"),
    "run.concurrent": (_number, 0),
    "run.per_minute": (_number, 0),
    "run.setup": (_text, ""),
    "run.largest_file": (_number, 10),
    "cluster.temporal": (_text, ""),
    "cluster.namespace": (_text, "default"),
    "cluster.remote": (_text, ""),
    "cluster.label": (_text, ""),
    "cluster.lease": (_duration, "30s"),
    "cluster.tools": (_texts, []),
    "cluster.account": (_text, ""),
    "cluster.keep_refs": (_switch, False),
    "helpers.codex_models": (_texts, []),
    "helpers.gemini_models": (_texts, []),
    "helpers.deadline": (_duration, "1h"),
    "helpers.write": (_texts, []),
    "helpers.run_commands": (_switch, False),
    "keep.sessions": (_duration, "30d"),
    "keep.traces": (_number, 200),
    "keep.logs": (_number, 100),
    "keep.cache": (_number, 5000),
    "notify.terminal": (_terminal, ""),
    "notify.url": (_text, ""),
    "notify.apprise": (_texts, []),
    "notify.quiet": (_quiet, ""),
    "statusline.preset": (_preset, FOCUSED),
    "models.simple": (_text, "haiku"),
    "models.standard": (_text, "sonnet"),
    "models.complex": (_text, "opus"),
}


_defaults: dict[str, Any] = {}


@dataclass(slots=True)
class Setting:
    """A value and the source it came from."""

    value: Any
    source: str


def resolve(sources: Sequence[tuple[str, Mapping[str, object]]]) -> dict[str, Setting]:
    """Return every setting from the first source that has it; sources come strongest first."""
    return {key: _resolved(key, sources) for key in KNOWN}


def _resolved(key: str, sources: Sequence[tuple[str, Mapping[str, object]]]) -> Setting:
    read, default = KNOWN[key]
    for source, values in sources:
        if key in values:
            try:
                return Setting(read(values[key], key), source)
            except UsageError as error:
                raise UsageError(f"{source}: {error}") from None
    if key not in _defaults:
        _defaults[key] = read(default, key)
    value = _defaults[key]
    return Setting(value.copy() if isinstance(value, list) else value, DEFAULT)


def flatten(table: Mapping[str, object], source: str) -> dict[str, object]:
    """Turn `{"stop": {"budget": …}}` into `{"stop.budget": …}`; raise for unknown names."""
    flat: dict[str, object] = {}
    for section, values in table.items():
        if section == GATES:
            continue
        if not isinstance(values, dict):
            raise UsageError(f"{source}: {check.quote(section)} is not a section; {_hint(section)}")
        for key, value in values.items():
            name = f"{section}.{key}"
            if name not in KNOWN:
                raise UsageError(f"{source}: no setting {check.quote(name)}; {_hint(name)}")
            flat[name] = value
    return flat


def _hint(name: str) -> str:
    close = check.find_nearest(name, KNOWN)
    return f"did you mean {close}?" if close else "ultrawork config show lists them"


def read_environment(environ: Mapping[str, str]) -> dict[str, object]:
    """Return settings from the environment: `ULTRAWORK_STOP_BUDGET` is `stop.budget`."""
    names = {"ULTRAWORK_" + key.replace(".", "_").upper(): key for key in KNOWN}
    return {key: environ[name] for name, key in names.items() if environ.get(name)}
