"""The house keeps to its plan: what lies where, who may import whom, how long things are."""

import ast
import os
import re
import statistics
import subprocess
import sys
import zipfile

import pytest

from support.floor import PLUGIN, REPOSITORY, Program
from support.house import House, read_house
from support.house_page import PAGE, list_outdated, refresh
from ultrawork.cli.verbs_table import VERBS

SOURCE = f"{PLUGIN}/src/ultrawork"
TOP = {
    ".ci", ".claude", ".claude-plugin", ".gitignore", "AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE",
    "Makefile", "README.md", "SECURITY.md", "action.yml", "bench", "docs", "evals", "mkdocs.yml", "plugin", "plugins", "prompts",
    "pyproject.toml", "templates", "tests", "toolchains", "words", "zensical.toml",
}  # fmt: skip
FLOOR = (
    "core", "store", "system", "gates", "content", "hooks", "mcp", "engine", "proof", "cli", "features",
)  # fmt: skip
# Private modules of the standard library that not every version has.
PRIVATE = {"_sha1", "_sha2", "_sha256"}
# Functions that do something and answer whether they did.
ACTIONS = {
    "add", "advance", "begin_round", "clear", "close", "move_refs", "note_if_shared", "record_ruling", "remove_branch",
    "restore_conversation", "say", "spend", "sync", "take_report", "write_worktree",
}  # fmt: skip
# Rows of a table are named for what they carry out: verbs, tools, the steps of a scripted agent.
TABLED = (
    "ultrawork.cli.verbs.",
    "ultrawork.features.",
    "ultrawork.mcp.tools.",
    "ultrawork.clients.headless.script_agent",
)
# Names that stand in several modules on purpose, by what they are an interface of.
INTERFACES = {
    "a table of the database, a file of .omc, a marker": (
        "add append claim create find_last get learn list_all list_filed list_in_worktree load locate"
        " mark_ended mark_started note put read read_all save switch_off write"
    ),
    "finders, parsers, languages, runners": (
        "find find_language find_setting list_texts make_program_argv parse parse_cases split_tokens start_program"
    ),
    "adapters of clients": "list_requests list_usage plan_install",
    "screens and pages": "join_lines show render render_line render_lines render_step summarize read_tail",
    "programs that are started": "main run",
    "what begins, goes on and ends": (
        "advance arm begin begin_mode begin_typed brief end follow leave release resume resume_mode take_up"
    ),
    "machines, tables of moves and their questions": (
        "accept answer choose choose_model compose decide decide_stop find_missing"
        " find_planned_session find_refusal find_resume_state judge move"
    ),
    "sentences of one script and of all": "is_cjk is_governed is_order is_known",
    "what is asked of a thing of its own": (
        "ask check classify leave_out list_running prepare read_text record refuse_rivals search verify"
    ),
}


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("what is tracked is known only in a checkout")
    return [name for name in listed.stdout.split("\0") if name]


def house():
    return read_house(SOURCE)


def rooms():
    return [name for name in os.listdir(SOURCE) if os.path.isfile(f"{SOURCE}/{name}/__init__.py")]


def test_nothing_lies_at_the_top_but_what_the_plan_names():
    assert {name.split("/")[0] for name in tracked()} <= TOP


def test_no_file_speaks_of_the_machine_it_was_written_on():
    places = re.compile(rb"(?<![\w.}-])/(?:" + b"|".join([b"wor" + b"k", b"roo" + b"t"]) + rb")/")
    found = []
    for name in tracked():
        path = f"{REPOSITORY}/{name}"
        if os.path.isfile(path) and not os.path.islink(path):
            with open(path, "rb") as file:
                found += [name] if places.search(file.read()) else []
    assert found == []


