"""A worker's end: what it left is collected, merged aside, checked there, and taken in only if green."""

import threading

from ..core import statuses
from ..core.errors import UltraworkError
from ..core.wording import cut, one_line
from ..flow import workers
from ..report import news
from ..store import atomic, fast, tasks
from . import worktrees
from .fence import Fence
from .judge import Judge
from .queue import CONFLICT, EMPTY, MERGED, Merged, Queue
from .terms import Settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .attempt import Attempt, Outcome
    from .run import Run

_FENCE = "fence.json"
_LEFT = "left.txt"
_LEFT_HEAD = "WHAT THE LAST ATTEMPT LEFT (not in your files; take what is good):"


class Landing:
    """Results come in one after another, however many workers end at once."""

    __slots__ = ("_one", "_run")

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._one = threading.Lock()

    def fence(self, folder: str) -> None:
        """Before a worker starts: how the person's checkout is, so that a write there is seen."""
        atomic.write(f"{folder}/{_FENCE}", fast.dumps(self._run.ground.fence().document()))

    def land(self, attempt: "Attempt", outcome: "Outcome") -> Settled:
        try:
            trespass = self._trespass(attempt)
            if trespass or outcome.trouble:
                return self._sent_back(attempt, trespass or outcome.detail)
            return self._merge(attempt, outcome)
        except UltraworkError as error:
            return self._sent_back(attempt, str(error))

    def _sent_back(self, attempt: "Attempt", why: str, said: str = "") -> Settled:
        self.keep(attempt)
        tell_failure(self._run, attempt.subject, why, said)
        return Settled(statuses.FAILED, why)

    def keep(self, attempt: "Attempt") -> None:
        """What is not merged is not lost: the next attempt is shown it."""
        try:
            left = self._worktree(attempt).salvage()
        except UltraworkError:
            return
        if left:
            atomic.write(f"{attempt.folder}/{_LEFT}", f"{_LEFT_HEAD}\n\n{left}")

    def _worktree(self, attempt: "Attempt") -> worktrees.Worktree:
        return self._run.ground.worktree(attempt.subject, attempt.epoch)

    def _trespass(self, attempt: "Attempt") -> str:
        with open(f"{attempt.folder}/{_FENCE}", encoding="utf-8") as file:
            fence = Fence.of(fast.loads(file.read()))
        outputs = [f"{attempt.folder}/{name}" for name in ("out.jsonl", "err.log")]
        found = self._run.ground.trespass(fence, self._worktree(attempt), outputs)
        if found.others:
            shown = ", ".join(found.others[:3]) + (" …" if len(found.others) > 3 else "")
            self._run.tell(
                news.NOTE, text=f"changed in your checkout by somebody else, left alone: {shown}"
            )
        return found.sentence

    def _merge(self, attempt: "Attempt", outcome: "Outcome") -> Settled:
        task = tasks.get(self._run.store.database, self._run.name, attempt.subject)
        judge = Judge(self._run.store, self._run.environ, self._run.name)
        commit = self._worktree(attempt).collect(f"{cut(one_line(task.subject), 70)}\n")
        with self._one:
            merged = Queue(self._run.ground, judge).merge(attempt.subject, commit)
            if merged.status == EMPTY:
                judge(whole(self._run).path, attempt.subject)
        return self._settled(attempt, outcome, merged, judge.checked)

    def _settled(
        self,
        attempt: "Attempt",
        outcome: "Outcome",
        merged: Merged,
        checked: workers.Checked | None,
    ) -> Settled:
        if merged.status == CONFLICT:
            self.keep(attempt)
            self._run.tell(news.CONFLICT, subject=attempt.subject, files=merged.files)
            return Settled(statuses.FAILED, merged.detail)
        if merged.status == MERGED:
            self._run.tell(news.MERGED, subject=attempt.subject, files=merged.files)
            self._run.ground.dismiss(self._worktree(attempt))
            # Merged before a crash, its checks are not run again: they were green then.
            evidence = checked.met if checked else ["merged; its criteria were met"]
            return Settled(statuses.RESOLVED, evidence=evidence, commit=merged.commit)
        status, reason, evidence = workers.settled(checked or workers.Checked(), outcome.text)
        if merged.status == EMPTY and status == statuses.RESOLVED:
            self._run.tell(news.MERGED, subject=attempt.subject, files=[])
            return Settled(status, evidence=evidence)
        return self._sent_back(attempt, reason or merged.detail, outcome.text)


def tell_failure(run: "Run", subject: str, why: str, said: str = "") -> None:
    """It goes back only where a try of its own, or a round of the session, is left."""
    session, task = run.session, tasks.get(run.store.database, run.name, subject)
    rounds = int(str(session.options["max_iterations"])) - session.iteration
    again = task.may_retry or (rounds > 0 and not session.state.get("pipeline"))
    run.tell(news.SENT_BACK if again else news.FAILED, subject=subject, why=why, said=said)


def left_in(folder: str) -> str:
    """What the attempt of this folder left unmerged; empty if nothing."""
    try:
        with open(f"{folder}/{_LEFT}", encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def whole(run: "Run") -> worktrees.Worktree:
    """All merged results as files: where the whole is verified, and where those look who only read."""
    head = run.ground.head()
    with run.placing:
        return worktrees.prepare_detached(run.ground, f"whole-{head[:12]}", head)
