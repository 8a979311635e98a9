"""
Programs that check something, by how they are called; where each keeps its options, and those options as
values that can be compared.
"""

import json
from collections.abc import Iterator

from ...core.verdict.gate import BUILD, LINT, TEST, TYPES
from .folder import ProjectFolder, get_table, matches_pattern

# Program, or program and one of its arguments -> what it checks, and the name of tool or runner.
TOOLS = {
    "ava": (TEST, "ava"),
    "bats": (TEST, "bats"),
    "borp": (TEST, "node"),
    "busted": (TEST, "busted"),
    "bun test": (TEST, "bun"),
    "cabal test": (TEST, "cabal"),
    "cargo nextest": (TEST, "nextest"),
    "cargo test": (TEST, "cargo"),
    "crystal spec": (TEST, "crystal"),
    "ctest": (TEST, "ctest"),
    "cypress run": (TEST, "cypress"),
    "dart test": (TEST, "dart"),
    "deno test": (TEST, "deno"),
    "dotnet test": (TEST, "dotnet"),
    "dub test": (TEST, "dub"),
    "dune runtest": (TEST, "dune"),
    "dune test": (TEST, "dune"),
    "flutter test": (TEST, "dart"),
    "gleam test": (TEST, "gleam"),
    "go test": (TEST, "go"),
    "gotestsum": (TEST, "go"),
    "gradle check": (TEST, "gradle"),
    "gradle test": (TEST, "gradle"),
    "hatch test": (TEST, "pytest"),
    "helm unittest": (TEST, "helm-unittest"),
    "jasmine": (TEST, "jasmine"),
    "jest": (TEST, "jest"),
    "karma start": (TEST, "karma"),
    "lab": (TEST, "lab"),
    "manage.py test": (TEST, "unittest"),
    "meson test": (TEST, "meson"),
    "mix test": (TEST, "mix"),
    "mocha": (TEST, "mocha"),
    "mvn test": (TEST, "maven"),
    "mvn verify": (TEST, "maven"),
    "nimble test": (TEST, "nimble"),
    "node --test": (TEST, "node"),
    "nose2": (TEST, "nose2"),
    "nox": (TEST, "nox"),
    "pest": (TEST, "pest"),
    "phpunit": (TEST, "phpunit"),
    "playwright test": (TEST, "playwright"),
    "prove": (TEST, "prove"),
    "py.test": (TEST, "pytest"),
    "pytest": (TEST, "pytest"),
    "qunit": (TEST, "qunit"),
    "rails test": (TEST, "minitest"),
    "rake spec": (TEST, "rspec"),
    "rake test": (TEST, "minitest"),
    "rebar3 ct": (TEST, "rebar3"),
    "rebar3 do": (TEST, "rebar3"),
    "rebar3 eunit": (TEST, "rebar3"),
    "react-scripts test": (TEST, "jest"),
    "rspec": (TEST, "rspec"),
    "sbt test": (TEST, "sbt"),
    "simple-phpunit": (TEST, "phpunit"),
    "stack test": (TEST, "stack"),
    "stestr": (TEST, "stestr"),
    "swift test": (TEST, "swift"),
    "tap": (TEST, "tap"),
    "tape": (TEST, "tape"),
    "tox": (TEST, "tox"),
    "trial": (TEST, "trial"),
    "tsx --test": (TEST, "node"),
    "twisted.trial": (TEST, "trial"),
    "unittest": (TEST, "unittest"),
    "uvu": (TEST, "uvu"),
    "virtue": (TEST, "virtue"),
    "vitest": (TEST, "vitest"),
    "zig test": (TEST, "zig"),
    "zope-testrunner": (TEST, "zope-testrunner"),
    "biome": (LINT, "biome"),
    "black": (LINT, "black"),
    "cargo clippy": (LINT, "clippy"),
    "cargo fmt": (LINT, "rustfmt"),
    "dart analyze": (LINT, "dart analyze"),
    "dart format": (LINT, "dart format"),
    "deno fmt": (LINT, "deno fmt"),
    "deno lint": (LINT, "deno lint"),
    "eslint": (LINT, "eslint"),
    "flake8": (LINT, "flake8"),
    "flutter analyze": (LINT, "dart analyze"),
    "go vet": (LINT, "go vet"),
    "gofmt": (LINT, "gofmt"),
    "golangci-lint": (LINT, "golangci-lint"),
    "helm lint": (LINT, "helm lint"),
    "hlint": (LINT, "hlint"),
    "isort": (LINT, "isort"),
    "jshint": (LINT, "jshint"),
    "luacheck": (LINT, "luacheck"),
    "mix credo": (LINT, "credo"),
    "mix format": (LINT, "mix format"),
    "oxlint": (LINT, "oxlint"),
    "perlcritic": (LINT, "perlcritic"),
    "phpcs": (LINT, "phpcs"),
    "pre-commit": (LINT, "pre-commit"),
    "pre_commit": (LINT, "pre-commit"),
    "prettier": (LINT, "prettier"),
    "pycodestyle": (LINT, "pycodestyle"),
    "pylint": (LINT, "pylint"),
    "rubocop": (LINT, "rubocop"),
    "ruff check": (LINT, "ruff"),
    "ruff format": (LINT, "ruff format"),
    "shellcheck": (LINT, "shellcheck"),
    "standard": (LINT, "standard"),
    "standardrb": (LINT, "standardrb"),
    "stylelint": (LINT, "stylelint"),
    "stylua": (LINT, "stylua"),
    "swiftlint": (LINT, "swiftlint"),
    "terraform fmt": (LINT, "terraform fmt"),
    "tflint": (LINT, "tflint"),
    "xo": (LINT, "xo"),
    "basedpyright": (TYPES, "basedpyright"),
    "flow": (TYPES, "flow"),
    "mypy": (TYPES, "mypy"),
    "phpstan": (TYPES, "phpstan"),
    "psalm": (TYPES, "psalm"),
    "pyright": (TYPES, "pyright"),
    "svelte-check": (TYPES, "svelte-check"),
    "tsc": (TYPES, "tsc"),
    "tsd": (TYPES, "tsd"),
    "tstyche": (TYPES, "tstyche"),
    "ty check": (TYPES, "ty"),
    "vue-tsc": (TYPES, "vue-tsc"),
    "deno check": (TYPES, "deno check"),
    "cargo build": (BUILD, "cargo build"),
    "cargo check": (BUILD, "cargo build"),
    "go build": (BUILD, "go build"),
}
PROGRAMS = frozenset(key.partition(" ")[0] for key in TOOLS)
# Known to test only because most of their environments do.
ENVIRONMENTS = frozenset(("nox", "tox"))


