"""Many projects in one checkout: which gates a change concerns."""

import pytest

MAKE = {"Makefile": "test:\n\t./all.sh\nlint:\n\truff check .\n"}
WEB = {"web/package.json": '{"scripts": {"test": "vitest run", "lint": "eslint ."}}'}
API = {"api/pyproject.toml": "[project]\nname = 'api'\n[tool.pytest.ini_options]\n"}
ALL = {**MAKE, **WEB, **API}


def crate(name, dependencies=""):
    return f"[package]\nname = '{name}'\n[dependencies]\n{dependencies}\n"


PNPM = {
    "package.json": '{"scripts": {"test": "turbo run test"}}',
    "pnpm-workspace.yaml": "# all\npackages:\n  - 'packages/*'\n  - \"!packages/old\"\n\ncatalog:\n  - x\n",
    "pnpm-lock.yaml": "",
    "packages/core/package.json": '{"name": "@x/core", "scripts": {"test": "vitest run"}}',
    "packages/ui/package.json": '{"name": "@x/ui", "scripts": {"test": "vitest run", "lint": "eslint ."}, "dependencies": {"@x/core": "workspace:*"}}',
    "packages/app/package.json": '{"name": "app", "scripts": {"test": "jest"}, "devDependencies": {"@x/ui": "workspace:^"}}',
    "packages/old/package.json": '{"name": "old", "scripts": {"test": "jest"}, "dependencies": {"@x/core": "workspace:*"}}',
    "packages/docs/package.json": '{"name": "docs", "scripts": {"test": "jest"}, "dependencies": {"@x/core": "npm:@y/core@1"}}',
}
CARGO = {
    "Cargo.toml": "[workspace]\nmembers = ['crates/*']\n[workspace.dependencies]\nbase = {path = 'crates/base'}\n",
    "crates/base/Cargo.toml": crate("base"),
    "crates/mid/Cargo.toml": crate("mid", "base.workspace = true"),
    "crates/top/Cargo.toml": crate("top", "") + "[target.'cfg(unix)'.dev-dependencies]\nmid = {path = '../mid'}\n",
    "crates/alone/Cargo.toml": crate("alone", "serde = '1'"),
}
GO = {
    "go.work": "use (\n\t./lib\n\t./cmd\n)\n",
    "lib/go.mod": "module example.org/lib\n",
    "cmd/go.mod": "module example.org/cmd\n\nrequire (\n\texample.org/lib v0.0.0\n)\n",
}
UV = {
    "pyproject.toml": "[tool.uv.workspace]\nmembers = ['libs/*']\n",
    "uv.lock": "",
    "libs/a/pyproject.toml": "[project]\nname = 'my_a'\n[tool.pytest.ini_options]\n",
    "libs/b/pyproject.toml": "[project]\nname = 'b'\n[tool.uv.sources]\nmy-a = {workspace = true}\n[tool.pytest.ini_options]\n",
}

