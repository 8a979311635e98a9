"""
A replay is no run: tools that hand out what an earlier run printed, how their output shows it, and how they are
made to run; and modes that run only what changed. How a run is made again as it was: its seed.
"""

import re
from collections.abc import Mapping, Sequence

from ..value import Value


class ReplayingTool(Value):
    """
    `sign` is how its output shows a replay, `variables` make it run whoever starts it, `words` where it is
    started by name, behind its subcommand.
    """

    name: str
    sign: str
    variables: Mapping[str, str]
    words: Sequence[str] = ()
    behind: Sequence[str] = ()


TOOLS = (
    ReplayingTool(
        "go", r"(?m)^ok\s+\S+\s+\(cached\)", {"GOFLAGS": "-count=1"}, ("-count=1",), ("test",)
    ),
    ReplayingTool(
        "turbo",
        r"cache hit, (?:replaying|suppressing)|>>> FULL TURBO",
        {"TURBO_FORCE": "true"},
    ),
    ReplayingTool(
        "nx",
        r"Nx read the output from the cache|\[(?:local|remote) cache\]"
        r"|existing outputs match the cache",
        {"NX_SKIP_NX_CACHE": "true"},
    ),
    ReplayingTool(
        "gradle",
        r"(?m)^> Task :(?:[\w:-]+:)?(?:test|(?!compile|process)\w+Test) (?:UP-TO-DATE|FROM-CACHE)",
        {},
        ("--rerun-tasks",),
    ),
    ReplayingTool(
        "bazel", r"(?m)^//\S+\s+\(cached\) PASSED", {}, ("--cache_test_results=no",), ("test",)
    ),
    ReplayingTool("wireit", r"(?m)^.{0,3}\[[^\]]+\] (?:Already fresh|Restored from cache)", {}),
)
_ALIASES = {"gradlew": "gradle", "bazelisk": "bazel"}


def find_replay(output: str) -> ReplayingTool | None:
    """The tool whose output says that something in it was not run."""
    return next((tool for tool in TOOLS if re.search(tool.sign, output)), None)


def force_run(argv: Sequence[str]) -> list[str]:
    """The words that really run it, where such a tool is started by name; else the same words."""
    name = argv[0].rpartition("/")[2] if argv else ""
    tool = next((one for one in TOOLS if one.name == _ALIASES.get(name, name)), None)
    if tool is None or not tool.words or _is_forced(argv, tool):
        return list(argv)
    at = next((i + 1 for i, word in enumerate(argv) if word in tool.behind), len(argv))
    if tool.behind and at == len(argv) and argv[-1] not in tool.behind:
        return list(argv)
    return [*argv[:at], *tool.words, *argv[at:]]


def _is_forced(argv: Sequence[str], tool: ReplayingTool) -> bool:
    options = {word.partition("=")[0] for word in tool.words}
    return any(word.partition("=")[0] in options for word in argv)


def make_forcing_variables(
    text: str, present: Mapping[str, str], tool: ReplayingTool | None = None
) -> dict[str, str]:
    """Variables for the tools that a gate's text names, or for the one that was seen to replay."""
    named = [one for one in TOOLS if re.search(rf"(?<![\w./-]){one.name}(?![\w-])", text)]
    found: dict[str, str] = {}
    for one in [*named, *([tool] if tool else [])]:
        for name, value in one.variables.items():
            flags = present.get(name, "") if name == "GOFLAGS" else ""
            found[name] = flags if value in flags.split() else f"{flags} {value}".strip()
    return found


# Tool -> options with which it runs only part of what there is, depending on what happened before.
_PARTIAL = {
    "pytest": "--lf --last-failed --sw --stepwise --picked --testmon",
    "jest": "-o --onlyChanged --changedSince --lastCommit --onlyFailures -f --findRelatedTests",
    "vitest": "--changed related",
    "mix": "--stale --failed",
    "rspec": "--only-failures --next-failure",
    "nx": "affected",
    "turbo": "--affected",
    "lerna": "--since",
    "sbt": "testQuick",
}
PARTIAL = {tool: frozenset(options.split()) for tool, options in _PARTIAL.items()}
_CONFIGURED = {
    "pytest": r"--(?:lf|last-failed|sw|stepwise|picked|testmon)\b",
    "jest": r"\"?onlyChanged\"?\s*:\s*true",
}


def find_partial_option(tool: str, words: Sequence[str]) -> str:
    """The word with which a tool runs only what changed or failed last; empty if it runs everything."""
    options = PARTIAL.get(tool, frozenset())
    return next((word for word in words[1:] if word.partition("=")[0] in options), "")


def find_partial_setting(tool: str, text: str) -> str:
    """The same, in the options that a project keeps in a file."""
    found = re.search(_CONFIGURED[tool], text) if tool in _CONFIGURED else None
    return found[0] if found else ""


def explain_partial(option: str, full: str) -> str:
    return f"runs only part of the tests ({option}); the whole is `{full}`, for ultrawork.toml"


# What a runner prints about its order or its seed -> the variable that gives it back, and its value.
_SEEDS = (
    (r"Using --randomly-seed=(\d+)", "PYTEST_ADDOPTS", "--randomly-seed={0}"),
    (r"--random-order-seed=(\d+)", "PYTEST_ADDOPTS", "--random-order-seed={0}"),
    (r"-test\.shuffle (\d+)", "GOFLAGS", "-shuffle={0}"),
    (r"Randomized with seed (\d+)", "SPEC_OPTS", "--seed {0}"),
    (r"(?m)^Run options:.*--seed (\d+)", "SEED", "{0}"),
)
_JOINED = ("PYTEST_ADDOPTS", "GOFLAGS", "SPEC_OPTS")
# What carries its own example fails again with it: such a red is no matter of luck.
_EXAMPLES = (
    r"Falsifying example:|@reproduce_failure|Property failed (?:after|by)|minimal failing input"
    r"|Failing input written to testdata|\[quickcheck\] TEST FAILED|Falsified after|Counterexample:"
)


def make_seed_variables(output: str, present: Mapping[str, str]) -> dict[str, str]:
    """What lets the next run have the order and the seed of the one that printed this."""
    found: dict[str, str] = {}
    for pattern, name, value in _SEEDS:
        told = re.search(pattern, output)
        if told:
            given = present.get(name, "") if name in _JOINED else ""
            found[name] = f"{given} {value.format(told[1])}".strip()
    return found


def has_example(output: str) -> bool:
    return re.search(_EXAMPLES, output) is not None
