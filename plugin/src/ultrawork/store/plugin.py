"""The plugin that this program runs from: its folder and version."""

import os

from .codec import loads

# The folder with the plugin's manifest.
MANIFEST = ".claude-plugin"


def find_root() -> str:
    """Return the folder that this program runs from: the plugin, a checkout, or an installed package's."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = f"{package}/root"
    return installed if os.path.isdir(installed) else package.rsplit("/", 2)[0]


def read_version() -> str:
    """Return the version from the plugin's manifest, else from the installed package."""
    try:
        with open(f"{find_root()}/{MANIFEST}/plugin.json", encoding="utf-8") as file:
            return str(loads(file.read())["version"])
    except (OSError, ValueError, KeyError):
        from importlib.metadata import version

        return version("ultrawork")
