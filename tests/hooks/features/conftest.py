"""A project with all features on, and one where a single behaviour is skipped."""

import json

import pytest

from support.scene import QUICK, SESSION, Scene
from ultrawork.store.omc import features
from ultrawork.store.omc.folder import Omc


class Project(Scene):
    """The scene, with the words for what features do."""

    def __init__(self, root, *, skip="", **options):
        super().__init__(root, QUICK, **options)
        self.environ["ULTRAWORK_SKIP_HOOKS"] = f"base-run,{skip}"
        self.omc = Omc(self.place)
        features.switch_on(self.state_folder, self.omc, [])

    def only(self, *names):
        features.switch_off(self.state_folder, self.omc, [])
        features.switch_on(self.state_folder, self.omc, names)

    def before(self, tool, given, **data):
        data = {"tool_use_id": "u", **data}
        return self.event("PreToolUse", tool_name=tool, tool_input=given, **data)

    def start(self, source="startup"):
        return self.event("SessionStart", source=source)

    def file(self, name):
        return {"file_path": f"{self.place}/{name}"}

    def state(self, name):
        with open(f"{self.place}/.omc/{name}", encoding="utf-8") as file:
            return json.load(file)

    def agent(self, name="a1", kind="executor", event="SubagentStart", **data):
        return self.event(event, agent_id=name, agent_type=kind, **data)


def context(answer):
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


@pytest.fixture
def told():
    """What the model is told by an answer."""
    return context


@pytest.fixture
def denied():
    return lambda answer: answer.get("hookSpecificOutput", {}).get("permissionDecisionReason", "")


@pytest.fixture
def project(tmp_path):
    return Project(str(tmp_path / "on"))


@pytest.fixture
def without(tmp_path):
    """A function from a behaviour's name to a project that skips it."""
    return lambda name: Project(str(tmp_path / "without"), skip=name)


@pytest.fixture
def session():
    return SESSION
