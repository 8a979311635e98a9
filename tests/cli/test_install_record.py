"""The record of an installation survives damage and a kill: what was changed can always be taken back, or is refused."""

import os
import signal
import subprocess

import pytest

from support.floor import PATH, Program
from ultrawork.clients import installation
from ultrawork.store import install_entries, install_record
from ultrawork.store.install_record import Intent
from ultrawork.store.paths import Home

SETTINGS = '{"theme":   "dark"}\n'
# A client that the machine ends while it writes: the whole group goes, and ultrawork with it.
KILLED = """\
#!/bin/sh
[ "$1" = --version ] && { echo "2.1.325 (Claude Code)"; exit; }
echo "$*" >>"$HOME/../asked"
case "$*" in
*add*) mkdir -p "$HOME/.claude/plugins"; echo '{}' >"$HOME/.claude/plugins/known_marketplaces.json"; kill -KILL $PPID ;;
esac
"""


@pytest.fixture
def person(tmp_path):
    """A user with settings of their own and a client."""
    made = Program(str(tmp_path))
    for name, text in {
        "home/.claude/settings.json": SETTINGS,
        "home/.gemini/settings.json": SETTINGS,
        "programs/claude": KILLED,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if name.startswith("programs") else 0o644)
    home = tmp_path / "home"
    made.environ = {"HOME": str(home), "PATH": f"{home}/.local/bin:{tmp_path}/programs:{PATH}"}
    made.home = f"{home}/.claude/ultrawork"
    return made


def locate(person):
    return f"{person.home}/installed.json"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


DAMAGES = {
    "cut off": lambda text: text[: len(text) // 2],
    "empty": lambda _: "",
    "not a record": lambda _: "[]",
    "a row without its path": lambda text: text.replace('"path"', '"gone"', 1),
    "bytes that are none": lambda text: text.replace('"bytes": "', '"bytes": "*', 1),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("words", [("install", "--statusline"), ("uninstall",)])
def test_a_damaged_record_is_refused_and_stays_as_it_is(person, damage, words):
    person.done("install", "--client", "gemini", "--yes")
    damaged = DAMAGES[damage](read(locate(person)))
    write(locate(person), damaged)
    answer = person.call(*words, "--yes")
    assert answer.status == 6
    assert f"in {locate(person)} (it is damaged), so nothing was changed; " in answer.err
    assert answer.err.endswith(f": mv {locate(person)} {locate(person)}.damaged\n")
    assert read(locate(person)) == damaged
    assert read(f"{person.environ['HOME']}/.claude/settings.json") == SETTINGS


def test_after_its_cure_a_damaged_record_is_no_obstacle(person):
    person.done("install", "--yes")
    write(locate(person), "{")
    os.rename(locate(person), f"{locate(person)}.damaged")
    person.done("install", "--client", "gemini", "--yes")
    person.done("uninstall", "--yes")
    assert read(f"{person.environ['HOME']}/.gemini/settings.json") == SETTINGS
    assert read(f"{locate(person)}.damaged") == "{"


def announce(person, step):
    """What a step that is killed right after its act leaves."""
    home = Home(person.home)
    folders = [one for path in step.watched for one in install_entries.list_missing_folders(path)]
    watched = (*folders, *step.watched)
    foreseen = {path: entry.digest for path, entry in step.foresee().items()}
    before = install_entries.list_entries(watched)
    install_record.announce(home, Intent(step.part, watched, before, foreseen))
    step.act()


def list_steps(person):
    return [*installation.list_link_steps(person.environ), *installation.list_client_steps("gemini", person.environ)]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_change_whose_record_was_never_written_is_taken_back(person, number):
    home = person.environ["HOME"]
    before = install_entries.list_entries([home])
    steps = list_steps(person)
    for step in steps[:number]:
        step.carry_out(Home(person.home))
    announce(person, steps[number])
    answer = person.done("uninstall", "--state", "--yes", "--json")
    assert answer.data["by_hand"] == []
    assert install_entries.list_entries([home]) == before


def test_an_install_after_a_kill_goes_on_and_forgets_nothing(person):
    home = person.environ["HOME"]
    before = install_entries.list_entries([home])
    announce(person, list_steps(person)[0])
    person.done("install", "--client", "gemini", "--statusline", "--yes")
    assert person.done("uninstall", "--state", "--yes", "--json").data["by_hand"] == []
    assert install_entries.list_entries([home]) == before


def test_what_the_user_wrote_after_a_kill_is_not_overwritten(person):
    path = f"{person.environ['HOME']}/.gemini/settings.json"
    announce(person, list_steps(person)[-1])
    write(path, read(path).replace("dark", "light"))
    person.done("uninstall", "--yes")
    assert '"light"' in read(path)
    assert "ultrawork" not in read(path)


def test_an_intent_that_came_to_nothing_changes_nothing(person):
    step = list_steps(person)[0]
    before = install_entries.list_entries(step.watched)
    install_record.announce(Home(person.home), Intent(step.part, step.watched, before, {}))
    assert person.done("uninstall", "--yes", "--json").data["removed"] == []


def test_a_program_that_is_killed_within_a_clients_command_leaves_its_intent(person, tmp_path):
    person.remember_python()
    person.done("install", "--yes")
    words = [f"{person.environ['HOME']}/.local/bin/ultrawork", "install", "--client", "claude", "--yes"]  # fmt: skip
    done = subprocess.run(words, env=person.environ, cwd=person.place, capture_output=True, check=False)  # fmt: skip
    assert done.returncode == -signal.SIGKILL
    person.done("uninstall", "--yes")
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[-1] == "plugin marketplace remove ultrawork"


def test_an_uninstall_that_was_killed_halfway_is_finished_by_the_next(person):
    home = person.environ["HOME"]
    person.done("install", "--client", "gemini", "--yes")
    write(f"{home}/.gemini/settings.json", SETTINGS)
    os.unlink(f"{home}/.local/bin/ulw")
    answer = person.done("uninstall", "--yes", "--json")
    assert answer.data["by_hand"] == []
    assert read(f"{home}/.gemini/settings.json") == SETTINGS


def test_a_pipe_in_a_clients_folder_stops_nothing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert install_entries.list_entries([str(tmp_path / "pipe")]) == {}


def test_large_files_of_a_client_make_no_large_record(tmp_path):
    (tmp_path / "large").write_bytes(b"x" * (9 * 1024 * 1024))
    (tmp_path / "small").write_bytes(b"x")
    before = install_entries.list_entries([str(tmp_path)])
    kept = Intent("codex", (str(tmp_path),), before, {}).document()["before"]
    assert kept[str(tmp_path / "large")] is None
    assert kept[str(tmp_path / "small")]["bytes"] == "eA=="
