"""The version: the plugin's manifest has the one number."""


def version() -> str:
    """From the plugin's manifest where the code runs from the plugin, else from the installed package."""
    import os

    from ..store.fast import loads

    root = os.path.dirname(os.path.abspath(__file__)).rsplit("/", 3)[0]
    try:
        with open(f"{root}/.claude-plugin/plugin.json", encoding="utf-8") as file:
            return str(loads(file.read())["version"])
    except (OSError, ValueError, KeyError):
        from importlib.metadata import version as installed

        return installed("ultrawork")
