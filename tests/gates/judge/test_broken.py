"""A gate that never reached a test: broken where base is too, red where base still works, and what to do about it."""

import os

import pytest

from ultrawork.gates.session import preparation
from ultrawork.store.codec import loads

RUN = "test:\n\t@sh run.sh\n"
TOOLCHAIN = (
    'echo "error: rustup could not choose a version of cargo to run" >&2\n'
    "echo \"help: run 'rustup default stable' to set one\" >&2\n"
    "echo noise; echo noise; echo noise; echo noise; echo noise; echo noise; echo noise\nexit 1\n"
)
GREEN = "echo '1..1'; echo 'ok 1 - adds'\n"
EDIT = {"write": {"shop.py": "def total(prices):\n    return sum(list(prices))\n"}}
# Works only while a folder outside of the files is there, as with a registry.
AWAY = 'if test -e "$HOME/registry"; then echo 1..1; echo "ok 1 - adds"; exit 0; fi\n' + TOOLCHAIN


@pytest.fixture
def broken(stage_of, shop):
    return stage_of({**shop, "Makefile": RUN, "run.sh": TOOLCHAIN})


def results(stage, on="new"):
    rows = stage.store().database.rows("SELECT document FROM receipts ORDER BY started_at, number")
    return [one["result"] for (text,) in rows if (one := loads(text))["run"]["on"] == on]


def test_an_unchanged_tree_is_not_failed_for_its_surroundings(broken):
    outcome = broken.verify()
    assert (outcome.value, results(broken)) == ("UNVERIFIED", ["broken"])
    told = outcome.describe().splitlines()
    assert told[0].startswith("UNVERIFIED. test: its toolchain is not ready: error: rustup could")
    assert "  error: rustup could not choose a version of cargo to run" in told
    assert "  help: run 'rustup default stable' to set one" in told
    assert told[-1] == "Next: run 'rustup default stable' to set one"
    assert "noise" not in outcome.describe()


def test_what_a_broken_run_leaves_half_made_does_not_hide_what_it_lacked(stage_of, shop):
    """As where a program that is not there is at the start of a pipe, and a later step stumbles over what that wrote."""
    script = "test -s made.h || exit 1\nno-such-tangle made.w | cat >made.h\ntest -s made.h || exit 1\n"
    stage = stage_of({**shop, "Makefile": RUN, "run.sh": script, "made.h": "1\n"})
    outcome = stage.verify()
    assert (outcome.value, results(stage)) == ("UNVERIFIED", ["broken"])
    assert outcome.describe().startswith("UNVERIFIED. test: no-such-tangle is not installed")


def test_a_run_that_is_broken_here_alone_and_changed_all_that_differs_is_not_red(stage_of, shop):
    """As where a clone's file times let make build anew what another copy, with other times, finds built."""
    script = "test made.w -nt run.sh || exec cat made.h\nno-such-tangle made.w | cat >made.h\nexit 1\n"
    stage = stage_of({**shop, "Makefile": RUN, "run.sh": script, "made.h": "1\n", "made.w": "1\n"})
    os.utime(f"{stage.place}/made.w", (2**31, 2**31))
    outcome = stage.verify()
    assert (outcome.value, results(stage)) == ("UNVERIFIED", ["broken"])


@pytest.mark.slow
def test_it_is_asked_again_at_the_next_run_and_is_never_flaky(broken):
    broken.verify()
    broken.apply({"write": {"run.sh": GREEN}})
    outcome = broken.verify()
    assert results(broken) == ["broken", "green"]
    assert not any(one.rule == "flaky" for one in outcome.verdict.facts.findings)


def test_a_change_is_not_blamed_for_what_base_suffers_too(broken):
    broken.apply(EDIT)
    assert broken.verify().value == "UNVERIFIED"
    assert (results(broken), results(broken, "base")) == (["broken"], ["broken"])


def test_words_that_a_change_prints_excuse_nothing(stage_of, shop):
    stage = stage_of({**shop, "Makefile": RUN, "run.sh": GREEN})
    stage.apply({"write": {"run.sh": TOOLCHAIN}})
    assert stage.verify().value == "FAIL"


def test_a_receipt_of_better_days_does_not_speak_for_base(stage_of, shop, tmp_path):
    stage = stage_of({**shop, "Makefile": RUN, "run.sh": AWAY})
    home = stage.environ["HOME"]
    with open(f"{home}/registry", "w"):
        pass
    assert stage.verify().value == "PASS"
    os.remove(f"{home}/registry")
    stage.apply(EDIT)
    assert stage.verify().value == "UNVERIFIED"
    assert results(stage) == ["green", "broken"]


def test_after_test_results_such_words_are_a_failure(stage_of, shop):
    late = "echo '1..2'; echo 'ok 1 - adds'; echo 'not ok 2 - b'\n" + TOOLCHAIN
    stage = stage_of({**shop, "Makefile": RUN, "run.sh": late})
    assert stage.verify().value == "FAIL"


def test_a_dependency_that_is_not_installed_is_named_with_the_command(stage_of, shop):
    files = {
        **shop,
        "requirements-dev.txt": "no-such-dependency-here\n",
        "test_shop.py": "import no_such_dependency_here\n" + shop["test_shop.py"],
    }
    told = stage_of(files).verify().describe()
    assert "its dependencies are not installed: no module no_such_dependency_here" in told
    assert told.splitlines()[-1] == (
        "Next: run pip install -r requirements-dev.txt (or ultrawork gates prepare), then run `ultrawork verify`"
    )


