"""Rust, Go, JVM, .NET, Elixir, Ruby, PHP, CMake; and several languages in one folder."""

import pytest

CRATE = "[package]\nname = 'x'\n"
CMAKE = "project(x)\nenable_testing()\nadd_test(NAME a COMMAND a)\n"

ROWS = [
    ("a crate", {"Cargo.toml": CRATE}, ["test: cargo test | Cargo.toml | cargo"], []),
    (
        "a workspace without a crate",
        {"Cargo.toml": "[workspace]\nmembers = ['a']\n"},
        ["test: cargo test | Cargo.toml | cargo"],
        [],
    ),
    (
        "a crate that is also a workspace",
        {"Cargo.toml": CRATE + "[workspace]\n"},
        ["test: cargo test --workspace | Cargo.toml | cargo"],
        [],
    ),
    (
        "clippy where it is configured",
        {"Cargo.toml": CRATE + "[lints.clippy]\nall = 'deny'\n"},
        ["test: cargo test | Cargo.toml | cargo", "lint: cargo clippy --all-targets | Cargo.toml | "],
        [],
    ),
    (
        "a crate that extends Python is tested from there",
        {
            "Cargo.toml": CRATE + "[dependencies]\npyo3 = '0.22'\n",
            "pyproject.toml": "[build-system]\nrequires = []\n[tool.pytest.ini_options]\n",
        },
        ["test: pytest | pyproject.toml | pytest"],
        ["cargo test: the Python project around it builds this crate"],
    ),
    (
        "a program in Rust that PyPI brings is tested by cargo",
        {"Cargo.toml": CRATE, "pyproject.toml": "[build-system]\nbuild-backend = 'maturin'\n"},
        ["test: cargo test | Cargo.toml | cargo"],
        [],
    ),
    ("a Go module", {"go.mod": "module x\n"}, ["test: go test ./... | go.mod | go"], []),
    (
        "a Go workspace names its modules",
        {"go.work": "go 1.22\n\nuse (\n\t./a\n\t./b // second\n)\n"},
        ["test: go test ./a/... ./b/... | go.work | go"],
        [],
    ),
    (
        "golangci-lint",
        {"go.mod": "module x\n", ".golangci.yml": "linters: {}\n"},
        ["test: go test ./... | go.mod | go", "lint: golangci-lint run | .golangci.yml | "],
        [],
    ),
    ("Maven", {"pom.xml": "<project/>"}, ["test: mvn -B test | pom.xml | maven"], []),
    ("Maven's wrapper", {"pom.xml": "<project/>", "mvnw": ""}, ["test: ./mvnw -B test | pom.xml | maven"], []),
    ("Gradle", {"build.gradle": "plugins {}"}, ["test: gradle test | build.gradle | gradle"], []),
    (
        "Gradle's wrapper",
        {"settings.gradle.kts": "", "gradlew": ""},
        ["test: ./gradlew test | settings.gradle.kts | gradle"],
        [],
    ),
    (".NET solution", {"App.sln": ""}, ["test: dotnet test | App.sln | dotnet"], []),
    (
        ".NET test project",
        {"T.csproj": "<PackageReference Include='Microsoft.NET.Test.Sdk'/>"},
        ["test: dotnet test | T.csproj | dotnet"],
        [],
    ),
    (".NET project without tests", {"App.csproj": "<Project/>"}, [], []),
    (
        "Elixir with credo",
        {"mix.exs": "defmodule X do\nend\n", ".credo.exs": "%{}"},
        ["test: mix test | mix.exs | mix", "lint: mix credo | .credo.exs | "],
        [],
    ),
    ("rspec", {"Gemfile": "", ".rspec": "--color\n"}, ["test: bundle exec rspec | .rspec | rspec"], []),
    ("rspec without bundler", {".rspec": "", "spec/a_spec.rb": ""}, ["test: rspec | .rspec | rspec"], []),
    (
        "rake test and rubocop",
        {"Gemfile": "", "Rakefile": "Rake::TestTask.new(:test)\n", ".rubocop.yml": ""},
        ["test: bundle exec rake test | Rakefile | minitest", "lint: bundle exec rubocop | .rubocop.yml | "],
        [],
    ),
    (
        "rake spec without rspec",
        {"Rakefile": 'task "spec" do\n  sh "ruby test/test.rb"\nend\ntask :default => :spec\n'},
        ["test: rake spec | Rakefile | rspec"],
        [],
    ),
    (
        "Rails",
        {"Gemfile": "", "bin/rails": "", "test/a_test.rb": ""},
        ["test: bin/rails test | bin/rails | minitest"],
        [],
    ),
    ("a Gemfile alone", {"Gemfile": ""}, [], []),
    (
        "composer scripts are followed",
        {"composer.json": '{"scripts": {"test": ["@lint", "phpunit"], "lint": "phpcs"}}'},
        ["test: composer test | composer.json:1 | phpunit"],
        ["composer lint: composer test already runs it"],
    ),
    (
        "phpunit and phpstan",
        {"composer.json": "{}", "phpunit.xml.dist": "<phpunit/>", "phpstan.neon": ""},
        [
            "test: vendor/bin/phpunit | phpunit.xml.dist | phpunit",
            "types: vendor/bin/phpstan analyse | phpstan.neon | ",
        ],
        [],
    ),
    (
        "pest",
        {"composer.json": '{"require-dev": {"pestphp/pest": "^3"}}', "phpunit.xml": "<phpunit/>"},
        ["test: vendor/bin/pest | phpunit.xml | pest"],
        [],
    ),
    (
        "CMake with a configured build folder",
        {"CMakeLists.txt": CMAKE, "build/CMakeCache.txt": ""},
        ["test: cmake --build build && ctest --test-dir build --output-on-failure | CMakeLists.txt | ctest"],
        [],
    ),
    (
        "CMake without one says why not",
        {"CMakeLists.txt": CMAKE},
        [],
        ["ctest: no configured build folder. Create one: cmake -B build"],
    ),
    ("CMake without tests", {"CMakeLists.txt": "project(x)\n", "build/CMakeCache.txt": ""}, [], []),
    (
        "two languages side by side are both tested",
        {
            "package.json": '{"scripts": {"test": "jest"}}',
            "pytest.ini": "[pytest]\n",
            "manage.py": "",
            "conftest.py": "",
        },
        ["test: npm test | package.json:1 | jest", "test-python: pytest | pytest.ini | pytest"],
        [],
    ),
    (
        "a door stands for all languages",
        {"Makefile": "test:\n\t./all.sh\n", "package.json": '{"scripts": {"test": "jest"}}', "Cargo.toml": CRATE},
        ["test: make test | Makefile:1 | "],
        ["npm test: make test is used instead", "cargo test: make test is used instead"],
    ),
    (
        "a package script that runs the other language's tests",
        {"package.json": '{"scripts": {"test": "pytest"}}', "pytest.ini": "[pytest]\n", "conftest.py": ""},
        ["test: npm test | package.json:1 | pytest"],
        ["pytest: npm test already runs it"],
    ),
    ("nothing at all", {"README.md": "# x\n"}, [], []),
]


