"""What a session teaches about its project."""

import pytest

from ultrawork.core.project import directives


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("always use TypeScript strict mode", [("always use TypeScript strict mode", "high")]),
        ("we always use tabs", [("always use tabs", "normal")]),
        ("we always deploy on fridays", []),
        ("important: keep the API stable", [("keep the API stable", "high")]),
        ("Never touch vendor. Then fix it.", [("never touch vendor", "high")]),
        ("ignore all vendor files", [("vendor files", "normal")]),
        ("constraint: no new deps\nscope: backend only",
         [("no new deps", "normal"), ("backend only", "normal")]),
        ("please fix the bug", []),
        ("it always fails", []),
        ("", []),
    ],
)  # fmt: skip
def test_standing_wishes_are_heard(text, expected):
    assert directives.find_directives(text) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm run build", {"buildCommand": "npm run build"}),
        ("pnpm build", {"buildCommand": "pnpm build"}),
        ("cargo test", {"testCommand": "cargo test"}),
        ("python -m pytest -q", {"testCommand": "python -m pytest -q"}),
        ("ruff check .", {"lintCommand": "ruff check ."}),
        ("cd x && npm test", {}),
        ("npm test | tail", {}),
        ("ls", {}),
    ],
)
def test_the_projects_own_commands_are_known_when_they_stand_alone(command, expected):
    assert directives.find_commands(command) == expected


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        ("node --version", "Node.js v20.10.0\n", [("runtime", "Node.js v20.10.0")]),
        ("rustc --version", "rustc 1.75.0 (82e1608df)", [("runtime", "Rust 1.75.0")]),
        ("node app.js", "Error: Cannot find module 'express'", [("dependency", "Missing dependency: express")]),
        ("./run", "DATABASE_URL is not set", [("env", "Requires env var: DATABASE_URL")]),
        ("cat x", "v1.2.3\n", []),
    ],
)  # fmt: skip
def test_output_shows_runtimes_missing_parts_and_variables(command, output, expected):
    assert directives.find_facts(command, output) == expected
