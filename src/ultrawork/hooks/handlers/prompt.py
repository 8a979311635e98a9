"""A prompt: the free words that the hook answers itself, the word that switches it on, and turns."""

from ...core import trigger as words
from ...core import wording
from ...core.errors import UltraworkError
from ...store import markers
from ..answer import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event

_ARMING_SKILLS = ("ultrawork:ulw", "omo:ulw")
_SWITCH_SKILLS = ("ultrawork:stop-continuation", "omo:stop-continuation", "ultrawork:cancel")


def free_words(event: "Event") -> Answer | None:
    """`ulw off` and its kin, when they are the whole prompt of a person."""
    command = words.command(event.text("prompt"))
    if command is None or _scheduled(event):
        return None
    from .. import free

    try:
        return Answer(end=free.answer(event, command))
    except UltraworkError as error:
        return Answer(end=f"ultrawork: {error}")


def trigger(event: "Event") -> Answer | None:
    """`ulw` as a word of a person's prompt switches the session on."""
    prompt = event.text("prompt")
    lower = prompt.lower()
    if "ulw" not in lower and "ultrawork" not in lower and not _own_words(event):
        return None
    hit = words.detect(prompt, _words(event))
    if hit is None or not event.session or event.text("agent_id") or _scheduled(event):
        return None
    return armed(event, hit.goal)


def armed(event: "Event", goal: str) -> Answer | None:
    from ..arming import arm

    try:
        return arm(event, goal)
    except UltraworkError as error:
        return Answer(message=wording.not_on(str(error)))


def _own_words(event: "Event") -> bool:
    """Whether other trigger words may be configured: only then is the configuration read."""
    import os

    return os.path.exists(event.home.settings) or "ULTRAWORK_TRIGGER_WORDS" in event.environ


def _words(event: "Event") -> tuple[str, ...]:
    if not _own_words(event) and not _project_settings(event):
        return ("ulw", "ultrawork")
    from ...store import settings as stored

    place = event.place
    found = stored.load(event.environ, event.home, lambda name: stored.read_file(f"{place}/{name}"))
    return tuple(found["trigger.words"])


def _project_settings(event: "Event") -> bool:
    import os

    return os.path.exists(f"{event.place}/ultrawork.toml") or os.path.exists(
        f"{event.place}/pyproject.toml"
    )


def _scheduled(event: "Event") -> bool:
    """A prompt that the model scheduled for itself is not a person's word."""
    from ...store import trace

    prompt = event.text("prompt").strip()
    if not event.session:
        return False
    entries = trace.everything(event.home, event.session)
    return any(entry.get("scheduled") == prompt for entry in entries)


def turn(event: "Event") -> Answer | None:
    """Counts a person's prompts while it is on: a later turn that changes nothing is only talk."""
    prompt = event.text("prompt")
    if not markers.armed(event.home, event.session) or prompt.lower().startswith(
        words.MACHINE_MADE
    ):
        return None
    from ...store import sessions

    if event.store.database.row("SELECT 1 FROM sessions WHERE id=?", event.session) is None:
        return None
    with event.store.change(event.session) as change:
        session = sessions.get(change.database, event.session)
        ulw = session.state.get("ulw")
        if not isinstance(ulw, dict) or ulw.get("prompt") == (event.text("prompt_id") or None):
            return None
        session.state["ulw"] = {
            **ulw,
            "turns": int(ulw.get("turns") or 1) + 1,
            "prompt": event.text("prompt_id"),
            "loop": "/goal" if prompt.startswith("/goal ") else ulw.get("loop", ""),
        }
        sessions.save(change, session, "turn.began", {})
    return None


def skills(event: "Event") -> Answer | None:
    """A skill that only a person can start: the hook does the work, whatever the model does next."""
    name, given = event.text("command_name"), event.text("command_args").strip()
    if name in _SWITCH_SKILLS:
        from .. import free

        return Answer(end=free.switch_off(event))
    if name in _ARMING_SKILLS:
        if not given:
            return Answer(
                block="ultrawork: say what to do, for example /ultrawork:ulw fix the login bug"
            )
        return armed(event, given)
    return None
