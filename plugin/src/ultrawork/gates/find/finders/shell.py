"""A last resort: a script named like a test suite, or one script per test."""

from ....core.verdict.gate import TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder, matches_pattern

FAMILY = "shell"
_FOLDERS = ("test", "tests", "t", "spec")
_RUNNERS = ("test.sh", "tests.sh", "run-tests.sh", "run_tests.sh", "runtests.sh", "run-tests", "runtests", "run.sh", "run")  # fmt: skip
_ROOT_RUNNERS = (*_RUNNERS[:7], "script/test", "scripts/test.sh", "scripts/test", "bin/test")
_ONE_BY_ONE = ("test[-_]*.sh", "*[-_]test.sh", "*.test.sh", "t[0-9]*.sh", "*.sh")
_HELPERS = ("lib*.sh", "common*.sh", "*helper*.sh", "*util*.sh", "setup*.sh", "run*.sh", "all*.sh")
# Names each script as a test, and continues after a failure.
_LOOP = (
    "n=0; bad=0; for t in PATTERN; do n=$((n+1)); "
    'if { test -x "$t" && "./$t"; } || { test ! -x "$t" && sh "$t"; }; '
    'then echo "ok $n - $t"; else echo "not ok $n - $t"; bad=1; fi; done; echo "1..$n"; exit $bad'
)


def find(project: ProjectFolder) -> list[Candidate]:
    candidate = _find_runner(project) or _find_scripts(project)
    return [candidate] if candidate else []


def _find_runner(project: ProjectFolder) -> Candidate | None:
    places = [*_ROOT_RUNNERS, *(f"{folder}/{name}" for folder in _FOLDERS[:2] for name in _RUNNERS)]
    name = next((place for place in project.list_present(places) if _is_script(project, place)), "")
    if not name:
        return None
    interpreter = _name_shell(project.read(name) or "")
    reason = f"a script named like tests, {name}"
    return propose_command(project, FAMILY, TEST, [interpreter, name], source=name, reason=reason)


def _is_script(project: ProjectFolder, name: str) -> bool:
    text = project.read(name)
    if text is None:
        return False
    first = text.partition("\n")[0]
    return name.endswith(".sh") or (first.startswith("#!") and first.rstrip().endswith("sh"))


def _name_shell(text: str) -> str:
    return "bash" if "bash" in text.partition("\n")[0] else "sh"


def _find_scripts(project: ProjectFolder) -> Candidate | None:
    for folder in _FOLDERS[:3]:
        names = project.names(folder)
        for pattern in _ONE_BY_ONE:
            fitting = [name for name in names if matches_pattern(name, pattern)]
            if not fitting or any(_is_helper(name) for name in fitting):
                continue
            text = _LOOP.replace("PATTERN", f"{folder}/{pattern}")
            source = f"{folder}/{fitting[0]}"
            reason = f"one script a test, such as {source}"
            return propose_command(project, FAMILY, TEST, ["sh", "-c", text], source=source, reason=reason, text=text)
    return None


def _is_helper(name: str) -> bool:
    return any(matches_pattern(name, pattern) for pattern in _HELPERS)
