"""The plugin that this program runs from: its folder, and the one number of its version."""

import os

from .codec import loads

# The folder with the plugin's own description.
MANIFEST = ".claude-plugin"


def find_root() -> str:
    """The folder that this program runs from: the plugin, a checkout, or what a package brought along."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = f"{package}/root"
    return installed if os.path.isdir(installed) else package.rsplit("/", 2)[0]


def read_version() -> str:
    """From the plugin's manifest where the code runs from the plugin, else from the installed package."""
    try:
        with open(f"{find_root()}/{MANIFEST}/plugin.json", encoding="utf-8") as file:
            return str(loads(file.read())["version"])
    except (OSError, ValueError, KeyError):
        from importlib.metadata import version

        return version("ultrawork")
