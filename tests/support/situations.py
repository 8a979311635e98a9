"""Situations for the judge, as data: a small repository, an honest change to it, and lies about the same.

A situation is a TOML file beside a folder of baselines. A patch writes, edits, moves or removes files and may run a
few lines of shell; the expected verdict is beside it."""

import os
import shutil
import subprocess
import sys
import tomllib
from time import time

from . import template, toolchains

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ultrawork.gates.judge.outcome import VerifyOutcome

SECONDS = 60.0
SESSION = "s1"
TOOLS = ("PATH", "HOME", "LANG", "RUSTUP_HOME", "CARGO_HOME", "GOCACHE")
_GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]


class Patch:
    """One change and its expectations."""

    __slots__ = ("findings", "says", "steps", "title", "verdict")

    def __init__(self, told: "Mapping[str, Any]") -> None:
        self.title: str = told.get("title", "")
        self.verdict: str = told.get("verdict", "PASS")
        self.findings: list[str] = told.get("findings", [])
        self.says: list[str] = told.get("says", [])
        self.steps = told


class Situation:
    """`row` is the rule it shows; `needs` are programs without which it cannot be played."""

    def __init__(self, name: str, told: "Mapping[str, Any]", bases: str) -> None:
        self.name = name
        self.row: str = told["row"]
        self.title: str = told["title"]
        self.rule: str = told["rule"]
        self.goal: str | None = told.get("goal")
        self.needs: list[str] = told.get("needs", [])
        self.slow: bool = told.get("slow", False)
        # Whether `$PACKAGES` in its shell lines are the test runners from npm.
        self.packages: bool = told.get("packages", False)
        self.environ: dict[str, str] = told.get("environ", {})
        self.seconds: float = told.get("seconds", SECONDS)
        self.before = told.get("before", {})
        self.start = told.get("start", {})
        self.files: dict[str, str] = {**_files(bases, told.get("base", "")), **told.get("files", {})}
        self.honest = Patch(told["honest"])
        self.lies = [Patch(lie) for lie in told.get("lies", [])]
        # What passes although it should not, and is documented as such.
        self.limits = [Patch(limit) for limit in told.get("limits", [])]


def plain(files: "Mapping[str, str]", goal: str | None = None) -> Situation:
    """Return a repository alone, for tests that set the rest themselves."""
    told = {"row": "", "title": "", "rule": "", "files": files, "honest": {}}
    return Situation("plain", told if goal is None else {**told, "goal": goal}, "")


def load(folder: str) -> list[Situation]:
    found = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".toml"):
            with open(f"{folder}/{name}", "rb") as file:
                found.append(Situation(name.removesuffix(".toml"), tomllib.load(file), f"{folder}/bases"))
    return found


def _files(bases: str, name: str) -> dict[str, str]:
    if not name:
        return {}
    with open(f"{bases}/{name}.toml", "rb") as file:
        told = tomllib.load(file)
    return {**_files(bases, told.get("base", "")), **told["files"]}


