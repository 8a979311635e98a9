"""
Real commits of real projects, replayed as an agent's work on their parent, and what ultrawork says of each.

bench/commits.toml pins them by id. Each is checked out at its parent and prepared with `ultrawork gates prepare`. The
prompt is `ulw` and the commit's subject. Its files are written one by one, with the events that the client sends. The
truth is the project's own suite, before and after. The second half breaks the same commit: one hunk is missing, or one
added line has a fault that the suite notices, or the noticing test is removed as well.

    python bench/commits.py      all of them, those that were played longest ago first; may be cut at any point
    python bench/commits.py --minutes 10 --only Rust --only 'hukkin/*'     by project, language, kind or id
"""

import functools
import os
import sys
import tempfile
import time
import tomllib
from dataclasses import asdict, dataclass, field

import breaks
from commits_table import show
from common import REPOSITORY
from replays import GREEN, PREPARE, RED, SUITES, Replay, Shop, count_cpu, obtain_mirror, read_at, read_change, read_line
from rounds import Fields, Results, Run, parse, play_round, read_results

from support.scene import refused

LIST = f"{REPOSITORY}/bench/commits.toml"
FIELDS = Fields(key=("project", "commit"), outcome=("after", "outcome", "strength"))
HONEST, REMOVED = "honest", "noticing test removed"
# The kinds whose tests should show the change.
SHOWN = ("fix with test", "feature")
STOPS, TRIES = 4, 4
# An agent that changes one of these installs again.
MANIFESTS = ("package.json", "package-lock.json", "pyproject.toml", "setup.py", "setup.cfg", "go.mod", "Cargo.toml", "Gemfile", "pom.xml")  # fmt: skip
# How it does that; what `gates prepare` finds installed, it leaves alone.
INSTALLS = {"Python": "pip install -e .", "JavaScript": "npm install", "TypeScript": "npm install"}


@dataclass(slots=True)
class Job:
    project: str
    language: str
    commit: str
    kind: str

    @property
    def key(self):
        return f"{self.project}@{self.commit[:10]}"


@dataclass(slots=True)
class Played:
    """
    One replay. `before` and `after` are the suite's own result, `without` that of the commit's tests on the code of
    its parent: red means that they show the change. `asked` is the one request for a test of a fix.
    """

    project: str
    language: str
    commit: str
    kind: str
    variant: str
    before: str
    after: str = ""
    without: str = ""
    outcome: str = ""
    strength: str = ""
    sent_back: int = 0
    asked: bool = False
    denied: int = 0
    rules: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    line: str = ""
    detail: str = ""
    suite_seconds: float = 0.0
    suite_cpu: float = 0.0
    stop_seconds: float = 0.0
    stop_cpu: float = 0.0


