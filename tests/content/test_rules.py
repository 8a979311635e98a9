"""Each rule is broken once in a copy and must be told, with its file."""

import pytest

from support.prompts import list_complaints, rules
from support.prompts.rules import RULES

ROSTER = "prompts/roster.toml"
PROFILES = "prompts/profiles.toml"
# rule → (file, old, new), where it is told, words of what is told
BREAKS = [
    ("roster", (ROSTER, "tier =", "tire ="), ROSTER, "agents.reader lacks tier"),
    ("roster", (ROSTER, 'tier = "low"', 'tire = "low"'), ROSTER, "did you mean tier?"),
    ("roster", (ROSTER, "person = true", 'person = "yes"'), ROSTER, "not true or false"),
    ("roster", (ROSTER, 'fragments = ["closing"]', 'fragments = "closing"'), ROSTER, "a list of strings"),
    ("roster", (ROSTER, 'what = "things"', "what = 1"), ROSTER, "a table of strings"),
    ("roster", (ROSTER, "[skills.show]", "[agents.reader]"), ROSTER, "not valid TOML"),
    ("roster", (ROSTER, "[skills.show]", "[skill.show]"), ROSTER, 'no section "skill"'),
    ("roster", (PROFILES, "[tiers]", "[levels]"), PROFILES, 'no section "levels"'),
    ("roster", (PROFILES, 'tools = ["Read", "Grep"]', 'tool = ["Read"]'), PROFILES, "did you mean tools?"),
    ("names", (ROSTER, "[skills.show]", "[skills.Show_It]"), ROSTER, '"Show_It" is not a valid name'),
    ("triggers", (ROSTER, "Use to look.", "Use to make."), ROSTER, "maker and reader have the same trigger"),
    ("same", (ROSTER, 'same = "reader"', 'same = "show"'), ROSTER, 'copies "show", which has no text'),
    ("same", (ROSTER, 'same = "reader"', 'same = "reader"\nfragments = ["closing"]'), ROSTER, "remove its own"),
    ("helpers", ("plugin/skills/show/SKILL.md", "\n\n", "\n\nSee `ultrawork content show show/more.md`. "), "plugin/skills/show/SKILL.md", "which does not exist"),
    ("triggers", (ROSTER, "Use when asked.", "Answered at once."), ROSTER, "does not say when to use it"),
    ("triggers", (ROSTER, "Use to look.", "x" * 161), ROSTER, "161 characters"),
    ("triggers", (ROSTER, "Use to look.", "one\\ntwo"), ROSTER, "one line"),
    ("triggers", (ROSTER, "Use to look.", ""), ROSTER, "has nothing"),
    ("tiers", (ROSTER, 'tier = "low"', 'tier = "huge"'), ROSTER, 'the unknown tier "huge"'),
    ("tiers", (PROFILES, '"haiku"', '"gpt"'), PROFILES, 'tier low names "gpt"'),
    ("profiles", (ROSTER, '"quiet"', '"silent"'), ROSTER, 'the unknown profile "silent"'),
    ("profiles", (ROSTER, '"quiet"', '"loud"'), PROFILES, "no agent uses the profile quiet"),
    ("profiles", (PROFILES, '"Grep"', '"Grope"'), PROFILES, 'names "Grope", which no client has'),
    ("profiles", (PROFILES, 'without = ["Agent"]', ""), PROFILES, "needs either tools or without"),
    ("promises", (PROFILES, '"Grep"', '"Bash"'), ROSTER, "reader promises readonly, but its profile has Bash"),
    ("allowances", (ROSTER, "Bash(ultrawork status:*)", "Bash(*)"), ROSTER, 'show allows "Bash(*)"'),
    ("allowances", (ROSTER, "Bash(ultrawork status:*)", "Bash(ultrawork:*)"), ROSTER, "may be allowed"),
    ("fragments", (ROSTER, '["readonly", "closing"]', '["closing"]'), "prompts/fragments/readonly.md", "uses it"),
    ("fragments", (ROSTER, '"readonly"', '"readwrite"'), ROSTER, 'the fragment "readwrite", which does not exist'),
    ("fragments", ("prompts/fragments/readonly.md", "look", "look " * 121), "prompts/fragments/readonly.md", "131 words"),
    ("families", (ROSTER, 'family = "made"', 'family = "mad"'), ROSTER, 'the family "mad", which does not exist'),
    ("families", (ROSTER, 'family = "made"', ""), "prompts/families/made.md", "no agent or skill belongs to this family"),
    ("families", (ROSTER, 'what = "things", ', ""), ROSTER, "maker lacks the slot what"),
    ("families", (ROSTER, 'what = "things"', 'what = "x", who = "y"'), ROSTER, "maker has no place for the slot who"),
    ("files", (ROSTER, "[skills.show]", "[skills.display]"), "plugin/skills/show/SKILL.md", "it has no row"),
    ("files", (ROSTER, "[skills.show]", "[skills.display]"), "plugin/skills/display/SKILL.md", "is missing; write it"),
    ("heads", ("plugin/agents/reader.md", "model: haiku", "model: x: y"), "plugin/agents/reader.md", "line 4:"),
    ("heads", ("plugin/agents/reader.md", "model: haiku", "color: red"), "plugin/agents/reader.md", 'the key "color"'),
    ("heads", ("plugin/agents/reader.md", "\n---\n", "\n"), "plugin/agents/reader.md", "the header is not closed"),
    ("lengths", ("plugin/agents/reader.md", " word", "-word"), "plugin/agents/reader.md", "an agent has 140 to 480"),
    ("lengths", ("plugin/skills/show/SKILL.md", "word0", "word " * 700), "plugin/skills/show/SKILL.md", "a skill has 12 to 700"),
    ("lengths", ("plugin/skills/show/SKILL.md", "word0", "word\n" * 95), "plugin/skills/show/SKILL.md", "a skill has at most 90"),
    ("lengths", ("plugin/skills/answered/SKILL.md", "$ARGUMENTS", ""), "plugin/skills/answered/SKILL.md", "0 words"),
    ("marks", ("plugin/agents/reader.md", "<!-- end: closing -->", ""), "plugin/agents/reader.md", "fragment closing has no end"),
    ("pasted", ("plugin/agents/reader.md", "word0", "all is done, close the door behind you"), "plugin/agents/reader.md", "a copy from the fragment closing"),
    ("pasted", ("prompts/families/made.md", "word0", "is done close the door behind you quietly"), "prompts/families/made.md", "a copy"),
    ("mentions", ("plugin/agents/reader.md", "ultrawork:maker", "ultrawork:breaker"), "plugin/agents/reader.md", "no such agent or skill"),
    ("mentions", ("plugin/agents/reader.md", "ultrawork:maker", "ultrawork:maker:maker"), "plugin/agents/reader.md", "ultrawork:maker:maker"),
    ("mentions", ("plugin/agents/reader.md", "/ultrawork:show", "/ultrawork:maker"), "plugin/agents/reader.md", "no such skill"),
    ("mentions", ("prompts/fragments/closing.md", "the door", "ultrawork:door"), "prompts/fragments/closing.md", "ultrawork:door"),
    ("verbs", ("plugin/skills/show/SKILL.md", "task list", "tusk list"), "plugin/skills/show/SKILL.md", "ultrawork tusk"),
    ("verbs", ("plugin/skills/show/SKILL.md", "task list", "task lisst"), "plugin/skills/show/SKILL.md", "ultrawork task lisst; known:"),
    ("verbs", ("plugin/skills/show/SKILL.md", "--status", "--state"), "plugin/skills/show/SKILL.md", "--state, an unknown flag"),
    ("verbs", ("prompts/families/made.md", "word0", "\n\n```\nultrawork bogus\n```\n"), "prompts/families/made.md", "ultrawork bogus"),
    ("verbs", (ROSTER, "Bash(ultrawork status:*)", "Bash(ultrawork bogus:*)"), ROSTER, "ultrawork bogus"),
    ("stale", (ROSTER, "Use to look.", "Use to look closer."), "plugin/agents/reader.md", "run make generate"),
    ("stale", (PROFILES, '"haiku"', '"sonnet"'), "plugin/agents/reader.md", "run make generate"),
    ("stale", ("prompts/fragments/closing.md", "quietly", "loudly"), "plugin/agents/maker.md", "run make generate"),
    ("stale", ("prompts/families/made.md", "word0", "word"), "plugin/agents/maker.md", "run make generate"),
    ("stale", ("plugin/agents/reader.md", "word0", "words"), "plugin/agents/looker.md", "run make generate"),
    ("stale", ("plugin/agents/maker.md", "word0", "by hand"), "plugin/agents/maker.md", "run make generate"),
    ("stale", ("plugin/agents/reader.md", "touch nothing", "touch everything"), "plugin/agents/reader.md", "run make generate"),
]  # fmt: skip


