"""What `content/` says of models and evaluations: which model an agent runs on when a call does not name one, and what
models cost; and the cases of `ultrawork eval`: what a client is asked, in which project, and how its result is
checked."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from ..core.check import find_nearest, quote
from ..core.errors import NotFound, UsageError
from ..core.routing.agent_calls import AgentModels
from ..core.routing.routes import MODELS
from ..core.run.prices import SECTION, ModelPrice, find_model_price, parse_prices
from ..core.times import format_iso
from ..store.atomic import read_text, write
from ..store.codec import dumps, loads
from ..store.paths import Home, find_root
from ..store.settings import parse
from .library import list_models

PATH = "content/models.toml"
_GIVEN = "given"  # the tier of an agent that runs on the model of its caller
_SAME = 0.05  # of a ratio: rounding


def load() -> AgentModels:
    """Return the tiers of our agents, by the models that their files name."""
    models = {tier.lower(): model for tier, model in MODELS.items()}
    tiers = {model: tier for tier, model in models.items()}
    own = {name: tiers.get(model, _GIVEN) for name, model in list_models(find_root()).items()}
    return AgentModels(own, _parse_own_file()["aliases"], models)


def list_prices(home: Home) -> dict[str, ModelPrice]:
    """Return prices by part of the model's name. A client's reported price wins over our table, the user's file over
    both."""
    ours, own = _read_own_table(), _read_persons_table(home)
    learned = {}
    for model, seen in read_learned(home).items():
        price = find_model_price(ours, model)
        if price is not None and not any(name in model for name in own):
            learned[model] = price.scale(seen.ratio, f"its client, {seen.day}")
    return {**ours, **learned, **own}


def read_price_list() -> tuple[str, str]:
    """Return the date of our own table, and the source of its figures."""
    price_list = _parse_own_file()["price_list"]
    return price_list["as_of"], price_list["source"]


class LearnedPrice(NamedTuple):
    """`ratio` is a client's reported cost of a model relative to our table."""

    ratio: float
    at: float

    @property
    def day(self) -> str:
        return str(format_iso(self.at))[:10]


def read_learned(home: Home) -> dict[str, LearnedPrice]:
    """Return models that a client billed differently from our table; empty if unreadable."""
    try:
        known = loads(read_text(_name_learned(home)) or "{}")
        return {str(name): LearnedPrice(float(row[0]), float(row[1])) for name, row in known.items()}
    except (ValueError, TypeError, AttributeError, IndexError):
        return {}


def describe_learned(home: Home) -> str:
    """Return for `doctor` the models that a client bills differently from our table; empty if none."""
    lines = [
        f"its client reports {seen.ratio:.2g} times our price for {model} ({seen.day})"
        for model, seen in sorted(read_learned(home).items())
    ]
    return f"{'; '.join(lines)}; the client's figures are used" if lines else ""


def learn_prices(home: Home, bills: Mapping[str, tuple[tuple[int, ...], float]], now: float) -> None:
    """Store a client's own costs where they differ from our table."""
    ours, before = _read_own_table(), read_learned(home)
    known = dict(before)
    for model, (counts, usd) in bills.items():
        price = find_model_price(ours, model)
        ratio = price.compare(counts, usd) if price else None
        if ratio is None:
            continue
        if abs(ratio - 1) <= _SAME:
            known.pop(model, None)
        elif model not in known or abs(ratio / known[model].ratio - 1) > _SAME:
            known[model] = LearnedPrice(round(ratio, 4), now)
    if known != before:
        text = dumps({name: list(learned) for name, learned in known.items()})
        write(_name_learned(home), text, sync=False)


def _name_learned(home: Home) -> str:
    return f"{home.root}/prices.json"


def _parse_own_file() -> dict[str, Any]:
    return parse(read_text(f"{find_root()}/{PATH}") or "", PATH)


def _read_own_table() -> dict[str, ModelPrice]:
    table = _parse_own_file()
    return parse_prices(table, PATH, f"estimate of {table['price_list']['as_of']}")


def _read_persons_table(home: Home) -> dict[str, ModelPrice]:
    own = parse(read_text(home.models) or "", home.models)
    others = [name for name in own if name != SECTION]
    if others:
        raise UsageError(f"{home.models}: only [{SECTION}] is read here, not {others[0]}")
    return parse_prices(own, home.models)


FILE = "content/evals.toml"
_TOOLS = ("Read", "Glob", "Grep", "Edit", "Write", "Bash")


@dataclass(frozen=True, slots=True)
class EvalCase:
    """One task; see the head of the file for what each key means."""

    name: str
    about: str
    prompt: str
    files: Mapping[str, str]
    tags: Sequence[str] = ()
    hidden: Mapping[str, str] = field(default_factory=dict)
    kept: Sequence[str] = ()
    check: Sequence[str] = ()
    possible: bool = True
    plain: bool = False
    max_turns: int = 30
    seconds: int = 600
    tools: Sequence[str] = _TOOLS
    graders: Sequence[Mapping[str, Any]] = ()


def read_cases(root: str = "") -> list[EvalCase]:
    """All cases of the file; a key that is none is refused with its place."""
    with open(f"{root or find_root()}/{FILE}", "rb") as file:
        rows = tomllib.load(file)["case"]
    return [_make(row) for row in rows]


def _make(row: dict[str, Any]) -> EvalCase:
    known = [field.name for field in fields(EvalCase)]
    strange = next((key for key in row if key not in known), None)
    if strange is not None:
        raise UsageError(f"{FILE}: case {row.get('name')} has no key {quote(strange)}")
    texts = {
        key: {name: text.removeprefix("\n") for name, text in row.get(key, {}).items()} for key in ("files", "hidden")
    }
    return EvalCase(**{**row, **texts})


def choose(cases: Sequence[EvalCase], names: Sequence[str]) -> list[EvalCase]:
    """The named ones, or all that can be checked without a model that grades."""
    checked = {eval_case.name: eval_case for eval_case in cases if not eval_case.plain}
    for name in names:
        if name not in checked:
            close = find_nearest(name, checked)
            hint = f"did you mean {close}?" if close else f"there are: {', '.join(checked)}"
            raise NotFound(f"no case {quote(name)}; {hint}")
    return [checked[name] for name in names or checked]
