"""`ultrawork code errors`: what language servers call an error in files, one line each."""

import os

from ...codeintel.lsp.service import Languages
from ...core.check import quote
from ...core.errors import EXIT_DONE, EXIT_FAIL, Trouble, UltraworkError, UsageError
from ...core.verdict.delivered import read_errors
from ..command import Command, Result
from ..environment import Args, VerbEnvironment, switch

MOST_FILES = 100


def list_errors(args: Args, env: VerbEnvironment) -> Result:
    """List errors; missing files have none. If no server could run at all, that is our error."""
    if not args.rest:
        raise UsageError("name at least one file: ultrawork code errors src/a.py")
    if len(args.rest) > MOST_FILES:
        raise UsageError(f"{len(args.rest)} files are too many; name at most {MOST_FILES}")
    there = [path for path in args.rest if os.path.isfile(os.path.join(env.cwd, path))]
    lines, missed = _ask(env, there, own=args.on("--own"))
    if missed and len(missed) == len(there):
        raise Trouble(next(iter(missed.values())))
    errors = [error.document() for error in read_errors("\n".join(lines))]
    output = lines or [f"no errors in {len(there) - len(missed)} files"]
    warnings = [f"not checked: {quote(path)}: {why}" for path, why in missed.items()]
    data = {"errors": errors, "looked_at": [path for path in there if path not in missed]}
    status = EXIT_FAIL if lines else EXIT_DONE
    return Result(data, "\n".join(output), exit=status, warnings=warnings)


def _ask(env: VerbEnvironment, paths: list[str], *, own: bool) -> tuple[list[str], dict[str, str]]:
    """Return errors as lines, and the files that no server could check, with the reason."""
    lines: list[str] = []
    missed: dict[str, str] = {}
    languages = Languages(env.cwd, own=own)
    try:
        for path in paths:
            try:
                where = os.path.join(env.cwd, path)
                lines += languages.diagnostics(where, "error").result()
            except UltraworkError as trouble:
                missed[path] = str(trouble)
    finally:
        languages.close()
    return lines, missed


COMMANDS = (
    Command(
        "errors",
        "Print the errors that language servers find in files, one per line",
        list_errors,
        flags=(switch("--own", "also use servers installed in this checkout, which runs its programs"),),
        rest="FILE...",
        example="ultrawork code errors src/shop.py\nultrawork code errors src/a.ts src/b.ts --json",
    ),
)
