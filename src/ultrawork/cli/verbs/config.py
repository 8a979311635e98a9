"""`ultrawork config show`: every setting, its value, and who says so."""

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


COMMANDS = (
    Command(
        "show",
        "Show every setting and where its value comes from",
        show,
        example="ULTRAWORK_STOP_BUDGET=60s ultrawork config show",
    ),
)
