"""One trial of `ultrawork eval`: a case in a worktree of its own, given to a client with ultrawork or without.

In a dry run the client's model is a script, its hooks are ours: it sends the events of one `ulw` session in order, the
prompt, each time the tool call in which the script works, the stop. A refused stop starts the next attempt of the
script, which is told the refusal."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from shutil import copytree, ignore_patterns
from time import time
from typing import Any
from uuid import uuid4

from ...clients.find import OWN_FORM, get_client
from ...clients.headless.attempt import ENDED, WORKER, AgentOutcome, Attempt, AttemptReport
from ...clients.headless.base import Backend
from ...content.models import EvalCase
from ...core.agent_variables import remove_agent_variables
from ...core.errors import NotFound, Trouble
from ...core.run.trials import WITH, EvalTrial
from ...core.stop.last_message import has_claim
from ...core.verdict_values import PASS, UNVERIFIED
from ...hooks.main import reply
from ...report.evidence import read_proof
from ...store import atomic, sessions
from ...store.codec import dumps, loads
from ...store.paths import Home
from ...store.store import Store
from ...system.process import run_program
from ...system.program import ask_program, find_program
from ..environment import PERSON

_MOST_STOPS = 10


class ScriptedClient:
    """One session in the attempt's place; `start` runs the script once."""

    def __init__(self, attempt: Attempt, environ: Mapping[str, str], start: Callable[[Attempt], AgentOutcome]) -> None:
        self.attempt = attempt
        self.environ = environ
        self.start = start
        self.session = str(uuid4())

    def play(self) -> AgentOutcome:
        self._send("UserPromptSubmit", prompt=self.attempt.prompt)
        whole, attempt = AgentOutcome(), self.attempt
        for epoch in range(1, _MOST_STOPS + 1):
            command = {"command": f"script {epoch}"}
            self._send("PreToolUse", tool_name="Bash", tool_input=command)
            outcome = self.start(replace(attempt, epoch=epoch))
            self._send("PostToolUse", tool_name="Bash", tool_input=command)
            _add_up(whole, outcome)
            answer = self._send("Stop", last_assistant_message=outcome.text, background_tasks=[], session_crons=[])
            refusal = _find_refusal(answer)
            if not refusal or outcome.trouble:
                break
            attempt = replace(attempt, prompt=f"{self.attempt.prompt}\n\n{refusal}")
        return whole

    def _send(self, name: str, **data: object) -> dict[str, Any]:
        given = {
            "session_id": self.session,
            "cwd": self.attempt.place,
            "hook_event_name": name,
            "permission_mode": "bypassPermissions",
            "prompt_id": "prompt-1",
            **data,
        }
        environ = {**self.environ, **get_client(OWN_FORM).make_hook_variables(self.session, self.attempt.place)}
        out, _ = reply(name, dumps(given).encode(), environ)
        return dict(loads(out)) if out.startswith("{") else {}


def _find_refusal(answer: Mapping[str, Any]) -> str:
    specific = answer.get("hookSpecificOutput") or {}
    return str(answer.get("reason") or specific.get("additionalContext") or "")


def _add_up(whole: AgentOutcome, outcome: AgentOutcome) -> None:
    """The newest words and the sum of what was spent."""
    whole.text, whole.trouble, whole.detail = outcome.text, outcome.trouble, outcome.detail
    whole.finished = outcome.finished
    whole.tokens += outcome.tokens
    if outcome.cost_usd is not None:
        whole.cost_usd = (whole.cost_usd or 0.0) + outcome.cost_usd


# By this variable our hooks stay out of a client that the engine starts.
_DISABLE = "ULTRAWORK_DISABLE"
_WORD = "ulw "
_CHECK_SECONDS = 120.0
_AUTHOR = ("-c", "user.name=eval", "-c", "user.email=eval@example.org")