# Name, files, changed paths, gates.
ROWS = [
    ("the nearest folder with gates", ALL, ["web/src/a.ts"], ["web/test", "web/lint"]),
    (
        "several folders",
        ALL,
        ["web/src/a.ts", "api/x/y/z.py"],
        ["web/test", "web/lint", "api/test"],
    ),
    ("a root file means the root's gates", ALL, ["README.md"], ["test", "lint"]),
    ("a folder without gates climbs to the root", ALL, ["docs/a/b.md"], ["test", "lint"]),
    ("a folder that is gone climbs too", ALL, ["old/thing.py"], ["test", "lint"]),
    (
        "options alone make no project",
        {**MAKE, "tests/ruff.toml": ""},
        ["tests/test_a.py"],
        ["test", "lint"],
    ),
    (
        "a project without tests adds its own checks to those above",
        {**MAKE, "web/package.json": '{"scripts": {"typecheck": "tsc --noEmit"}}'},
        ["web/a.ts"],
        ["web/types", "test", "lint"],
    ),
    (
        "fixtures are no projects",
        {**MAKE, "tests/fixtures/p/package.json": '{"scripts": {"test": "jest"}}'},
        ["tests/fixtures/p/a.js"],
        ["test", "lint"],
    ),
    (
        "pnpm: dependants, and theirs, but not their linters",
        PNPM,
        ["packages/core/a.ts"],
        ["packages/core/test", "packages/ui/test", "packages/app/test"],
    ),
    ("pnpm: nobody depends on it", PNPM, ["packages/app/a.ts"], ["packages/app/test"]),
    (
        "cargo: by path and through the workspace",
        CARGO,
        ["crates/base/src/lib.rs"],
        ["crates/base/test", "crates/mid/test", "crates/top/test"],
    ),
    ("go: by go.work", GO, ["lib/a.go"], ["lib/test", "cmd/test"]),
    (
        "go: taken in by a path from above",
        {
            "go.mod": "module e\n\nreplace e/check => ./check\n",
            "a_test.go": "package e\n",
            "check/go.mod": "module e/check\n",
            "other/go.mod": "module e/other\n",
        },
        ["check/check.go"],
        ["check/test", "test"],
    ),
    (
        "npm: not taken in from above",
        {
            "package.json": '{"scripts": {"test": "jest"}, "dependencies": {"b": "file:./web/old"}}',
            **WEB,
        },
        ["web/a.js"],
        ["web/test", "web/lint"],
    ),
    ("uv: by sources", UV, ["libs/a/x.py"], ["libs/a/test", "libs/b/test"]),
    (
        "a Maven module belongs to its build",
        {"pom.xml": "<modules/>", "core/pom.xml": "<a/>"},
        ["core/A.java"],
        ["test"],
    ),
    (
        "a Gradle module belongs to its build",
        {"settings.gradle": "", "core/build.gradle": ""},
        ["core/A.java"],
        ["test"],
    ),
    (
        "automake's Makefiles below belong to the root",
        {
            "Makefile": "check:\n\t./t\n",
            "src/Makefile": "# Makefile.in generated by automake 1.16\ncheck:\n\t./x\n",
        },
        ["src/a.c"],
        ["test"],
    ),
    ("nothing changed", ALL, [], []),
]


@pytest.mark.parametrize(("files", "changed", "names"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS])
def test_gates_for_changed_paths(project, files, changed, names):
    assert [gate.name for gate in project(files).gates(changed=changed)] == names


def test_gates_below_run_in_their_folder_and_show_whole_paths(project):
    gate = project(ALL).gates(changed=["web/a.ts"])[0]
    assert (gate.where, gate.source, gate.files) == (
        "web",
        "web/package.json:1",
        ("web/package.json",),
    )
    assert gate.command == "npm test"


def test_the_manager_and_programs_of_the_root_serve_the_packages(project):
    here = project({**PNPM, "packages/core/eslint.config.js": "", "node_modules/.bin/eslint": ""})
    commands = [gate.command for gate in here.gates(changed=["packages/core/a.ts"])[:2]]
    assert commands == ["pnpm test", "../../node_modules/.bin/eslint ."]


def test_an_environment_of_the_root_serves_the_folders(project):
    here = project({**API, ".venv/bin/pytest": "", ".venv/bin/python": ""})
    assert here.gates(changed=["api/a.py"])[0].command == "../.venv/bin/pytest"


def test_without_tests_at_the_root_the_folders_below_are_listed(project):
    here = project({**WEB, **API, "node_modules/x/package.json": '{"scripts": {"test": "jest"}}'})
    assert [gate.name for gate in here.gates()] == ["api/test", "web/test", "web/lint"]


def test_with_tests_at_the_root_it_speaks_for_all(project):
    assert [gate.name for gate in project(ALL).gates()] == ["test", "lint"]
