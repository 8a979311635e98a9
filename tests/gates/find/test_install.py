"""The command that a fresh clone needs, from its lock file and manifest."""

import pytest

from ultrawork.core.verdict.gate import LINT, TEST, TYPES, Gate
from ultrawork.gates.find.folder import ProjectFolder
from ultrawork.gates.find.install import choose_install, list_asked_for, list_installs
from ultrawork.gates.run import remedy

DEPENDS = '{"devDependencies": {"jest": "^29"}}'
EXTRAS = "[project]\nname = 'x'\n[project.optional-dependencies]\ndocs = ['a']\ntest = ['pytest']\ndev = ['b']\n"
ROWS = {
    "npm": ({"package.json": DEPENDS, "package-lock.json": "{}"}, "npm ci"),
    "npm without a lock": ({"package.json": DEPENDS}, "npm install"),
    "pnpm": ({"package.json": DEPENDS, "pnpm-lock.yaml": ""}, "pnpm install --frozen-lockfile"),
    "yarn, the old one": (
        {"package.json": DEPENDS, "yarn.lock": "# yarn lockfile v1\n"},
        "yarn install --frozen-lockfile",
    ),
    "yarn": ({"package.json": DEPENDS, "yarn.lock": "__metadata:\n"}, "yarn install --immutable"),
    "bun": ({"package.json": DEPENDS, "bun.lock": "{}"}, "bun install --frozen-lockfile"),
    "uv": ({"pyproject.toml": "[project]\nname = 'x'\n", "uv.lock": ""}, "uv sync"),
    "uv with extras": ({"pyproject.toml": EXTRAS, "uv.lock": ""}, "uv sync --extra dev --extra test"),
    "poetry": ({"pyproject.toml": "[tool.poetry]\nname = 'x'\n", "poetry.lock": ""}, "poetry install"),
    "pip with the extras that exist": ({"pyproject.toml": EXTRAS}, "pip install -e '.[dev,test]'"),
    "pip with one extra for all": ({"pyproject.toml": EXTRAS.replace("test", "all").replace("dev", "web")}, "pip install -e '.[all]'"),
    "pip with a group": (
        {"pyproject.toml": "[project]\nname = 'x'\n[dependency-groups]\nruns = ['pytest>=8']\n"
         "dev = [{include-group = 'runs'}, 'coverage']\n"},
        "pip install -e . 'pytest>=8' coverage",
    ),
    "setup.py": (
        {"setup.py": "setup(extras_require={'testing': ['pytest'], 'docs': []})"},
        "pip install -e '.[testing]'",
    ),
    "requirements": (
        {"setup.py": "setup()", "requirements-dev.txt": "pytest\n", "requirements.txt": "a\n"},
        "pip install -e . -r requirements-dev.txt",
    ),
    "requirements that tox names": (
        {"setup.py": "setup()", "requirements-develop.txt": "a\n", "ci/tests39.txt": "pytest\n", "old.txt": "b\n",
         "tox.ini": "[testenv]\ndeps = -r{toxinidir}/ci/tests39.txt\n    py27: -r old.txt\n    -r gone.txt\n"},
        "pip install -e . -r ci/tests39.txt",
    ),
    "requirements alone": ({"requirements.txt": "a\n"}, "pip install -r requirements.txt"),
    "bundler": ({"Gemfile": ""}, "bundle install"),
    "cargo": ({"Cargo.toml": "[package]\nname = 'x'\n"}, "cargo fetch"),
    "cargo with a lock": ({"Cargo.toml": "[package]\n", "Cargo.lock": ""}, "cargo fetch --locked"),
    "go": ({"go.mod": "module x\n", "go.sum": ""}, "go mod download"),
    "go without sums": ({"go.mod": "module x\n"}, "go mod tidy"),
    "composer": ({"composer.json": "{}"}, "composer install"),
    "mix": ({"mix.exs": "defmodule X do\nend\n"}, "mix deps.get"),
    "Flutter": ({"pubspec.yaml": "dependencies:\n  flutter:\n    sdk: flutter\n"}, "flutter pub get"),
    "Perl": ({"Makefile.PL": ""}, "cpanm --installdeps ."),
    "Lua": ({"x-1.0-1.rockspec": ""}, "luarocks install --only-deps x-1.0-1.rockspec"),
    "autotools": ({"Makefile.am": "", "configure.ac": ""}, "autoreconf -i && ./configure"),
    "autotools, released": ({"Makefile.am": "", "configure": ""}, "./configure"),
    "a Makefile that configure makes": (
        {"configure": "", "Makefile.in": "check:\n\tsh t.sh\n", "Makefile": "all:\n\techo configure first\n",
         "CMakeLists.txt": "enable_testing()\n"},
        "./configure",
    ),
    "CMake": ({"CMakeLists.txt": "enable_testing()\n"}, "cmake -B build"),
}  # fmt: skip


