"""Every verb: where it lives, on which shelf of the help it stands, what it is for."""

from ..core.registry import FEATURES

PEOPLE = "people"
SCRIPTS = "agents and scripts"
MACHINERY = "machinery"


class VerbRow:
    __slots__ = ("help", "module", "shelf")

    def __init__(self, module: str, shelf: str, help: str) -> None:  # noqa: A002 (as everywhere)
        self.module = module
        self.shelf = shelf
        self.help = help

    @property
    def full_name(self) -> str:
        """Of its module, which is in `cli/verbs` or in the package of a feature."""
        own = self.module.startswith("ultrawork.")
        return self.module if own else f"ultrawork.cli.verbs.{self.module}"


VERBS = {
    "run": VerbRow(
        "run", PEOPLE, "a goal: explore, plan, work in parallel, merge, verify; no client"
    ),
    "plan": VerbRow("plan", PEOPLE, "explore and plan a goal; nothing is changed"),
    "exec": VerbRow("exec", PEOPLE, "carry out a plan that stands"),
    "resume": VerbRow("resume", PEOPLE, "go on with a run that was stopped or killed"),
    "watch": VerbRow("watch", PEOPLE, "follow a run as it goes on"),
    "logs": VerbRow("logs", PEOPLE, "what the agents of a task said and did"),
    "undo": VerbRow("undo", PEOPLE, "take one task's changes out of a run's results again"),
    "status": VerbRow(
        "status", PEOPLE, "show what is on, which gates decide, how many refusals are used"
    ),
    "inbox": VerbRow("inbox", PEOPLE, "what needs you, in every project of this machine"),
    "answer": VerbRow("answer", PEOPLE, "answer a question of the inbox"),
    "notify": VerbRow("notify", PEOPLE, "notifications on your own channels; test them"),
    "dashboard": VerbRow("dashboard", PEOPLE, "the board and the inbox as a live page"),
    "why": VerbRow("why", PEOPLE, "tell why the last stop was decided as it was"),
    "with": VerbRow("with_", PEOPLE, "a client's own command, and the verdict after it"),
    "verify": VerbRow("verify", PEOPLE, "run the project's checks and keep the proof"),
    "gates": VerbRow(
        "gates", PEOPLE, "the checks that decide: found where, why; allow or try them"
    ),
    "evidence": VerbRow("evidence", PEOPLE, "receipts and the last verdict"),
    "report": VerbRow(
        "report", PEOPLE, "a session as a whole: plan, progress, ending; as a page too"
    ),
    "wait": VerbRow("wait", SCRIPTS, "wait until a session has ended"),
    "export": VerbRow("export", SCRIPTS, "a session whole, as one JSON document"),
    "accept": VerbRow("accept", PEOPLE, "take the open findings as they are"),
    "restore": VerbRow(
        "restore", PEOPLE, "bring back work that a session destroyed, or the files of the last PASS"
    ),
    "cancel": VerbRow("cancel", PEOPLE, "switch a session off"),
    "clean": VerbRow("clean", PEOPLE, "take away branches, worktrees and state of ended sessions"),
    "providers": VerbRow(
        "providers", PEOPLE, "who runs agents, who asks us to wait and until when; clear that"
    ),
    "worker": VerbRow(
        "worker", PEOPLE, "work on tasks of a team, or of runs that go over many machines"
    ),
    "serve-git": VerbRow(
        "serve_git", PEOPLE, "a git remote for the machines of a cluster that has none"
    ),
    "review": VerbRow("review", PEOPLE, "findings of other models, and what their commands showed"),
    "stats": VerbRow(
        "stats", PEOPLE, "how sessions ended, what the checks said, how often reviewers were right"
    ),
    "config": VerbRow("config", PEOPLE, "show every setting and where its value comes from"),
    "features": VerbRow("features", PEOPLE, "what of a project's memory and guidance is on"),
    "doctor": VerbRow("doctor", PEOPLE, "see whether everything that ultrawork needs is there"),
    "install": VerbRow(
        "install", PEOPLE, "put the program on your PATH and into a client; shows each change"
    ),
    "uninstall": VerbRow("uninstall", PEOPLE, "take back what install changed, byte for byte"),
    "demo": VerbRow("demo", PEOPLE, "walk through a session on a throw-away repository"),
    "session": VerbRow("session", SCRIPTS, "begin, read, change, check and clean sessions"),
    "task": VerbRow("task", SCRIPTS, "create, read, claim and update the tasks of a session"),
    "content": VerbRow(
        "content", SCRIPTS, "agents and skills: list them, check them, keep them up to date"
    ),
    "code": VerbRow("code", SCRIPTS, "what language servers find wrong in files"),
    "context": VerbRow("context", SCRIPTS, "what explorers are expected to find, and found"),
    "mode": VerbRow("mode", SCRIPTS, "the state of the execution modes: read, write, clear, list"),
    "memory": VerbRow("memory", SCRIPTS, "what is known of a project for good"),
    "route": VerbRow("route", SCRIPTS, "choose a model for a piece of work, and say why"),
    "compose": VerbRow("compose", SCRIPTS, "say what skills that are named together come to"),
    "mcp": VerbRow(
        "mcp", MACHINERY, "serve the toolbox to a client, over standard input and output"
    ),
    "statusline": VerbRow("statusline", MACHINERY, "one line for a client's status bar"),
    "next": VerbRow("next", SCRIPTS, "what comes next in a session"),
    "version": VerbRow("version", MACHINERY, "print the version"),
}
VERBS |= {
    verb: VerbRow(f"ultrawork.features.{name}.{module}", shelf, text)
    for name, feature in FEATURES.items()
    for verb, (module, shelf, text) in feature.verbs.items()
}
# Verbs whose words belong to another program from the first one on that is no flag of ours.
VERBATIM = ("with",)
ALIASES = {
    "receipts": "evidence",
    "tui": "watch",
    "off": "cancel",
    "stop": "cancel",
    "stop-continuation": "cancel",
}
