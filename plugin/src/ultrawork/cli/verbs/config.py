"""`ultrawork config show`: every setting, its value, and who says so; `prices` what models cost."""

from ...content.models import list_prices, read_price_list
from ...core.run.prices import KINDS, LONG, TOKENS, ModelPrice
from ...core.settings import GATES
from ...store import settings as stored
from ...store.codec import dumps
from ..command import Command, Result, render_table
from ..environment import VerbEnvironment
from ..flags import Args


def show(_args: Args, env: VerbEnvironment) -> Result:
    found = stored.load_at(env.environ, env.store.home, env.place)
    rows = [(key, dumps(one.value), one.source) for key, one in found.values.items()]
    rows += [
        (f"{GATES}.{name}", dumps(gate), found.gates_source) for name, gate in found.gates.items()
    ]
    data = {key: {"value": one.value, "source": one.source} for key, one in found.values.items()}
    return Result(
        {"settings": data, "gates": found.gates, "gates_source": found.gates_source},
        render_table(("SETTING", "VALUE", "FROM"), rows),
    )


def show_prices(_args: Args, env: VerbEnvironment) -> Result:
    found = list_prices(env.store.home)
    day, source = read_price_list()
    rows = [row for name, price in found.items() for row in _list_rates(name, price)]
    data = {name: _document(price) for name, price in found.items()}
    head = ("MODEL", *(kind.upper() for kind in KINDS), "FROM")
    text = (
        f"{render_table(head, rows)}\nany other model: unknown; your own: {env.store.home.models}"
        f"\nestimates of {day}: {source}; what a client reports of its own cost decides"
    )
    told = {"as_of": day, "source": source, "own": env.store.home.models}
    return Result({"prices": data, **told}, text)


def _list_rates(name: str, price: ModelPrice) -> list[tuple[str, ...]]:
    found = [(name, *(f"{rate:g}" for rate in price.rates), price.source)]
    if price.tokens:
        told = f"prompts above {price.tokens:,} tokens"
        found.append((name, *(f"{rate:g}" for rate in price.long), told))
    return found


def _document(price: ModelPrice) -> dict[str, object]:
    told: dict[str, object] = {**dict(zip(KINDS, price.rates, strict=True)), "source": price.source}
    if price.tokens:
        told[LONG] = {**dict(zip(KINDS, price.long, strict=True)), TOKENS: price.tokens}
    return told


COMMANDS = (
    Command(
        "show",
        "Show every setting and where its value comes from",
        show,
        example="ULTRAWORK_STOP_BUDGET=60s ultrawork config show",
    ),
    Command(
        "prices",
        "Show what a million tokens of a model cost, in US dollars, and where that is written",
        show_prices,
        example="ultrawork config prices",
    ),
)
