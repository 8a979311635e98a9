"""Check the changed files themselves: conflict markers, files that do not parse, links out of the checkout, and new
suppressions of a check that the goal asks for.

Files are parsed by their language's parser if it is installed. Nothing of the tree runs, and no program in it starts:
texts go to standard input, outside the project."""

import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from tomllib import TOMLDecodeError, loads
from xml.parsers import expat

from ...core.goal import request
from ...core.patterns import compile_late
from ...core.verdict import floor, gate_findings, rules
from ...core.verdict.gate import LINT, TYPES
from ...core.verdict.gate_run import GREEN, RED
from ...core.verdict.verdict import Finding
from ...system.process import run_program
from ...system.program import find_program
from ..run.receipt import DELIVERED
from ..testcode import files as testfiles
from .matrix import Cell, Comparison
from .standing import CheckState

_MANIFESTS = ("go.mod", "go.work", "Cargo.toml", "package.json", "pyproject.toml", "pnpm-workspace.yaml")
_TAKES_IN = compile_late(
    r"""=>\s*(\.{0,2}/\S+)|^use\s+(\.{0,2}/\S+)|\bpath\s*=\s*["'](\.\.[^"']*)["']|["'](?:file|link|portal):(?://)?([^"']+)["']"""
)


def list_file_findings(comparison: Comparison, states: Sequence[CheckState]) -> list[Finding]:
    texts = comparison.change.texts
    before = {path: comparison.change.before(path) or "" for path in texts}
    conflicts = list(_find_conflicts(comparison, texts, before))
    torn = {finding.where.rpartition(":")[0] for finding in conflicts}
    whole = {path: text for path, text in texts.items() if path not in torn}
    return [
        *conflicts,
        *_find_errors(comparison, whole, before),
        *_find_ways_out(comparison),
        *_find_suppressed(comparison, states),
    ]


def _find_conflicts(comparison: Comparison, texts: dict[str, str], before: dict[str, str]) -> Iterator[Finding]:
    """Yield conflict markers, except in strings of tests, and in files that already had them."""
    for path, text in texts.items():
        doc = gate_findings.is_doc(path)
        line = floor.find_conflict(text, is_doc=doc)
        known = floor.find_conflict(before.get(path, ""), is_doc=doc)
        if line and not known and not comparison.change.is_test(path):
            yield rules.make_finding("conflict-marker", where=f"{path}:{line}")


def _find_errors(comparison: Comparison, texts: dict[str, str], before: dict[str, str]) -> Iterator[Finding]:
    """Samples for tests may be broken on purpose; what was broken before is not this change's doing."""
    context, is_test = comparison.context, comparison.change.is_test
    judged = {
        path: text
        for path, text in texts.items()
        if not floor.is_meant_broken(path) and (testfiles.is_test_file(path) or not is_test(path))
    }
    manifest = comparison.change.after("pyproject.toml") or ""
    parsers = Parsers(context.root, context.environ, manifest)
    errors = parsers.find_errors(judged)
    old = parsers.find_errors({path: before[path] for path in errors if before.get(path)})
    for path, message in sorted(errors.items()):
        if path not in old:
            line = re.match(r"line (\d+)", message)
            where = f"{path}:{line[1]}" if line else path
            yield rules.make_finding("syntax", path=path, said=message, where=where)


def _find_ways_out(comparison: Comparison) -> Iterator[Finding]:
    """Yield files that became links, and manifests that use code, outside the checkout: no commit holds that."""
    root, change = comparison.context.root, comparison.change
    for file in change.own:
        if file.status == "D":
            continue
        for where, target in (*_read_link(root, file.path), *_read_manifest(comparison, file.path)):
            whole = os.path.normpath(os.path.join(root, os.path.dirname(file.path), target))
            if whole != root and not whole.startswith(root + "/"):
                yield rules.make_finding("leads-outside", where=where, target=target)


def _read_link(root: str, path: str) -> list[tuple[str, str]]:
    try:
        return [(path, os.readlink(f"{root}/{path}"))]
    except OSError:
        return []


