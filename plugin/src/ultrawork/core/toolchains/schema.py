"""Keys of a toolchain file: what each holds, and what it is for.

Built-in files (`toolchains/` of the repository) and the user's own (`.ultrawork/toolchains`) follow the same table, and the
reference page is generated from it."""

import re
from collections.abc import Mapping

from ..check import find_nearest, quote
from ..errors import UsageError

TEXT, TEXTS, NUMBERS, SWITCH, TEXT_TABLE, TABLE, TABLES = (
    "a text",
    "a list of texts",
    "a list of numbers",
    "true or false",
    "a table of texts",
    "a table",
    "a list of tables",
)
Keys = Mapping[str, tuple[str, str]]
KINDS = ("test", "lint", "types", "build")

TOOLCHAIN: Keys = {
    "name": (TEXT, "Its name; without it, the name of the file."),
    "family": (TEXT, "The ecosystem it belongs to, such as `python`; `ultrawork gates explain` lists them."),
    "kind": (TEXT, "What it checks: `test`, `lint`, `types` or `build`."),
    "calls": (TEXTS, "How it is started: a program, or a program and one of its words (`cargo test`)."),
    "aliases": (TEXTS, "Other names of its program."),
    "settings": (TEXTS, "Files with its settings; behind `#` the keys of the part that counts. `*` is allowed."),
    "nested": (TEXTS, "Settings that it reads in any folder."),
    "loads": (TEXTS, "Files that it loads before the tests."),
    "caches": (TEXTS, "Files and folders that it makes anew whenever it needs them."),
    "measured_by": (TEXTS, "Toolchains that measure beside it and can make it fail."),
    "package": (TEXT, "The package that brings it."),
    "modules": (TEXTS, "Installed packages that must stay as they are during a session."),
    "shadows": (TEXTS, "Names of files in the project that would be loaded in its place."),
    "wraps": (SWITCH, "It makes environments and starts other tools in them."),
    "rewrites": (SWITCH, "It changes files unless a flag makes it only check."),
    "watches": (TEXTS, "Words of a command that waits for edits unless the variable CI is set."),
    "short_watch": (SWITCH, "Its option `-w` watches."),
    "partial": (TEXTS, "Options with which it runs only what changed or failed last."),
    "partial_setting": (TEXT, "The same in its settings, as a regular expression."),
    "steering": (TEXTS, "Environment variables that steer it; a star at the end stands for any rest."),
    "cleared": (TEXTS, "Environment variables of an outer run, removed before each of ours."),
    "traced": (SWITCH, "What its tests enter can be traced."),
    "report": (TABLE, "Where the names and results of its tests come from."),
    "narrow": (TABLE, "How to ask for some tests only."),
    "troubles": (TABLE, "Lines that say it could not run, as lists of regular expressions: `toolchain` (not ready), `install` (not installed), `resolver`, `network`, `configure`, `system`."),
    "trouble_exits": (NUMBERS, "Exit codes that say the tool itself had trouble."),
    "find": (TABLES, "When a project is checked with it, and by which command; the first that fits."),
    "seeds": (TABLES, "How to repeat an order or a seed that it printed."),
    "replays": (TABLE, "How to tell that it showed an earlier result, and how to make it run."),
    "also": (TABLES, "Further toolchains of the same family in this file, by name."),
}  # fmt: skip
REPORT: Keys = {
    "reader": (TEXT, "What reads it: `tap`, `junit`, `json`, or one of the readers of a runner's own output."),
    "also": (TEXTS, "Readers of other forms that it can print."),
    "ends_once": (SWITCH, "The reader's closing line stands once, at the end of a run."),
    "instead_of": (TEXT, "A reader that fits this output too and must not read it."),
    "environment": (TEXT_TABLE, "Variables that make it report; `{report}` is a folder for its files, `{inside}` that of our plugins, `{present}` what the variable holds. One that begins with `-` is added."),
    "arguments": (TEXTS, "Words that make it report, added where the check calls it directly; `{report}` as above."),
    "unless": (TEXTS, "Words with which those are not added."),
    "unknown": (SWITCH, "It is asked for this report too where a script hides which runner it starts."),
    "refused": (TEXT, "What it prints if it cannot report this way, as a regular expression."),
    "counts": (TEXTS, "Its totals, as regular expressions with the groups all, passed, failed, errors, skipped."),
    "failures": (TEXTS, "How it prints a test that fails: regular expressions with the groups name, place and message."),
}  # fmt: skip
NARROW: Keys = {
    "words": (TEXTS, "What is added: `{tests}` are all names, `{test}` is one."),
    "each": (SWITCH, "The words are repeated for each test."),
    "join": (TEXT, "The separator between two names."),
    "escape": (SWITCH, "Names are read as regular expressions."),
    "identifiers": (SWITCH, "Only names of letters, digits and underscores can be asked for."),
    "part": (TEXT, "The part of a test's whole name that can be asked for, as the group of a regular expression; else its last part."),
    "variable": (TEXT, "The environment variable that takes the words; without it the command does."),
    "after": (TEXTS, "Words that the command must have; without them, its program must be the tool, npx or npm."),
    "first": (SWITCH, "They stand right behind those words, else at the end."),
    "separator": (TEXT, "A word that must stand before them, added unless the command has it."),
    "door": (TEXT, "The program that gets the words where a script starts it: `node`, `cargo` or `unittest`."),
    "unknown": (SWITCH, "It is narrowed too where a script hides which runner it starts."),
    "files": (TEXT, "The pattern that asks for the tests of a file, with `{test}` for its name."),
}  # fmt: skip
FIND: Keys = {
    "files": (TEXTS, "Files of which one must be there; the first is shown as the source. `*` is allowed."),
    "with": (TEXTS, "Files of which each must be there as well."),
    "without": (TEXTS, "Files of which none may be there."),
    "text": (TEXT_TABLE, "Files and a regular expression that one of them must contain."),
    "configured": (SWITCH, "One of its settings must be there, and is the source."),
    "dependency": (TEXT, "The package that package.json must ask for."),
    "run": (TEXT, "The command; `{source}` and `{folder}` are the file that was found and its top folder."),
    "wrapper": (TEXT, "A script of the project that is started in place of the program if it is there."),
    "before": (TEXT_TABLE, "Words before the command where a file is there, such as `bundle exec` with a Gemfile."),
    "reason": (TEXT, "Why, in a few words."),
    "definition": (TEXT_TABLE, "Files and a regular expression: what it matches belongs to the check's definition."),
    "slot": (TEXT, "`format` for a check of the form of code, which stands beside the linter."),
    "note": (TEXT, "Why nothing is run although these files are there; in place of a command."),
}
SEED: Keys = {
    "prints": (TEXT, "What it prints, as a regular expression with the seed as its group."),
    "variable": (TEXT, "The variable that repeats it."),
    "value": (TEXT, "What to add to the variable; `{0}` is the seed."),
}
REPLAYS: Keys = {
    "prints": (TEXT, "What it prints in place of a run, as a regular expression."),
    "variables": (TEXT_TABLE, "Variables that make it run."),
    "words": (TEXTS, "Words that make it run."),
    "behind": (TEXTS, "Words behind which those stand."),
}
TABLES_OF: Mapping[str, Keys] = {"report": REPORT, "narrow": NARROW, "find": FIND, "seeds": SEED, "replays": REPLAYS}
_PATTERNS = frozenset(("partial_setting", "refused", "counts", "failures", "part", "prints", "text", "definition", "troubles"))  # fmt: skip
_SHAPES: Mapping[str, type] = {TEXT: str, SWITCH: bool, TABLE: dict, TEXT_TABLE: dict, TEXTS: list, NUMBERS: list, TABLES: list}  # fmt: skip


