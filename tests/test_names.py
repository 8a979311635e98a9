"""Every name that stands in a table, a page, the Makefile or a program in a string leads somewhere."""

import importlib
import importlib.util
import os
import re
import subprocess

import pytest

from support.floor import PLUGIN, REPOSITORY
from ultrawork.clients.headless import table as backends
from ultrawork.engine.agents.executor import EXECUTORS
from ultrawork.hooks.modes.begin import BEGINNERS
from ultrawork.hooks.modes.loops import LOOPS
from ultrawork.hooks.table import HANDLERS, JOBS, list_rows

ROOMS = "cli|cluster|codeintel|content|core|engine|features|flow|gates|hooks|mcp|report|store|system"
DOTTED = re.compile(rf"\bultrawork\.(?:{ROOMS})(?:\.[a-z_]\w*)*(?::\w+)?(?![\w{{.])")
# In pages the rooms are named without the program: `store.atomic.write`.
IN_PAGES = re.compile(rf"`((?:{ROOMS})(?:\.[a-z_]\w*)+)`")
PATHS = re.compile(
    rf"(?<![\w/.~}}-])(?:plugin/src/ultrawork|tests/(?:support|clients|contract|{ROOMS})|bench|plugin/bin)/[\w./-]+\.(?:py|sh|toml|md)\b"
)
# Recorded from elsewhere, or about other projects.
FOREIGN = ("/cases/", "/samples/", "/recorded/", "/data/", "situations/", "bench/wild.md", "CHANGELOG", "test_names.py")


def texts():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("what is tracked is known only in a checkout")
    for name in listed.stdout.split("\0"):
        wanted = name.endswith((".py", ".md", ".toml", ".sh")) or name == "Makefile"
        if wanted and not any(part in name for part in FOREIGN):
            path = f"{REPOSITORY}/{name}"
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as file:
                    yield name, file.read()


def _is_module(dotted):
    try:
        return importlib.util.find_spec(dotted) is not None
    except ModuleNotFoundError:  # a part of it is a module, not a package
        return False


def leads_somewhere(name):
    """A module, or something in one: `a.b`, `a.b:c`, `a.b.C.d`."""
    module, _, member = name.partition(":")
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        dotted = ".".join(parts[:length])
        if _is_module(dotted):
            found = importlib.import_module(dotted) if length < len(parts) or member else None
            for attribute in [*parts[length:], *([member] if member else [])]:
                if not hasattr(found, attribute):
                    return False
                found = getattr(found, attribute)
            return True
    return False


def test_dotted_names_lead_somewhere():
    lost = {f"{file}: {name}" for file, text in texts() for name in DOTTED.findall(text) if not leads_somewhere(name)}
    assert lost == set()


def test_modules_in_pages_lead_somewhere():
    lost = {
        f"{file}: {name}"
        for file, text in texts()
        if file.endswith(".md")
        for name in IN_PAGES.findall(text)
        if not leads_somewhere(f"ultrawork.{name}")
    }
    assert lost == set()


def test_paths_in_pages_lead_somewhere():
    lost = {
        f"{file}: {path}"
        for file, text in texts()
        if file.endswith(".md") or file == "Makefile"
        for path in PATHS.findall(text)
        if not os.path.exists(f"{REPOSITORY}/{path}")
    }
    assert lost == set()


GUIDES = ("AGENTS.md", "docs/explanation/architecture.md")
IN_TICKS = re.compile(r"`([a-z_.]+(?:/[a-z_0-9.{},]+)+)`")


def spread(path):
    """`a/{b,c}.py` names two files."""
    found = re.match(r"(.*)\{(.*)\}(.*)", path)
    return [f"{found[1]}{one}{found[3]}" for one in found[2].split(",")] if found else [path]


@pytest.mark.parametrize("page", GUIDES)
def test_what_a_guide_for_contributors_names_is_there(page):
    with open(f"{REPOSITORY}/{page}", encoding="utf-8") as file:
        text = file.read()
    named = {one for path in IN_TICKS.findall(text) for one in spread(path)}
    assert len(named) > 10
    places = (REPOSITORY, f"{PLUGIN}/src/ultrawork", f"{REPOSITORY}/docs/explanation")
    lost = {one for one in named if not any(os.path.exists(f"{top}/{one}") for top in places)}
    # Written by a run, not part of the repository.
    assert {one for one in lost if not one.startswith(".")} == set()


def test_each_question_of_where_something_is_has_one_answer():
    with open(f"{REPOSITORY}/docs/explanation/architecture.md", encoding="utf-8") as file:
        page = file.read()
    part = page.partition("## Where to look\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:3] for line in part.splitlines() if line.startswith("|")][2:]
    assert len(rows) >= 24
    for question, answer in rows:
        assert question.strip().endswith("?")
        place = re.fullmatch(r" `([\w./-]+)` ", answer)
        assert place, f"{question} has another answer than one path: {answer}"
        tops = (REPOSITORY, f"{PLUGIN}/src/ultrawork")
        assert any(os.path.exists(f"{top}/{place[1]}") for top in tops), answer


def test_each_thing_that_can_be_added_has_a_model_and_a_commit():
    with open(f"{REPOSITORY}/AGENTS.md", encoding="utf-8") as file:
        part = file.read().partition("## How do I add …\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split("|") for line in part.splitlines() if line.startswith("|")][2:]
    for thing in ("a toolchain", "a client", "a judging rule", "a mode", "a verb", "a feature"):
        assert any(row[0].startswith(thing) for row in rows), thing
    commits = set()
    for row in rows:
        named = re.fullmatch(r" `([\w./-]+)`, `([0-9a-f]{7,8})`", row[-1])
        assert named, f"{row[0]} has another model than a path and a commit: {row[-1]}"
        tops = (REPOSITORY, f"{PLUGIN}/src/ultrawork")
        assert any(os.path.isfile(f"{top}/{named[1]}") for top in tops), named[1]
        commits.add(named[2])
    asked = ["git", "-C", REPOSITORY, "cat-file", "--batch-check=%(objecttype)"]
    known = subprocess.run(asked, input="\n".join(commits), capture_output=True, text=True, check=False)
    if not os.path.exists(f"{REPOSITORY}/.git") or "missing" in known.stdout:
        pytest.skip("the whole history is not here")
    assert set(known.stdout.split()) == {"commit"}


def test_a_name_that_leads_nowhere_is_seen():
    assert leads_somewhere("ultrawork.core.errors:Trouble")
    assert not leads_somewhere("ultrawork.core.errors:Nowhere")
    assert not leads_somewhere("ultrawork.core.nowhere")


TARGETS = [
    *(row.full_name for event in (*HANDLERS, *JOBS) for row in list_rows(event)),
    *(f"ultrawork.hooks.{target}" for target in BEGINNERS.values()),
    *(f"ultrawork.hooks.modes.{target}" for target in LOOPS.values()),
    *(f"ultrawork.clients.{target}" for target in backends.BACKENDS.values()),
    *EXECUTORS.values(),
]


@pytest.mark.parametrize("target", sorted(set(TARGETS)))
def test_every_row_of_a_table_names_a_function_that_is_there(target):
    assert leads_somewhere(target)
