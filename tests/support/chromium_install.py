"""Find a Chromium for the tests, or unpack Debian's into the tools folder. That needs no root and changes no system file.

The order is `ULTRAWORK_CHROMIUM`, a program on the PATH, then Debian's packages through `apt-get`. Where none of these
works, the test is skipped, and the run ends with `not run: why`.
"""

import os
import platform
import shutil
import subprocess

import pytest

from .clients import Lock, tools_folder

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome", "chrome-headless-shell")
# The font makes texts as wide on every machine that has none of its own.
_PACKAGES = ("chromium-headless-shell", "fonts-dejavu-core")
_BINARY = "usr/lib/chromium/chromium-headless-shell"
_SECONDS = 120.0
_START = """#!/bin/sh
libraries='{root}/usr/lib/{machine}-linux-gnu'
export LD_LIBRARY_PATH="$libraries:$libraries/pulseaudio" FONTCONFIG_FILE='{root}/fonts.conf'
exec '{root}/{binary}' "$@"
"""
_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>/usr/share/fonts</dir><dir>{root}/usr/share/fonts</dir><cachedir>{root}/fonts</cachedir>
<alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
<alias><family>system-ui</family><prefer><family>DejaVu Sans</family></prefer></alias>
<match><edit name="family" mode="append_last"><string>DejaVu Sans</string></edit></match>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<alias><family>ui-monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
"""


def find_chromium() -> str:
    """Return the path of a Chromium, or skip the test and print why it does not run."""
    given = os.environ.get("ULTRAWORK_CHROMIUM")
    found = given or next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is not None:
        return found
    folder = f"{tools_folder()}/chromium"
    os.makedirs(folder, exist_ok=True)
    with Lock(f"{folder}/lock"):
        program = f"{folder}/ready/chromium"
        if not os.path.exists(program):
            _unpack(folder)
        return program


def _unpack(folder: str) -> None:
    """Fetch the packages that this machine lacks and unpack them, under a lock that the caller holds."""
    for name in ("apt-get", "dpkg-deb"):
        if shutil.which(name) is None:
            pytest.skip(f"no Chromium here, and no {name}; set ULTRAWORK_CHROMIUM")
    part, ready = f"{folder}/part", f"{folder}/ready"
    shutil.rmtree(part, ignore_errors=True)
    for name in ("lists/partial", "cache/archives/partial", "packages", "root"):
        os.makedirs(f"{part}/{name}")
    try:
        _apt(part, "update")
        listed = _apt(part, "-y", "--no-install-recommends", "--print-uris", "install", *_PACKAGES)
        names = [line.split()[1].partition("_")[0] for line in listed.splitlines() if "'" in line]
        _apt(part, "download", *names)
        for name in os.listdir(f"{part}/packages"):
            _run(["dpkg-deb", "-x", f"{part}/packages/{name}", f"{part}/root"], part)
    except (subprocess.SubprocessError, OSError) as problem:
        pytest.skip(f"no Chromium here, and Debian's could not be fetched: {problem}")
    _write_start(f"{part}/root", ready)
    os.rename(f"{part}/root", ready)
    shutil.rmtree(part)


def _write_start(root: str, ready: str) -> None:
    """Write the program that starts the binary with its own libraries and fonts."""
    with open(f"{root}/fonts.conf", "w", encoding="utf-8") as file:
        file.write(_FONTS.format(root=ready))
    with open(f"{root}/chromium", "w", encoding="utf-8") as file:
        file.write(_START.format(root=ready, machine=platform.machine(), binary=_BINARY))
    os.chmod(f"{root}/chromium", 0o755)


def _apt(part: str, *words: str) -> str:
    places = (f"Dir::State::lists={part}/lists", f"Dir::Cache={part}/cache", "Debug::NoLocking=1")
    # Without a user of its own apt writes where we may.
    options = [word for one in (*places, "APT::Sandbox::User=root") for word in ("-o", one)]
    return _run(["apt-get", "-qq", *options, *words], f"{part}/packages")


def _run(command: list[str], folder: str) -> str:
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, timeout=_SECONDS, stdin=subprocess.DEVNULL
    ).stdout
