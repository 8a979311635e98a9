"""Declared values: fields named once."""

import subprocess
import sys

import pytest

from support.floor import PLUGIN
from ultrawork.core.value import Value, fresh, list_fields


class Point(Value):
    x: int
    y: int = 0
    tags: list[str] = fresh(list)

    @property
    def sum(self) -> int:
        return self.x + self.y


class Named(Point):
    name: str = "p"


def test_fields_are_given_by_place_and_by_name_and_have_defaults():
    point = Point(1, y=2)
    assert (point.x, point.y, point.tags, point.sum) == (1, 2, [], 3)
    assert Point(1) == Point(1, 0, [])
    assert Point(1) != Point(2)
    assert repr(Point(1)) == "Point(x=1, y=0, tags=[])"


def test_a_fresh_default_belongs_to_one_value_alone():
    Point(1).tags.append("a")
    assert Point(1).tags == []


def test_a_value_that_extends_another_has_its_fields_first():
    assert Named(1, 2, ["a"], "n").document() == {"x": 1, "y": 2, "tags": ["a"], "name": "n"}
    assert Named(1) != Point(1)


def test_only_declared_fields_can_be_set():
    with pytest.raises(AttributeError):
        Point(1).z = 1


@pytest.mark.parametrize(
    ("given", "named", "said"),
    [
        ((), {}, "Point needs x"),
        ((1, 2, [], 4), {}, "Point has 3 fields, not 4"),
        ((1,), {"z": 1}, "Point has no z"),
        ((1,), {"x": 1}, "Point has no x, or has it twice"),
    ],
)
def test_wrong_arguments_are_refused(given, named, said):
    with pytest.raises(TypeError, match=said):
        Point(*given, **named)


@pytest.mark.slow
def test_the_type_checker_refuses_them_too(tmp_path):
    (tmp_path / "use.py").write_text(
        "from ultrawork.core.value import Value\n"
        "class Point(Value):\n    x: int\n    y: int = 0\n"
        "Point(1, y=2)\nPoint('1')\nPoint()\nPoint(1).z\n"
    )
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "use.py"],
        cwd=tmp_path, env={"MYPYPATH": f"{PLUGIN}/src"}, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    lines = [line.split(":")[1] for line in found.stdout.splitlines() if ": error:" in line]
    assert lines == ["6", "7", "8"], found.stdout + found.stderr


class Counted(Value):
    names: list[str] = fresh(list)
    count: int = 0

    def __post_init__(self) -> None:
        self.count = self.count or len(self.names)


def test_a_value_may_complete_its_fields_when_they_are_all_there():
    assert Counted(["a", "b"]).count == 2
    assert Counted(["a"], 5).count == 5


def test_the_fields_of_a_class_are_listed_in_order():
    assert list_fields(Named) == ("x", "y", "tags", "name")
