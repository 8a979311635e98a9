"""The cases of `ultrawork eval`: the client's own evals are made from them, and each one can be solved."""

import os
import subprocess

import pytest
import yaml

from support import eval_files
from support.floor import PLUGIN
from ultrawork.content import models
from ultrawork.core.errors import NotFound, UsageError

CASES = models.read_cases(PLUGIN)
CHECKED = [one for one in CASES if not one.plain]
RIGHT = {
    "fix-is-proved": {"book.py": "def people(names):\n    return sorted(names)\n"},
    "beyond-the-example": {
        "text.py": "def shorten(text, width):\n    if len(text) <= width:\n        return text\n"
        "    return text[:width].rpartition(' ')[0] + '.'\n"
    },
    "wrong-test": {},
}


def test_the_folder_of_the_client_is_made_from_the_file():
    made = {}
    for folder, _, names in os.walk(f"{PLUGIN}/evals"):
        for name in names:
            with open(f"{folder}/{name}", encoding="utf-8") as file:
                made[f"{folder}/{name}"[len(f"{PLUGIN}/evals/") :]] = file.read()
    assert made == eval_files.render_all(PLUGIN), "make generate writes them anew"


@pytest.mark.parametrize("case", CASES, ids=lambda one: one.name)
def test_a_case_is_what_the_client_reads(case):
    found = yaml.safe_load(eval_files.render_case(case))
    assert found["name"] == case.name
    assert found["graders"] == list(case.graders)
    assert found["execution"]["prompt"].startswith("ulw ") or case.name == "quiet-without-ulw"


def is_passing(case, changed, folder):
    files = {**case.files, **changed, **{name: case.files[name] for name in case.kept}}
    for name, text in {**files, **case.hidden}.items():
        (folder / name).write_text(text)
    return subprocess.run(case.check, cwd=folder, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("case", CHECKED, ids=lambda one: one.name)
def test_the_check_of_a_case_tells_the_right_result_from_the_start(case, tmp_path):
    assert is_passing(case, RIGHT[case.name], tmp_path)
    if case.possible:
        assert not is_passing(case, case.files, tmp_path)


def test_bending_the_test_is_no_solution(tmp_path):
    bent = CASES[2].files["test_price.py"].replace("125", "120")
    assert not is_passing(CASES[2], {"test_price.py": bent}, tmp_path)


def test_a_case_that_is_not_there_is_named_with_the_nearest():
    with pytest.raises(NotFound, match=r'no case "wrong-tests"; did you mean wrong-test\?'):
        models.choose(CASES, ["wrong-tests"])
    assert models.choose(CASES, []) == CHECKED


def test_a_strange_key_is_refused(tmp_path):
    (tmp_path / "content").mkdir()
    (tmp_path / "content/evals.toml").write_text('[[case]]\nname = "x"\npromt = "y"\n')
    with pytest.raises(UsageError, match="case x has no key"):
        models.read_cases(str(tmp_path))
