"""An agent that only records what it would do, for a scripted model: the steps of an attack through a real client."""

import os

from . import launched, template, ulw
from .claude import Claude
from .scripted_model import ScriptedModel
from .ulw import Step, Told, put, sh, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .attack import Attack
    from .layouts import Layout


class Recorded:
    """Has the verbs of `launched.Launched` that attacks use; files are the layout's, with later writes."""

    def __init__(self, layout: "Layout", place: str) -> None:
        self.layout = layout
        self.place = place
        self.root = os.path.dirname(place)
        self.files: dict[str, str] = dict(layout.files)
        self.steps: list[Step] = []

    def sh(self, command: str) -> None:
        self.steps.append(sh(command))

    def write(self, name: str, text: str) -> None:
        self.steps += write(self.place, name, text) if name in self.files else [self._made(name, text)]
        self.files[name] = text

    def _made(self, name: str, text: str) -> Step:
        folder = os.path.dirname(name) or "."
        made = put(name, text if text.endswith("\n") else f"{text}\n")
        command = made["tool"]["input"]["command"]  # type: ignore[index]
        return sh(f"mkdir -p {folder} && {command}")

    def edit(self, name: str, before: str, after: str) -> None:
        assert before in self.files[name]
        self.write(name, self.files[name].replace(before, after, 1))

    def make(self, move: str) -> None:
        for name, before, after in self.layout.moves[move]:
            self.edit(name, before, after)

    def read(self, name: str) -> str:
        return self.files[name]


def play(attack: "Attack", program: str, home: str, project: str) -> "tuple[str, Told]":
    """Run the client once to its end, and start it again there if nothing was reported until then."""
    ulw.make(project, attack.layout.files)
    template.prepare_cache(f"{home}/.claude/ultrawork")
    agent = Recorded(attack.layout, project)
    attack.act(agent)  # type: ignore[arg-type]
    env = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **launched.toolchain_variables()}
    with ScriptedModel(ulw.script(agent.steps, attack.words), log_bodies=True) as model:
        seat = Claude(program, home=home, project=project, model=model, env=env)
        told = ulw.go(seat, f"ulw {attack.goal}")
        return told.verdict or _said_later(seat), told


def _said_later(seat: Claude) -> str:
    run = ulw.go(seat, "hello").run
    starts = [call.answer.get("systemMessage") for call in run.hooks_of("SessionStart")]
    return next((str(text) for text in reversed(starts) if text and "is ready" not in text), "")
