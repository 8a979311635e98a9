"""List every verb: its module, its group in the help, what it does, and which verbs belong with it."""

from ..core.registry import FEATURES

WORK = "Start and follow work"
RESULTS = "See what happened and why"
CHECKS = "Check and prove a change"
REPAIR = "Undo, restore and clean up"
SETUP = "Set up and look around"
MACHINES = "Work on several machines"
SCRIPTS = "agents and scripts"
MACHINERY = "machinery"
# `ultrawork --help` shows these groups. The other two are added by `--help --all`.
PEOPLE = (WORK, RESULTS, CHECKS, REPAIR, SETUP, MACHINES)
HEADINGS = {SCRIPTS: "For agents and scripts", MACHINERY: "Started by clients"}


class VerbRow:
    """Describe one verb. `help` is its one-line summary, without a period."""

    __slots__ = ("group", "help", "module")

    def __init__(self, module: str, group: str, help: str) -> None:  # noqa: A002 (as everywhere)
        self.module = module
        self.group = group
        self.help = help

    @property
    def full_name(self) -> str:
        """Return the name of its module, in `cli/verbs` or in the package of a feature."""
        own = self.module.startswith("ultrawork.")
        return self.module if own else f"ultrawork.cli.verbs.{self.module}"


VERBS = {
    "here": VerbRow("here", WORK, "Show what is going on here and what to type next"),
    "run": VerbRow("run", WORK, "Explore, plan, implement and verify a goal without a client"),
    "plan": VerbRow("plan", WORK, "Plan a goal without changing any file"),
    "exec": VerbRow("exec", WORK, "Carry out a plan"),
    "resume": VerbRow("resume", WORK, "Continue a run that was stopped or killed"),
    "with": VerbRow("with_", WORK, "Run a client's command, then print the verdict"),
    "status": VerbRow("status", WORK, "Show the active session, its checks and refusals"),
    "watch": VerbRow("watch", WORK, "Follow a run live, or every session with --all"),
    "inbox": VerbRow("inbox", WORK, "List what needs you, in all projects on this machine"),
    "answer": VerbRow("answer", WORK, "Answer a question from the inbox"),
    "dashboard": VerbRow("dashboard", WORK, "Open the board and the inbox as a live page"),
    "notify": VerbRow("notify", WORK, "List and test notifications on your own channels"),
    "cancel": VerbRow("cancel", WORK, "Turn a session off"),
    "why": VerbRow("why", RESULTS, "Explain the last decision and what would change it"),
    "evidence": VerbRow("evidence", RESULTS, "Show the last verdict and its receipts"),
    "report": VerbRow("report", RESULTS, "Show a whole session, also as a web page"),
    "logs": VerbRow("logs", RESULTS, "Show what the agents of a task said and did"),
    "stats": VerbRow("stats", RESULTS, "Count how sessions and checks ended"),
    "verify": VerbRow("verify", CHECKS, "Run the project's checks and record the result"),
    "gates": VerbRow("gates", CHECKS, "List the project's checks, and allow or test them"),
    "accept": VerbRow("accept", CHECKS, "Accept open findings with a reason"),
    "review": VerbRow("review", CHECKS, "Show and test what reviewers found"),
    "undo": VerbRow("undo", REPAIR, "Remove one task's changes from a run's results"),
    "restore": VerbRow("restore", REPAIR, "Bring back lost work, or the files of the last PASS"),
    "clean": VerbRow("clean", REPAIR, "Delete what finished sessions left behind"),
    "config": VerbRow("config", SETUP, "Show or change settings"),
    "features": VerbRow("features", SETUP, "Show or change which project features are enabled"),
    "doctor": VerbRow("doctor", SETUP, "Check the installation and show how to fix problems"),
    "install": VerbRow("install", SETUP, "Put ultrawork on your PATH and into a client"),
    "uninstall": VerbRow("uninstall", SETUP, "Remove exactly what install changed"),
    "completions": VerbRow("completions", SETUP, "Print completions for bash, zsh or fish"),
    "demo": VerbRow("demo", SETUP, "Watch a session on a sample project"),
    "eval": VerbRow("eval", SETUP, "Measure your client and model with ultrawork and without"),
    "providers": VerbRow("providers", SETUP, "Show agent providers and their rate limits"),
    "worker": VerbRow("worker", MACHINES, "Work on tasks of a team or a cluster"),
    "serve-git": VerbRow("serve_git", MACHINES, "Serve a git remote to the machines of a cluster"),
    "wait": VerbRow("wait", SCRIPTS, "Wait until a session ends"),
    "export": VerbRow("export", SCRIPTS, "Export a whole session as one JSON document"),
    "session": VerbRow("session", SCRIPTS, "Create, read, change, check and delete sessions"),
    "task": VerbRow("task", SCRIPTS, "Create, read, claim and update a session's tasks"),
    "content": VerbRow("content", SCRIPTS, "List, show and check agents and skills"),
    "code": VerbRow("code", SCRIPTS, "Show errors that language servers find"),
    "context": VerbRow("context", SCRIPTS, "Record and read what explorers found"),
    "mode": VerbRow("mode", SCRIPTS, "Read and change the state of execution modes"),
    "memory": VerbRow("memory", SCRIPTS, "Read and extend what is known about a project"),
    "route": VerbRow("route", SCRIPTS, "Choose a model for a piece of work, with the reason"),
    "compose": VerbRow("compose", SCRIPTS, "Show which mode a prompt or a set of skills starts"),
    "mcp": VerbRow("mcp", MACHINERY, "Serve the toolbox to a client over MCP"),
    "statusline": VerbRow("statusline", MACHINERY, "Print one line for a client's status bar"),
    "next": VerbRow("next", SCRIPTS, "Show the next step of a session"),
    "version": VerbRow("version", MACHINERY, "Print the version"),
}
VERBS |= {
    verb: VerbRow(f"ultrawork.features.{name}.{module}", group, text)
    for name, feature in FEATURES.items()
    for verb, (module, group, text) in feature.verbs.items()
}
# Verbs that pass everything after their own flags to another program.
VERBATIM = ("with",)
ALIASES = {"receipts": "evidence", "tui": "watch", "off": "cancel", "stop": "cancel", "stop-continuation": "cancel"}
# Verbs that the help of a verb points to.
RELATED = {
    "here": ("status", "gates", "doctor"),
    "run": ("plan", "resume", "watch"),
    "plan": ("exec", "run"),
    "exec": ("plan", "resume"),
    "resume": ("run", "status", "cancel"),
    "with": ("verify", "evidence"),
    "status": ("why", "watch", "cancel"),
    "watch": ("status", "logs"),
    "cancel": ("resume", "clean"),
    "inbox": ("answer", "status"),
    "dashboard": ("watch", "inbox"),
    "notify": ("inbox", "config"),
    "answer": ("inbox", "status"),
    "why": ("status", "evidence", "accept"),
    "evidence": ("verify", "why", "report"),
    "report": ("evidence", "logs", "export"),
    "logs": ("report", "watch"),
    "stats": ("report", "evidence"),
    "verify": ("gates", "evidence", "why"),
    "gates": ("verify", "config", "why"),
    "accept": ("why", "evidence"),
    "review": ("evidence", "stats"),
    "undo": ("task", "restore"),
    "restore": ("undo", "why"),
    "clean": ("session", "cancel"),
    "config": ("gates", "features", "doctor"),
    "features": ("config", "memory"),
    "doctor": ("config", "gates"),
    "install": ("uninstall", "doctor", "completions"),
    "uninstall": ("install", "clean"),
    "completions": ("install", "config"),
    "demo": ("run", "evidence"),
    "eval": ("demo", "stats"),
    "providers": ("doctor", "config"),
    "worker": ("serve-git", "run"),
    "serve-git": ("worker", "config"),
    "wait": ("status", "evidence"),
    "export": ("report", "evidence"),
    "session": ("task", "next", "status"),
    "task": ("session", "next"),
    "content": ("compose", "route"),
    "code": ("verify", "gates"),
    "context": ("session", "next"),
    "mode": ("session", "compose"),
    "memory": ("notepad", "features"),
    "notepad": ("memory", "features"),
    "route": ("compose", "content"),
    "compose": ("route", "content"),
    "mcp": ("doctor", "version"),
    "statusline": ("status", "doctor"),
    "next": ("session", "task"),
    "version": ("doctor",),
    "axiom": ("session", "memory"),
    "swarm": ("worker", "task"),
}
