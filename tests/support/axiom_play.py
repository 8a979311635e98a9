"""A requirement played without a client: what Axiom's agents answer, and the way through its states."""

from time import time

from ultrawork.core.caller import Caller
from ultrawork.features.axiom.values import review
from ultrawork.features.axiom.values.step import BLOCKED, CONFIRM
from ultrawork.store.anchors import record_anchor
from ultrawork.store.store import Store

from .play import Play, fenced
from .scene import SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

GOAL = "correct the three texts"
DRAFT = "# Draft\n\nEvery text says right. Flow: read, correct, check. Nothing else is changed."
ROUGH = "# Rough PRD\n\nEvery text says right; the check of the project shows it."
PRD = "# PRD\n\n1. a.txt, b.txt and c.txt say right. 2. make test is green. Nothing else changes."
MANIFEST = (
    {"id": "T-101", "title": "Correct a", "hours": 1, "files": ["a.txt"], "criteria": ["grep -q right a.txt"]},
    {
        "id": "T-102", "title": "Correct b and c", "hours": 2, "files": ["b.txt", "c.txt"], "needs": ["T-101"],
        "criteria": ["grep -q right b.txt"],
    },
)  # fmt: skip
# The check passes before and after each task, unless a text is missing or broken.
FILES = {
    "Makefile": "test:\n\t@sh check.sh\n",
    "check.sh": "for f in a b c; do grep -qE 'right|wrong' $f.txt || { echo $f is broken; exit 1; }; done; echo 3 passed\n",
    "a.txt": "wrong\n",
    "b.txt": "wrong\n",
    "c.txt": "wrong\n",
}


class AxiomPlay(Play):
    """`require` starts a requirement; each further method advances it one step."""

    def __init__(self, root: str, *, attended: bool = True) -> None:
        super().__init__(root, FILES, attended=attended)
        self.client = SESSION

    def event(self, name: str, **data: "Any") -> "dict[str, Any]":
        return super().event(name, **{"session_id": self.client, **data})

    def begin_another(self) -> None:
        """Send events from another conversation from now on; the previous one is gone."""
        store = Store(self.state_folder, actor="hook", clock=time)
        with store.change(SESSION) as change:
            record_anchor(change, Caller(2**22, "gone"))
        store.database.close()
        self.client = self.client[:-1] + chr(ord(self.client[-1]) + 1)
        self.environ["CLAUDE_CODE_SESSION_ID"] = self.client

    def require(self, goal: str = GOAL) -> "dict[str, Any]":
        return self.typed("ultrawork:ax-draft", goal)

    def write_paper(self, agent: str, part: str, message: str) -> "dict[str, Any]":
        return self.end(self.agent(agent, part), message)

    def screen(self, verdict: str = "PASS", clarity: int = 95, **more: "Any") -> "dict[str, Any]":
        said = fenced({"verdict": verdict, "clarity": clarity, **more})
        return self.write_paper("axiom-requirement-analyst", "requirement", said)

    def draft(self, text: str = DRAFT) -> "dict[str, Any]":
        return self.write_paper("axiom-product-designer", "draft", text)

    def review(self, parts: "Sequence[str]" = (), **findings: "Sequence[Mapping[str, Any]]") -> None:
        for part in parts or review.EXPERTS:
            found = list(findings.get(part, ()))
            said = {"verdict": "REVISE" if found else "PASS", "findings": found}
            self.write_paper(review.EXPERTS[part].agent, f"review_{part}", fenced(said))

    def finish_prd(self) -> None:
        self.write_paper("axiom-review-aggregator", "rough", ROUGH)
        self.write_paper("axiom-prd-crafter", "prd", PRD)

    def answer(self, question: str, words: str) -> "dict[str, Any]":
        return self.tool("AskUserQuestion", {}, tool_response={"answers": {question: words}})

    def confirm(self, words: str = "Yes") -> "dict[str, Any]":
        return self.answer(CONFIRM[0], words)

    def unblock(self, words: str = "Try again") -> "dict[str, Any]":
        return self.answer(BLOCKED[0], words)

    def decompose(self, tasks: "Sequence[Mapping[str, Any]]" = MANIFEST) -> "dict[str, Any]":
        said = fenced({"tasks": list(tasks)})
        return self.write_paper("axiom-system-architect", "manifest", said)

    def work(self, task: str, message: str = "COMPLETE: done", **texts: str) -> "dict[str, Any]":
        """A worker takes a task, writes the files named and ends with a message."""
        agent = self.agent("axiom-worker", task)
        for name, text in texts.items():
            self.write(f"{name}.txt", text)
        return self.end(agent, message)

    def until_confirmed(self) -> None:
        self.require()
        self.screen()
        self.draft()
        self.review()
        self.finish_prd()
        self.confirm()

    def until_executing(self) -> None:
        self.until_confirmed()
        self.decompose()

    @property
    def state(self) -> str:
        return str(self.session()["axiom"]["progress"]["phase"])

    def verify(self) -> None:
        self.run("verify", "--session", "last")
        self.end(self.agent("verifier"), fenced({"verdict": "PASS", "findings": []}))

    def reflect(self, *lessons: "Mapping[str, Any]", **more: "Any") -> "dict[str, Any]":
        said = fenced({"went_well": ["the texts"], "lessons": list(lessons), **more})
        return self.write_paper("axiom-evolution-engine", "reflection", said)