def test_a_project_without_gates_is_told_what_brings_them_in_the_same_words(stage_of):
    stage = stage_of({"Makefile.am": "", "configure": "#!/bin/sh\n", "a.c": ""})
    words = "run ./configure (or ultrawork gates prepare), then run `ultrawork verify`"
    assert stage.verify().describe().splitlines()[-1] == f"Next: {words}"
    listed = preparation.read(stage.store(), stage.environ, stage.place)
    assert f"first: {words}" in listed.text().splitlines()
    assert listed.document()["prepare"][0]["command"] == "./configure"


def test_what_is_needed_is_run_by_the_projects_own_manager(stage_of):
    stage = stage_of({"Makefile.am": "", "configure": "#!/bin/sh\necho made > Makefile\n"})
    needed = preparation.list_needed(stage.place, [])
    (step,) = preparation.run_steps(stage.store(), stage.environ, stage.place, needed)
    assert (step.exit, step.error.endswith("Permission denied")) == (126, True)
    assert step.line.startswith("failed after ")
    assert preparation.find_exit([step]) == 1
    os.chmod(f"{stage.place}/configure", 0o755)
    (step,) = preparation.run_steps(stage.store(), stage.environ, stage.place, needed)
    assert step.exit == 0
    assert os.path.exists(f"{stage.place}/Makefile")


def test_after_an_install_nothing_stands_that_was_shown_before(stage_of):
    """What packages bring lies in no tree: neither the verdict nor the receipts of before are used again."""
    from ultrawork.gates.session import last_verdict

    files = {"Makefile.am": "", ".gitignore": "installed\n", "configure": "touch installed\n"}
    stage = stage_of({**files, "ultrawork.toml": "[gates]\nlint = 'true'\n"})
    os.chmod(f"{stage.place}/configure", 0o755)

    def find_kept():
        return last_verdict.find_valid(stage.store(), stage.environ, stage.place, None, own=True, strict=True)

    verify = {"own": True, "strict": True}
    stage.verify(**verify)
    assert find_kept() is not None
    preparation.run_steps(stage.store(), stage.environ, stage.place, preparation.list_needed(stage.place, []))
    assert find_kept() is None
    stage.verify(**verify)
    assert results(stage) == ["green", "green"]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"Makefile": "test:\n\t@tox -q\n"}, ["test cannot run: tox is not installed; run pip install tox"]),
        (
            {"Makefile": "test:\n\t@nox -q\n", "requirements-dev.txt": "nox\n"},
            [
                "test cannot run: nox is not installed; "
                "run pip install -r requirements-dev.txt (or ultrawork gates prepare)"
            ],
        ),
        (
            {"Makefile": "test:\n\t@python3 -m nose2\n"},
            ["test cannot run: nose2 is not installed; run pip install nose2"],
        ),
        # Its recipe finds the program where nobody else would look.
        ({"Makefile": "test:\n\t@PATH=$$PWD/own:$$PATH; nox\n", "own/nox": "#!/bin/sh\n"}, []),
        ({"Makefile": "test:\n\t@python3 -m unittest -q\n"}, []),
    ],
)
def test_a_gate_whose_program_is_not_there_is_known_before_any_work(stage_of, shop, files, told):
    stage = stage_of({**shop, **files})
    if "own/nox" in files:
        os.chmod(f"{stage.place}/own/nox", 0o755)
    gates = preparation.list_gates(stage.store(), stage.environ, stage.place)
    assert [gate.name for gate in gates] == ["test"]
    environ = {**stage.environ, "PATH": "/usr/bin:/bin"}
    found = preparation.list_unready(stage.store(), environ, stage.place, gates)
    assert [one.line for one in found] == told
    assert results(stage) == []


@pytest.mark.parametrize(
    ("asked", "step"),
    [("nowhere-colours", "run pip install -e . (or ultrawork gates"), ("other", "get `test_total_adds` to pass")],
)
def test_a_red_that_only_lacks_what_was_never_installed_names_the_install(stage_of, shop, asked, step):
    """Its tests ran, so it is red; but nobody makes them green without what the manifest asks for."""
    manifest = f'[project]\nname = "shop"\nversion = "1"\ndependencies = ["{asked}"]\n'
    lazy = "def total(prices):\n    import nowhere_colours\n\n    return sum(prices)\n"
    outcome = stage_of({**shop, "pyproject.toml": manifest, "shop.py": lazy}).verify()
    assert outcome.value == "FAIL"
    assert outcome.describe().splitlines()[-1].startswith(f"Next: {step}")


def test_a_project_that_lies_whole_in_a_folder_is_told_what_to_do_there(stage_of):
    stage = stage_of({"README": "", "lib/Makefile.am": "", "lib/configure": "#!/bin/sh\n"})
    listed = preparation.read(stage.store(), stage.environ, stage.place)
    words = "run cd lib && ./configure (or ultrawork gates prepare), then run `ultrawork verify`"
    assert f"first: {words}" in listed.text().splitlines()