@pytest.mark.parametrize("row", list(ROWS))
def test_the_command_of_the_projects_own_package_manager(project, row):
    files, command = ROWS[row]
    found = list_installs(ProjectFolder(project(files).files))
    assert [one.command for one in found] == [command]


def test_a_package_without_packages_needs_nothing(project):
    assert list_installs(ProjectFolder(project({"package.json": "{}", "a.js": ""}).files)) == []


def test_a_member_of_a_workspace_is_installed_from_the_root(project):
    here = project({"package-lock.json": "{}", "web/package.json": DEPENDS, "package.json": "{}"})
    (found,) = list_installs(ProjectFolder(here.files, "web"))
    assert (found.describe(), found.done) == ("npm ci", False)


def test_the_manager_of_the_gates_own_tools_is_chosen(project):
    files = {"package.json": DEPENDS, "package-lock.json": "{}", "pyproject.toml": EXTRAS}
    found = list_installs(ProjectFolder(project(files).files))

    def choose(command, definition=""):
        gate = Gate(name="test", kind=TEST, argv=command.split(), command=command, source="", reason="", definition=definition)  # fmt: skip
        return choose_install(found, gate).command

    assert choose("pytest") == "pip install -e '.[dev,test]'"
    assert choose("npm test") == "npm ci"
    assert choose("make test", "test:\n\tpytest -q") == "pip install -e '.[dev,test]'"


def test_only_what_the_project_asks_for_is_missing_from_an_install(project):
    here = ProjectFolder(project({"requirements.txt": "PyYAML>=6\n", "src/shop/__init__.py": ""}).files)
    assert list_asked_for(here, ["yaml", "shop", "billing"]) == ["yaml", "shop"]


def gate(command="pytest"):
    return Gate(name="test", kind=TEST, argv=[command], command=command, source="", reason="")


def test_a_program_that_a_target_builds_is_advised_to_be_built(project):
    from ultrawork.core.verdict.gate_run import RunFacts, find_colour

    here = project({"Makefile": "shop: shop.c\n\tcc -o shop shop.c\n\ncheck:\n\t./shop\n"})
    check = gate("make")

    def advise(program):
        facts = RunFacts(exit=127, output=f"sh: 1: {program}: not found\n")
        return remedy.advise(check, find_colour(facts), here.root)

    assert advise("./shop") == "run make shop, then run `ultrawork verify`"
    assert not advise("./other").startswith("run make")


