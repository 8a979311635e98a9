"""An event as the handlers see it: the client's JSON, checked key by key and named the same for all clients; and what
they answer, and how the answers of one event become the one JSON that the client reads."""

import os

from ..clients.find import OWN_FORM, get_client, recognize
from ..core import check
from ..core.errors import UsageError
from ..core.value import Value
from ..store import paths
from ..store.codec import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..clients.client import ClientAdapter
    from ..core.caller import Caller
    from ..core.prompt.request import ModeRequest, Order
    from ..store.paths import Home
    from ..store.settings import Settings
    from ..store.store import Store

# Names of other clients, of document 004 and of older versions, and ours.
SPELLINGS = {
    "sessionId": "session_id",
    "toolName": "tool_name",
    "toolInput": "tool_input",
    "tool_output": "tool_response",
    "toolOutput": "tool_response",
    "toolResponse": "tool_response",
    "directory": "cwd",
    "user_prompt": "prompt",
    "hookEventName": "hook_event_name",
    "stopReason": "stop_reason",
    "userRequested": "user_requested",
    "permissionMode": "permission_mode",
    "toolUseId": "tool_use_id",
    "transcriptPath": "transcript_path",
}
_TEXT, _OBJECT, _LIST, _FLAG, _NUMBER, _ANY = (str,), (dict,), (list,), (bool,), (int, float), ()
# The fields that clients send, and their types.
KINDS: dict[str, tuple[type, ...]] = {
    "session_id": _TEXT, "transcript_path": _TEXT, "cwd": _TEXT, "hook_event_name": _TEXT, "prompt_id": _TEXT,
    "permission_mode": _TEXT, "effort": _OBJECT, "tool_name": _TEXT, "tool_input": _OBJECT, "tool_use_id": _TEXT,
    "tool_response": _ANY, "duration_ms": _NUMBER, "prompt": _TEXT, "message": _TEXT, "agent_id": _TEXT,
    "agent_type": _TEXT, "agent_name": _TEXT, "agent_transcript_path": _TEXT, "parent_session_id": _TEXT,
    "stop_hook_active": _FLAG, "last_assistant_message": _TEXT, "background_tasks": _LIST, "session_crons": _LIST,
    "source": _TEXT, "reason": _TEXT, "trigger": _TEXT, "custom_instructions": _TEXT, "permission_suggestions": _LIST,
    "error": _ANY, "is_interrupt": _FLAG, "success": _FLAG, "stop_reason": _TEXT, "user_requested": _FLAG,
    "parts": _LIST, "input": _ANY, "output": _ANY, "result": _ANY, "status": _ANY, "turn_id": _TEXT,
    "timestamp": _TEXT, "model": _TEXT, "tool_calls": _LIST,
    "teammate_name": _TEXT, "team_name": _TEXT, "task_id": _TEXT, "task_subject": _TEXT, "task_description": _TEXT,
    "notification_type": _TEXT, "title": _TEXT,
}  # fmt: skip
# Events that need more than the right types: see `core.bridge`.
_STRICT = frozenset(("PermissionRequest", "SessionEnd", "Setup", "SubagentStart", "SubagentStop", "PreCompact"))
_FOREIGN = frozenset((*SPELLINGS, "parts"))
DEEPEST = 64


def is_plain(name: str, data: object) -> bool:
    """Return whether the fast path applies: a known event in our own names, with the right types, and not too deep."""
    is_one = name not in _STRICT and name[:1].isupper()
    if not is_one or not isinstance(data, dict) or not _FOREIGN.isdisjoint(data):
        return False
    for key, value in data.items():
        kind = KINDS.get(key)
        if kind and type(value) not in kind:
            return False
    return not check.is_too_deep(data, DEEPEST)