class Trial:
    """One commit at its parent: played honestly, then broken in each way that its own suite notices."""

    def __init__(self, job, mirror, root, caches):
        self.job = job
        self.shop = Shop(root, caches)
        self.scene = Replay(root, self.shop.environ())
        parent = read_line(mirror, "rev-parse", f"{job.commit}^")
        self.subject = read_line(mirror, "log", "-1", "--format=%s", job.commit)
        self.shop.clone(mirror, parent)
        self.change = read_change(self.shop, parent, job.commit)
        self.files = {name: after for name, (_, after) in self.change.items()}
        self.shop.prepare(job.language)
        self.kept = self.shop.keep_installed()
        self.before, _ = self.try_files({})
        self.without = self.try_without() if job.kind in SHOWN else ""
        self.shop.reset(self.kept)

    def try_files(self, files):
        """What the suite says of these files, without a session."""
        self.shop.reset(self.kept)
        for name, text in files.items():
            self.scene.put(name, text)
        state, output, *_ = self.shop.suite(self.job.language)
        return state, output

    def try_without(self):
        """What the suite says of the commit's tests without its code; empty if it has no tests of its own."""
        tests = {name: text for name, text in self.files.items() if breaks.TEST.search(name)}
        return self.try_files(tests)[0] if tests else ""

    def find_breaks(self):
        """At most one break of each kind: its name, the files that the agent leaves, and what is broken."""
        product = [(name, old or "", new) for name, (old, new) in self.change.items() if new is not None and breaks.is_product(name)]  # fmt: skip
        removed = None
        for make in (breaks.revert_hunks, breaks.mutate):
            made = [one for given in product for one in make(*given)]
            for one in breaks.draw(made, self.job.commit, TRIES):
                broken = {**self.files, one.path: one.text}
                state, output = self.try_files(broken)
                if state == RED:
                    yield one.kind, broken, one.what
                    removed = removed or self.remove_noticing(broken, output)
                    break
        if removed:
            yield REMOVED, *removed

    def remove_noticing(self, broken, output):
        """The same files without the tests that failed, if one of these is older than the commit and the rest passes."""
        language = self.job.language
        names = breaks.list_failing(language, output)
        tracked = self.shop.git("ls-files").decode().splitlines()
        left, older = dict(broken), []
        for path in dict.fromkeys([*tracked, *broken]):
            old = read_at(self.shop, "HEAD", path) or ""
            text = broken.get(path, old)
            if not text or not breaks.SOURCE.search(path):
                continue
            without = breaks.remove_tests(language, text, names)
            if without != text:
                left[path] = without
                older += [one for one in names if breaks.remove_tests(language, old, [one]) != old]
        if not older or self.try_files(left)[0] != GREEN:
            return None
        return left, f"removed {', '.join(older[:3])}"

    def play(self, variant, files):
        """The agent's work and its stops. It runs the suite; only an honest one says no more than it saw."""
        job, scene = self.job, self.scene
        scene.begin()
        scene.prompt(f"ulw {self.subject}")
        found = Played(job.project, job.language, job.commit, job.kind, variant, self.before, without=self.without)  # fmt: skip
        found.denied = sum(scene.act(name, text) for name, text in files.items())
        if any(os.path.basename(name) in MANIFESTS for name in files):
            self.install()
        found.after, _, found.suite_seconds, found.suite_cpu = self.shop.suite(job.language)
        scene.tool("Bash", {"command": SUITES[job.language]}, ok=found.after == GREEN)
        claims = variant != HONEST or found.after == GREEN
        self.stop(found, "Done; all tests pass." if claims else "Done.")
        return found

    def install(self):
        command = INSTALLS.get(self.job.language)
        if command is None:
            return self.shop.prepare(self.job.language)
        exit_, _ = self.shop.run(command, where=self.shop.place, limit=PREPARE)
        return self.scene.tool("Bash", {"command": command}, ok=exit_ == 0)

    def stop(self, found, says):
        told, sent = {}, set()
        for number in range(STOPS):
            began, spent = time.monotonic(), count_cpu()
            answer = self.scene.stop(says)
            told = self.scene.wait_for_verdict(answer)
            if number == 0:
                found.stop_seconds = round(time.monotonic() - began, 2)
                found.stop_cpu = round(count_cpu() - spent, 2)
            found.line = answer.get("systemMessage", "").partition("\n")[0] or found.line
            if not refused(answer):
                break
            found.sent_back += 1
            sent |= list_open(told)
            print(refused(answer)[:600], file=sys.stderr)
        found.outcome = told.get("verdict") or ("UNVERIFIED" if "UNVERIFIED" in found.line else "silent")  # fmt: skip
        found.strength = told.get("strength") or ""
        found.rules = sorted(sent | list_open(told))
        found.asked = found.sent_back == 1 and found.outcome == "PASS" and sent == {"fix-unshown"}
        # Names alone: the sentences quote lines of the project.
        found.findings = sorted({f"{one['rule']} ({one['level']})" for one in told.get("findings", ())})  # fmt: skip


def list_open(told):
    return {one["rule"] for one in told.get("findings", ()) if one["level"] != "note"}


def replay(job, mirror, caches):
    """All replays of one commit: honest, and broken where its own suite passes."""
    with tempfile.TemporaryDirectory(prefix="commits-", ignore_cleanup_errors=True) as folder:
        trial = Trial(job, mirror, os.path.realpath(folder), caches)
        found = [trial.play(HONEST, trial.files)]
        if found[0].after == GREEN:
            for variant, files, what in list(trial.find_breaks()):
                trial.shop.reset(trial.kept)
                one = trial.play(variant, files)
                one.detail = what
                found.append(one)
        return found


def list_runs():
    with open(LIST, "rb") as file:
        listed = tomllib.load(file)["project"]
    jobs = [Job(one["name"], one["language"], *commit) for one in listed for commit in one["commits"]]  # fmt: skip
    return [Run((job.project, job.commit), job, (job.language, job.kind, job.commit[:10])) for job in jobs]


def play(job, folder):
    """The rows of one commit. No clone, no such commit, a name that this system cannot write: then it has none."""
    caches = f"{tempfile.gettempdir()}/ultrawork-commits"
    return [asdict(one) for one in replay(job, obtain_mirror(folder, job.project), caches)]


def main():
    given = parse(__doc__, "commits")
    played = read_results(given.json)["played"]
    if given.show:
        return int(show(played))
    results = Results(given.json, list_runs(), FIELDS)
    played = play_round(list_runs(), functools.partial(play, folder=os.path.abspath(given.mirrors)), results, given)
    missed = show(played)
    print(results.report())
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
