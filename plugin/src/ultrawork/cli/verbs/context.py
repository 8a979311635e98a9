"""`ultrawork context …`: what explorers are expected to find, and found."""

from ...core.errors import UsageError
from ...core.session import exploration as core_context
from ...core.session.exploration import Explorer
from ...store import sessions
from ..command import Command, Result, show_field, split_list
from ..environment import SESSION, Args, Flag, VerbEnvironment, switch


def init(args: Args, env: VerbEnvironment) -> Result:
    session = env.session(args)
    names = split_list(args.text("--expected"), ",")
    if not names:
        raise UsageError("--expected is empty; write --expected overview,exp-1")
    with env.store.change(session.id) as change:
        sessions.expect_explorers(change, names)
    return Result(_document(env, session.id), f"expected: {', '.join(names)}")


def add(args: Args, env: VerbEnvironment) -> Result:
    session = env.session(args)
    report = env.read("-", "report") if args.rest == ["-"] else None
    if args.rest not in ([], ["-"]):
        raise UsageError("send the report on standard input: ultrawork context add --id exp-1 -")
    explorer = Explorer(
        id=str(args.text("--id")),
        hint=args.text("--hint") or "",
        summary=args.text("--summary") or _first_line(report or ""),
        findings={
            "key_files": split_list(args.text("--key-files"), ","),
            "patterns": split_list(args.text("--patterns"), ","),
        },
        report=report,
    )
    with env.store.change(session.id) as change:
        new = sessions.take_report(change, explorer)
    document = _document(env, session.id)
    return Result(document, _added(explorer.id, new, document))


def _first_line(report: str) -> str:
    return next((line.strip("# ").strip() for line in report.splitlines() if line.strip()), "")[:200]


def _added(name: str, new: bool, document: dict[str, object]) -> str:
    if not new:
        return f"explorer {name} already reported; the first report is kept"
    return f"explorer {name} added" + ("; all expected explorers complete" if document["exploration_complete"] else "")


def get(args: Args, env: VerbEnvironment) -> Result:
    session = env.session(args)
    if args.on("--file"):
        path = env.store.home.session(session.id) + "/context.json"
        return Result({"path": path}, path)
    document = _document(env, session.id)
    if args.on("--summary"):
        return Result(document, _summary(document))
    return show_field(document, args.text("--field"))


def _document(env: VerbEnvironment, session: str) -> dict[str, object]:
    return core_context.make_document(sessions.list_explorers(env.store.database, session))


def _summary(document: dict[str, object]) -> str:
    explorers, expected = document["explorers"], document["expected_explorers"]
    assert isinstance(explorers, list)
    assert isinstance(expected, list)
    state = "complete" if document["exploration_complete"] else "in progress"
    lines = [f"# Context ({state})", "", f"## Explorers ({len(explorers)}/{len(expected) or '?'})"]
    lines += [f"- {explorer['id']}: {explorer['summary']}" for explorer in explorers]
    for key in ("key_files", "patterns"):
        entries = document[key]
        assert isinstance(entries, list)
        lines += ["", f"## {key.replace('_', ' ').capitalize()} ({len(entries)})"]
        lines += [f"- {entry}" for entry in entries]
    return "\n".join(lines)


_ID = Flag("--id", "the explorer", metavar="ID", aliases=("-e", "--explorer-id"), required=True)
COMMANDS = (
    Command(
        "init",
        "Name the explorers that must report before exploration is complete",
        init,
        flags=(SESSION, Flag("--expected", "ids of the explorers", metavar="A,B", aliases=("-e",), required=True)),
        example="ultrawork context init --expected overview,exp-1,exp-2",
    ),
    Command(
        "add",
        "Store an explorer's report from standard input",
        add,
        rest="[-]",
        flags=(
            SESSION,
            _ID,
            Flag("--hint", "what the explorer was asked to find", aliases=("-H",)),
            Flag("--summary", "the findings in one line", aliases=("-S",)),
            Flag("--key-files", "relevant files", metavar="A,B", aliases=("-k",)),
            Flag("--patterns", "patterns in the code", metavar="A,B", aliases=("-p",)),
            Flag("--file", "where the report is stored; always exploration/ID.md", aliases=("-f",)),
        ),
        example="ultrawork context add --id exp-1 --summary 'auth lives in auth/' - < report.md",
    ),
    Command(
        "get",
        "Print the collected context, one field, or a summary",
        get,
        flags=(
            SESSION,
            Flag("--field", "one field, such as key_files", metavar="PATH"),
            switch("--file", "print the path of context.json"),
            switch("--summary", "print a summary in Markdown"),
        ),
        example="ultrawork context get --summary",
    ),
)