class Event:
    """One event of a client. A field of the wrong type reads as empty."""

    __slots__ = (
        "_adapter",
        "_caller",
        "_features",
        "_find_caller",
        "_read",
        "_session",
        "_settings",
        "_store",
        "client_name",
        "clock",
        "data",
        "environ",
        "home",
        "name",
    )

    def __init__(
        self,
        name: str,
        data: "dict[str, Any]",
        environ: "Mapping[str, str]",
        clock: "Any",
        find_caller: "Callable[[], Caller]",
    ) -> None:
        self.client_name = recognize(name, data, environ)
        self._adapter: ClientAdapter | None = None
        self.name = name if self.has_own_form else self.adapter.events.get(name, name)
        self.data = data
        self.environ = environ
        self.clock = clock
        self.home: Home = paths.find_home(environ)
        self._find_caller = find_caller
        self._caller: Caller | None = None
        self._session: str | None = None
        self._store: Store | None = None
        self._features: dict[str, str] | None = None
        self._settings: Settings | None = None
        self._read: dict[tuple[str, ...], Any] = {}

    def text(self, key: str) -> str:
        value = self.data.get(key)
        return value if isinstance(value, str) else ""

    def mapping(self, key: str) -> "dict[str, Any]":
        value = self.data.get(key)
        return value if isinstance(value, dict) else {}

    def entries(self, key: str) -> "list[dict[str, Any]]":
        value = self.data.get(key)
        return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []

    @property
    def has_own_form(self) -> bool:
        """Return whether its client writes events and reads answers as we do: nothing is translated."""
        return self.client_name == OWN_FORM

    @property
    def adapter(self) -> "ClientAdapter":
        """The adapter of its client; most events of our own form never use it."""
        if self._adapter is None:
            self._adapter = get_client(self.client_name)
        return self._adapter

    @property
    def session(self) -> str:
        """The client's session id; an id that could not be a file name is treated as none."""
        if self._session is None:
            try:
                self._session = check.require_session_id(self.text("session_id"))
            except UsageError:
                self._session = ""
        return self._session

    @property
    def caller(self) -> "Caller":
        """The process that sent the event; determined only if needed."""
        if self._caller is None:
            self._caller = self._find_caller()
        return self._caller

    @property
    def client(self) -> str:
        """Return the client's process: our parent, because the launcher replaces itself with this process."""
        return str(os.getppid())

    @property
    def cwd(self) -> str:
        folder = self.text("cwd")
        return folder if os.path.isdir(folder) else os.getcwd()

    @property
    def place(self) -> str:
        return paths.find_checkout(self.cwd)

    @property
    def features(self) -> dict[str, str]:
        """What the user turned on for this project, with its value; nothing without a session."""
        if self._features is None:
            from ..store import checkouts

            self._features = checkouts.read_features(self.home, self.place) if self.session else {}
        return self._features

    @property
    def record(self) -> str:
        """The path of the client's own record of this session."""
        return self.text("transcript_path")

    @property
    def attended(self) -> bool:
        """Return whether a user is present."""
        return self.adapter.is_attended(self)

    @property
    def prompt_mark(self) -> str:
        """A mark that two events of one prompt share, and two prompts do not."""
        identifier = self.text("prompt_id") or self.text("turn_id")
        return identifier or digest(self.text("prompt"))[:16]

    @property
    def program(self) -> str:
        """How the agent's shell can call us."""
        return self.adapter.name_program(self.environ)

    def once(self, key: "tuple[str, ...]", make: "Callable[[], Any]") -> "Any":
        """Return what `make` returns, read once for this event."""
        if key not in self._read:
            self._read[key] = make()
        return self._read[key]

    def find_order(self, words: "Sequence[str]") -> "Order | None":
        """Return what the prompt requests with one of the words; read once."""
        from ..core.prompt import order

        prompt_order: Order | None = self.once(("order", *words), lambda: order.find_order(self.text("prompt"), words))
        return prompt_order

    def find_modes(self, words: "Sequence[str] | None" = None) -> "ModeRequest | None":
        """Return what the prompt requests of modes, if `words` mean ultrawork; read once."""
        from ..core.prompt import mode_request, order

        key = ("modes", *(order.WORDS if words is None else words))
        request: ModeRequest | None = self.once(key, lambda: mode_request.find_modes(self.text("prompt"), words))
        return request

    @property
    def settings(self) -> "Settings":
        """The current settings of the checkout; it sets trigger words only if the user works with us there."""
        if self._settings is None:
            from ..store import checkouts
            from ..store.settings import load_at

            heard = checkouts.is_recorded(self.home, self.place, checkouts.KNOWN)
            self._settings = load_at(self.environ, self.home, self.place, leave_out=() if heard else ("trigger",))
        return self._settings

    @property
    def store(self) -> "Store":
        if self._store is None:
            from ..store.store import Store

            self._store = Store(self.home, actor="hook", clock=self.clock)
        return self._store


class Answer(Value):
    """An answer. `context` goes to the model, `message` to the user. `block` refuses (a stop, a prompt), `feedback`
    does so without looking like an error, `deny` refuses a tool call, `end` ends the turn with a message, `plain` is
    printed as is, `wake` wakes an idle agent with this text, `input` replaces a tool's input, `permit` grants a
    permission request, `terminal` is a control sequence that the client writes to its terminal: a bell, a
    notification."""

    context: str = ""
    message: str = ""
    block: str = ""
    feedback: str = ""
    deny: str = ""
    end: str = ""
    plain: str = ""
    title: str = ""
    wake: str = ""
    terminal: str = ""
    permit: bool = False
    input: "dict[str, Any] | None" = None


_SHOWN = ("context", "message", "block", "feedback", "deny", "end", "plain", "title", "wake")


def merge(event: str, answers: "Sequence[Answer]") -> "dict[str, Any] | str | None":
    """Return one answer for the client; None if there is nothing to say. External text is stripped of control
    characters."""
    for answer in answers:
        for name in _SHOWN:
            text = getattr(answer, name)
            if text and not text.isprintable():
                from ..core.wording import strip_controls

                setattr(answer, name, strip_controls(text))
    plain = "\n".join(answer.plain for answer in answers if answer.plain)
    if plain:
        return plain
    output: dict[str, Any] = {}
    _put(output, "systemMessage", "\n".join(a.message for a in answers if a.message))
    _put(output, "terminalSequence", next((a.terminal for a in answers if a.terminal), ""))
    end = next((answer.end for answer in answers if answer.end), "")
    block = "\n".join(answer.block for answer in answers if answer.block)
    if end:
        output.update({"continue": False, "stopReason": end})
    elif block:
        output.update({"decision": "block", "reason": block})
    specific = _specific(event, answers)
    if specific:
        output["hookSpecificOutput"] = {"hookEventName": event, **specific}
    return output or None


def _specific(event: str, answers: "Sequence[Answer]") -> "dict[str, Any]":
    specific: dict[str, Any] = {}
    texts = [text for answer in answers for text in (answer.context, answer.feedback) if text]
    _put(specific, "additionalContext", "\n\n".join(texts))
    if event == "UserPromptSubmit":
        _put(specific, "sessionTitle", next((a.title for a in answers if a.title), ""))
    if event == "PermissionRequest" and any(answer.permit for answer in answers):
        specific["decision"] = {"behavior": "allow"}
    if event == "PreToolUse":
        deny = next((answer.deny for answer in answers if answer.deny), "")
        if deny:
            specific.update({"permissionDecision": "deny", "permissionDecisionReason": deny})
        changed = next((answer.input for answer in answers if answer.input is not None), None)
        if changed is not None and not deny:
            specific["updatedInput"] = changed
    return specific


def _put(target: "dict[str, Any]", key: str, value: str) -> None:
    if value:
        target[key] = value
