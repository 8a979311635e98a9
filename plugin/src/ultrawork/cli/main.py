"""Run the command line: find the verb, run it, print its result, and report errors in one sentence."""

import os
import sys
from errno import EACCES, EDQUOT, EIO, ENOSPC, EPERM, EROFS

from ..core import errors
from ..core.check import find_nearest, quote
from ..core.errors import Trouble, UltraworkError, Unwritable, UsageError
from ..core.wording import strip_controls
from ..store import paths
from . import command as results
from .command import Command, Result
from .environment import AGENT, Args, VerbEnvironment, guess_actor, parse_flags
from .verbs_table import ALIASES, VERBATIM, VERBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def entry() -> None:
    """Start `ultrawork` or `ulw`, and exit at once to skip the interpreter's shutdown."""
    status = main(sys.argv[1:], os.environ)
    try:
        sys.stdout.flush()
    except (AttributeError, OSError):
        pass  # closed or full, and already reported
    os._exit(status)


def main(words: "Sequence[str]", environ: "Mapping[str, str]", find_terminal: "Callable[[], str] | None" = None) -> int:
    """Run one command and return its exit status."""
    words, others = _split_verbatim(list(words))
    json = "--json" in words
    try:
        return _run(words, others, environ, find_terminal, json=json)
    except UltraworkError as error:
        reason = _unwritable(error, environ) or str(error)
        return _say(error.code, reason, error.exit, json=json)
    except KeyboardInterrupt:
        return _say("interrupted", "interrupted; completed steps are kept", errors.EXIT_INTERRUPTED, json=json)
    except BrokenPipeError:
        return errors.EXIT_DONE  # the output was only for display
    except Exception as error:  # noqa: BLE001 (the last line of defence: one sentence, the rest to the log)
        reason = _unwritable(error, environ)
        if reason:
            return _say(Trouble.code, reason, Trouble.exit, json=json)
        return _say("bug", _log_bug(error, environ), errors.EXIT_TROUBLE, json=json)


def _split_verbatim(words: list[str]) -> tuple[list[str], list[str]]:
    """Return our own words, and those that a verb passes to another program unchanged."""
    place = next((at for at, word in enumerate(words) if not word.startswith("-")), len(words))
    if place == len(words) or words[place] not in VERBATIM:
        return words, []
    rest = words[place + 1 :]
    ours = next((at for at, word in enumerate(rest) if not word.startswith("-")), len(rest))
    return words[: place + 1] + [argument for argument in rest[:ours] if argument != "--"], rest[ours:]


def _run(
    words: list[str],
    others: list[str],
    environ: "Mapping[str, str]",
    find_terminal: "Callable[[], str] | None",
    *,
    json: bool,
) -> int:
    verb, rest = _verb(words)
    if verb == "":
        from .help import render_overview

        _print(render_overview(everything="--all" in words))
        return errors.EXIT_DONE
    commands = load_commands(verb)
    command, rest = _command(verb, commands, rest)
    if command is None or "--help" in rest or "-h" in rest:
        from .help import render_help

        _print(render_help(verb, commands, command))
        return errors.EXIT_DONE
    name = f"{verb} {command.name}".strip()
    if others:
        rest = [*rest, "--", *others]
    args = parse_flags(rest, command.flags, rest=command.rest, verb=name)
    env = VerbEnvironment(environ, json=json, find_terminal=find_terminal)
    return _answer(command, args, env)


def _answer(command: Command, args: Args, env: VerbEnvironment) -> int:
    result: Result = command.run(args, env)
    result.warnings += env.store.warnings
    text = results.render_json(result) if env.json else strip_controls(result.text)
    try:
        if text:
            _print(text)
    except BrokenPipeError:
        pass  # the reader is gone; the exit status still reports the result
    if env.json:
        return result.exit
    for warning in result.warnings:
        _complain(warning)
    return result.exit


def _verb(words: list[str]) -> tuple[str, list[str]]:
    """Return the verb and what follows it: empty for a request for help, `here` without any word."""
    first = next((word for word in words if word not in ("--json", "--all")), None)
    if first == "help" and words[-1] in VERBS:
        return words[-1], ["--help"]
    if first in ("--help", "-h", "help") or (first is None and "--all" in words):
        return "", []
    if first == "--version":
        return "version", [word for word in words if word == "--json"]
    if first is None:
        return "here", words
    name = ALIASES.get(first, first)
    if name not in VERBS and " " in first.strip():
        return "run", words  # a goal, not a typo
    if name not in VERBS:
        raise UsageError(_no_verb(first))
    place = words.index(first)
    return name, words[:place] + words[place + 1 :]


