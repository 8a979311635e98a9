"""`ultrawork content …`: check and update the agents and skills that ultrawork ships."""

from collections.abc import Iterator, Sequence
from typing import Any

from ...content import library as libraries
from ...content import own_files, pages, rules, sync, text_scan
from ...content.library import Library
from ...content.roster import AGENT, ROSTER, SKILL, ContentComplaint, RosterAgent, RosterMember
from ...core import errors
from ...core.prompt import mode_request
from ...core.routing import catalogue
from ...core.routing.pages import choose_page
from ...store.plugin import find_root
from ..command import Command, Result, render_table
from ..environment import VerbEnvironment
from ..flags import SWITCH, Args, Flag
from ..main import load_commands
from ..verbs_table import ALIASES, VERBS

RULE = "verbs"


def _library(args: Args) -> Library:
    return libraries.load(args.text("--root") or find_root())


def check(args: Args, _env: VerbEnvironment) -> Result:
    library = _library(args)
    content_complaints = [
        *rules.list_complaints(library),
        *_verbs(library),
        *sync.list_complaints(library),
    ]
    data = {
        "ok": not content_complaints,
        "complaints": [content_complaint.document() for content_complaint in content_complaints],
    }
    if content_complaints:
        return Result(data, "\n".join(map(repr, content_complaints)), exit=errors.EXIT_FAIL)
    agents, skills = len(library.agents), len(library.skills)
    return Result(data, f"{agents} agents and {skills} skills are valid")


def lint(args: Args, env: VerbEnvironment) -> Result:
    """Check our pages in a checkout of ultrawork, and everywhere those of the project and the user."""
    library = _library(args)
    ours = rules.list_complaints(library)
    own = own_files.list_members(env.place, env.environ.get("HOME", ""))
    taken = {AGENT: set(library.agents), SKILL: set(library.skills)}
    found = [*map(repr, ours), *own_files.find_faults(own, taken)]
    size = rules.measure_listed(library)
    data = {"ok": not found, "complaints": found, "listed_characters": size, "own": len(own)}
    text = f"{len(library.members)} built-in and {len(own)} of your own are valid"
    budget = f"every session loads {size:,} characters of ours and {sum_told(own):,} of your own"
    if found:
        return Result(data, "\n".join([*found, budget]), exit=errors.EXIT_FAIL)
    return Result(data, f"{text}\n{budget}")


def sum_told(own: Sequence[own_files.OwnMember]) -> int:
    return sum(len(own_member.name) + len(own_member.trigger) for own_member in own)


def show(args: Args, env: VerbEnvironment) -> Result:
    """Show one page without its header: ours, else the project's or the user's own."""
    kinds = [kind for kind, flag in ((SKILL, "--skill"), (AGENT, "--agent")) if args.on(flag)]
    library = _library(args)
    own = own_files.list_members(env.place, env.environ.get("HOME", ""))
    found_page = pages.find_page(" ".join(args.rest), library, own, kinds)
    one = found_page.member
    about = _document(one, library) if isinstance(one, RosterMember) else one.document()
    return Result({**about, "text": found_page.text}, found_page.text)


def try_(args: Args, env: VerbEnvironment) -> Result:
    """Decide by words alone, like the hooks; no model is called."""
    words = env.read(" ".join(args.rest), "task")
    if not words:
        raise errors.UsageError('describe a task: ultrawork content try "fix the build"')
    catalogue_choice = catalogue.choose(words)
    request = mode_request.find_modes(words)
    modes = list(request.composed.modes) if request is not None and request.composed is not None else []
    data = {**catalogue_choice.document(), "modes": modes}
    rows = [("mode", name, "the prompt asks for it") for name in modes]
    rows += [("skill", name, catalogue_choice.why[name]) for name in catalogue_choice.skills]
    rows += [("agent", f"ultrawork:{name}", catalogue_choice.why[name]) for name in [catalogue_choice.agent] if name]
    page, said = ("", "") if catalogue_choice.skills else choose_page(words)
    rows += [("page", page, f'the words "{said}"')] if page and page != catalogue_choice.agent else []
    if not rows:
        return Result(data, "none of the agents or skills; the model works on it directly")
    return Result(data, render_table(("WHAT", "NAME", "BECAUSE OF"), rows))


def _verbs(library: Library) -> list[ContentComplaint]:
    """Return complaints about calls in prompts that the program does not understand."""
    content_complaints = [
        ContentComplaint(path, RULE, what)
        for path, text in rules.list_texts(library)
        for words in text_scan.find_calls(text)
        for what in _misunderstood(words)
    ]
    for skill in library.skills.values():
        for tool in skill.allow:
            words = text_scan.parse_allowed(tool) or []
            content_complaints += [ContentComplaint(ROSTER, RULE, what) for what in _misunderstood(words)]
    return content_complaints