class Stage:
    """A checkout with its own state folder, in which one situation is played."""

    def __init__(self, root: str, situation: Situation) -> None:
        self.situation = situation
        self.place = os.path.realpath(root) + "/project"
        known = {name: os.environ[name] for name in TOOLS if name in os.environ}
        path = f"{os.path.dirname(sys.executable)}:{known.get('PATH', '')}"
        # pytest plugins of this machine do not belong to the small projects.
        home = {"ULTRAWORK_HOME": f"{root}/state", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        self.environ = {**known, "PATH": path, **home, **situation.environ}
        if situation.packages and shutil.which("npm"):
            self.environ["PACKAGES"] = toolchains.node_modules("runners")
        os.makedirs(self.place)
        template.prepare_cache(f"{root}/state")

    def play(self, patch: Patch) -> "VerifyOutcome":
        self.prepare()
        self.apply(patch.steps)
        return self.verify()

    def verify(self, **options: "Any") -> "VerifyOutcome":
        """Verify like the program; options replace the defaults."""
        from ultrawork.gates.session import verification

        usual = {
            "by": "person",
            "seconds": self.situation.seconds,
            "session": None if self.situation.goal is None else SESSION,
        }
        store = options.pop("store", None) or self.store()
        return verification.run(store, self.environ, self.place, **{**usual, **options})

    def prepare(self) -> None:
        """The base, committed; what was there at the start besides; the session that starts then."""
        template.fill(self.place, ("stage", *self.situation.files.items()), self._lay)
        self.apply(self.situation.before)
        if self.situation.goal is not None:
            self._begin(self.situation.goal)
        self.apply(self.situation.start)

    def _lay(self) -> None:
        self.apply({"write": self.situation.files})
        self._git("init", "-q")
        self._git("add", "-A")
        self._git("commit", "-qm", "base")

    def store(self, clock: "Callable[[], float]" = time) -> "Any":
        from ultrawork.store.paths import find_home
        from ultrawork.store.store import Store

        return Store(find_home(self.environ), actor="person", clock=clock)

    def _begin(self, goal: str) -> None:
        from ultrawork.core.session.session import LIGHT, Session
        from ultrawork.gates.session import pinning
        from ultrawork.store import pins, sessions

        store = self.store()
        session = Session(id=SESSION, goal=goal, working_dir=self.place, kind=LIGHT, started_at=store.now())
        pin = pinning.pin(self.place, store, self.environ)
        with store.change(SESSION) as change:
            sessions.create(change, session)
            pins.save(change, pin)

    def apply(self, steps: "Mapping[str, Any]") -> None:
        for source, target in steps.get("move", []):
            os.makedirs(os.path.dirname(self._at(target)), exist_ok=True)
            os.rename(self._at(source), self._at(target))
        for path in steps.get("remove", []):
            shutil.rmtree(self._at(path)) if os.path.isdir(self._at(path)) else os.unlink(self._at(path))
        for path, text in steps.get("write", {}).items():
            self._write(path, text)
        for path, before, after in steps.get("edit", []):
            self._edit(path, before, after)
        if "sh" in steps:
            self._run(["sh", "-ec", steps["sh"]])

    def _at(self, path: str) -> str:
        return f"{self.place}/{path}"

    def _write(self, path: str, text: str) -> None:
        os.makedirs(os.path.dirname(self._at(path)), exist_ok=True)
        with open(self._at(path), "w", encoding="utf-8") as file:
            file.write(text)

    def _edit(self, path: str, before: str, after: str) -> None:
        with open(self._at(path), encoding="utf-8") as file:
            text = file.read()
        assert text.count(before) == 1, f"{path} has {text.count(before)} times {before!r}"
        self._write(path, text.replace(before, after))

    def _git(self, *words: str) -> None:
        self._run([*_GIT, *words])

    def _run(self, argv: list[str]) -> None:
        environ = {
            **self.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.org",
        }  # fmt: skip
        done = subprocess.run(
            argv, cwd=self.place, env=environ, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, f"{argv}: {done.stdout}{done.stderr}"


def told(outcome: "VerifyOutcome") -> str:
    """Return everything that a user would read about it."""
    findings = [f"{one.level} {one.rule}: {one.what}" for one in outcome.verdict.facts.findings]
    because = [f"because {text}" for text in outcome.verdict.because]
    return "\n".join([outcome.line, *because, *outcome.details(), *findings])


def nagged(outcome: "VerifyOutcome") -> bool:
    """Whether an agent would have been sent back."""
    return any(one.level in ("strong", "weak") for one in outcome.verdict.facts.findings)


def missing(situation: Situation, environ: "Mapping[str, str]") -> list[str]:
    needs = [*situation.needs, *(["npm"] if situation.packages else [])]
    return [name for name in needs if shutil.which(name, path=environ.get("PATH")) is None]
