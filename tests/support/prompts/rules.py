"""All rules of the library: for the rows of its tables, then for its texts; a table of them last."""

import re
from collections.abc import Callable, Iterator, Sequence

from ultrawork.content.library import SKILL
from ultrawork.core.check import quote

from . import blocks, front_matter, sync, text_scan
from .library import BESIDE, FAMILIES, FRAGMENTS, Library
from .roster import PROFILES, ROSTER, ContentComplaint, RosterAgent, RosterMember, RosterSkill, ToolProfile

Findings = Iterator[tuple[str, str]]

# Known to Claude Code 2.1.197 and newer; a test with the real client checks the profiles.
TOOLS = frozenset(
    (
        "Agent", "AskUserQuestion", "Bash", "CronCreate", "CronDelete", "CronList", "Edit", "EnterWorktree",
        "ExitWorktree", "Glob", "Grep", "NotebookEdit", "Read", "ReportFindings", "ScheduleWakeup",
        "SendMessage", "Skill", "TaskStop", "ToolSearch", "WebFetch", "WebSearch", "Workflow", "Write",
    )
)  # fmt: skip
# Our own server as Claude Code names it, whole or one tool of it.
_TOOLBOX = re.compile(r"mcp__plugin_ultrawork_t(__[a-z_]+)?")
# What an agent must not have that makes a fragment's promise.
PROMISES = {
    "readonly": frozenset(("Agent", "Bash", "Edit", "NotebookEdit", "Workflow", "Write")),
    "alone": frozenset(("Agent", "Workflow")),
}
MODELS = ("haiku", "sonnet", "opus", "inherit")


# Agents that our own steps start by name: the model does not choose them.
STARTED_BY_US = ("ultrawork only", "Axiom only")
TRIGGER = 160
ALL_TRIGGERS = 12_000
FRAGMENT_WORDS = 120
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NAME_LENGTH = 40


def check_names(library: Library) -> Findings:
    """Small letters, digits and single dashes."""
    for member in library.members:
        if not _NAME.fullmatch(member.name) or len(member.name) > _NAME_LENGTH:
            yield (ROSTER, f"{quote(member.name)} is not a valid name: use lower-case letters, digits, single dashes")


def check_triggers(library: Library) -> Findings:
    """Each is short, and all that the model always sees stay within a budget together."""
    for member in library.members:
        if not member.trigger or "\n" in member.trigger or len(member.trigger) > TRIGGER:
            text = f"{len(member.trigger)} characters" if member.trigger else "nothing"
            yield ROSTER, f"the trigger of {member.name} has {text}; one line of at most {TRIGGER}"
    for kind in (library.agents, library.skills):
        listed = [one for one in kind.values() if one.listed]
        yield from _check_unique([one for one in listed if one.trigger not in STARTED_BY_US])
    for skill in library.skills.values():
        if skill.listed and not skill.trigger.startswith("Use "):
            yield ROSTER, f"the trigger of {skill.name} does not say when to use it: Use when …"
    total = measure_listed(library)
    if total > ALL_TRIGGERS:
        yield ROSTER, f"all triggers together have {total:,} characters; at most {ALL_TRIGGERS:,}"


def _check_unique(listed: Sequence[RosterMember]) -> Findings:
    """Yield members with the same trigger: no one could choose between them."""
    seen: dict[str, str] = {}
    for roster_member in sorted(listed, key=lambda each: each.name):
        first = seen.setdefault(roster_member.trigger, roster_member.name)
        if first != roster_member.name:
            yield (ROSTER, f"{first} and {roster_member.name} have the same trigger; make them differ")


def measure_listed(library: Library) -> int:
    """Return the characters of names and triggers that every session carries."""
    return sum(len(member.name) + len(member.trigger) for member in library.members if member.listed)


def check_tiers(library: Library) -> Findings:
    for tier, model in library.tiers.items():
        if model not in MODELS:
            yield PROFILES, f"tier {tier} names {quote(model)}; known: {', '.join(MODELS)}"
    for agent in library.agents.values():
        if agent.tier not in library.tiers:
            yield ROSTER, f"{agent.name} has the unknown tier {quote(agent.tier)}"


