import pytest

from ultrawork.store.omc import skills
from ultrawork.store.omc.folder import Omc

SKILL = "---\nname: {name}\ndescription: {about}\ntriggers: [one, 'two']\n---\nDo it.\n"


@pytest.fixture
def folders(tmp_path):
    (tmp_path / "top" / ".omc" / "skills").mkdir(parents=True)
    (tmp_path / "home" / ".omc" / "skills").mkdir(parents=True)
    (tmp_path / "home" / ".claude" / "skills" / "omc-learned" / "deep").mkdir(parents=True)
    return tmp_path / "top", tmp_path / "home"


def test_a_projects_skill_hides_a_personal_one(folders):
    top, home = folders
    (top / ".omc" / "skills" / "a.md").write_text(SKILL.format(name="Same", about="project"))
    (home / ".omc" / "skills" / "b.md").write_text(SKILL.format(name="Same", about="person"))
    deep = home / ".claude" / "skills" / "omc-learned" / "deep" / "SKILL.md"
    deep.write_text(SKILL.format(name="Other", about="person"))
    found = skills.list_all(Omc(str(top)), str(home))
    assert [(s.meta["id"], s.scope) for s in found] == [("same", "project"), ("other", "user")]
    assert found[0].meta["triggers"] == ["one", "two"]
    assert found[0].content == "Do it."


def test_a_link_out_of_the_project_is_not_read(folders, tmp_path):
    top, _ = folders
    (tmp_path / "secret.md").write_text(SKILL.format(name="Secret", about="x"))
    (top / ".omc" / "skills" / "a.md").symlink_to(tmp_path / "secret.md")
    assert skills.list_local(Omc(str(top))) == []


def test_no_folders_no_skills(tmp_path):
    assert skills.list_all(Omc(str(tmp_path)), str(tmp_path)) == []
