"""The overview that the program makes of a project by itself."""

import os
import subprocess
import time

import pytest

from ultrawork.flow import overview

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
    made = overview.make(str(shop), ENVIRON, {})
    assert made.stack == ["TypeScript", "express"]
    assert "4 files, 1 of them tests" in made.summary
    for part in ("src/ (2 files)", "src/index.ts", "Sells things.", "Open the shop", "test: `"):
        assert part in made.text


def test_at_most_seven_files_are_read(tmp_path):
    write(tmp_path, dict.fromkeys(overview._MANIFESTS, "x\n") | {"a.py": "x\n"})
    made = overview.make(str(tmp_path), ENVIRON, {})
    assert len(made.key_files) <= overview.READ == 7


def test_a_project_without_git_is_walked_without_its_dependencies(tmp_path):
    write(tmp_path, {"main.py": "x\n", "node_modules/x/index.js": "x\n", ".venv/a.py": "x\n"})
    assert overview.listing(str(tmp_path), ENVIRON) == ["main.py"]


def test_an_empty_folder_has_an_overview(tmp_path):
    assert "no known language; 0 files" in overview.make(str(tmp_path), ENVIRON, {}).summary


@pytest.mark.slow
def test_twenty_thousand_files_take_less_than_three_seconds(tmp_path):
    for number in range(20_000):
        folder = tmp_path / f"d{number % 100}"
        folder.mkdir(exist_ok=True)
        (folder / f"m{number}.py").touch()
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    began = time.monotonic()
    made = overview.make(str(tmp_path), ENVIRON, {})
    assert time.monotonic() - began < 3
    assert "20000 files" in made.summary
