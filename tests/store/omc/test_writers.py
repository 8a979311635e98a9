"""Many programs writing at once lose nothing."""

import subprocess
import sys

import pytest

from ultrawork.features.notepad import store as notepad
from ultrawork.store.omc import memory, states
from ultrawork.store.omc.folder import Omc

WRITERS, TIMES = 16, 50
PROGRAM = """
import sys
from ultrawork.features.notepad import store as notepad
from ultrawork.store.omc import memory, states
from ultrawork.store.omc.folder import Omc
omc, me, times = Omc(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(times):
    notepad.add(omc, "working", f"note {me}-{number}", 1_795_435_200.0)
    memory.write(omc, {"own": {f"{me}-{number}": 1}}, merge=True)
    states.write(omc, "team", {f"{me}-{number}": 1}, now=1.0)
"""


def written(top, writers, times):
    programs = [
        subprocess.Popen([sys.executable, "-c", PROGRAM, top, str(number), str(times)]) for number in range(writers)
    ]
    assert [program.wait(300) for program in programs] == [0] * writers
    omc = Omc(top)
    section = notepad.parse(omc.read(omc.notepad)).section("working")
    wanted = {f"{me}-{number}" for me in range(writers) for number in range(times)}
    noted = [entry.note.removeprefix("note ") for entry in notepad.split_entries(section.body)[1]]
    assert sorted(noted) == sorted(wanted)
    assert memory.read(omc)["own"].keys() == wanted
    assert states.read(omc, "team").keys() >= wanted
    assert notepad.collect_stats(omc)["workingMemoryEntries"] == len(wanted)


def test_four_programs_at_once_lose_nothing(tmp_path):
    written(str(tmp_path), 4, 5)


@pytest.mark.release
@pytest.mark.slow
def test_sixteen_programs_with_fifty_writes_each_lose_nothing(tmp_path):
    written(str(tmp_path), WRITERS, TIMES)
