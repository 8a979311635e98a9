"""A newcomer who follows a page word for word, with an empty HOME and an empty environment, gets what it says."""

import json
import os
import subprocess

import pytest

from support import clients, installers, literal, literal_client, ulw
from support.claude import Claude
from support.floor import REPOSITORY
from support.literal import DEMO_SECONDS, VERDICT_SECONDS, Pace, Reader, WordsError
from support.page_projects import LOGIN, UNATTENDED
from support.process import end_all
from support.scripted_model import ScriptedModel

README, INSTALL, FIRST = "README.md", "docs/how-to/install.md", "docs/tutorial/first-ulw.md"
CLIENTS = {"Claude Code": clients.CLAUDE, "Codex": clients.CODEX}
INSTALLERS = {"pipx": "pipx", "uv": "uv"}
# It builds and installs as pip does, in an environment of its own as uv does.
REPEATS = ("pipx",)
SETTINGS = {"Gemini CLI": ".gemini/settings.json", "opencode": ".config/opencode/opencode.json"}
PAGE = """\
# Page

In the folder of a clone:

```sh
export WORD=hello
mkdir deep
cd deep
```

## Next

```console
$ echo $WORD from ${PWD##*/}
hello from deep
```
"""


def read(page):
    with open(f"{REPOSITORY}/{page}", encoding="utf-8") as file:
        return file.read()


WAYS = literal.list_ways(read(INSTALL))


@pytest.fixture
def page_of(tmp_path):
    """A function from a page to a reader of a repository that has no other."""

    def make(text):
        os.mkdir(tmp_path / "source")
        ulw.make(str(tmp_path / "source"), {"page.md": text})
        return Reader(str(tmp_path / "reader"), repository=str(tmp_path / "source"))

    return make


def test_the_readers_shell_keeps_its_folder_and_its_variables(page_of):
    reader = page_of(PAGE)
    assert reader.follow("page.md") == 4
    assert reader.folder == f"{reader.clone}/deep"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [("mkdir deep", "mkdir deep/er", "exits with 1"), ("hello from deep", "hello from below", "--- page")],
)
def test_words_that_are_not_so_are_noticed(page_of, old, new, said):
    reader = page_of(PAGE.replace(old, new))
    with pytest.raises(WordsError) as caught:
        reader.follow("page.md")
    assert said in str(caught.value)


def test_a_page_that_names_no_folder_leaves_its_reader_at_home(page_of):
    reader = page_of(PAGE.replace("In the folder of a clone", "Type"))
    reader.follow("page.md")
    assert reader.folder == f"{reader.home}/deep"


def test_a_reader_has_nothing_of_this_machine(page_of):
    reader = page_of(PAGE)
    assert reader.run("ls -A ~").stdout == ""
    names = {line.partition("=")[0] for line in reader.run("env").stdout.splitlines()}
    known = {"HOME", "PATH", "LANG", "PWD", "OLDPWD", "SHLVL", "_"}
    strange = {one for one in names - known if not one.startswith(("GIT_", *installers.NETWORK))}
    assert {one for one in strange if not one.lower().endswith("_proxy")} == set()


def test_every_way_of_the_install_page_is_followed():
    plain = {"Links", "pip"}
    assert set(WAYS) == {*CLIENTS, *INSTALLERS, *SETTINGS, *plain}


@pytest.mark.slow
def test_a_clone_shows_the_demo_in_time(tmp_path):
    with Pace() as pace:
        reader = Reader(str(tmp_path))
        assert reader.follow(README, "See it work") == 1
        seconds = reader.seconds
    print(f"clone to the demo's PASS: {seconds:.1f} s, machine slower by {pace.factor:.2f}")
    assert seconds <= DEMO_SECONDS * pace.factor
    left = reader.run(f"git -C {reader.clone} status --porcelain --ignored").stdout
    assert left == "!! demo/\n"


@pytest.mark.slow
def test_the_unattended_tutorial_works_as_written(tmp_path):
    assert Reader(str(tmp_path)).follow(UNATTENDED) > 8


@pytest.mark.slow
@pytest.mark.parametrize(
    "way",
    [pytest.param(one, marks=[pytest.mark.release] if one in REPEATS else []) for one in WAYS if one not in CLIENTS],
)
def test_a_way_to_install_works_as_written(way, tmp_path):
    programs = [installers.find_folder(INSTALLERS[way])] if way in INSTALLERS else []
    reader = Reader(str(tmp_path), programs)
    assert reader.follow(INSTALL, way)
    if way in SETTINGS:
        with open(f"{reader.home}/{SETTINGS[way]}", encoding="utf-8") as file:
            assert f"{reader.clone}/plugin/bin/" in json.dumps(json.load(file))


def list_programs(package):
    """The folder of a client's program, beside the one of node."""
    node = subprocess.run(["which", "node"], capture_output=True, text=True, check=True).stdout
    return [os.path.dirname(clients.program(package)), os.path.dirname(node)]


@pytest.mark.client
@pytest.mark.parametrize("way", sorted(CLIENTS))
def test_a_client_has_the_plugin_after_the_lines_of_the_page(way, tmp_path):
    reader = Reader(str(tmp_path), list_programs(CLIENTS[way]))
    assert reader.follow(INSTALL, way) == 2
    listed = reader.run(f"{clients.PROGRAMS[CLIENTS[way]]} plugin list")
    assert "ultrawork@ultrawork" in listed.stdout
    end_all("HOME", reader.home)


@pytest.mark.client
@pytest.mark.parametrize(("page", "headings"), [(README, ["Three commands"]), (FIRST, ["Install", "Choose a project"])])
def test_the_screens_of_a_page_are_those_of_the_client(page, headings, tmp_path):
    """From the clone over the lines that install to the last screen, in the real client."""
    project = os.path.realpath(tmp_path / "reader/home/login")
    text = read(page)
    rules = literal_client.make_script(page, text, project)
    with Pace() as pace, ScriptedModel(rules, log_bodies=True) as model:
        reader = Reader(str(tmp_path / "reader"), list_programs(clients.CLAUDE))
        for heading in headings:
            assert reader.follow(page, heading) >= 2
        if not os.path.exists(project):
            ulw.make(project, LOGIN)
        seat = Claude(
            clients.program(clients.CLAUDE),
            home=reader.home,
            project=project,
            model=model,
            env={"PATH": reader.env["PATH"]},
        )
        with seat.terminal(
            allowed=["Read", "Write"], rows=literal_client.ROWS, columns=literal_client.COLUMNS
        ) as terminal:
            literal_client.play(text, terminal)
        seconds = reader.seconds
    end_all("HOME", reader.home)
    print(f"clone to the end of {page}: {seconds:.1f} s, machine slower by {pace.factor:.2f}")
    if page == README:
        assert seconds <= VERDICT_SECONDS * pace.factor