def check_profiles(library: Library) -> Findings:
    """Check that profiles have real tools, given or taken away, and that each has an agent."""
    used = {agent.profile for agent in library.agents.values()}
    for agent in library.agents.values():
        if agent.profile not in library.profiles:
            yield ROSTER, f"{agent.name} has the unknown profile {quote(agent.profile)}"
    for tool_profile in library.profiles.values():
        if bool(tool_profile.tools) == bool(tool_profile.without):
            yield PROFILES, f"profile {tool_profile.name} needs either tools or without"
        if tool_profile.name not in used:
            yield PROFILES, f"no agent uses the profile {tool_profile.name}; remove it"
        for tool in (*tool_profile.tools, *tool_profile.without):
            if tool not in TOOLS and not _TOOLBOX.fullmatch(tool):
                yield (PROFILES, f"profile {tool_profile.name} names {quote(tool)}, which no client has")


def check_promises(library: Library) -> Findings:
    """Check that an agent that promises to change nothing, or to work alone, has no tool for it."""
    for agent in library.agents.values():
        profile = library.profiles.get(agent.profile)
        for name in agent.fragments:
            broken = PROMISES.get(name, frozenset()).intersection(_offered(profile))
            if broken:
                yield (ROSTER, f"{agent.name} promises {name}, but its profile has {min(broken)}")


def _offered(profile: ToolProfile | None) -> frozenset[str]:
    if profile is None:
        return frozenset()
    return frozenset(profile.tools) or TOOLS.difference(profile.without)


def check_allowances(library: Library) -> Findings:
    """Check that a skill may run only a verb of the program without asking, never a shell."""
    for skill in library.skills.values():
        for tool in skill.allow:
            if text_scan.parse_allowed(tool) is None:
                yield (ROSTER, f"{skill.name} allows {quote(tool)}; only Bash(ultrawork VERB:*) may be allowed")


def check_fragments(library: Library) -> Findings:
    used = {name for member in library.members for name in member.fragments}
    for member in library.members:
        for name in member.fragments:
            if name not in library.fragments:
                yield (ROSTER, f"{member.name} names the fragment {quote(name)}, which does not exist")
    for name, text in library.fragments.items():
        path = f"{FRAGMENTS}/{name}.md"
        count = len(text_scan.split_words(text))
        if name not in used:
            yield path, "no agent or skill uses it; remove it"
        if not 0 < count <= FRAGMENT_WORDS:
            yield path, f"it has {count} words; a fragment has 1 to {FRAGMENT_WORDS}"


def check_same(library: Library) -> Findings:
    """A text is repeated from a member of the same kind that has one, and nothing is added to it."""
    first = {(member.kind, member.name) for member in library.members if not member.same}
    for member in library.members:
        if member.same and (member.kind, member.same) not in first:
            yield ROSTER, f"{member.name} copies {quote(member.same)}, which has no text"
        if member.same and (member.family or member.fragments or member.slots):
            yield (ROSTER, f"{member.name} copies {member.same}; remove its own family, fragments and slots")


def check_families(library: Library) -> Findings:
    """Every slot of a family is filled, and no other one is."""
    used = {member.family for member in library.members if member.family}
    for name in library.families:
        if name not in used:
            yield f"{FAMILIES}/{name}.md", "no agent or skill belongs to this family; remove it"
    for member in library.members:
        if member.family and member.family not in library.families:
            yield (ROSTER, f"{member.name} belongs to the family {quote(member.family)}, which does not exist")
            continue
        wanted = set(blocks.list_slots(library.families[member.family])) if member.family else set()
        for slot in sorted(wanted ^ set(member.slots)):
            state = "lacks" if slot in wanted else "has no place for"
            yield ROSTER, f"{member.name} {state} the slot {slot}"


AGENT_WORDS = (140, 480)
SKILL_WORDS = (12, 700)
LINES = 90


def check_files(library: Library) -> Findings:
    """Return a row for each file and a file for each row."""
    rows = {member.path: member for member in library.members}
    for path in library.files:
        if path not in rows:
            yield path, f"it has no row in {ROSTER}"
    for path in library.policies:
        skill = library.skills.get(path.split("/")[2])
        if skill is None or skill.listed:
            yield path, "it hides a skill from Codex that should be listed; remove it"
    for path, roster_member in rows.items():
        if path not in library.files and roster_member.by_hand:
            yield path, f"{roster_member.name} is in {ROSTER}, but this file is missing; write it"


def check_heads(library: Library) -> Findings:
    """Readable, and nothing in them that a client would not understand or ignore."""
    for member in library.members:
        text = library.files.get(member.path, "")
        if not text.startswith(front_matter.FENCE):
            continue  # `sync` writes the first one
        try:
            found, _ = front_matter.parse_text(text)
        except front_matter.HeadError as error:
            yield member.path, str(error)
            continue
        for key in found:
            if key not in sync.KEYS[member.kind]:
                yield (member.path, f"the header has the key {quote(key)}; set it in {ROSTER} instead")