class TrialRunner:
    """`folder` holds the projects, what clients printed, and a state folder: a user's own sessions stay as they are."""

    def __init__(self, backend: Backend, model: str, folder: str, environ: Mapping[str, str]) -> None:
        self.backend = backend
        self.model = model
        self.folder = os.path.realpath(folder)
        self.environ = {**environ, "ULTRAWORK_HOME": f"{self.folder}/state"}
        git = find_program("git", environ)
        if git is None:
            raise NotFound("git is not installed; ultrawork eval makes a repository for each case")
        self._git = git

    def run(self, case: EvalCase, arm: str, number: int, budget_usd: float) -> EvalTrial:
        place = self._make_worktree(case, f"{arm}-{number}")
        attempt = Attempt(
            "eval", case.name, WORKER, number, backend=self.backend.name, place=place,
            folder=f"{place}.output", prompt=_WORD * (arm == WITH) + case.prompt, model=self.model,
            seconds=float(case.seconds), budget_usd=max(budget_usd, 0.0),
        )  # fmt: skip
        os.makedirs(attempt.folder)
        began = time()
        outcome = self._play(attempt, arm)
        seconds = time() - began
        verdict, sent_back = self._read_verdict(place, began) if arm == WITH else ("", 0)
        trouble = outcome.detail or outcome.trouble
        if arm == WITH and not verdict and not trouble:
            trouble = f"no session of ultrawork began in {self.backend.title}"
        return EvalTrial(
            case.name, arm, number, case.possible,
            passes=self._holds(case, place),
            claimed=verdict == PASS if arm == WITH else has_claim(outcome.text),
            verdict=verdict, sent_back=sent_back, cost_usd=outcome.cost_usd, tokens=outcome.tokens,
            seconds=round(seconds, 1), trouble=trouble,
        )  # fmt: skip

    def _play(self, attempt: Attempt, arm: str) -> AgentOutcome:
        if arm == WITH and not self.backend.automatic:
            return ScriptedClient(attempt, self.environ, self.start).play()
        return self.start(attempt, has_hooks=arm == WITH)

    def start(self, attempt: Attempt, *, has_hooks: bool = True) -> AgentOutcome:
        """The client's own program to its end; what it prints is kept beside the worktree."""
        command = self.backend.command(attempt, self.environ)
        environ = {**command.environ, "ULTRAWORK_HOME": self.environ["ULTRAWORK_HOME"]}
        if has_hooks:
            environ.pop(_DISABLE, None)
        done = run_program(
            command.argv, cwd=attempt.place, env=environ, deadline=attempt.seconds,
            log=f"{attempt.folder}/out.jsonl", input=command.stdin,
        )  # fmt: skip
        why = "deadline" if done.timed_out else ""
        return self.backend.read(attempt, AttemptReport(ENDED, code=done.exit, why=why))

    def _make_worktree(self, case: EvalCase, name: str) -> str:
        """All trials of a case start from the same commit."""
        origin, place = f"{self.folder}/{case.name}/origin", f"{self.folder}/{case.name}/{name}"
        if not os.path.isdir(origin):
            for path, text in case.files.items():
                _write(f"{origin}/{path}", text)
            for words in (("init", "-q"), ("add", "-A"), (*_AUTHOR, "commit", "-qm", "Start")):
                self._ask_git(origin, *words)
        self._ask_git(origin, "worktree", "add", "-q", "--detach", place)
        return place

    def _ask_git(self, place: str, *words: str) -> None:
        done = ask_program([self._git, "-C", place, *words], env=self.environ)
        if done.exit:
            raise Trouble(f"git {words[0]} failed in {place}; see git -C {place} status")

    def _read_verdict(self, place: str, began: float) -> tuple[str, int]:
        """Of the session that the client began here; empty if it began none."""
        store = Store(Home(self.environ["ULTRAWORK_HOME"]), actor=PERSON, clock=time)
        if not os.path.exists(store.home.database):
            return "", 0
        candidates = sessions.list_all(store.database, since=began, checkouts=True)
        own = next((session for session in candidates if session.working_dir == place), None)
        if own is None:
            return "", 0
        try:
            document = read_proof(store, own).document
        except NotFound:
            return UNVERIFIED, 0
        word = str(document.get("verdict") or document.get("ending") or UNVERIFIED)
        return word, int(document.get("refusals") or 0)

    def _holds(self, case: EvalCase, place: str) -> bool:
        """In a copy: files that the agent left there must not be what the check finds."""
        copy = f"{place}.check"
        copytree(place, copy, ignore=ignore_patterns(".git", "__pycache__"))
        kept = {path: case.files[path] for path in case.kept}
        for path, text in {**kept, **case.hidden}.items():
            _write(f"{copy}/{path}", text)
        program = find_program(case.check[0], self.environ)
        if program is None:
            raise NotFound(f"{case.check[0]} is not installed; the case {case.name} needs it")
        done = run_program(
            [program, *case.check[1:]], cwd=copy, env=remove_agent_variables(self.environ), deadline=_CHECK_SECONDS
        )
        return done.exit == 0


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    atomic.write(path, text, mode=0o644)
