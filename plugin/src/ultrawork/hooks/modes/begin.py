"""Start a mode by a keyword or a skill: which module starts which."""

from ...core.errors import UltraworkError
from ...core.modes import modes
from ...core.registry import FEATURES, ask, load_function
from ...store import markers
from ..event import Answer, Event
from ..table import is_skipped


def begin_typed(event: Event) -> Answer | None:
    """Start the mode of `/ultrawork:ralph fix it`, whatever the model does next."""
    if not event.session:
        return None
    mode = event.text("command_name").removeprefix("ultrawork:")
    return begin(event, mode, event.text("command_args").strip())


# `module:function` in this package, called with the event, the mode and the words after it; a feature has its own.
BEGINNERS: dict[str, str] = {
    modes.AUTOPILOT: "planned.begin:begin_mode",
    modes.ULTRAPILOT: "planned.begin:begin_mode",
    modes.TEAM: "planned.begin:begin_mode",
    modes.RALPH: "modes.begin_loop:begin",
    modes.ULTRAQA: "modes.begin_loop:begin",
}


def begin(event: Event, mode: str, words: str) -> Answer:
    """Return what the user sees; a mode that is disabled by name does not start."""
    if is_skipped(event.environ, mode):
        return _refuse(event, f"ultrawork: {mode} is disabled by ULTRAWORK_SKIP_HOOKS.")
    name = BEGINNERS.get(modes.parse(mode), "")
    if not name and mode not in FEATURES:
        return _refuse(event, f"ultrawork: {mode} cannot start in the client yet.")
    plan = markers.find_planned_session(event.home, event.session) if mode == modes.RALPH else ""
    try:
        return _join_plan(event, plan) if plan else _begin(name, event, mode, words)
    except UltraworkError as error:
        return _refuse(event, f"ultrawork: {mode} is not on: {error}")


def _refuse(event: Event, sentence: str) -> Answer:
    """Refuse; block the prompt if a message alone would let the model continue as if it had started."""
    return Answer(block=sentence) if event.adapter.must_block else Answer(message=sentence)


def _join_plan(event: Event, plan: str) -> Answer:
    """Join ralph to a running plan; it ends with it. Asked again, stay silent."""
    from ...core.modes import record
    from ...flow import modes as flow
    from ...store import sessions

    session = sessions.get(event.store.database, plan)
    on = record.read_active(session)
    if modes.RALPH in on:
        return Answer()
    carriers = [mode for mode in on if mode in modes.PLANNED]
    flow.begin(
        event.store, session.working_dir, plan, modes.RALPH,
        facts={"joined": True}, linked=carriers, client=event.session, now=event.clock(),
    )  # fmt: skip
    names = " and ".join(carriers) or "the plan"
    return Answer(message=f"ultrawork: ralph is on with {names}. Turn off: ulw off")


def _begin(name: str, event: Event, mode: str, words: str) -> Answer:
    beginner = load_function(f"ultrawork.hooks.{name}") if name else ask(mode, "begin")
    answer: Answer = beginner(event, mode, words)
    return answer