def _no_verb(word: str) -> str:
    verbs = [*VERBS, *ALIASES]
    same = (name for name in verbs if len(name) == len(word))
    swapped = (name for name in same if sorted(name) == sorted(word))
    # A slip keeps the first letter: `merge` is not `here`.
    close = next(swapped, None) or find_nearest(word, [verb for verb in verbs if verb[:1] == word[:1]])
    return f"no verb {quote(word)}; " + (f"did you mean {close}?" if close else "see ultrawork --help")


def load_commands(verb: str) -> tuple[Command, ...]:
    """Import the module of a verb and return its commands."""
    name = VERBS[verb].full_name
    __import__(name)  # importlib would cost a millisecond more
    commands: tuple[Command, ...] = sys.modules[name].COMMANDS
    return commands


def _command(verb: str, commands: tuple[Command, ...], rest: list[str]) -> tuple[Command | None, list[str]]:
    """Return the sub-verb. A verb whose first command has no name takes all words itself."""
    word = next((word for word in rest if not word.startswith("-")), None)
    for command in commands:
        if command.name and command.name == word:
            place = rest.index(word)
            return command, rest[:place] + rest[place + 1 :]
    if not commands[0].name:
        return commands[0], rest
    if word is None or "--help" in rest or "-h" in rest:
        return None, rest
    close = find_nearest(word, [command.name for command in commands])
    hint = f"did you mean {close}?" if close else f"see ultrawork {verb} --help"
    raise UsageError(f"ultrawork {verb} has no command {quote(word)}; {hint}")


def _say(code: str, message: str, status: int, *, json: bool) -> int:
    try:
        if json:
            _print(results.render_error(code, message))
        else:
            _complain(message)
    except (Trouble, BrokenPipeError):
        _complain(message)
    return status


def _complain(message: str) -> None:
    try:
        sys.stderr.write(f"ultrawork: {strip_controls(message)}\n")
        sys.stderr.flush()
    except (AttributeError, OSError):
        pass  # standard error is closed or full, so there is nowhere to report


def _print(text: str) -> None:
    if sys.stdout is None:
        return  # closed by the caller: the exit status is enough
    data = (text if text.endswith("\n") else text + "\n").encode("utf-8", "replace")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno == EIO and not os.path.isfile(f"/dev/fd/{sys.stdout.fileno()}"):
            raise BrokenPipeError from None  # a terminal that was closed
        raise Trouble(f"could not write to standard output ({error.strerror})") from None


def _unwritable(error: Exception, environ: "Mapping[str, str]") -> str:
    """Return what to do if the state folder is read-only or its disk full, or an empty string for any other error."""
    full = isinstance(error, OSError) and error.errno in (ENOSPC, EDQUOT)
    refused = isinstance(error, OSError) and error.errno in (EROFS, EACCES, EPERM)
    if not (full or refused or isinstance(error, Unwritable)):
        return ""
    root = paths.find_home(environ).root
    if isinstance(error, OSError) and full:
        return f"the disk of {error.filename or root} is full. Free space on it and try again"
    if isinstance(error, OSError) and not str(error.filename).startswith(root):
        return ""
    if guess_actor(environ) == AGENT:
        folder = root.replace(environ.get("HOME") or root, "~", 1)
        from ..clients.find import NAMES, get_client

        ways = ("ulw verify", *(get_client(name).name_add_folder() for name in NAMES))
        return f"{folder} is read-only in this sandbox; ask the user for {' or '.join(filter(None, ways))}"
    why = error.strerror if isinstance(error, OSError) else ""
    return f"could not write to {root} ({why}); set ULTRAWORK_HOME to a writable folder" if why else ""


def _log_bug(error: Exception, environ: "Mapping[str, str]") -> str:
    from traceback import format_exception

    from ..store import log

    try:
        where = log.write(paths.find_home(environ), "cli", "".join(format_exception(error)))
    except (OSError, UltraworkError):
        where = ""
    more = f"; see {where}" if where else ""
    return f"internal error ({type(error).__name__}: {quote(error)}){more}"