def check_toolchain(table: Mapping[str, object], file: str) -> None:
    """Raise a sentence that names file, key and what is expected, for the first thing that does not fit."""
    rest = {key: value for key, value in table.items() if key != "also"}
    _check_keys(rest, TOOLCHAIN, file, "")
    kind = str(table.get("kind", KINDS[0]))
    if kind not in KINDS:
        raise UsageError(f"kind in {file} is {quote(kind)}; write one of {', '.join(KINDS)}")
    also = table.get("also", {})
    for name, inner in also.items() if isinstance(also, dict) else ():
        check_toolchain(inner if isinstance(inner, dict) else {name: inner}, f"{file} [also.{name}]")


def _check_keys(table: Mapping[str, object], known: Keys, file: str, inside: str) -> None:
    for key, value in table.items():
        if key not in known:
            near = find_nearest(key, known)
            hint = f"did you mean {near}" if near else f"known are {', '.join(known)}"
            raise UsageError(f"{inside}{key} in {file} is not a key of a toolchain; {hint}")
        shape = known[key][0]
        if not _fits(value, shape):
            raise UsageError(f"{inside}{key} in {file} must be {shape}")
        if key in _PATTERNS:
            _check_patterns(value, f"{inside}{key} in {file}")
        for entry in value if isinstance(value, list) else [value]:
            if key in TABLES_OF and isinstance(entry, dict) and not inside:
                _check_keys(entry, TABLES_OF[key], file, f"{key}.")


def _check_patterns(value: object, where: str) -> None:
    """Every text below a value is a regular expression."""
    if isinstance(value, str):
        try:
            re.compile(value)
        except re.error as error:
            raise UsageError(f"{where} holds {quote(value)}, which is not a regular expression: {error}") from None
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in inner:
        _check_patterns(part, where)


def _fits(value: object, shape: str) -> bool:
    if not isinstance(value, _SHAPES[shape]):
        return False
    inner = list(value.values()) if isinstance(value, dict) else value
    wanted = {TEXTS: str, NUMBERS: int, TEXT_TABLE: str, TABLES: dict}.get(shape)
    return wanted is None or all(isinstance(part, wanted) for part in inner)  # type: ignore[attr-defined]
