"""Whether files parse, by their language's parser if it is installed. Nothing of the tree runs, and no program in it
starts: texts go to standard input, outside the project."""

import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from tomllib import TOMLDecodeError, loads
from xml.parsers import expat

from ...core.patterns import compile_late
from ...core.verdict import floor
from ...system.process import run_program
from ...system.program import find_program

Errors = dict[str, str]
_MANY = 40
_LARGE = 400_000
_PATIENCE = 10.0
# Language -> the program that parses standard input, and the pattern of its line number.
PROGRAMS: dict[str, tuple[tuple[str, ...], str]] = {
    "shell": (("bash", "-O", "extglob", "-n"), r"line (\d+): "),
    "go": (("gofmt", "-e"), r"<standard input>:(\d+):"),
    "rust": (("rustfmt", "--edition", "2021", "--emit", "stdout"), r"--> <stdin>:(\d+):"),
    "php": (("php", "-n", "-l"), r"on line (\d+)"),
    "ruby": (("ruby", "--disable=all", "-c"), r"^-:(\d+):"),
    "lua": (("luac", "-p", "-"), r"stdin:(\d+):"),
}
_PYTHON = "import sys; compile(sys.stdin.buffer.read(), 'stdin', 'exec', dont_inherit=True)"
_YAML = """
import json, sys, yaml
found = {}
for path, text in json.load(sys.stdin).items():
    try:
        for _ in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            pass
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark else ""
        found[path] = line + str(getattr(error, "problem", None) or error).split("\\n")[0]
print("parsed " + json.dumps(found))
"""
# Modules and scripts have different syntax, and the extension does not always tell: accept either.
_NODE = """
const vm = require('vm');
const module_ = (text, name) => new vm.SourceTextModule(text, { identifier: name });
const script = (text, name) => vm.compileFunction(text.replace(/^#!.*/, ''),
  ['exports', 'require', 'module', '__filename', '__dirname'], { filename: name });
const said = (error, name) => {
  const line = String(error.stack).split('\\n')[0].match(/:(\\d+)$/);
  return (line ? `line ${line[1]}: ` : '') + error.message;
};
function check(name, text) {
  const esm = /^\\s*(?:import\\b(?!\\s*\\()|export\\b)/m.test(text);
  const ways = name.endsWith('.mjs') ? [module_] : name.endsWith('.cjs') ? [script]
    : esm ? [module_, script] : [script, module_];
  let first = '';
  for (const way of ways) {
    try { way(text, name); return ''; } catch (error) {
      if (error.name !== 'SyntaxError') return '';
      first = first || said(error, name);
    }
  }
  return first;
}
let given = '';
process.stdin.setEncoding('utf8').on('data', (data) => { given += data; }).on('end', () => {
  const found = {};
  for (const [name, text] of Object.entries(JSON.parse(given))) {
    const error = check(name, text);
    if (error) found[name] = error;
  }
  console.log('parsed ' + JSON.stringify(found));
});
"""
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
        found: Errors = {}
        for language, ours in self._sort(texts).items():
            check = _OWN.get(language)
            if check is not None:
                told = {path: said for path, text in ours.items() if (said := check(text))}
            else:
                told = self._ask(language, ours)
            if language == "python":
                told = {path: said for path, said in told.items() if not self._accepts(ours[path])}
            found |= told
        return {path: said for path, said in found.items() if not _is_other(path, texts[path])}

    def _sort(self, texts: Mapping[str, str]) -> dict[str, dict[str, str]]:
        sorted_: dict[str, dict[str, str]] = {}
        for path, text in texts.items():
            language = floor.find_language(path, text)
            # Text that is not UTF-8 was not decoded faithfully.
            readable = text.strip() and len(text) <= _LARGE and "\ufffd" not in text
            if language and readable and len(sorted_.get(language, ())) < _MANY:
                sorted_.setdefault(language, {})[path] = text
        return sorted_

    def _ask(self, language: str, texts: Mapping[str, str]) -> Errors:
        if language == "javascript":
            return self._ask_many("node", ("--experimental-vm-modules", "-e", _NODE), texts)
        if language == "yaml":
            return self._ask_many("python3", ("-I", "-c", _YAML), texts)
        argv, place = PROGRAMS[language]
        program = self._find(argv[0])
        if program is None:
            return {}
        told = {
            path: self._refusal([program, *argv[1:]], text, place) for path, text in texts.items()
        }
        return {path: said for path, said in told.items() if said}

    def _ask_many(self, name: str, words: tuple[str, ...], texts: Mapping[str, str]) -> Errors:
        """Check all files of a language in one process."""
        program = self._find(name)
        if program is None:
            return {}
        _, output = self._run([program, *words], json.dumps(dict(texts)))
        line = re.search(r"(?m)^parsed (\{.*\})$", output)
        return dict(json.loads(line[1])) if line else {}

    def _refusal(self, argv: list[str], text: str, place: str) -> str:
        """Return the parser's error; empty if it accepts the text or fails for another reason."""
        status, output = self._run(argv, text)
        line = re.search(place, output, re.MULTILINE)
        if not status or line is None:
            return ""
        whole = output[: line.end()].rpartition("\n")[2] + output[line.end() :].partition("\n")[0]
        said = re.sub(
            r"^.*?(?:line \d+:|<standard input>:\d+:\d+:|-:\d+:|stdin:\d+:)\s*", "", whole
        )
        error = re.search(r"(?m)^(?:PHP )?(?:Parse )?error:?\s*(.+)$", output)
        return f"line {line[1]}: {(error[1] if error else said).strip()}"

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

    def _run(self, argv: list[str], text: str) -> tuple[int | None, str]:
        """Run outside the project and without its variables, which could make a parser execute something."""
        kept = ("PATH", "HOME", "LANG", "RUSTUP_HOME", "CARGO_HOME")
        env = {name: self._environ[name] for name in kept if name in self._environ}
        done = run_program(argv, cwd="/", env=env, deadline=_PATIENCE, input=text.encode())
        return (None if done.timed_out else done.exit), done.output


def _is_other(path: str, text: str) -> bool:
    """Return whether the file is in another syntax than its name suggests."""
    scripts = path.endswith((".js", ".mjs", ".cjs")) and _COMPILED.search(text) is not None
    return scripts or floor.is_template(path, text)


def _check_python(text: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "stdin", "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}" if error.lineno else error.msg
    except ValueError as error:
        return str(error)
    except (RecursionError, MemoryError, OverflowError):
        return ""
    return ""


def _check_json(text: str) -> str:
    try:
        json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError):
        return ""
    return ""


def _check_lines(text: str) -> str:
    for number, line in enumerate(text.splitlines(), 1):
        said = _check_json(line) if line.strip() else ""
        if said:
            return f"line {number}: {said.partition(': ')[2]}"
    return ""


def _check_toml(text: str) -> str:
    try:
        loads(text)
    except TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        said = str(error).partition(" (at ")[0]
        return f"line {line[1]}: {said}" if line else said
    except (ValueError, RecursionError):
        return ""
    return ""


def _check_xml(text: str) -> str:
    parser = expat.ParserCreate()
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        said = expat.ErrorString(error.code)
        # An external document type may define it.
        return "" if "entity" in said else f"line {error.lineno}: {said}"
    return ""


_OWN: dict[str, Callable[[str], str]] = {
    "python": _check_python,
    "json": _check_json,
    "jsonl": _check_lines,
    "toml": _check_toml,
    "xml": _check_xml,
}
