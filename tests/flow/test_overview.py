"""The overview that the program makes of a project by itself."""

import os
import subprocess
import sys
import time

import pytest

from ultrawork.flow import overview
from ultrawork.gates.find.project import search_gates
from ultrawork.gates.trees.files import DiskFiles

ENVIRON = {"PATH": os.environ["PATH"]}
FILES = {
    "README.md": "# Shop\n\nSells things.\n",
    "package.json": '{"scripts": {"test": "vitest run"}, "dependencies": {"express": "4"}}',
    "src/index.ts": "export {}\n",
    "src/pay.test.ts": "test\n",
}


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def shop(tmp_path):
    write(tmp_path, FILES)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "Open the shop"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def test_an_overview_tells_stack_layout_checks_and_history(shop):
    made = overview.make(str(shop), ENVIRON, search_gates(DiskFiles(str(shop)), {}).gates)
    assert made.stack == ["TypeScript", "express"]
    assert "4 files, 1 of them tests" in made.summary
    for part in ("src/ (2 files)", "src/index.ts", "Sells things.", "Open the shop", "test: `"):
        assert part in made.text


COUNTING = """
import os, sys
from ultrawork.flow import overview
opened = set()
def hear(event, given):
    if event == "open" and isinstance(given[0], str) and given[0].startswith(sys.argv[1] + "/"):
        opened.add(os.path.relpath(given[0], sys.argv[1]))
sys.addaudithook(hear)
overview.make(sys.argv[1], {}, (), reads=int(sys.argv[2]))
print("\\n".join(sorted(opened)))
"""


@pytest.mark.parametrize("reads", [7, 3, 0])
def test_so_many_files_are_opened_and_no_more(tmp_path, reads):
    """As the interpreter itself counts them, in a project that has every manifest and a thousand files."""
    manifests = dict.fromkeys(overview._MANIFESTS, "x\n")
    sources = {f"src/m{number}/main.py": "x\n" for number in range(1000)}
    write(tmp_path, manifests | sources)
    done = subprocess.run(
        [sys.executable, "-c", COUNTING, str(tmp_path), str(reads)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    opened = done.stdout.split()
    assert len(opened) == reads
    assert set(opened) <= set(manifests)


def test_an_overview_is_made_within_its_budget_of_time(shop):
    """Thirty seconds are the documents'; a machine that is busy with eight others has them."""
    began = time.monotonic()
    overview.make(str(shop), ENVIRON, ())
    assert time.monotonic() - began < 30


def test_a_project_without_git_is_walked_without_its_dependencies(tmp_path):
    write(tmp_path, {"main.py": "x\n", "node_modules/x/index.js": "x\n", ".venv/a.py": "x\n"})
    assert overview.list_files(str(tmp_path), ENVIRON) == ["main.py"]


def test_an_empty_folder_has_an_overview(tmp_path):
    assert "no known language; 0 files" in overview.make(str(tmp_path), ENVIRON, ()).summary


@pytest.mark.slow
def test_twenty_thousand_files_take_less_than_three_seconds(tmp_path):
    for number in range(20_000):
        folder = tmp_path / f"d{number % 100}"
        folder.mkdir(exist_ok=True)
        (folder / f"m{number}.py").touch()
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    # Of the processor, git's time with it: a machine that is busy otherwise proves nothing.
    began = sum(os.times()[:4])
    made = overview.make(str(tmp_path), ENVIRON, ())
    assert sum(os.times()[:4]) - began < 3
    assert "20000 files" in made.summary
