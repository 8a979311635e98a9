"""Scala: sbt, and scalafmt where it is configured."""

from ....core.verdict.gate import LINT, TEST
from ..candidate import FORMAT, Candidate, propose_command, propose_configured
from ..folder import ProjectFolder

FAMILY = "scala"
FILE = "build.sbt"
MANIFESTS = (FILE,)


def find(project: ProjectFolder) -> list[Candidate]:
    text = project.read(FILE)
    if text is None:
        return []
    # Without a terminal sbt would wait for a server that nobody ends.
    argv = ["sbt", "-batch", "test"]
    settings = "\n".join(line.strip() for line in text.split("\n") if "Test" in line)
    found = propose_command(
        project,
        FAMILY,
        TEST,
        argv,
        source=FILE,
        reason=f"an sbt build, see {FILE}",
        definition=settings,
    )
    plugins = project.read("project/plugins.sbt") or ""
    if "sbt-scalafmt" not in plugins:
        return [found]
    argv = ["sbt", "-batch", "scalafmtCheckAll"]
    return [found, *propose_configured(project, FAMILY, LINT, "scalafmt", argv, slot=FORMAT)]
