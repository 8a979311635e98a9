"""What belongs to a check's definition beside its command: settings of tools, their values, which are comparable, where
each toolchain says they are; files of any name with settings, which a command names (`pytest -c ci.ini`) or other
settings include (`extends`, `require('./preset')`); and the project's own programs that it starts, unless their output
is compared with a file: then they are what is checked."""

import json
import posixpath
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ...core.patterns import compile_late
from ...core.toolchains.toolchain import Toolchain
from ..testcode.files import is_test_path
from .folder import ProjectFolder, get_table, matches_pattern
from .shell import INTERPRETERS, CommandStep, SimpleCommand, get_program_name, split_commands, split_lines, unwrap_words

MOST = 20
_OPTIONS = frozenset(("-c", "-p", "--config", "--config-file", "--configuration", "--project", "--rcfile", "--settings", "--settings-path"))  # fmt: skip
_USUAL = ("tsconfig.json",)
_ENDINGS = ("", ".js", ".cjs", ".mjs", ".ts", ".json", "/index.js")
# A module that settings load.
_LOADED = compile_late(r"""(?:\brequire\(|\bfrom|\bimport\(?)[ \t]{0,9}["'](\.{1,2}/[^"'\s]{1,200})["']""")
# These keys name how to check; other keys (`moduleNameMapper`, `include`) name what is checked.
_KEYS = r"extends?|inherit_from|preset|runner|testRunner|testEnvironment|resolver|snapshotResolver|snapshotSerializers|testSequencer|testResultsProcessor|globalSetup|globalTeardown|projects|workspace|reporters?|plugins?"
_KEYED = compile_late(rf"""\b(?:{_KEYS})\b["']?[ \t]{{0,9}}[:=][ \t]{{0,9}}\[?\s{{0,99}}["']([^"'\s]{{1,200}})["']""")
# Everything such a key lists, including options in between.
_LISTED = compile_late(rf"""\b(?:{_KEYS})\b["']?[ \t]{{0,9}}[:=][ \t]{{0,9}}\[([^{{}};]{{0,1000}})""")
_PLAIN = compile_late(rf"(?m)^[ \t]{{0,9}}(?:{_KEYS})[ \t]{{0,9}}[:=][ \t]{{0,9}}([\w./-]{{1,200}})[ \t]*$")
_TRANSFORM = compile_late(r"""\btransform\b["']?[ \t]{0,9}:[ \t]{0,9}\{([^}]{0,2000})\}""")
_TEXT = compile_late(r"""["']([^"'\s]{1,200})["']""")
# The product's own files, and what is compared elsewhere.
_PRODUCT = ("src", "lib", "app", "node_modules")
_COMPARED = ("package.json", "package-lock.json")


def list_named_on(project: ProjectFolder, words: Sequence[str]) -> list[str]:
    """Files of settings that the words of a command name."""
    paths = []
    for index, word in enumerate(words[1:], 1):
        option, equals, value = word.partition("=")
        if option in _OPTIONS:
            named = value if equals else next(iter(words[index + 1 : index + 2]), "")
            paths += [path for path in _list_files(project, named) if path not in paths]
    return paths


def _list_files(project: ProjectFolder, named: str) -> Iterator[str]:
    for path in (named, *(f"{named}/{usual}" for usual in _USUAL)):
        if named and _is_own(project, path):
            yield posixpath.normpath(path)


def follow_settings(project: ProjectFolder, file: str, text: str) -> dict[str, str]:
    """Return the files that settings include, directly or indirectly, by path."""
    settings: dict[str, str] = {}
    waiting = [(file, text)]
    while waiting and len(settings) < MOST:
        path, body = waiting.pop()
        for named in _list_references(body):
            inner = _find_file(project, path, named)
            content = project.read(inner) if inner and inner not in settings else None
            if content is not None:
                settings[inner] = content
                waiting.append((inner, content))
    return settings


def _list_references(text: str) -> list[str]:
    inside = [name for part in _TRANSFORM.findall(text) for name in _TEXT.findall(part)]
    inside += [name for part in _LISTED.findall(text) for name in _TEXT.findall(part)]
    return [*_LOADED.findall(text), *_KEYED.findall(text), *_PLAIN.findall(text), *inside]


def _find_file(project: ProjectFolder, file: str, named: str) -> str:
    """Return the path of a referenced file from the project folder; "" if it is not one of its settings."""
    top = named.removeprefix("<rootDir>/")
    base = "" if top != named else posixpath.dirname(file)
    plain = posixpath.normpath(posixpath.join(base, top))
    return next((plain + end for end in _ENDINGS if _is_own(project, plain + end)), "")


def _is_own(project: ProjectFolder, path: str) -> bool:
    whole = posixpath.normpath(project.path(path))
    parts = whole.split("/")
    if parts[0] in ("..", "") or parts[-1] in _COMPARED or not set(parts[:-1]).isdisjoint(_PRODUCT):
        return False
    is_file = "." in parts[-1].lstrip(".") or parts[-1].startswith(".")
    return is_file and not is_test_path(whole) and project.root().exists(whole)


@dataclass(slots=True)
class ToolSetting:
    """One setting. `file` is relative to the project; `text` names the part and its value."""

    tool: str
    file: str
    part: str
    value: object

    @property
    def text(self) -> str:
        plain = self.value if isinstance(self.value, str) else _dump(self.value)
        return f"[{self.part}] {plain.strip()}"


def read_tool_settings(project: ProjectFolder, tool: Toolchain) -> Iterator[ToolSetting]:
    names = project.names() if tool.settings else []
    for where in tool.settings:
        pattern, _, keys = where.partition("#")
        for name in _files(project, names, pattern):
            value = _part(project, name, keys) if keys else project.read(name)
            if value is not None:
                yield ToolSetting(tool.name, project.path(name), f"{name} {keys}".strip(), value)


def find_setting(project: ProjectFolder, tool: str) -> ToolSetting | None:
    known = project.toolchains.get(tool)
    return next(read_tool_settings(project, known), None) if known else None


def _files(project: ProjectFolder, names: Sequence[str], pattern: str) -> list[str]:
    if "*" in pattern:
        return [name for name in names if matches_pattern(name, pattern)]
    there = project.exists(pattern) if "/" in pattern else pattern in names
    return [pattern] if there else []


def _part(project: ProjectFolder, name: str, keys: str) -> object:
    """Return the value under dotted keys. An INI section is one key; a star matches every key with that prefix. In a file
    of commands, such as `CMakeLists.txt`, it is the lines with that word."""
    if name.endswith((".cfg", ".ini")):
        sections = project.read_ini(name)
        if keys.endswith("*"):
            return {key: sections[key] for key in sections if key.startswith(keys[:-1])} or None
        return sections.get(keys)
    if not name.endswith((".toml", ".json")):
        return _list_lines(project.read(name) or "", keys)
    whole = project.read_toml(name) if name.endswith(".toml") else project.read_json(name)
    above, _, last = keys.rpartition(".")
    return get_table(whole, *above.split(".")).get(last) if above else whole.get(last)


def _list_lines(text: str, word: str) -> list[str] | None:
    return [line.strip() for line in text.splitlines() if word in line.split("#")[0]] or None


def _dump(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


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