@pytest.mark.parametrize(("files", "gates", "left_out"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS])
def test_found(project, files, gates, left_out):
    here = project(files)
    assert here.lines() == gates
    assert [line for line in left_out if line not in here.left_out()] == []


# Files before, files after, whether the definition of the test gate must differ.
DEFINITIONS = [
    ("a crate's dependency", {"Cargo.toml": CRATE}, {"Cargo.toml": CRATE + "[dependencies]\na = '1'\n"}, False),
    ("a crate's own tests", {"Cargo.toml": CRATE}, {"Cargo.toml": CRATE + "[lib]\ntest = false\n"}, True),
    ("a pom's dependency", {"pom.xml": "<dependencies/>"}, {"pom.xml": "<dependencies>x</dependencies>"}, False),
    (
        "a pom that skips",
        {"pom.xml": "<a/>"},
        {"pom.xml": "<properties><skipTests>true</skipTests></properties>"},
        True,
    ),
    ("a pom's plugins", {"pom.xml": "<build>a</build>"}, {"pom.xml": "<build>b</build>"}, True),
    (
        "Gradle's dependency",
        {"build.gradle": "dependencies {\n}\n"},
        {"build.gradle": "dependencies {\n a\n}\n"},
        False,
    ),
    ("Gradle's tests", {"build.gradle": "test {\n}\n"}, {"build.gradle": "test {\n  exclude '**'\n}\n"}, True),
    (
        "mix aliases",
        {"mix.exs": "defp aliases do\n []\nend\n"},
        {"mix.exs": 'defp aliases do\n [test: "x"]\nend\n'},
        True,
    ),
    ("mix dependencies", {"mix.exs": "defp deps do\n []\nend\n"}, {"mix.exs": "defp deps do\n [1]\nend\n"}, False),
    ("Gemfile", {"Gemfile": "", ".rspec": ""}, {"Gemfile": "gem 'x'", ".rspec": ""}, False),
    ("phpunit's options", {"phpunit.xml": "<a/>"}, {"phpunit.xml": "<b/>"}, True),
]


@pytest.mark.parametrize(
    ("before", "after", "differs"), [row[1:] for row in DEFINITIONS], ids=[r[0] for r in DEFINITIONS]
)
def test_definition_moves_with_what_matters_only(project, before, after, differs):
    first = project(before).gate().definition
    assert (project(after).gate().definition != first) is differs


def test_the_definition_of_gradle_holds_the_blocks_for_tests(project):
    text = "plugins {\n  id 'java'\n}\ntest {\n  useJUnitPlatform {\n    x\n  }\n}\nrun {\n}\n"
    gate = project({"build.gradle": text}).gate()
    assert gate.definition == "gradle test\ntest {\n  useJUnitPlatform {\n    x\n  }\n}"
