"""`ultrawork content …`: the agents and skills that ultrawork ships, and those of the project and the user."""

from ...content import library
from ...content.library import AGENT, SKILL, LibraryMember, OwnMember
from ...core import errors
from ...core.prompt import mode_request
from ...core.routing import catalogue
from ...core.routing.catalogue import choose_page
from ...store.paths import find_root
from ..command import Command, Result, render_table
from ..environment import Args, VerbEnvironment, switch


def lint(_args: Args, env: VerbEnvironment) -> Result:
    """Check the pages of the project and the user."""
    ours, own = library.load(find_root()), _list_members(env)
    taken = {kind: {member.name for member in ours if member.kind == kind} for kind in (AGENT, SKILL)}
    faults = list(library.find_faults(own, taken))
    size, own_size = library.measure_listed(ours), sum(len(member.name) + len(member.trigger) for member in own)
    data = {"ok": not faults, "complaints": faults, "listed_characters": size, "own": len(own)}
    budget = f"every session loads {size:,} characters of ours and {own_size:,} of your own"
    text = "\n".join(faults) or f"{len(own)} of your own are valid"
    return Result(data, f"{text}\n{budget}", exit=errors.EXIT_FAIL if faults else errors.EXIT_DONE)


def _list_members(env: VerbEnvironment) -> list[OwnMember]:
    return library.list_members(env.place, env.environ.get("HOME", ""))


def show(args: Args, env: VerbEnvironment) -> Result:
    """Show one page without its header: ours, else the project's or the user's own."""
    kinds = [kind for kind, flag in ((SKILL, "--skill"), (AGENT, "--agent")) if args.on(flag)]
    found_page = library.find_page(" ".join(args.rest), find_root(), _list_members(env), kinds)
    return Result({**found_page.member.document(), "text": found_page.text}, found_page.text)


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
    page, phrase = ("", "") if catalogue_choice.skills else choose_page(words)
    rows += [("page", page, f'the words "{phrase}"')] if page and page != catalogue_choice.agent else []
    if not rows:
        return Result(data, "none of the agents or skills; the model works on it directly")
    return Result(data, render_table(("WHAT", "NAME", "BECAUSE OF"), rows))


def list_(args: Args, env: VerbEnvironment) -> Result:
    if args.on("--own"):
        return _list_own(env)
    kinds = [kind for kind, flag in ((SKILL, "--skills"), (AGENT, "--agents")) if args.on(flag)]
    members = [member for member in library.load(find_root()) if not kinds or member.kind in kinds]
    size = library.measure_listed(members)
    text = render_table(("KIND", "NAME", "MODEL", "WORDS", "TRIGGER"), [_make_row(member) for member in members])
    data = {"members": [member.document() for member in members], "listed_characters": size}
    return Result(data, f"{text}\nevery session loads {size:,} characters")


def _make_row(member: LibraryMember) -> tuple[str, ...]:
    return member.kind, member.name, member.model, str(member.count_words()), member.trigger


def _list_own(env: VerbEnvironment) -> Result:
    own_members = _list_members(env)
    rows = [(own_member.kind, own_member.name, own_member.scope, own_member.trigger) for own_member in own_members]
    text = render_table(("KIND", "NAME", "OF", "TRIGGER"), rows) if rows else "none of your own"
    warnings = [f"{own_member.path}: {doubt}" for own_member in own_members for doubt in own_member.doubts]
    return Result({"own": [own_member.document() for own_member in own_members]}, text, warnings=warnings)


COMMANDS = (
    Command(
        "list",
        "List agents and skills with their triggers",
        list_,
        flags=(
            switch("--own", "list your own and the project's instead"),
            switch("--agents", "agents only"),
            switch("--skills", "skills only"),
        ),
        example="ultrawork content list --json",
    ),
    Command(
        "show",
        "Print the text of one agent or skill",
        show,
        rest="NAME",
        flags=(
            switch("--agent", "show the agent if a skill has the same name"),
            switch("--skill", "show only the skill"),
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
        "Check your own agents and skills and the project's; exit 1 if there are problems",
        lint,
        example="ultrawork content lint",
    ),
)
