"""People's own agents and skills are listed as they were meant, and doubts are said."""

import os


def put(root, name, text):
    path = f"{root}/.claude/{name}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def test_own_agents_and_skills_are_listed_with_whose_they_are(program):
    put(program.place, "agents/critic.md", "---\nname: critic\ndescription: Use it: always\n---\n")
    put(program.place, "skills/deploy/SKILL.md", "no head at all")
    put(program.root, "commands/team/hello.md", "---\ndescription: Say hello\n---\n")
    put(program.root, "skills/deploy/notes.md", "no skill")
    answer = program.call("content", "list", "--own", "--json")
    found = [(one["kind"], one["scope"], one["name"], one["trigger"]) for one in answer.data["own"]]
    assert found == [
        ("agent", "project", "critic", "Use it: always"),
        ("skill", "project", "deploy", ""),
        ("skill", "person", "hello", "Say hello"),
    ]
    assert [error["message"].partition(": ")[2] for error in answer.envelope["errors"]] == [
        "no header: the file does not start with ---"
    ]


def test_links_are_left_alone_and_nothing_is_said_plainly(program):
    put(program.root, "outside.md", "---\nname: outside\n---\n")
    os.makedirs(f"{program.place}/.claude/agents")
    os.symlink(f"{program.root}/.claude/outside.md", f"{program.place}/.claude/agents/x.md")
    assert program.call("content", "list", "--own").out == "none of your own\n"