def check_lengths(library: Library) -> Findings:
    for member in library.members:
        if member.path not in library.files:
            continue
        low, high = _limits(member)
        count = len(text_scan.split_words(library.body(member)))
        if not low <= count <= high:
            yield member.path, f"it has {count} words; {_article(member)} has {low} to {high}"
        lines = library.body(member).count("\n") + 1
        if lines > LINES:
            yield member.path, f"it has {lines} lines; {_article(member)} has at most {LINES}"


def _limits(member: RosterMember) -> tuple[int, int]:
    """Return the word limits; a skill whose work the hook does may be a single line."""
    if isinstance(member, RosterAgent):
        return AGENT_WORDS
    low, high = SKILL_WORDS
    return (1 if isinstance(member, RosterSkill) and member.hook else low), high


def _article(member: RosterMember) -> str:
    return "a skill" if member.kind == SKILL else "an agent"


HELPER_WORDS = 600


def check_helpers(library: Library) -> Findings:
    """Check that a file beside a page is named in it, and that named ones exist."""
    for path, text in library.helpers.items():
        page, name = f"{path.rpartition('/')[0]}/SKILL.md", path.removeprefix("plugin/skills/")
        if f"{BESIDE}{name}`" not in library.files.get(page, ""):
            yield path, f"the page beside it does not name it: {BESIDE}{name}`"
        if len(text_scan.split_words(text)) > HELPER_WORDS:
            yield path, f"it has more than {HELPER_WORDS} words"
    for path, text in library.files.items():
        for part in text.split(BESIDE)[1:]:
            beside = f"plugin/skills/{part.partition('`')[0]}"
            if beside.count("/") > 2 and beside not in library.helpers:
                yield path, f"it names {beside}, which does not exist"


def check_marks(library: Library) -> Findings:
    for path, text in library.files.items():
        try:
            blocks.split_parts(text)
        except blocks.BlockError as error:
            yield path, str(error)


def check_pasted(library: Library) -> Findings:
    """Check that a fragment's text is named, never copied."""
    for path, text in _own_texts(library):
        for name, fragment in library.fragments.items():
            words = text_scan.find_shared(fragment, text)
            if words:
                yield path, f'"{words}" is a copy from the fragment {name}; name it in {ROSTER}'


def _own_texts(library: Library) -> Findings:
    """Yield handwritten texts: bodies outside fragments, and families."""
    by_hand = {member.path for member in library.members if member.by_hand}
    for path, text in library.files.items():
        if path in by_hand:
            try:
                yield path, blocks.extract_own_words(front_matter.get_body(text))
            except (blocks.BlockError, front_matter.HeadError):
                continue  # reported by another rule
    for name, text in library.families.items():
        yield f"{FAMILIES}/{name}.md", text


def check_mentions(library: Library) -> Findings:
    """Check that every mentioned agent and skill exists."""
    for path, text in list_texts(library):
        for name in text_scan.find_names(text):
            known = library.skills if name.typed else {**library.agents, **library.skills}
            if name.name not in known:
                kind = "skill" if name.typed else "agent or skill"
                yield path, f"it mentions ultrawork:{name.name}, but there is no such {kind}"


def list_texts(library: Library) -> Findings:
    """Yield every text once: handwritten text, fragments, families, triggers."""
    yield from _own_texts(library)
    yield from library.helpers.items()
    for name, text in library.fragments.items():
        yield f"{FRAGMENTS}/{name}.md", text
    for member in library.members:
        yield ROSTER, "\n".join([member.trigger, *map(str, member.slots.values())])


RULES: dict[str, Callable[[Library], Findings]] = {
    "names": check_names,
    "triggers": check_triggers,
    "tiers": check_tiers,
    "profiles": check_profiles,
    "promises": check_promises,
    "allowances": check_allowances,
    "fragments": check_fragments,
    "same": check_same,
    "families": check_families,
    "files": check_files,
    "heads": check_heads,
    "lengths": check_lengths,
    "helpers": check_helpers,
    "marks": check_marks,
    "pasted": check_pasted,
    "mentions": check_mentions,
}


def list_complaints(library: Library) -> list[ContentComplaint]:
    """Return the faults of all rules; `sync` checks whether files are up to date."""
    content_complaints = list(library.complaints)
    for rule, check in RULES.items():
        content_complaints += [ContentComplaint(path, rule, what) for path, what in check(library)]
    return content_complaints
