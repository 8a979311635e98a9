"""
Check that what lies here can be released: `make release-check` runs every check and names those that fail.

One version everywhere and on top of the changelog; a wheel and an sdist that install and start in an empty
environment; a plugin that the newest client validates as its directory does; a license in what is shipped.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator

from . import clients
from .floor import PATH, PLUGIN, REPOSITORY

MANIFESTS = (".claude-plugin/plugin.json", ".codex-plugin/plugin.json")
_PATIENCE = 300


class FaultError(Exception):
    """What prevents a release, as one sentence."""


def read_version(folder: str = PLUGIN) -> str:
    """Return the version that all manifests name."""
    found = {}
    for name in MANIFESTS:
        with open(f"{folder}/{name}", encoding="utf-8") as file:
            found[name] = json.load(file)["version"]
    if len(set(found.values())) > 1:
        raise FaultError(f"the manifests name different versions: {found}")
    return str(found[MANIFESTS[0]])


def check_changelog(version: str, text: str) -> None:
    """Reject a changelog whose newest release is another one, or has no date."""
    newest = re.search(r"^## \[?(\d+\.\d+\.\d+)\]?(?: - (\d{4}-\d\d-\d\d))?", text, re.MULTILINE)
    if newest is None or newest[1] != version:
        raise FaultError(f"CHANGELOG.md begins with {newest and newest[1]}, the plugin is {version}")
    if newest[2] is None:
        raise FaultError(f"CHANGELOG.md gives no date for {version}: write `## [{version}] - YYYY-MM-DD`")


def _check_version(_folder: str) -> None:
    version = read_version()
    with open(f"{REPOSITORY}/CHANGELOG.md", encoding="utf-8") as file:
        check_changelog(version, file.read())


def _check_packages(folder: str) -> None:
    """Build both, from what git keeps, and start each in an environment that holds nothing else."""
    version = read_version()
    _run([sys.executable, "-m", "hatchling", "build", "-d", folder], cwd=REPOSITORY)
    for name in sorted(os.listdir(folder)):
        inside = _list_names(f"{folder}/{name}")
        if not any(one.endswith("LICENSE") for one in inside):
            raise FaultError(f"{name} holds no LICENSE")
        place = f"{folder}/venv-{name}"
        _run([sys.executable, "-m", "venv", place])
        _run([f"{place}/bin/pip", "install", "-q", "--disable-pip-version-check", f"{folder}/{name}"])
        env = {"PATH": PATH, "HOME": place}
        said = _run([f"{place}/bin/ultrawork", "version"], env=env)
        if version not in said:
            raise FaultError(f"{name} says {said.strip()!r}, the plugin is {version}")
        _run([f"{place}/bin/ulw", "doctor", "--json"], env=env, allowed=(0, 1, 3))


def _list_names(path: str) -> list[str]:
    if path.endswith(".whl"):
        with zipfile.ZipFile(path) as wheel:
            return wheel.namelist()
    with tarfile.open(path) as sdist:
        return sdist.getnames()


def _check_plugin(folder: str) -> None:
    program = clients.program(clients.CLAUDE)
    env = {"PATH": f"{os.path.dirname(_find('node'))}:{PATH}", "HOME": folder}
    _run([program, "plugin", "validate", "--strict", "--profile", "directory", PLUGIN], env=env)
    _run([program, "plugin", "validate", "--strict", REPOSITORY], env=env)


def _find(name: str) -> str:
    from shutil import which

    found = which(name)
    if found is None:
        raise FaultError(f"{name} is not installed")
    return found


def _check_checkout(_folder: str) -> None:
    left = _run(["git", "status", "--porcelain"], cwd=REPOSITORY)
    if left:
        raise FaultError(f"uncommitted files: {', '.join(left.split()[1::2][:5])}")


def _run(
    argv: list[str], *, cwd: str | None = None, env: dict[str, str] | None = None, allowed: tuple[int, ...] = (0,)
) -> str:
    done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    if done.returncode not in allowed:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise FaultError(f"`{' '.join(argv[:4])}` exited with {done.returncode}: {' / '.join(last)}")
    return done.stdout


CHECKS: dict[str, Callable[[str], None]] = {
    "everything is committed": _check_checkout,
    "one version, and the changelog begins with it": _check_version,
    "wheel and sdist install and start in an empty environment": _check_packages,
    "the newest client validates the plugin for its directory": _check_plugin,
}


def run_checks() -> Iterator[tuple[str, str]]:
    """Yield each check's name and what is wrong, or nothing."""
    for name, check in CHECKS.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(folder)
            except FaultError as fault:
                yield name, str(fault)
            else:
                yield name, ""


def main() -> int:
    failed = 0
    for name, fault in run_checks():
        failed += bool(fault)
        sys.stdout.write(f"{'FAIL' if fault else 'ok  '}  {name}{f': {fault}' if fault else ''}\n")
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
