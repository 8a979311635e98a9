"""Languages whose package manager has a word of its own for the tests: OCaml, Erlang, D, Nim, Crystal, Gleam."""

import re

from ....core.patterns import compile_late
from ....core.verdict.gate import TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder, matches_pattern

DUNE_MANIFESTS = ("dune-project",)
REBAR_MANIFESTS = ("rebar.config",)
DUB_MANIFESTS = ("dub.json", "dub.sdl")
NIMBLE_MANIFESTS = ("*.nimble",)
CRYSTAL_MANIFESTS = ("shard.yml",)
GLEAM_MANIFESTS = ("gleam.toml",)
FOLDERS_LOOKED_AT = 40
_DUNE_TEST = compile_late(r"\(\s*(?:tests?|cram|inline_tests)\b|\bruntest\b")


def find_dune(project: ProjectFolder) -> list[Candidate]:
    """Only where a `dune` file registers tests: without one the command is green and runs nothing."""
    if not project.exists("dune-project"):
        return []
    lines = [line.strip() for text in _read_dunes(project) for line in text.split("\n")]
    tests = [line for line in lines if _DUNE_TEST.search(line)]
    # Forced, because dune does not run again what was green before.
    argv = ["dune", "runtest", "--force"]
    return _propose(project, "ocaml", argv, "dune-project", "\n".join(tests)) if tests else []


def _read_dunes(project: ProjectFolder) -> list[str]:
    above = ["", *_folders(project, "")]
    below = [inner for folder in above[1:] for inner in _folders(project, folder)]
    places = [*above, *below][:FOLDERS_LOOKED_AT]
    return [
        project.read(f"{place}dune") or "" for place in places if project.exists(f"{place}dune")
    ]


def _folders(project: ProjectFolder, inside: str) -> list[str]:
    names = project.names(inside or ".")
    return [inside + name for name in names if name.endswith("/") and name[0] not in "._"]


def find_rebar(project: ProjectFolder) -> list[Candidate]:
    """EUnit and Common Test, whichever the folder of tests holds."""
    if not project.exists("rebar.config"):
        return []
    names = project.names("test")
    suites = any(matches_pattern(name, "*_SUITE.erl") for name in names)
    units = any(matches_pattern(name, "*_tests.erl") for name in names)
    words = ["eunit"] if units else []
    words += ["ct"] if suites else []
    start = "./rebar3" if project.exists("rebar3") else "rebar3"
    argv = [start, *words] if len(words) == 1 else [start, "do", "eunit,", "ct"]
    return _propose(project, "erlang", argv, "rebar.config", "") if words else []


def find_dub(project: ProjectFolder) -> list[Candidate]:
    file = project.find_first(*DUB_MANIFESTS)
    return _propose(project, "d", ["dub", "test"], file, "") if file else []


def find_nimble(project: ProjectFolder) -> list[Candidate]:
    """A task of that name, else the files that nimble takes by theirs."""
    file = project.find_matching(*NIMBLE_MANIFESTS)
    text = (project.read(file) or "") if file else ""
    task = re.search(r"^[ \t]*task[ \t]+test\b", text, re.MULTILINE)
    named = any(matches_pattern(name, "t*.nim") for name in project.names("tests"))
    return (
        _propose(project, "nim", ["nimble", "test"], file, "") if file and (task or named) else []
    )


def find_crystal(project: ProjectFolder) -> list[Candidate]:
    if not project.exists("shard.yml") or not project.exists("spec"):
        return []
    return _propose(project, "crystal", ["crystal", "spec"], "shard.yml", "")


def find_gleam(project: ProjectFolder) -> list[Candidate]:
    if not project.exists("gleam.toml") or not project.exists("test"):
        return []
    return _propose(project, "gleam", ["gleam", "test"], "gleam.toml", "")


def _propose(
    project: ProjectFolder, family: str, argv: list[str], source: str, definition: str
) -> list[Candidate]:
    reason = f"tests of {argv[0].removeprefix('./')}, see {source}"
    return [
        propose_command(
            project, family, TEST, argv, source=source, reason=reason, definition=definition
        )
    ]
