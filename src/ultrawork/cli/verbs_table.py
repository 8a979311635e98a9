"""Every verb: where it lives, on which shelf of the help it stands, what it is for."""

PEOPLE = "people"
SCRIPTS = "agents and scripts"
MACHINERY = "machinery"


class Row:
    __slots__ = ("help", "module", "shelf")

    def __init__(self, module: str, shelf: str, help: str) -> None:  # noqa: A002 (as everywhere)
        self.module = module
        self.shelf = shelf
        self.help = help


VERBS = {
    "run": Row("run", PEOPLE, "a goal: explore, plan, work in parallel, merge, verify; no client"),
    "plan": Row("plan", PEOPLE, "explore and plan a goal; nothing is changed"),
    "exec": Row("exec", PEOPLE, "carry out a plan that stands"),
    "resume": Row("resume", PEOPLE, "go on with a run that was stopped or killed"),
    "watch": Row("watch", PEOPLE, "follow a run as it goes on"),
    "logs": Row("logs", PEOPLE, "what the agents of a task said and did"),
    "undo": Row("undo", PEOPLE, "take one task's changes out of a run's results again"),
    "status": Row(
        "status", PEOPLE, "show what is on, which gates decide, how many refusals are used"
    ),
    "why": Row("why", PEOPLE, "tell why the last stop was decided as it was"),
    "verify": Row("verify", PEOPLE, "run the project's checks and keep the proof"),
    "gates": Row("gates", PEOPLE, "the checks that decide: found where, why; allow or try them"),
    "evidence": Row("evidence", PEOPLE, "receipts and the last verdict"),
    "report": Row("report", PEOPLE, "a session as a whole: plan, progress, ending; as a page too"),
    "accept": Row("accept", PEOPLE, "take the open findings as they are"),
    "cancel": Row("cancel", PEOPLE, "switch a session off"),
    "config": Row("config", PEOPLE, "show every setting and where its value comes from"),
    "features": Row("features", PEOPLE, "what of a project's memory and guidance is on"),
    "doctor": Row("doctor", PEOPLE, "see whether everything that ultrawork needs is there"),
    "demo": Row("demo", PEOPLE, "walk through a session on a throw-away repository"),
    "session": Row("session", SCRIPTS, "begin, read, change, check and clean sessions"),
    "task": Row("task", SCRIPTS, "create, read, claim and update the tasks of a session"),
    "content": Row(
        "content", SCRIPTS, "agents and skills: list them, check them, keep them up to date"
    ),
    "context": Row("context", SCRIPTS, "what explorers are expected to find, and found"),
    "mode": Row("mode", SCRIPTS, "the state of the execution modes: read, write, clear, list"),
    "swarm": Row("swarm", SCRIPTS, "tasks that many agents and sessions claim from one list"),
    "notepad": Row("notepad", SCRIPTS, "the project's notes: priority, working, manual"),
    "memory": Row("memory", SCRIPTS, "what is known of a project for good"),
    "route": Row("route", SCRIPTS, "choose a model for a piece of work, and say why"),
    "compose": Row("compose", SCRIPTS, "say what skills that are named together come to"),
    "mcp": Row("mcp", MACHINERY, "serve the toolbox to a client, over standard input and output"),
    "statusline": Row("statusline", MACHINERY, "one line for a client's status bar"),
    "next": Row("next", SCRIPTS, "what comes next in a session"),
    "version": Row("version", MACHINERY, "print the version"),
}
ALIASES = {
    "receipts": "evidence",
    "tui": "watch",
    "off": "cancel",
    "stop": "cancel",
    "stop-continuation": "cancel",
}
