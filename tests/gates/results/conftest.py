"""Little projects for every runner, and the runners themselves."""

import os
import shutil
import subprocess
import sys

import pytest

from support import toolchains
from support.effort import rows_of

HERE = os.path.dirname(os.path.abspath(__file__))
PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
BIN = "node_modules/.bin/"

COMMANDS = {
    "pytest-quiet": ("pytest", [*PYTEST, "-q", "--continue-on-collection-errors"]),
    "pytest-verbose": ("pytest", [*PYTEST, "-v", "--color=yes", "--continue-on-collection-errors"]),
    "pytest-workers": ("pytest", [*PYTEST, "-n2", "-v", "--continue-on-collection-errors"]),
    "unittest": ("unittest", [sys.executable, "-m", "unittest"]),
    "unittest-verbose": ("unittest", [sys.executable, "-m", "unittest", "-v"]),
    "node-spec": ("node", ["node", "--test", "--test-reporter=spec"]),
    "node-tap": ("node", ["node", "--test", "--test-reporter=tap"]),
    "jest": ("jest", [BIN + "jest", "-i"]),
    "jest-verbose": ("jest", [BIN + "jest", "-i", "--verbose"]),
    "vitest": ("vitest", [BIN + "vitest", "run"]),
    "vitest-verbose": ("vitest", [BIN + "vitest", "run", "--reporter=verbose"]),
    "vitest-tree": ("vitest", [BIN + "vitest", "run", "--reporter=tree"]),
    "vitest-tap": ("vitest", [BIN + "vitest", "run", "--reporter=tap"]),
    "mocha": ("mocha", [BIN + "mocha"]),
    "mocha-dot": ("mocha", [BIN + "mocha", "--reporter=dot"]),
    "mocha-tap": ("mocha", [BIN + "mocha", "--reporter=tap"]),
    "mocha-xunit": ("mocha", [BIN + "mocha", "--reporter=xunit"]),
    "go": ("go", ["go", "test", "-p=1", "./..."]),
    "go-verbose": ("go", ["go", "test", "-p=1", "-v", "./..."]),
    "go-json": ("go", ["go", "test", "-p=1", "-json", "./..."]),
    "cargo": ("cargo", ["cargo", "test", "--offline", "--no-fail-fast", "--", "--test-threads=1"]),
    "cargo-quiet": ("cargo", ["cargo", "test", "--offline", "--no-fail-fast", "-q", "--", "--test-threads=1"]),
}


def copy_sample(name, folder):
    """Python files are kept as `.txt`, so that neither pytest nor a linter takes them for ours."""
    source = os.path.join(HERE, "samples", name)
    for place, _, names in os.walk(source):
        target = os.path.join(folder, os.path.relpath(place, source))
        os.makedirs(target, exist_ok=True)
        for file in names:
            shutil.copy(os.path.join(place, file), os.path.join(target, file.removesuffix(".txt")))
    return str(folder)


def plain_environment():
    keep = ("PATH", "HOME", "LANG", "TMPDIR", "RUSTUP_HOME", "CARGO_HOME", "GOFLAGS", "GOCACHE")
    return {key: os.environ[key] for key in keep if key in os.environ} | {"CI": "1"}


@pytest.fixture(scope="session")
def npm_packages():
    """jest, vitest and mocha, installed once into a folder that git ignores."""
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    return toolchains.node_modules("runners")


@pytest.fixture
def run_runner(request, tmp_path):
    """Runs one of COMMANDS in a fresh copy of its sample: (output, exit status, folder)."""

    def run(variant, environment=None):
        sample, argv = COMMANDS[variant]
        folder = copy_sample(sample, tmp_path / sample)
        if argv[0].startswith(BIN):
            os.symlink(request.getfixturevalue("npm_packages"), os.path.join(folder, "node_modules"))
        elif not shutil.which(argv[0]):
            pytest.skip(f"{argv[0]} is not installed")
        done = subprocess.run(
            argv,
            cwd=folder,
            env=plain_environment() | (environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=240,
            check=False,
        )
        return done.stdout.decode(), done.returncode, folder

    return run


@pytest.fixture
def recorded():
    """What a real runner printed; its folder is written as /project."""

    def load(variant):
        with open(os.path.join(HERE, "recorded", variant + ".txt"), encoding="utf-8") as file:
            return file.read()

    return load


def pytest_generate_tests(metafunc):
    if "variant" in metafunc.fixturenames:
        # Workers of workers wait for each other on a busy machine; what they print is recorded, too.
        late = {"pytest-workers"} if "run_runner" in metafunc.fixturenames else set()
        metafunc.parametrize("variant", rows_of(COMMANDS, in_ci=set(COMMANDS) - late))
