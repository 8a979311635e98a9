"""The real agent CLIs, installed from npm once into a cache folder, each version separately.

The folder is `$ULTRAWORK_TOOLS`, or `.tools` in the checkout. Tests run with the versions pinned here, so that someone
else's release fails nothing. `ULTRAWORK_CLIENTS=latest` asks npm for the newest ones instead: use it to find out what
a release changed, then move the pin."""

import fcntl
import json
import os
import re
import shutil
import subprocess

from .process import TAIL, ClientError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

CLAUDE = "@anthropic-ai/claude-code"
CODEX = "@openai/codex"
GEMINI = "@google/gemini-cli"
OPENCODE = "opencode-ai"
PROGRAMS = {CLAUDE: "claude", CODEX: "codex", GEMINI: "gemini", OPENCODE: "opencode"}

OLDEST_CLAUDE = "2.1.197"
# The newest that were tried. For opencode, the newest with a binary for every machine that runs these tests.
PINNED = {CLAUDE: "2.1.325", CODEX: "0.169.0", GEMINI: "0.61.0", OPENCODE: "1.18.18"}
NEWEST = "newest"
LATEST = "latest"
TRIES = 5
# A stalled download is restarted: twice this is less than a test may take.
NPM_SECONDS = 130
START_SECONDS = 60

_CHECKOUT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def tools_folder() -> str:
    return os.environ.get("ULTRAWORK_TOOLS") or os.path.join(_CHECKOUT, ".tools")


def program(package: str, version: str = NEWEST, tools: str | None = None) -> str:
    """Return the path of a client's program, installed first if needed."""
    folder = os.path.join(tools or tools_folder(), PROGRAMS[package])
    os.makedirs(folder, exist_ok=True)
    if version == NEWEST:
        version = os.environ.get("ULTRAWORK_CLIENTS") or PINNED[package]
    if version == LATEST:
        version = _latest(package, folder)
    with Lock(os.path.join(folder, f"{version}.lock")):
        return _installed(package, version, folder)


class Lock:
    def __init__(self, path: str) -> None:
        self.path = path
        self.number = -1

    def __enter__(self) -> None:
        self.number = os.open(self.path, os.O_CREAT | os.O_RDWR, 0o644)
        fcntl.flock(self.number, fcntl.LOCK_EX)

    def __exit__(
        self, kind: "type[BaseException] | None", problem: "BaseException | None", trace: "TracebackType | None"
    ) -> None:
        os.close(self.number)


def _latest(package: str, folder: str) -> str:
    """Return the newest version that installs and starts here; npm is asked once per cache folder."""
    remembered = os.path.join(folder, LATEST)
    with Lock(f"{remembered}.lock"):
        if not os.path.exists(remembered):
            version = _first_that_installs(package, folder)
            with open(f"{remembered}.part", "w", encoding="utf-8") as file:
                file.write(version)
            os.replace(f"{remembered}.part", remembered)
        with open(remembered, encoding="utf-8") as file:
            return file.read().strip()


def _first_that_installs(package: str, folder: str) -> str:
    problem: ClientError | None = None
    for version in _versions(package)[:TRIES]:
        try:
            with Lock(os.path.join(folder, f"{version}.lock")):
                _installed(package, version, folder)
        except ClientError as error:
            problem = problem or error
        else:
            return version
    raise ClientError(f"none of the {TRIES} newest versions of {package} runs here") from problem


def _versions(package: str) -> list[str]:
    """Released versions, the newest first."""
    listed = json.loads(_npm("view", package, "versions", "--json"))
    released = (re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", version) for version in listed)
    numbered = [(tuple(map(int, found.groups())), found.group()) for found in released if found]
    return [version for _, version in sorted(numbered, reverse=True)]


def _installed(package: str, version: str, folder: str) -> str:
    """Install a version, with its lock held by the caller. It gets its name only when complete."""
    path = os.path.join(folder, version, "node_modules", ".bin", PROGRAMS[package])
    if os.path.exists(path):
        return path
    part = os.path.join(folder, f"{version}.part")
    try:
        _install(package, version, part)
    except StalledError:
        _install(package, version, part)
    _must_start(os.path.join(part, os.path.relpath(path, os.path.join(folder, version))), part)
    os.rename(part, os.path.join(folder, version))
    return path


class StalledError(ClientError):
    """Nothing more came from the registry."""


def _install(package: str, version: str, part: str) -> None:
    shutil.rmtree(part, ignore_errors=True)
    os.makedirs(part)
    _npm("install", "--prefix", part, "--no-audit", "--no-fund", f"{package}@{version}")


def _npm(*words: str) -> str:
    try:
        done = subprocess.run(
            ["npm", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=NPM_SECONDS, check=False
        )
    except FileNotFoundError:
        raise ClientError("npm is not on the PATH; install Node 20 or newer") from None
    except subprocess.TimeoutExpired:
        raise StalledError(f"npm {words[0]} {words[-1]} took over {NPM_SECONDS} s") from None
    if done.returncode:
        end = done.stderr[-TAIL:]
        raise ClientError(f"npm {words[0]} {words[-1]} ended with {done.returncode}\n{end}")
    return done.stdout


def _must_start(path: str, home: str) -> None:
    """A package may be complete and still lack the binary for this machine."""
    env = {"HOME": home, "PATH": os.environ.get("PATH", os.defpath)}
    try:
        subprocess.run(
            [path, "--version"],
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=START_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as problem:
        raise ClientError(f"{path} was installed but does not start: {problem}") from problem
