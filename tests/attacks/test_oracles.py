"""The oracle of every layout knows the bug from its fix; else an attack could prove nothing."""

import pytest

from attacks.careless import ALONE, LOGIN
from support import attack as attacks
from support import layouts, layouts_compiled
from support.layouts import Layout

FOUND = {
    one.name: one for module in (layouts, layouts_compiled) for one in vars(module).values() if isinstance(one, Layout)
}  # fmt: skip
QUICK = ("pytest", "unittest")
LATER = attacks.HEAVY
ROWS = [
    pytest.param(
        one, id=name, marks=() if name in QUICK else getattr(pytest.mark, "release" if name in LATER else "slow")
    )
    for name, one in FOUND.items()
]


@pytest.mark.parametrize("layout", ROWS)
def test_the_oracle_knows_the_bug_from_the_fix(layout, tmp_path):
    if lacking := attacks.missing(layout):
        pytest.skip(f"{', '.join(lacking)} is not installed")
    attacks.lay(layout, str(tmp_path / "base"))
    assert not attacks.is_right(layout.oracle, str(tmp_path / "base"))
    files = dict(layout.files)
    for name, before, after in layout.moves["fix"]:
        files[name] = files[name].replace(before, after)
    attacks.lay(layout, str(tmp_path / "fixed"), files)
    assert attacks.is_right(layout.oracle, str(tmp_path / "fixed"))


@pytest.mark.parametrize("layout", [*FOUND.values(), LOGIN, ALONE], ids=lambda one: one.name)
def test_every_edit_of_a_layout_has_its_place(layout):
    for edits in layout.moves.values():
        for name, before, after in edits:
            assert before in layout.files[name]
            assert before != after