def test_the_advice_is_one_sentence_with_the_whole_command(project):
    from ultrawork.core.verdict.gate_run import RunFacts, find_colour

    here = project({"pyproject.toml": EXTRAS})

    def advise(output, exit_=127):
        return remedy.advise(gate(), find_colour(RunFacts(exit=exit_, output=output)), here.root)

    assert advise("sh: 1: pytest: not found\n") == (
        "run pip install -e '.[dev,test]' (or ultrawork gates prepare), then run `ultrawork verify`"
    )
    assert advise("sh: 1: make: not found\n") == "install make, then run `ultrawork verify`"
    assert advise("error: no default toolchain\nhelp: run `rustup default stable`\n", 1) == (
        "run `rustup default stable`"
    )
    assert advise("Connection refused\n", 1) == "start the service it needs, then run `ultrawork verify`"
    assert advise("assert 1 == 2\n", 1) == ""


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"pyproject.toml": "[project]\nname = 'x'\n"}, "pip install -e . pytest"),
        ({"setup.py": "", "dev.requirements.txt": "pytest>=8\n"}, "pip install -e . -r dev.requirements.txt"),
        ({"setup.py": "", "dev-requirements.txt": "-r more.txt\n"}, "pip install -e . -r dev-requirements.txt"),
        ({"pyproject.toml": EXTRAS}, "pip install -e '.[dev,test]'"),
        ({"pyproject.toml": EXTRAS.replace("'pytest'", "'c'")}, "pip install -e '.[dev,test]' pytest"),
        ({"pyproject.toml": "[project]\nname = 'x'\n", "uv.lock": ""}, "uv sync"),
        ({"pyproject.toml": "[project]\nname = 'x'\n", "uv.lock": '[[package]]\nname = "a"\n'}, "uv sync && uv pip install pytest"),
        ({"pyproject.toml": "[project]\nname = 'x'\n", "uv.lock": '[[package]]\nname = "pytest"\n'}, "uv sync"),
    ],
)  # fmt: skip
def test_a_runner_that_no_manifest_asks_for_is_named_beside_the_project(project, files, command):
    gate = Gate(name="test", kind=TEST, argv=["pytest"], command="pytest", source="", reason="", runner="pytest")  # fmt: skip
    found = choose_install(list_installs(ProjectFolder(project(files).files)), gate)
    assert found.command == command


@pytest.mark.parametrize("files", [{"setup.cfg": "[metadata]\nname = x\n[flake8]\n"}, {"shop.py": ""}])
def test_a_project_that_pip_cannot_install_gets_its_missing_tool_alone(project, files):
    check = Gate(name="lint", kind=LINT, argv=["flake8"], command="flake8", source="", reason="")
    installs = list_installs(ProjectFolder(project(files).files))
    assert choose_install(installs, check) is None
    advised = choose_install(installs, check, "flake8")
    assert remedy.word_install(advised) == "run pip install flake8, then run `ultrawork verify`"


SCRIPT = "setup(name='shop', extras_require={'test': ['pytest>=7', 'mypy']})\n"
CONFIGURED = "[options.extras_require]\ntest =\n  pytest\n  mypy\n[ruff]\n"


@pytest.mark.parametrize("files", [{"setup.py": SCRIPT}, {"setup.py": "setup()\n", "setup.cfg": CONFIGURED}])
@pytest.mark.parametrize(
    ("tool", "kind", "command"),
    [
        ("ruff", LINT, "pip install ruff"),
        ("pyright", TYPES, "pip install -e '.[test]' pyright"),
        ("mypy", TYPES, "pip install -e '.[test]'"),
    ],
)
def test_a_tool_that_an_extra_lacks_is_named(project, files, tool, kind, command):
    """A linter alone; a type checker also reads what the project installs."""
    check = Gate(name="check", kind=kind, argv=[tool], command=tool, source="", reason="")
    installs = list_installs(ProjectFolder(project(files).files))
    assert choose_install(installs, check, tool).command == command


HOOKS = """\
repos:
  - repo: https://example.org/astral-sh/ruff-pre-commit
    rev: v0.4.8
    hooks: [{id: ruff}]
"""


@pytest.mark.parametrize(
    ("more", "command"),
    [
        ({}, "pip install ruff==0.4.8"),
        ({".venv/bin/pip": ""}, ".venv/bin/pip install ruff==0.4.8"),
        ({"uv.lock": '[[package]]\nname = "a"\n', ".venv/x": ""}, "uv pip install ruff==0.4.8"),
    ],
)
def test_a_tool_that_is_missing_comes_in_the_version_that_the_project_pins(project, more, command):
    """And not by the install that is there already and never brings it."""
    here = project({"pyproject.toml": EXTRAS, ".pre-commit-config.yaml": HOOKS, **more})
    check = Gate(name="lint", kind=LINT, argv=["ruff", "check"], command="ruff check", source="", reason="")  # fmt: skip
    installs = list_installs(ProjectFolder(here.files))
    assert choose_install(installs, check, "ruff").command == command


def test_another_way_to_build_is_not_what_a_gate_lacks(project):
    files = {"Makefile": "test: a\n\t./a\n", "CMakeLists.txt": "enable_testing()\n"}
    here = project(files)
    root = ProjectFolder(here.files)
    assert choose_install(list_installs(root), here.gate()) is None