def _read_manifest(comparison: Comparison, path: str) -> Iterator[tuple[str, str]]:
    if path.rpartition("/")[2] not in _MANIFESTS:
        return
    matrix = comparison.matrix
    for number, line in comparison.source.list_added_lines(matrix.base, matrix.tree, path):
        match = _TAKES_IN.search(line)
        target = next(filter(None, match.groups()), "") if match else ""
        if target:
            yield f"{path}:{number}", target


def _find_suppressed(comparison: Comparison, states: Sequence[CheckState]) -> Iterator[Finding]:
    """Run the check again without new suppressions, if the goal asks for this check."""
    texts, suppressions = comparison.change.texts, comparison.change.new_suppressions
    new = [suppression for suppression in suppressions if not floor.is_for_coverage(suppression)]
    for state in states if new else ():
        gate, now = state.pair.gate, state.now
        wanted = bool(comparison.goal) and request.wants_check(comparison.goal, gate.kind, gate.command)
        if gate.kind not in (LINT, TYPES) or not wanted or now is None or not gate.required:
            continue
        if now.result.colour != GREEN or not comparison.matrix.fits(now.seconds):
            continue
        bare = {
            path: floor.remove_suppressions(
                texts[path], [suppression for suppression in new if suppression.path == path]
            )
            for path in {suppression.path for suppression in new}
        }
        run = comparison.matrix.run(Cell(DELIVERED, gate, comparison.matrix.tree, texts=bare))
        if run.result.colour == RED:
            mark = next((suppression for suppression in new if floor.is_named(suppression, run.result.output)), new[0])
            words = {"mark": floor.shorten_mark(mark.mark), "where": f"{mark.path}:{mark.line}"}
            yield state.find("suppressed", receipt=run.number, **words)


Errors = dict[str, str]
_MANY = 40
_LARGE = 400_000
_PATIENCE = 10.0
_PYTHON = "import sys; compile(sys.stdin.buffer.read(), 'stdin', 'exec', dont_inherit=True)"
_YAML = """
import sys, yaml
try:
    for _ in yaml.parse(sys.stdin.buffer, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        pass
except yaml.MarkedYAMLError as error:
    sys.exit(f"line {error.problem_mark.line + 1}: {error.problem}")
"""
# Language -> programs that parse standard input, and the pattern of their line number. One that accepts is enough:
# scripts and modules of JavaScript have different syntax, and the extension does not always tell.
_PROGRAMS: dict[str, tuple[tuple[tuple[str, ...], ...], str]] = {
    "shell": ((("bash", "-O", "extglob", "-n"),), r"line (\d+): "),
    "go": ((("gofmt", "-e"),), r"<standard input>:(\d+):"),
    "rust": ((("rustfmt", "--edition", "2021", "--emit", "stdout"),), r"--> <stdin>:(\d+):"),
    "php": ((("php", "-n", "-l"),), r"on line (\d+)"),
    "ruby": ((("ruby", "--disable=all", "-c"),), r"^-:(\d+):"),
    "yaml": ((("python3", "-I", "-c", _YAML),), r"^line (\d+): "),
    "javascript": (
        tuple(("node", "--check", f"--input-type={form}", "-") for form in ("commonjs", "module")),
        r"^\[stdin\]:(\d+)",
    ),
}
_PLACE = r"^.*?(?:line \d+:|<standard input>:\d+:\d+:|-:\d+:)\s*"
_ERROR = r"(?m)^(?:PHP )?(?:Parse |Syntax)?[Ee]rror:?\s*(.+)$"
# Source that compilers turn into JavaScript often has the extension .js.
_COMPILED = compile_late(r"@flow|</|/>|^\s*@\w+|\bimport type\b|\binterface \w+ \{", re.MULTILINE)
_REQUIRES = compile_late(r"requires-python\s*=\s*[\"'][^\"']*?>=?\s*3\.(\d+)")


