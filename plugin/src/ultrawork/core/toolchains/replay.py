"""A replay is not a run: tools that print an earlier result, how to detect them, and how to force a run. Also modes
that run only what changed, and how to repeat a run with its seed."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from ..value import Value, fresh
from .toolchain import get_built_in


class ReplayingTool(Value):
    """
    `prints` is how its output shows a replay. `variables` force a run no matter what starts the tool; `words` do
    so where it is started by name, after its subcommand.
    """

    name: str
    prints: str
    variables: Mapping[str, str] = fresh(dict)
    words: Sequence[str] = ()
    behind: Sequence[str] = ()


@cache
def _list_tools() -> list[ReplayingTool]:
    known = get_built_in().collect("replays")
    return [ReplayingTool(name, **table) for name, table in known.items()]


_ALIASES = {"gradlew": "gradle", "bazelisk": "bazel"}


def find_replay(output: str) -> ReplayingTool | None:
    """Return the tool whose output shows that something was not run."""
    return next((tool for tool in _list_tools() if re.search(tool.prints, output)), None)


def force_run(argv: Sequence[str]) -> list[str]:
    """Return the words that force a run, if such a tool is started by name; else the same words."""
    name = argv[0].rpartition("/")[2] if argv else ""
    tool = next(
        (replaying_tool for replaying_tool in _list_tools() if replaying_tool.name == _ALIASES.get(name, name)), None
    )
    if tool is None or not tool.words or _is_forced(argv, tool):
        return list(argv)
    at = next((i + 1 for i, word in enumerate(argv) if word in tool.behind), len(argv))
    if tool.behind and at == len(argv) and argv[-1] not in tool.behind:
        return list(argv)
    return [*argv[:at], *tool.words, *argv[at:]]


def _is_forced(argv: Sequence[str], tool: ReplayingTool) -> bool:
    options = {word.partition("=")[0] for word in tool.words}
    return any(word.partition("=")[0] in options for word in argv)


def make_forcing_variables(text: str, present: Mapping[str, str], tool: ReplayingTool | None = None) -> dict[str, str]:
    """Return variables for the tools that a check names, or for the one that replayed."""
    named = [
        replaying_tool
        for replaying_tool in _list_tools()
        if re.search(rf"(?<![\w./-]){replaying_tool.name}(?![\w-])", text)
    ]
    forcing_variables: dict[str, str] = {}
    for replaying_tool in [*named, *([tool] if tool else [])]:
        for name, value in replaying_tool.variables.items():
            flags = present.get(name, "") if name == "GOFLAGS" else ""
            forcing_variables[name] = flags if value in flags.split() else f"{flags} {value}".strip()
    return forcing_variables


def find_partial_option(tool: str, words: Sequence[str]) -> str:
    """Return the option with which a tool runs only what changed or failed last; empty if it runs everything."""
    options = get_built_in().collect("partial").get(tool, ())
    return next((word for word in words[1:] if word.partition("=")[0] in options), "")


def find_partial_setting(tool: str, text: str) -> str:
    """Return the same from the options in a project file."""
    pattern = get_built_in().collect("partial_setting").get(tool)
    match = re.search(pattern, text) if pattern else None
    return match[0] if match else ""


def explain_partial(option: str, full: str) -> str:
    return f"runs only part of the tests ({option}); the whole is `{full}`, for ultrawork.toml"


# A failure that stores its example repeats with it: it is not random.
_EXAMPLES = (
    r"Falsifying example:|@reproduce_failure|Property failed (?:after|by)|minimal failing input"
    r"|Failing input written to testdata|\[quickcheck\] TEST FAILED|Falsified after|Counterexample:"
)


def make_seed_variables(output: str, present: Mapping[str, str]) -> dict[str, str]:
    """Return variables that repeat the order and seed of the run that printed this."""
    seed_variables: dict[str, str] = {}
    for seed in [entry for listed in get_built_in().collect("seeds").values() for entry in listed]:
        match = re.search(seed["prints"], output)
        if match:
            name, value = seed["variable"], seed["value"].format(match[1])
            # Options are appended to existing ones; a plain number replaces them.
            given = present.get(name, "") if value.startswith("-") else ""
            seed_variables[name] = f"{given} {value}".strip()
    return seed_variables


def has_example(output: str) -> bool:
    return re.search(_EXAMPLES, output) is not None
