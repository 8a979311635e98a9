"""The projects in which pages are played, what agents do there, and what is not run and why."""

import os
import subprocess

from .floor import REPOSITORY
from .scene import GIT, Scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Act = Callable[[Scene], object]

EXAMPLE = f"{REPOSITORY}/docs/tutorial/login"
EXAMPLE_FILES = ("Makefile", "session.py", "test_session.py", ".gitignore")


def _read_example(name: str) -> str:
    with open(f"{EXAMPLE}/{name}", encoding="utf-8") as file:
        return file.read()


# The example of the tutorials, which their readers copy.
LOGIN = {name: _read_example(name) for name in EXAMPLE_FILES}
MAKEFILE, SESSION = LOGIN["Makefile"], LOGIN["session.py"]
FIXED = SESSION.replace(" / 1000", "")
BROKEN = FIXED.replace("sum(prices)", "round(sum(prices)) - 1")
IGNORE = {".gitignore": "__pycache__/\n.omc/\n"}
RIGHT = {**LOGIN, "session.py": FIXED}
MONOREPO = {
    "api/Makefile": MAKEFILE,
    "api/total.py": "total = 1\n",
    "api/test_total.py": "import unittest\nfrom total import total\n\n\nclass T(unittest.TestCase):\n"
    "    def test_total(self):\n        self.assertGreater(total, 0)\n",
    "web/package.json": '{"name": "web", "scripts": {"test": "node --test"}}\n',
    "README.md": "# Shop\n",
    **IGNORE,
}
NO_TESTS = {"report.py": 'print("pages")\n', **IGNORE}
ROUNDS = {"rounds/a.round": "walk\n", **IGNORE}
UNATTENDED = "docs/tutorial/a-goal-unattended.md"
PROJECTS: "Mapping[str, Mapping[str, str]]" = {
    "*": RIGHT,
    "README.md": LOGIN,
    "docs/tutorial/first-ulw.md": LOGIN,
    UNATTENDED: {**LOGIN, "agents.toml": _read_example("agents.toml")},
    "docs/how-to/codex.md": LOGIN,
    "docs/how-to/monorepos.md": MONOREPO,
    "docs/how-to/no-tests-yet.md": NO_TESTS,
    "docs/how-to/own-toolchain.md": ROUNDS,
}


def _git(scene: Scene, *words: str) -> None:
    subprocess.run([*GIT, *words], cwd=scene.place, check=True, capture_output=True)


def _lose_work(scene: Scene) -> None:
    """A PASS, then an agent that tidies up what it did not make."""
    _pass_once(scene)
    scene.commit()
    scene.write("session.py", FIXED + "\n# cents, not euros\n")
    scene.write("notes.py", "print('notes')\n")
    scene.prompt("ulw fix the login bug")
    scene.event("PreToolUse", tool_name="Bash", tool_input={"command": "git checkout . && rm notes.py"})
    _git(scene, "checkout", ".")
    os.unlink(f"{scene.place}/notes.py")
    scene.tool("Bash", {"command": "git checkout . && rm notes.py"})


def _pass_once(scene: Scene) -> None:
    scene.prompt("ulw name the unit in a comment")
    scene.edit("session.py", FIXED + "\n# in seconds\n")
    scene.stop("Done.")


def _have_a_session(scene: Scene) -> None:
    scene.prompt("ulw fix the login bug")
    scene.prompt("ulw off")


def _change_total(scene: Scene) -> None:
    scene.write("session.py", FIXED.replace("sum(prices)", "round(sum(prices), 2)"))


STARTS: "Mapping[str, Act]" = {
    "docs/how-to/restore.md": _lose_work,
    "docs/how-to/uninstall.md": _have_a_session,
    "docs/how-to/privacy.md": _have_a_session,
    "docs/how-to/gates.md": _change_total,
    "docs/explanation/receipts.md": _change_total,
}
CLAIM, FIX = ("● Done. The bug is fixed and all tests pass.", "● The expiry was compared in the wrong unit. Fixed.")
ROUNDED = "● I rounded it. It should work now."


def _try(scene: Scene) -> None:
    scene.edit("session.py", SESSION.replace("/ 1000", "/ 1e3"))


def _fix(scene: Scene) -> None:
    scene.edit("session.py", FIXED)


def _break(scene: Scene) -> None:
    scene.edit("session.py", BROKEN)


# Before a line of a page: what the agent did until then.
ACTS: "Mapping[tuple[str, str], Sequence[Act]]" = {
    (page, line): acts
    for page in ("README.md", "docs/tutorial/first-ulw.md")
    for line, acts in {CLAIM: (_try,), FIX: (_fix,), ROUNDED: (_break,)}.items()
}
# Settings that a page asks its reader to write, by their first line.
WRITES = {
    ("docs/how-to/slow-suites.md", "# ultrawork.toml"),
    ("docs/how-to/no-tests-yet.md", "# ultrawork.toml"),
    ("docs/how-to/own-toolchain.md", "# .ultrawork/toolchains/paperboy.toml"),
}
_CLIENT = "needs a real client; tests/docs/test_literal.py runs these very lines"
_LITERAL = "needs a clone and an empty HOME; tests/docs/test_literal.py runs these very lines"
_CLUSTER = "needs other machines; tests/cluster does it with a server on this one"
# Blocks and commands that do not run here, by page and first line, with the reason.
NOT_RUN: "Mapping[tuple[str, str], str]" = {
    ("README.md", "make demo"): _LITERAL,
    (UNATTENDED, "plugin/bin/ultrawork install --yes"): _LITERAL,
    (UNATTENDED, "cp -r docs/tutorial/login ~/login"): _LITERAL,
    ("docs/tutorial/first-ulw.md", "cp -r docs/tutorial/login ~/login"): _LITERAL,
    **{
        ("docs/how-to/install.md", line): _LITERAL
        for line in (
            "claude plugin marketplace add ./",
            "codex plugin marketplace add ./",
            "plugin/bin/ultrawork install --client gemini --yes",
            "plugin/bin/ultrawork install --client opencode --yes",
            "plugin/bin/ultrawork install --yes",
            "python3 -m venv ~/.venvs/ultrawork",
            "pipx install ./",
            "uv tool install ./",
        )
    },
    ("README.md", "claude plugin marketplace add ./"): _CLIENT,
    ("docs/tutorial/first-ulw.md", "claude plugin marketplace add ./"): _CLIENT,
    ("docs/how-to/codex.md", "codex plugin marketplace add ./"): _CLIENT,
    ("docs/how-to/codex.md", 'ultrawork with codex exec --sandbox workspace-write "ulw fix the login bug"'): _CLIENT,
    (
        "docs/how-to/proof-in-ci.md",
        "git config gpg.format ssh",
    ): "needs a remote and two people; tests/proof/test_team.py follows the page",
    ("docs/how-to/proof-in-ci.md", "ultrawork verify --base origin/main"): "the same",
    ("docs/how-to/proof-in-ci.md", "git fetch -q"): "the same",
    (
        "docs/how-to/cluster.md",
        "ultrawork serve-git --address 0.0.0.0 --tls-cert git.pem --tls-key git.key project",
    ): _CLUSTER,
    ("docs/how-to/cluster.md", "pip install './ultrawork[cluster]'"): "fetches a library from the network",
    (
        "docs/how-to/cluster.md",
        'ultrawork run --executor temporal --max-workers 12 --auto "fix the login bug"',
    ): _CLUSTER,
}