def _misunderstood(words: list[str]) -> Iterator[str]:
    if not words:
        return
    verb = ALIASES.get(words[0], words[0])
    if verb not in VERBS:
        yield f"it calls ultrawork {words[0]}, but there is no such verb"
        return
    commands = load_commands(verb)
    by_name = {command.name: command for command in commands}
    named = next((word for word in words[1:] if not word.startswith("-")), "")
    command = by_name.get(named) or by_name.get("")
    if command is None:
        yield f"it calls ultrawork {verb} {named}; known: {', '.join(by_name)}"
        return
    known = {spelling for flag in command.flags for spelling in (flag.name, *flag.aliases)}
    for word in words[1:]:
        if word.startswith("--") and word.partition("=")[0] not in known:
            yield f"it calls ultrawork {verb} {command.name} with {word}, an unknown flag"


def sync_(args: Args, _env: VerbEnvironment) -> Result:
    library = _library(args)
    written = sync.write(library)
    text = "\n".join(f"wrote {path}" for path in written) or "everything is up to date"
    return Result({"written": written}, text)


def list_(args: Args, env: VerbEnvironment) -> Result:
    if args.on("--own"):
        return _list_own(env)
    library = _library(args)
    kinds = [kind for kind, flag in ((SKILL, "--skills"), (AGENT, "--agents")) if args.on(flag)]
    data = [_document(member, library) for member in library.members if not kinds or member.kind in kinds]
    rows = [
        (
            one["kind"],
            one["name"],
            one["lane"],
            one.get("tier", ""),
            str(one["words"]),
            one["trigger"],
        )
        for one in data
    ]
    size = rules.measure_listed(library)
    text = render_table(("KIND", "NAME", "LANE", "TIER", "WORDS", "TRIGGER"), rows)
    sentence = f"every session loads {size:,} characters"
    return Result({"members": data, "listed_characters": size}, f"{text}\n{sentence}")


def _document(member: RosterMember, library: Library) -> dict[str, Any]:
    data: dict[str, Any] = {
        "kind": member.kind,
        "name": member.name,
        "lane": member.lane,
        "trigger": member.trigger,
        "path": member.path,
        "listed": member.listed,
        "family": member.family,
        "fragments": list(member.fragments),
        "words": len(text_scan.split_words(library.body(member))),
    }
    if isinstance(member, RosterAgent):
        data |= {
            "tier": member.tier,
            "model": library.tiers.get(member.tier),
            "profile": member.profile,
        }
    return data


def _list_own(env: VerbEnvironment) -> Result:
    own_members = own_files.list_members(env.place, env.environ.get("HOME", ""))
    rows = [(own_member.kind, own_member.name, own_member.scope, own_member.trigger) for own_member in own_members]
    text = render_table(("KIND", "NAME", "OF", "TRIGGER"), rows) if rows else "none of your own"
    warnings = [f"{own_member.path}: {doubt}" for own_member in own_members for doubt in own_member.doubts]
    return Result({"own": [own_member.document() for own_member in own_members]}, text, warnings=warnings)


_ROOT = Flag("--root", "use this checkout instead of the running program's own", metavar="FOLDER")
COMMANDS = (
    Command(
        "list",
        "List agents and skills with their triggers",
        list_,
        flags=(
            _ROOT,
            Flag("--own", "list your own and the project's instead", kind=SWITCH),
            Flag("--agents", "agents only", kind=SWITCH),
            Flag("--skills", "skills only", kind=SWITCH),
        ),
        example="ultrawork content list --json",
    ),
    Command(
        "show",
        "Print the text of one agent or skill",
        show,
        rest="NAME",
        flags=(
            _ROOT,
            Flag("--agent", "show the agent if a skill has the same name", kind=SWITCH),
            Flag("--skill", "show only the skill", kind=SWITCH),
        ),
        example="ultrawork content show plan",
    ),
    Command(
        "try",
        "Show which agent and skills a task would use, and which words select them",
        try_,
        rest="WORDS…",
        example='ultrawork content try "fix the build"',
    ),
    Command(
        "lint",
        "Check agents and skills, including your own; exit 1 if there are problems",
        lint,
        flags=(_ROOT,),
        example="ultrawork content lint",
    ),
    Command(
        "check",
        "Check the built-in agents and skills; exit 1 if there are problems",
        check,
        flags=(_ROOT,),
        example="ultrawork content check",
    ),
    Command(
        "sync",
        "Regenerate the shared parts of agents/ and skills/",
        sync_,
        flags=(_ROOT,),
        example="ultrawork content sync",
    ),
)
