"""Python: which runner, how it is started here, and what is configured."""

import pytest

PROJECT = "[project]\nname = 'x'\n"
OPTIONS = "[tool.pytest.ini_options]\ntestpaths = ['tests']\n"
CLASSIC = "import unittest\n\nclass T(unittest.TestCase):\n    def test_a(self): pass\n"
MODERN = "def test_a():\n    assert True\n"

ROWS = [
    ("options in pyproject", {"pyproject.toml": PROJECT + OPTIONS}, ["test: pytest | pyproject.toml | pytest"], []),
    ("pytest.ini", {"pytest.ini": "[pytest]\n", "setup.py": ""}, ["test: pytest | pytest.ini | pytest"], []),
    ("tox.ini for pytest", {"tox.ini": "[pytest]\n", "setup.py": ""}, ["test: pytest | tox.ini | pytest"], []),
    ("setup.cfg", {"setup.cfg": "[tool:pytest]\naddopts = -q\n"}, ["test: pytest | setup.cfg | pytest"], []),
    ("uv", {"pyproject.toml": PROJECT + OPTIONS, "uv.lock": ""}, ["test: uv run pytest | pyproject.toml | pytest"], []),
    (
        "poetry",
        {"pyproject.toml": OPTIONS, "poetry.lock": ""},
        ["test: poetry run pytest | pyproject.toml | pytest"],
        [],
    ),
    ("pdm", {"pyproject.toml": OPTIONS, "pdm.lock": ""}, ["test: pdm run pytest | pyproject.toml | pytest"], []),
    ("pipenv", {"pytest.ini": "[pytest]\n", "Pipfile.lock": ""}, ["test: pipenv run pytest | pytest.ini | pytest"], []),
    (
        "hatch, its own test command",
        {"pyproject.toml": PROJECT + OPTIONS + "[tool.hatch.envs.hatch-test]\nextra-args = ['-q']\n"},
        ["test: hatch test | pyproject.toml | pytest"],
        [],
    ),
    (
        "hatch, tools in the default environment",
        {"pyproject.toml": PROJECT + OPTIONS + "[tool.hatch.envs.default]\ndependencies = ['pytest']\n"},
        ["test: hatch run pytest | pyproject.toml | pytest"],
        [],
    ),
    (
        "a virtual environment",
        {"pyproject.toml": PROJECT + OPTIONS, ".venv/bin/pytest": "", ".venv/bin/python": ""},
        ["test: .venv/bin/pytest | pyproject.toml | pytest"],
        [],
    ),
    (
        "a virtual environment without pytest is not left for another one",
        {"pyproject.toml": PROJECT + OPTIONS, "venv/bin/python": ""},
        ["test: venv/bin/python -m pytest | pyproject.toml | pytest"],
        [],
    ),
    (
        "a plain folder of modules is made importable",
        {"report.py": "", "tests/test_report.py": MODERN},
        ["test: python3 -m pytest | tests/test_report.py | pytest"],
        [],
    ),
    (
        "a conftest at the root makes it importable",
        {"conftest.py": "", "tests/test_report.py": MODERN},
        ["test: pytest | tests/test_report.py | pytest"],
        [],
    ),
    (
        "unittest in a package",
        {"setup.py": "", "tests/__init__.py": "", "tests/test_x.py": CLASSIC},
        ["test: python3 -m unittest | tests/test_x.py | unittest"],
        [],
    ),
    (
        "unittest in a plain folder",
        {"setup.py": "", "tests/test_x.py": CLASSIC},
        ["test: python3 -m unittest discover -s tests | tests/test_x.py | unittest"],
        [],
    ),
    (
        "unittest beside the code",
        {"test_x.py": CLASSIC, ".venv/bin/python": ""},
        ["test: .venv/bin/python -m unittest | test_x.py | unittest"],
        [],
    ),
    (
        "one pytest file among unittest files decides",
        {"setup.py": "", "tests/test_a.py": CLASSIC, "tests/test_b.py": "import pytest\n"},
        ["test: pytest | tests/test_b.py | pytest"],
        [],
    ),
    (
        "tests inside the package",
        {"setup.py": "", "pkg/__init__.py": "", "pkg/tests/test_a.py": MODERN},
        ["test: pytest | pkg/tests/test_a.py | pytest"],
        [],
    ),
    (
        "Django",
        {"manage.py": "", "app/tests.py": "from django.test import TestCase\n"},
        ["test: python3 manage.py test | manage.py | unittest"],
        [],
    ),
    (
        "the runner rather than tox",
        {"setup.py": "", "tox.ini": "[testenv]\ndeps = pytest\ncommands =\n    pytest {posargs:tests} --cov=x\n"},
        ["test: pytest | tox.ini | pytest"],
        [],
    ),
    (
        "folders that tox names are kept, options are not",
        {
            "setup.py": "",
            "tests/unit/test_a.py": MODERN,
            "tox.ini": "[testenv]\ncommands = {envpython} -m pytest --cov tests/unit\n",
        },
        ["test: pytest tests/unit | tox.ini | pytest"],
        [],
    ),
    (
        "unittest as tox runs it",
        {"setup.py": "", "tox.ini": "[testenv]\ncommands = python -m unittest discover -s tests -v {posargs}\n"},
        ["test: python3 -m unittest discover -s tests -v | tox.ini | unittest"],
        [],
    ),
    (
        "another runner of tox",
        {"setup.py": "", "tox.ini": "[testenv]\ncommands = trial x.test\n", "uv.lock": ""},
        ["test: uv run trial x.test | tox.ini | trial"],
        [],
    ),
    (
        "tox itself where the command is not plain",
        {"setup.py": "", "tox.ini": "[testenv]\ncommands = python -m unittest {env:WHAT:x}\n"},
        ["test: tox -e py | tox.ini | unittest"],
        [],
    ),
    (
        "what tox runs without arguments",
        {"setup.py": "", "unit/x.py": "", "tox.ini": "[testenv]\ncommands = pytest {posargs:unit}\n"},
        ["test: pytest unit | tox.ini | pytest"],
        [],
    ),
    (
        "a test program of the project's own",
        {"setup.py": "", "tox.ini": "[testenv]\ncommands = python -bb -m x.test {posargs:}\n"},
        ["test: python3 -m x.test | tox.ini | "],
        [],
    ),
    (
        "a test script in another folder",
        {
            "setup.py": "",
            ".venv/bin/python": "",
            "tox.ini": "[testenv]\nchangedir = test\ncommands = python alltests.py\n",
        },
        ["test: cd test && ../.venv/bin/python alltests.py | tox.ini | "],
        [],
    ),
    (
        "commands of tox that are tied to a factor",
        {
            "setup.py": "",
            "tox.ini": "[testenv]\ncommands =\n  python a.py\n  nocov: python -m twisted.trial {env:A:x}\n",
        },
        ["test: tox -e nocov | tox.ini | trial"],
        [],
    ),
    (
        "a session of nox that is not plain",
        {
            "setup.py": "",
            "noxfile.py": "import nox\n@nox.session\ndef tests(session):\n    session.run('virtue', PACKAGE)\n",
        },
        ["test: nox -s tests | noxfile.py | virtue"],
        [],
    ),
    (
        "unittest files with other names",
        {"setup.py": "", "pkg/__init__.py": "", "pkg/test/a_test.py": CLASSIC},
        ["test: python3 -m unittest discover -p '*_test.py' | pkg/test/a_test.py | unittest"],
        [],
    ),
    (
        "a folder called testing",
        {"setup.py": "", "testing/deep/test_a.py": MODERN},
        ["test: pytest | testing/deep/test_a.py | pytest"],
        [],
    ),
    (
        "mypy checks the code, not the tests",
        {"pyproject.toml": "[tool.mypy]\n", "pkg/__init__.py": "", "tests/__init__.py": ""},
        ["types: mypy pkg | pyproject.toml | "],
        [],
    ),
    (
        "mypy is not sent to code in another language",
        {"pyproject.toml": "[tool.mypy]\n", "src/lib.rs": "", "pkg/__init__.py": ""},
        ["types: mypy pkg | pyproject.toml | "],
        [],
    ),
    (
        "mypy checks every package but those beside the code",
        {
            "pyproject.toml": "[tool.mypy]\n",
            "a/__init__.py": "",
            "b/__init__.py": "",
            "benchmarks/__init__.py": "",
            "data/x.txt": "",
        },
        ["types: mypy a b | pyproject.toml | "],
        [],
    ),
    (
        "mypy checks what tox names",
        {
            "pyproject.toml": "[tool.mypy]\n",
            "src/x.py": "",
            "typing/a.py": "",
            "tox.ini": "[testenv:mypy]\ncommands = mypy --strict src typing\n",
        },
        ["types: mypy --strict src typing | pyproject.toml | "],
        [],
    ),
    (
        "tox in pyproject",
        {"pyproject.toml": PROJECT + "[tool.tox]\nenv_run_base.commands = [['pytest', '-q']]\n"},
        ["test: pytest | pyproject.toml | pytest"],
        [],
    ),
    (
        "the runner rather than nox",
        {
            "setup.py": "",
            "noxfile.py": "import nox\n@nox.session(python='3.12')\ndef tests(session):\n    session.install('.')\n    session.run('pytest', '-q', *session.posargs)\n",
        },
        ["test: pytest | noxfile.py | pytest"],
        [],
    ),
    (
        "ruff, flake8, mypy: one each",
        {"pyproject.toml": "[tool.ruff]\n[tool.mypy]\nfiles = ['src']\n[tool.pyright]\n", ".flake8": "[flake8]\n"},
        ["lint: ruff check . | pyproject.toml | ", "types: mypy | pyproject.toml | "],
        ["flake8: ruff check . is used instead", "pyright: mypy is used instead"],
    ),
    (
        "mypy is told what to check where its options do not",
        {"mypy.ini": "[mypy]\nstrict = True\n", "uv.lock": ""},
        ["types: uv run mypy . | mypy.ini | "],
        [],
    ),
    (
        "pyright",
        {"pyrightconfig.json": "{}", ".venv/bin/pyright": ""},
        ["types: .venv/bin/pyright | pyrightconfig.json | "],
        [],
    ),
    ("basedpyright", {"pyproject.toml": "[tool.basedpyright]\n"}, ["types: basedpyright | pyproject.toml | "], []),
    ("ruff.toml", {"ruff.toml": "line-length = 90\n"}, ["lint: ruff check . | ruff.toml | "], []),
    ("no options, no lint gate", {"setup.py": "", "pkg/__init__.py": ""}, [], []),
    ("broken pyproject", {"pyproject.toml": "[tool.ruff\n"}, [], ["pyproject.toml: is not valid TOML"]),
    ("broken tox.ini", {"tox.ini": "commands\n"}, [], ["tox.ini: is not valid INI"]),
    ("broken noxfile", {"noxfile.py": "def (:\n"}, [], ["noxfile.py: is not valid Python"]),
]