def test_a_library_in_order_is_not_complained_about(shelf):
    assert shelf.complaints() == []


@pytest.mark.parametrize(("rule", "edit", "path", "words"), BREAKS)
def test_what_is_wrong_is_told(shelf, rule, edit, path, words):
    shelf.swap(*edit)
    told = [one for one in shelf.complaints() if one.rule == rule and one.path == path]
    assert any(words in one.what for one in told), shelf.complaints()


def test_every_rule_is_broken_above():
    assert {rule for rule, *_ in BREAKS} == {"roster", "verbs", "stale", *RULES}


def test_triggers_have_a_budget_together(shelf):
    rows = "".join(f'[skills.s{number}]\nlane = "x"\nhook = true\ntrigger = "{"x" * 160}"\n' for number in range(80))
    shelf.write("prompts/roster.toml", shelf.read("prompts/roster.toml") + rows)
    assert any("all triggers together have" in one.what for one in shelf.complaints())


def test_what_only_a_person_starts_is_not_in_the_budget(shelf):
    before = rules.measure_listed(shelf.load())
    shelf.swap("prompts/roster.toml", "hook = true", "hook = true\nperson = true")
    assert before - rules.measure_listed(shelf.load()) == len("answered" + "Use when asked.")


def test_people_read_one_line_a_complaint(shelf):
    shelf.swap("prompts/profiles.toml", '"haiku"', '"gpt"')
    (first, *_) = list_complaints(shelf.load())
    assert repr(first).startswith('prompts/profiles.toml: tier low names "gpt"; known: haiku, sonnet')
