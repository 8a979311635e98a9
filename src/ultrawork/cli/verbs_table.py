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
    "config": Row("config", PEOPLE, "show every setting and where its value comes from"),
    "doctor": Row("doctor", PEOPLE, "see whether everything that ultrawork needs is there"),
    "demo": Row("demo", PEOPLE, "walk through a session on a throw-away repository"),
    "session": Row("session", SCRIPTS, "begin, read, change, check and clean sessions"),
    "task": Row("task", SCRIPTS, "create, read, claim and update the tasks of a session"),
    "context": Row("context", SCRIPTS, "what explorers are expected to find, and found"),
    "version": Row("version", MACHINERY, "print the version"),
}
ALIASES: dict[str, str] = {}
