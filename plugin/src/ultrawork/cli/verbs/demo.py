"""`ultrawork demo`: a whole run on a throw-away repository, with agents that lie, collide and fall over."""

import os
import shlex
import shutil
import sys
from urllib.request import pathname2url

from ...clients.headless.script import VARIABLE
from ...core.errors import Trouble
from ...core.plan import task
from ...store import attempts
from ...store.paths import find_root
from ...system.program import ask_program, find_program
from ..command import Command, Result
from ..environment import Args, VerbEnvironment
from ..headless import driver

GOAL = "Fix the order of names; list and count people by city; print the book"
# What the delivered files must do, tested without our code.
_ASKED = """
from book import Book
from show import table
book = Book()
for name, city in (("bea", "Ulm"), ("Carl", "Ulm"), ("Ada", "Turin")):
    book.add(name, city)
assert [name for name, _ in book.sorted()] == ["Ada", "bea", "Carl"]
assert book.in_city("Ulm") == ["bea", "Carl"]
assert book.cities() == {"Ulm": 2, "Turin": 1}
assert table(book).splitlines()[0].split() == ["Ada", "Turin"]
assert "in_city" in open("README.md").read()
"""
# What must have been rejected: why, and whose. Of two that collide, either may come second.
_TURNED_DOWN = {"red": ("sort",), "both changed it": ("in-city", "cities"), "exited with": ("show",)}
_FLAGS = Args({"--auto": [""], "--backend": ["script"], "--max-workers": ["3"]}, [])
_AUTHOR = ["-c", "user.name=demo", "-c", "user.email=demo@example.org"]


def run_demo(_args: Args, env: VerbEnvironment) -> Result:
    content = f"{find_root()}/content/demo"
    place = os.path.realpath(_repository(content, env))
    _say("A sample address book with a bug and three missing features.", env)
    _say("The agents are scripts, so no account or network is needed. Everything else is real.\n", env)
    os.chdir(place)
    environ = {**env.environ, VARIABLE: f"{content}/agents.toml"}
    inner = VerbEnvironment(environ, json=env.json)
    result = driver.start_session(_FLAGS, inner, GOAL)
    _refuse_less(inner, place, result)
    _say("", env)
    result.text = f"{result.text}\n{_tell_where(env, place, result)}"
    return result


def _tell_where(env: VerbEnvironment, place: str, result: Result) -> str:
    """Return the repository, the command for any folder, and the page as a link."""
    home = env.environ.get("ULTRAWORK_HOME")
    state = f"ULTRAWORK_HOME={shlex.quote(home)} " if home else ""
    program = shlex.quote(f"{find_root()}/bin/ultrawork")
    facts = result.data if isinstance(result.data, dict) else {}
    page = pathname2url(str(facts["report"]))
    return f"see it   cd {shlex.quote(place)}; {state}{program} evidence\nopen     file://{page}"


def _say(text: str, env: VerbEnvironment) -> None:
    if not env.json:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def _repository(content: str, env: VerbEnvironment) -> str:
    git = find_program("git", env.environ)
    if git is None:
        raise Trouble("the demo needs git; install git, then run: make demo")
    folder = f"{env.store.home.root}/demo-{os.urandom(2).hex()}/project"
    shutil.copytree(f"{content}/project", folder)
    for arguments in (["init", "-q"], ["add", "-A"], [*_AUTHOR, "commit", "-qm", "An address book"]):
        ask_program([git, "-C", folder, *arguments], env=dict(env.environ))
    return folder


def _refuse_less(env: VerbEnvironment, place: str, result: Result) -> None:
    """Check the demo itself: three attempts rejected, and everything delivered at the end."""
    facts = result.data if isinstance(result.data, dict) else {}
    taken = [
        f"the first attempt at {' or '.join(names)} was accepted"
        for why, names in _TURNED_DOWN.items()
        if not any(_turned_down(env, str(facts["session_id"]), name, why) for name in names)
    ]
    script = f"import os, sys; os.chdir({place!r}); sys.path.insert(0, '.')\n{_ASKED}"
    works = ask_program([sys.executable, "-c", script], env=dict(env.environ)).exit == 0
    missing = [
        *taken,
        *([] if works else ["the delivered code does not work"]),
        *([] if facts.get("rounds") == 1 else ["one round was expected to be enough"]),
    ]
    if result.exit or missing:
        raise Trouble(f"the demo did not end as it should: {'; '.join(missing)}; {result.text}")


def _turned_down(env: VerbEnvironment, session: str, subject: str, why: str) -> bool:
    rows = attempts.list_of_subject(env.store.database, session, subject)
    return len(rows) > 1 and rows[0].status == task.FAILED and why in rows[0].reason


COMMANDS = (
    Command(
        "",
        "Scripted agents work on a temporary repository; no account is needed",
        run_demo,
        example="ultrawork demo\nmake demo",
    ),
)
