"""The mutator breaks what runs, in one place at a time, and nothing else."""

import ast
import os

from support.floor import PLUGIN, REPOSITORY
from support.mutants import MODULES, Checkout, list_mutants

SOURCE = '''
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@frozen(slots=True)
class Box:
    __slots__ = ("a",)

    def fits(self, size: int, most: int = 3) -> bool:
        """At most 3."""
        if size < 0 or not self.a:
            return False
        return size + 1 <= most
'''
CHANGED = [
    "4", "if not (size < 0 or not self.a):", "size < 0 and (not self.a)", "size <= 0", "1", "return None", "True",
    "return None", "size + 1 < most", "size - 1", "2",
]  # fmt: skip


def test_each_operator_constant_condition_and_answer_is_changed_once():
    found = list_mutants("box.py", SOURCE)
    assert sorted(one.text for one in found) == sorted(CHANGED)
    assert len({one.source for one in found}) == len(found)
    for one in found:
        assert "TYPE_CHECKING = False" in one.source
        assert "slots=True" in one.source
        ast.parse(one.source)


def test_the_modules_and_their_tests_are_there():
    for module, tests in MODULES.items():
        assert os.path.isfile(f"{PLUGIN}/src/ultrawork/{module}")
        assert [name for name in tests if not os.path.isfile(f"{REPOSITORY}/tests/{name}")] == []


def test_the_tests_of_a_copy_run_the_program_of_that_copy(tmp_path):
    """Else every mutant would survive: the tests would run the installed program."""
    checkout = Checkout(f"{tmp_path}")
    asked = f"import ultrawork\n\ndef test_it():\n    assert ultrawork.__file__.startswith({checkout.folder!r})\n"
    (tmp_path / "tests/test_whose.py").write_text(asked)
    assert checkout.is_green(("test_whose.py",), 60.0)