# Tool -> files that configure it; after # the keys of the part that does. A file without # belongs
# to the tool alone.
SETTINGS: dict[str, tuple[str, ...]] = {
    "ava": ("package.json#ava", "ava.config.*"),
    "basedpyright": ("pyproject.toml#tool.basedpyright", "pyrightconfig.json"),
    "biome": ("biome.json", "biome.jsonc"),
    "black": ("pyproject.toml#tool.black",),
    "busted": (".busted",),
    "c8": (".c8rc", ".c8rc.json", "package.json#c8"),
    "cargo": ("Cargo.toml#test", "Cargo.toml#lib", "Cargo.toml#profile.test"),
    "clippy": (
        "clippy.toml",
        ".clippy.toml",
        "Cargo.toml#lints.clippy",
        "Cargo.toml#workspace.lints.clippy",
    ),
    "coverage": (
        ".coveragerc",
        "pyproject.toml#tool.coverage",
        "setup.cfg#coverage:run",
        "setup.cfg#coverage:report",
        "tox.ini#coverage:run",
        "tox.ini#coverage:report",
    ),
    "credo": (".credo.exs",),
    "cypress": ("cypress.config.*", "cypress.json"),
    "dart analyze": ("analysis_options.yaml",),
    "deno": ("deno.json#test",),
    "eslint": (
        "eslint.config.*",
        ".eslintrc",
        ".eslintrc.*",
        "package.json#eslintConfig",
        "package.json#eslintIgnore",
    ),
    "flake8": (".flake8", "setup.cfg#flake8", "tox.ini#flake8"),
    "golangci-lint": (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"),
    "hlint": (".hlint.yaml",),
    "isort": (".isort.cfg", "pyproject.toml#tool.isort", "setup.cfg#isort", "tox.ini#isort"),
    "jest": ("jest.config.*", "package.json#jest", "babel.config.*", ".babelrc*", ".swcrc"),
    "jshint": (".jshintrc", "package.json#jshintConfig"),
    "karma": ("karma.conf.*",),
    "luacheck": (".luacheckrc",),
    "mix format": (".formatter.exs",),
    "mocha": (".mocharc.*", "package.json#mocha", "test/mocha.opts"),
    "mypy": (
        "mypy.ini",
        ".mypy.ini",
        "pyproject.toml#tool.mypy",
        "setup.cfg#mypy",
        "setup.cfg#mypy-*",
    ),
    "nextest": (".config/nextest.toml",),
    "nose2": ("nose2.cfg", "unittest.cfg", "setup.cfg#unittest"),
    "nyc": (".nycrc", ".nycrc.*", "nyc.config.*", "package.json#nyc"),
    "oxlint": (".oxlintrc.json",),
    "perlcritic": (".perlcriticrc",),
    "pest": ("phpunit.xml", "phpunit.xml.dist"),
    "phpcs": ("phpcs.xml", ".phpcs.xml", "phpcs.xml.dist", ".phpcs.xml.dist"),
    "phpstan": ("phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"),
    "phpunit": ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"),
    "playwright": ("playwright.config.*",),
    "pre-commit": (".pre-commit-config.yaml",),
    "prettier": (".prettierrc", ".prettierrc.*", "prettier.config.*", "package.json#prettier"),
    "prove": (".proverc",),
    "psalm": ("psalm.xml", "psalm.xml.dist"),
    "pycodestyle": ("setup.cfg#pycodestyle", "tox.ini#pycodestyle"),
    "pylint": (
        "pylintrc",
        ".pylintrc",
        "pylintrc.toml",
        ".pylintrc.toml",
        "pyproject.toml#tool.pylint",
        "setup.cfg#pylint*",
        "tox.ini#pylint*",
    ),
    "pyright": ("pyrightconfig.json", "pyproject.toml#tool.pyright"),
    "pytest": (
        "pytest.toml",
        ".pytest.toml",
        "pytest.ini",
        ".pytest.ini",
        "pyproject.toml#tool.pytest",
        "tox.ini#pytest",
        "setup.cfg#tool:pytest",
    ),
    "rspec": (".rspec",),
    "rubocop": (".rubocop.yml",),
    "ruff": ("ruff.toml", ".ruff.toml", "pyproject.toml#tool.ruff"),
    "ruff format": ("pyproject.toml#tool.ruff.format", "ruff.toml#format", ".ruff.toml#format"),
    "rustfmt": ("rustfmt.toml", ".rustfmt.toml"),
    "scalafmt": (".scalafmt.conf",),
    "shellcheck": (".shellcheckrc",),
    "standard": ("package.json#standard",),
    "standardrb": (".standard.yml",),
    "stylelint": (".stylelintrc", ".stylelintrc.*", "stylelint.config.*"),
    "stylua": ("stylua.toml", ".stylua.toml"),
    "svelte-check": ("tsconfig.json", "svelte.config.js"),
    "swiftlint": (".swiftlint.yml",),
    "tap": (".taprc", "package.json#tap"),
    "tflint": (".tflint.hcl",),
    "tsc": ("tsconfig.json",),
    "ty": ("ty.toml", "pyproject.toml#tool.ty"),
    "vitest": ("vitest.config.*", "vitest.workspace.*", "vite.config.*"),
    "vue-tsc": ("tsconfig.json",),
    "xo": ("package.json#xo", "xo.config.*", ".xo-config*"),
}
# What measures beside a runner how much its tests reach, and can make it red by a threshold.
MEASURES = {
    "pytest": ("coverage",),
    "unittest": ("coverage",),
    "mocha": ("nyc", "c8"),
    "node": ("nyc", "c8"),
    "ava": ("nyc", "c8"),
    "tap": ("nyc", "c8"),
}


class ToolSetting:
    """`file` as the whole project writes it; `text` names the part and holds its value."""

    __slots__ = ("file", "text", "tool", "value")

    def __init__(self, tool: str, file: str, part: str, value: object) -> None:
        self.tool = tool
        self.file = file
        self.value = value
        told = value if isinstance(value, str) else _dump(value)
        self.text = f"[{part}] {told.strip()}"


def list_settings(project: ProjectFolder, tool: str) -> Iterator[ToolSetting]:
    for where in SETTINGS.get(tool, ()):
        pattern, _, keys = where.partition("#")
        for name in _files(project, pattern):
            value = _part(project, name, keys) if keys else project.read(name)
            if value is not None:
                yield ToolSetting(tool, project.path(name), f"{name} {keys}".strip(), value)


def find_setting(project: ProjectFolder, tool: str) -> ToolSetting | None:
    return next(list_settings(project, tool), None)


def _files(project: ProjectFolder, pattern: str) -> list[str]:
    if "*" not in pattern:
        return [pattern] if project.exists(pattern) else []
    return [name for name in project.names() if matches_pattern(name, pattern)]


def _part(project: ProjectFolder, name: str, keys: str) -> object:
    """The value under dotted keys; an INI section is one key whatever it holds, a star all that begin so."""
    if name.endswith((".cfg", ".ini")):
        sections = project.read_ini(name)
        if keys.endswith("*"):
            return {key: sections[key] for key in sections if key.startswith(keys[:-1])} or None
        return sections.get(keys)
    whole = project.read_toml(name) if name.endswith(".toml") else project.read_json(name)
    above, _, last = keys.rpartition(".")
    return get_table(whole, *above.split(".")).get(last) if above else whole.get(last)


def _dump(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