def test_options_that_run_only_what_failed_last_make_no_gate(project):
    here = project(
        {
            "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-q --lf"\n',
            "tests/test_a.py": "def test_a(): pass\n",
        }
    )
    assert not [line for line in here.lines() if line.startswith("test")]
    assert "(--lf)" in "\n".join(here.left_out())


@pytest.mark.parametrize(("files", "gates", "left_out"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS])
def test_found(project, files, gates, left_out):
    here = project(files)
    assert here.lines() == gates
    seen = here.left_out()
    assert [start for start in left_out if not any(line.startswith(start) for line in seen)] == []


def test_definition_is_the_command_and_the_options_but_no_dependency(project):
    text = "[project]\nname = 'x'\ndependencies = [%s]\n[tool.pytest.ini_options]\naddopts = '-q'\n"
    before = project({"pyproject.toml": text % ""}).gate()
    after = project({"pyproject.toml": text % "'rich'"}).gate()
    assert before.definition == 'pytest\n[pyproject.toml tool.pytest] {"ini_options": {"addopts": "-q"}}'
    assert after.definition == before.definition
    assert before.files == ("pyproject.toml",)


def test_options_that_change_what_is_collected_change_the_definition(project):
    before = project({"pytest.ini": "[pytest]\n"}).gate().definition
    assert project({"pytest.ini": "[pytest]\naddopts = -k nothing\n"}).gate().definition != before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".coveragerc", "[report]\nfail_under = {}\n"),
        ("setup.cfg", "[coverage:report]\nfail_under = {}\n"),
        ("pyproject.toml", "[tool.coverage.report]\nfail_under = {}\n"),
    ],
)
def test_a_threshold_of_coverage_is_part_of_what_the_gate_asks_for(project, name, text):
    whole, half = (project({"pytest.ini": "[pytest]\n", name: text.format(number)}).gate() for number in (100, 50))
    assert whole.definition != half.definition
