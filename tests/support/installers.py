"""pipx and uv from PyPI, installed once into the cache folder of tools, each version in an environment of its own."""

import os
import shutil
import subprocess
import sys

from .clients import Lock, tools_folder
from .process import TAIL, ClientError

# The newest that were tried.
PINNED = {"pipx": "1.18.4", "uv": "0.13.8"}
# What a machine behind a mirror or a proxy needs to reach an index at all; nothing else is inherited.
NETWORK = ("PIP_", "UV_", "SSL_CERT_", "NODE_EXTRA_CA_CERTS")
_PROXIES = ("http_proxy", "https_proxy", "no_proxy")
_SECONDS = 200


def list_network_variables() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith(NETWORK) or name.lower() in _PROXIES}


def find_folder(name: str) -> str:
    """Return the folder that holds the installer's program; it is installed first if it is not there yet."""
    folder = f"{tools_folder()}/{name}"
    whole = f"{folder}/{PINNED[name]}"
    os.makedirs(folder, exist_ok=True)
    with Lock(f"{whole}.lock"):
        if not os.path.exists(f"{whole}/ready"):
            shutil.rmtree(whole, ignore_errors=True)
            _run([sys.executable, "-m", "venv", whole])
            _run([f"{whole}/bin/pip", "install", "-q", f"{name}=={PINNED[name]}"])
            # Alone in its folder: a person who has pipx does not have its Python on the PATH.
            os.mkdir(f"{whole}/programs")
            os.symlink(f"{whole}/bin/{name}", f"{whole}/programs/{name}")
            with open(f"{whole}/ready", "w", encoding="utf-8"):
                pass
    return f"{whole}/programs"


def _run(argv: list[str]) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode:
        raise ClientError(f"{' '.join(argv)} ended with {done.returncode}\n{done.stderr[-TAIL:]}")
