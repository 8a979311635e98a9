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
    """Describe one verb. `help` is its one-line summary, without a period; `related` are verbs that its help names."""

    __slots__ = ("group", "help", "module", "related")

    def __init__(self, module: str, group: str, help: str, related: str) -> None:  # noqa: A002 (as everywhere)
        self.module = module
        self.group = group
        self.help = help
        self.related = related.split()

    @property
    def full_name(self) -> str:
        """Return the name of its module, in `cli/verbs` or in the package of a feature."""
        own = self.module.startswith("ultrawork.")
        return self.module if own else f"ultrawork.cli.verbs.{self.module}"


VERBS = {
    "here": VerbRow("here", WORK, "Show what is going on here and what to type next", "status gates doctor"),
    "run": VerbRow("run", WORK, "Explore, plan, implement and verify a goal without a client", "plan resume watch"),
    "plan": VerbRow("plan", WORK, "Plan a goal without changing any file", "exec run"),
    "exec": VerbRow("exec", WORK, "Carry out a plan", "plan resume"),
    "resume": VerbRow("resume", WORK, "Continue a run that was stopped or killed", "run status cancel"),
    "with": VerbRow("with_", WORK, "Run a client's command, then print the verdict", "verify evidence"),
    "status": VerbRow("status", WORK, "Show the active session, its checks and refusals", "why watch cancel"),
    "watch": VerbRow("watch", WORK, "Follow a run live, or every session with --all", "status logs"),
    "inbox": VerbRow("inbox", WORK, "List what needs you, in all projects on this machine", "answer status"),
    "answer": VerbRow("answer", WORK, "Answer a question from the inbox", "inbox status"),
    "dashboard": VerbRow("dashboard", WORK, "Open the board and the inbox as a live page", "watch inbox"),
    "notify": VerbRow("notify", WORK, "List and test notifications on your own channels", "inbox config"),
    "cancel": VerbRow("cancel", WORK, "Turn a session off", "resume clean"),
    "why": VerbRow("why", RESULTS, "Explain the last decision and what would change it", "status evidence accept"),
    "evidence": VerbRow("evidence", RESULTS, "Show the last verdict and its receipts", "verify why report"),
    "report": VerbRow("report", RESULTS, "Show a whole session, also as a web page", "evidence logs export"),
    "logs": VerbRow("logs", RESULTS, "Show what the agents of a task said and did", "report watch"),
    "stats": VerbRow("stats", RESULTS, "Count how sessions and checks ended", "report evidence"),
    "verify": VerbRow("verify", CHECKS, "Run the project's checks and record the result", "gates evidence why"),
    "gates": VerbRow("gates", CHECKS, "List the project's checks, and allow or test them", "verify config why"),
    "accept": VerbRow("accept", CHECKS, "Accept open findings with a reason", "why evidence"),
    "review": VerbRow("review", CHECKS, "Show and test what reviewers found", "evidence stats"),
    "undo": VerbRow("undo", REPAIR, "Remove one task's changes from a run's results", "task restore"),
    "restore": VerbRow("restore", REPAIR, "Bring back lost work, or the files of the last PASS", "undo why"),
    "clean": VerbRow("clean", REPAIR, "Delete what finished sessions left behind", "session cancel"),
    "config": VerbRow("config", SETUP, "Show or change settings", "gates features doctor"),
    "features": VerbRow("features", SETUP, "Show or change which project features are enabled", "config memory"),
    "doctor": VerbRow("doctor", SETUP, "Check the installation and show how to fix problems", "config gates"),
    "install": VerbRow(
        "install", SETUP, "Put ultrawork on your PATH and into a client", "uninstall doctor completions"
    ),
    "uninstall": VerbRow("uninstall", SETUP, "Remove exactly what install changed", "install clean"),
    "completions": VerbRow("completions", SETUP, "Print completions for bash, zsh or fish", "install config"),
    "demo": VerbRow("demo", SETUP, "Watch a session on a sample project", "run evidence"),
    "eval": VerbRow("eval", SETUP, "Measure your client and model with ultrawork and without", "demo stats"),
    "providers": VerbRow("providers", SETUP, "Show agent providers and their rate limits", "doctor config"),
    "worker": VerbRow("worker", MACHINES, "Work on tasks of a team or a cluster", "serve-git run"),
    "serve-git": VerbRow("serve_git", MACHINES, "Serve a git remote to the machines of a cluster", "worker config"),
    "wait": VerbRow("wait", SCRIPTS, "Wait until a session ends", "status evidence"),
    "export": VerbRow("export", SCRIPTS, "Export a whole session as one JSON document", "report evidence"),
    "session": VerbRow("session", SCRIPTS, "Create, read, change, check and delete sessions", "task next status"),
    "task": VerbRow("task", SCRIPTS, "Create, read, claim and update a session's tasks", "session next"),
    "content": VerbRow("content", SCRIPTS, "List, show and check agents and skills", "compose route"),
    "code": VerbRow("code", SCRIPTS, "Show errors that language servers find", "verify gates"),
    "context": VerbRow("context", SCRIPTS, "Record and read what explorers found", "session next"),
    "mode": VerbRow("mode", SCRIPTS, "Read and change the state of execution modes", "session compose"),
    "memory": VerbRow("memory", SCRIPTS, "Read and extend what is known about a project", "notepad features"),
    "route": VerbRow("route", SCRIPTS, "Choose a model for a piece of work, with the reason", "compose content"),
    "compose": VerbRow("compose", SCRIPTS, "Show which mode a prompt or a set of skills starts", "route content"),
    "mcp": VerbRow("mcp", MACHINERY, "Serve the toolbox to a client over MCP", "doctor version"),
    "statusline": VerbRow("statusline", MACHINERY, "Print one line for a client's status bar", "status doctor"),
    "next": VerbRow("next", SCRIPTS, "Show the next step of a session", "session task"),
    "version": VerbRow("version", MACHINERY, "Print the version", "doctor"),
}
VERBS |= {
    verb: VerbRow(f"ultrawork.features.{name}.{module}", group, text, related)
    for name, feature in FEATURES.items()
    for verb, (module, group, text, related) in feature.verbs.items()
}
# Verbs that pass everything after their own flags to another program.
VERBATIM = ("with",)
ALIASES = {"receipts": "evidence", "tui": "watch", "off": "cancel", "stop": "cancel", "stop-continuation": "cancel"}
