"""Find the project's own programs that a check starts. They are part of its definition, unless their output is
compared with a file: then they are what is checked."""

from collections.abc import Collection, Sequence

from ...core.patterns import compile_late
from ..testcode.files import is_test_path
from .folder import ProjectFolder
from .shell import INTERPRETERS, CommandStep, SimpleCommand, get_program_name, split_commands, split_lines, unwrap_words

SCRIPT_LIMIT = 20
_HEAD = 1_000
_LINE = 200
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "source", "."))
_ITSELF_A_RUNNER = frozenset(("-m", "-c", "-e", "--test", "--eval"))


# Programs that compare two files, and the words of a program that judges by itself.
_COMPARERS = frozenset(("diff", "cmp"))
_COMPARES = compile_late(r"\b(?:diff|cmp)\b([^|;&\n]*)")
_SAYS_WELL = compile_late(
    r"(?i)\W*(?:(?:all|tests?|checks?|is|are|\d+)\W+)*(?:ok|okay|pass(?:ed)?|true|yes|success|good|fine|right|correct|green|done|equal|same|[01])\W*"
)


# Folders and names of programs that check others.
_TOOL_FOLDERS = frozenset((".ci", "ci", "dev", "hack", "script", "scripts", "tool", "tools", "bin"))
_CHECKS = compile_late(r"(?:^|[_.-])(?:check|checks|test|tests|lint|ci|verify|run|runner|build)(?=[_.-]|$)")


def list_compared(text: str) -> list[str]:
    """Words of the commands of a text that compare two files."""
    return [word for command in _COMPARES.findall(text) for word in command.split()]


def note_scripts(
    scripts: dict[str, str], project: ProjectFolder, simple: SimpleCommand, compared: Collection[str] = ()
) -> None:
    """Add path and text of the script that a command starts, and of those that it starts. Skip one whose output is
    compared with a file: it is what is checked. `compared` are the files of later comparisons."""
    path = _find_script(project, simple.words)
    text = project.read(path) if path else None
    if text is None or project.path(path) in scripts or len(scripts) >= SCRIPT_LIMIT:
        return
    # A compiled program shows nothing; if it belongs to the project, the tree includes it.
    if _is_binary(text):
        return
    if _is_measured(project, simple, compared) or not _says_how(path, text):
        return
    scripts[project.path(path)] = text
    if path.endswith(".sh") or _is_shell(text):
        inner = list_compared(text)
        for line in split_lines(text):
            for simple_command in split_commands(line):
                note_scripts(scripts, project, simple_command, inner)


def _is_measured(project: ProjectFolder, simple: SimpleCommand, compared: Collection[str]) -> bool:
    """Return whether the output of a command is compared with a file, which says more than that all is well."""
    piped = bool(simple.into) and get_program_name(simple.into[0]) in _COMPARERS
    words = [word for word in simple.into[1:] if word != "-"] if piped else []
    if not piped and simple.output in compared:
        words = [word for word in compared if word != simple.output]
    texts = [project.read(word.removeprefix("./")) for word in words if word[:1] not in ("-", "/")]
    wanted = [text for text in texts if text is not None]
    return bool(wanted) and not any(map(_says_verdict, wanted))


def _says_verdict(text: str) -> bool:
    return all(len(line) < _LINE and _SAYS_WELL.fullmatch(line) for line in text.splitlines() if line.strip())


def _says_how(path: str, text: str) -> bool:
    """Return whether a script says how to check: a shell script, or a program whose place or name says so."""
    if path.endswith((".sh", ".bash", ".mk")) or _is_shell(text):
        return True
    *folders, name = path.lower().split("/")
    return not _TOOL_FOLDERS.isdisjoint(folders) or _CHECKS.search(name) is not None


def _find_script(project: ProjectFolder, words: Sequence[str]) -> str:
    """Return the file that runs: the first word, or the first argument of a shell or interpreter."""
    rest = unwrap_words(words)
    if not rest:
        return ""
    if get_program_name(rest[0]) not in _SHELLS | INTERPRETERS:
        return _find_own_script(project, rest[0])
    given = [word for word in rest[1:] if not word.startswith("-")]
    return "" if _ITSELF_A_RUNNER & set(rest) or not given else _find_own_script(project, given[0])


def _find_own_script(project: ProjectFolder, word: str) -> str:
    path = word.removeprefix("./")
    foreign = "node_modules" in path or path.startswith((".venv/", "venv/", "/"))
    if foreign or not ("." in path or "/" in path) or not project.exists(path):
        return ""
    # Tests that are started one by one are tests, not the way to run them.
    return "" if is_test_path(path) and not _is_runner(project, path) else path


def _is_runner(project: ProjectFolder, path: str, known: Sequence[str] = ()) -> bool:
    """Return whether a shell script starts a tool that checks, though its name is that of a test: `run_tests.sh`."""
    text = project.read(path)
    folder = path.rpartition("/")[0]
    if text is None or path in known or is_test_path(f"{folder}/-" if folder else "-"):
        return False
    if not path.endswith((".sh", ".bash")) and not _is_shell(text):
        return False
    for line in split_lines(text):
        for simple_command in split_commands(line):
            if CommandStep(simple_command, project.toolchains).kind:
                return True
            inner = [word.removeprefix("./") for word in simple_command.words if word.endswith(".sh")]
            if any(_is_runner(project, word, (*known, path)) for word in inner):
                return True
    return False


def _is_binary(text: str) -> bool:
    return any(mark in text[:_HEAD] for mark in ("\0", "\ufffd"))


def _is_shell(text: str) -> bool:
    first = text.partition("\n")[0]
    return first.startswith("#!") and first.rstrip().endswith("sh")