class Parsers:
    """Parsers for one checkout: no program may come from `root`; `environ` says where to look."""

    def __init__(self, root: str, environ: Mapping[str, str], manifest: str = "") -> None:
        self._root = os.path.realpath(root)
        self._environ = environ
        self._requires = _REQUIRES.search(manifest)

    def find_errors(self, texts: Mapping[str, str]) -> Errors:
        """Return the parse error of each file; nothing for files that no parser could read."""
        errors: Errors = {}
        counts: dict[str, int] = {}
        for path, text in texts.items():
            language = floor.find_language(path, text)
            # Text that is not UTF-8 was not decoded faithfully.
            readable = text.strip() and len(text) <= _LARGE and "\ufffd" not in text
            if not language or not readable or _is_other(path, text):
                continue
            counts[language] = counts.get(language, 0) + 1
            message = self._parse(language, text) if counts[language] <= _MANY else ""
            if message:
                errors[path] = message
        return errors

    def _parse(self, language: str, text: str) -> str:
        if language in _OWN:
            message = _parse_here(_OWN[language], text)
            return "" if message and language == "python" and self._accepts(text) else message
        ways, place = _PROGRAMS[language]
        refusals = []
        for argv in ways:
            program = self._find(argv[0])
            refused = self._refuse([program, *argv[1:]], text, place) if program else None
            if refused is None:
                return ""
            refusals.append(refused)
        # The parser that came furthest is the one the text was written for.
        line, message = max(refusals)
        return f"line {line}: {message}"

    def _refuse(self, argv: Sequence[str], text: str, place: str) -> tuple[int, str] | None:
        """Return the line and the error; None if it accepts the text or fails for another reason."""
        status, output = self._run(argv, text)
        line = re.search(place, output, re.MULTILINE)
        if not status or line is None:
            return None
        whole = output[: line.end()].rpartition("\n")[2] + output[line.end() :].partition("\n")[0]
        error = re.search(_ERROR, output)
        return int(line[1]), (error[1] if error else re.sub(_PLACE, "", whole)).strip()

    def _accepts(self, text: str) -> bool:
        """Return whether Python of the project's own takes it, or may: it can be newer than ours."""
        newer = self._requires and int(self._requires[1]) > sys.version_info.minor
        for name in ("python3", "python"):
            program = self._find(name)
            if program and not self._run([program, "-I", "-S", "-c", _PYTHON], text)[0]:
                return True
        return bool(newer)

    def _find(self, name: str) -> str | None:
        """The first on the PATH that does not lie in the project."""
        for folder in self._environ.get("PATH", os.defpath).split(os.pathsep):
            path = os.path.realpath(folder or ".")
            if path == self._root or path.startswith(self._root + "/"):
                continue
            program = find_program(name, {"PATH": path})
            if program is not None:
                return program
        return None

    def _run(self, argv: Sequence[str], text: str) -> tuple[int | None, str]:
        """Run outside the project and without its variables, which could make a parser execute something."""
        kept = ("PATH", "HOME", "LANG", "RUSTUP_HOME", "CARGO_HOME")
        env = {name: self._environ[name] for name in kept if name in self._environ}
        done = run_program(argv, cwd="/", env=env, deadline=_PATIENCE, input=text.encode())
        return (None if done.timed_out else done.exit), done.output


def _is_other(path: str, text: str) -> bool:
    """Return whether the file is in another syntax than its name suggests."""
    scripts = path.endswith((".js", ".mjs", ".cjs")) and _COMPILED.search(text) is not None
    return scripts or floor.is_template(path, text)


def _parse_here(parse: Callable[[str], object], text: str) -> str:
    """Return the error of a parser that runs in this process; empty if it accepts the text, or cannot decide."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parse(text)
    except (SyntaxError, json.JSONDecodeError, TOMLDecodeError, expat.ExpatError) as error:
        place = re.search(r"at line (\d+)", str(error))
        line = getattr(error, "lineno", None) or (place[1] if place else None)
        part = getattr(error, "msg", None) or re.split(r" \(at |: line ", str(error))[0]
        # An external document type may define an entity.
        return "" if "entity" in part else f"line {line}: {part}" if line else part
    except (ValueError, RecursionError, MemoryError, OverflowError):
        return ""
    return ""


_OWN: dict[str, Callable[[str], object]] = {
    "python": lambda text: compile(text, "stdin", "exec", dont_inherit=True),
    "json": lambda text: json.loads(text.removeprefix("\ufeff")),
    "toml": loads,
    "xml": lambda text: expat.ParserCreate().Parse(text, True),
}