@pytest.mark.parametrize("room", rooms())
def test_a_room_says_in_a_few_lines_what_belongs_there(room):
    with open(f"{SOURCE}/{room}/README.md", encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert lines[0] == f"# {room}"
    # The idea of the judge, and its words, stand where it lies.
    assert 7 <= len(lines) <= (60 if room == "gates" else 12)


def test_a_package_face_holds_names_or_nothing():
    allowed = (ast.Import, ast.ImportFrom, ast.Assign, ast.Expr)
    for name, tree in house().trees.items():
        if name.endswith("__init__"):
            assert all(isinstance(node, allowed) for node in tree.body), name
            assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
            assert all(node.targets[0].id == "__all__" for node in assigned), name


def test_modules_are_fuller_than_crumbs_and_shorter_than_a_day():
    lengths = house().lengths()
    assert [name for name, lines in lengths.items() if lines > 400] == []
    assert house().median() >= 115
    assert sum(lines < 60 for lines in lengths.values()) <= len(lengths) / 5.6


def test_the_page_about_the_house_tells_how_large_it_is():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    assert list_outdated(page, house()) == [], "make generate"
    grown = House({**house().sources, **{f"more.m{number}": "x = 1\n" * 50 for number in range(200)}})
    assert "modules that hold something" in list_outdated(page, grown)
    assert list_outdated(refresh(page, grown), grown) == []


def test_no_pattern_begins_a_line_with_blanks_of_many_lines():
    """`\\s` takes line ends too: over a run of empty lines each of them is a start, and all the rest is tried."""
    begins = re.compile(r"""\(\?[a-z]*m[a-z]*\)\^\\s[*+]|["']\^\\s[*+].*MULTILINE""")
    assert begins.search(r'(r"(?m)^\s*a")')
    found = [name for name, text in house().sources.items() if begins.search(text)]
    assert found == []


def test_functions_are_short():
    lengths = house().function_lengths()
    assert statistics.median(lengths) <= 10
    assert lengths[int(len(lengths) * 0.9)] <= 30
    assert len(lengths) > 200


def test_a_class_name_stands_once_in_the_program():
    assert house().repeated_classes() == []


def test_functions_are_named_by_verbs_and_predicates_by_what_they_ask():
    assert house().participles() == []
    actions = {one.rpartition(":")[2] for one in house().unnamed_predicates()}
    assert actions <= ACTIONS


def test_no_module_reaches_itself_through_its_imports():
    """Imports for the type checker and those inside functions are imports too."""
    assert house().circles() == []


def test_a_function_name_that_recurs_is_an_interface():
    listed = set(" ".join(INTERFACES.values()).split())
    found = set(house().repeated_functions(leave_out=TABLED))
    assert found - listed == set(), "choose another name, or list it with what it is an interface of"
    assert listed - found == set(), "no longer repeated"


def is_pure(name):
    """Of `core`, or of the values of a feature."""
    return name.startswith("ultrawork.core.") or name.split(".")[3:4] == ["values"]


def test_stops_are_decided_in_core_alone():
    made = [name for name, text in house().sources.items() if "StopDecision(" in text]
    assert [name for name in made if not is_pure(name)] == []


def test_the_wheel_holds_the_program_and_what_it_reads_and_no_test(tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=REPOSITORY, capture_output=True, timeout=100, check=True)
    (wheel,) = os.listdir(tmp_path)
    with zipfile.ZipFile(tmp_path / wheel) as file:
        names = file.namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"ultrawork", wheel.rsplit("-", 3)[0] + ".dist-info"}
    assert not [name for name in names if "test" in name.rpartition("/")[2] and "support" in name]
    assert not [name for name in names if name.startswith(("ultrawork/testing", "ultrawork/tests"))]
    assert "ultrawork/root/content/models.toml" in names


def test_an_install_brings_at_most_five_megabytes_and_no_test():
    """Tables that decide what runs are readable: packing them would save more, and nobody could review them."""
    inside = [name for name in tracked() if name.startswith("plugin/")]
    assert sum(os.path.getsize(f"{REPOSITORY}/{name}") for name in inside) <= 5_000_000
    assert [name for name in inside if "/tests/" in name] == []


LONG = "\n".join(f"def do_{n}():\n    pass\n" for n in range(200))


@pytest.mark.parametrize(
    ("sources", "seen"),
    [
        ({"p.a": LONG}, lambda planted: planted.lengths()["p.a"] > 400),
        ({"p.a": "x = 1\n", "p.b": "y = 2\n"}, lambda planted: planted.median() < 120),
        ({"p.a": "from . import b\n", "p.b": "def f():\n    from .a import x\n"}, lambda planted: planted.circles() == [["p.a", "p.b"]]),
        ({"p.a": "if TYPE_CHECKING:\n    from .b import B\n", "p.b": "from .a import A\n"}, lambda planted: planted.circles() != []),
        ({"p.a": "class Found: ...\n", "p.b": "class Found: ...\n"}, lambda planted: planted.repeated_classes() == ["Found"]),
        ({"p.a": "def judged(x): ...\n"}, lambda planted: planted.participles() == ["p.a:judged"]),
        ({"p.a": "def within(x) -> bool: ...\n"}, lambda planted: planted.unnamed_predicates() == ["p.a:within"]),
        ({"p.a": "def look(): ...\n", "p.b": "def look(): ...\n"}, lambda planted: set(planted.repeated_functions()) == {"look"}),
        ({"p.a": "import json\n"}, lambda planted: planted.slow_imports(["p.a"]) == ["p.a: json"]),
    ],
    ids=["long", "crumbs", "circle", "circle of types", "class twice", "participle", "predicate", "function twice", "slow import"],
)  # fmt: skip
def test_what_would_spoil_the_house_is_seen(sources, seen):
    assert seen(House(sources))


def imported(room):
    for name in house().sources:
        if name.split(".")[1] == room:
            yield from ((name, one) for one in house().imports(name))


def test_the_floor_imports_the_standard_library_alone():
    known = {"ultrawork", *PRIVATE, *sys.stdlib_module_names}
    strange = {f"{name}: {one}" for room in FLOOR for name, one in imported(room) if one.split(".")[0] not in known}
    assert strange == set()


def test_core_knows_neither_clock_nor_disk_nor_environment():
    forbidden = {"os", "sys", "posix", "io", "fcntl", "subprocess", "random", "socket", "sqlite3"}
    found = {
        f"{name}: {one}"
        for room in ("core", "features")
        for name, one in imported(room)
        if is_pure(name) and one.split(".")[0] in forbidden
    }
    assert found == set()


def test_every_verb_starts_without_installed_packages(tmp_path):
    """All in one interpreter that has none: it says each verb's help, one after the other."""
    told = f"for one in {list(VERBS)!r}: print(main([one, '--help'], os.environ))"
    code = (
        f"import os, sys; sys.path.insert(0, {os.path.dirname(SOURCE)!r})\nfrom ultrawork.cli.main import main\n{told}"
    )
    found = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", code],
        env=Program(str(tmp_path)).environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (found.returncode, found.stderr) == (0, "")
    lines = found.stdout.splitlines()
    assert [line.split()[2] for line in lines if line.startswith("Usage: ultrawork ")] == list(VERBS)
    assert [line for line in lines if line.isdigit()] == ["0"] * len(VERBS)
