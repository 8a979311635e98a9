"""
Whether tests can be believed: product code that looks whether a test is running does something else that no
test can tell, and a gate that lets a test pass which must fail says nothing about other tests.
"""

from .finding import NOTE, STRONG, Finding
from .gate_run import PASSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .gate_run import TestReport

SIGNS = (
    "PYTEST_CURRENT_TEST",
    '"pytest" in sys.modules',
    "'pytest' in sys.modules",
    '"unittest" in sys.modules',
    "'unittest' in sys.modules",
    "JEST_WORKER_ID",
    "process.env.VITEST",
    "import.meta.vitest",
    'NODE_ENV === "test"',
    "NODE_ENV === 'test'",
    'NODE_ENV == "test"',
    "NODE_ENV == 'test'",
    "NODE_TEST_CONTEXT",
    "testing.Testing()",
    'flag.Lookup("test.',
    "cfg!(test)",
    "cfg(not(test))",
)
# What a program can look at to find a test above it: who calls it, how it was started, all that is loaded or set.
_CALLERS = (
    "inspect.stack(", "sys._getframe(", "inspect.currentframe(", "new Error().stack", "traceback.extract_stack(",
    "sys._current_frames(", "gc.get_objects(", "gc.get_referrers(", "runtime.Caller", "getStackTrace(", "StackWalker",
    "debug_backtrace(", "caller_locations",
)  # fmt: skip
_STARTED = (
    "sys.argv", "sys.orig_argv", "process.argv", "process.execArgv", "os.Args", "os.Executable(", "env::args",
    "current_exe(", "$argv", "PHP_SAPI", "$PROGRAM_NAME", "ARGV", "/proc/self/",
)  # fmt: skip
_LOADED = ("sys.modules", "os.environ", "process.env", "require.cache", "os.Environ(", "env::vars")
_RUNNERS = (
    "pytest", "PYTEST", "pluggy", "unittest", "jest", "vitest", "mocha", "/deps/", "junit", "JUnit", "surefire",
    "phpunit", "PHPUnit", "rspec", "minitest",
)  # fmt: skip
_TEST_WORDS = ("test_", '"test', "'test", ".test", *_RUNNERS)
# Who the caller is by name, and code that goes one way or the other.
_NAMES = r"co_name|co_filename|f_globals|f_locals|\.function\b|\.filename\b|__name__|__code__|get(?:Class|Method|Function|File)Name|\.stack\b|FuncForPC"
_DECIDES = (
    r"\b(?:if|elif|while|match|switch|when|unless|case)\b(?!.*\b(?:None|null|nil|undefined)\b)|\?[^?.:]+:|[!=]="
    r"""|["']\s+(?:not\s+)?in\b|(?:includes|contains|(?:ends|starts)_?[wW]ith|Has(?:Suf|Pre)fix|indexOf|include\?)\s*\("""
)
_PARTED = r"""["']\s*\+\s*["']"""
# So many lines below it a look is still what they decide on.
_REACH = 4


# Checks that run where nobody watches set it, ours among them. Files that configure tools may ask.
_ASKS_FOR_CI = (
    r"""(?:environ(?:\.get)?|[gG]etenv|LookupEnv|env::var(?:_os)?|ENV(?:\.fetch)?|\benv(?:\.get)?)\s*[\[(]\s*["']CI["']"""
    r"""|(?:process|meta)\.env\.CI\b|["']CI["']\s+(?:not\s+)?in\s+os\.environ|["'](?:is-ci|ci-info)["']"""
)
_CONFIGURES = (".config.", ".github/", ".circleci/", "gulpfile", "webpack.", "karma.conf")


def find_sign(line: str, path: str = "") -> str:
    """What in a line asks whether a test is running; empty if nothing does."""
    for one in SIGNS:
        if one in line:
            return one
    if "CI" in line or "ci" in line:
        from re import search

        asks = search(_ASKS_FOR_CI, line)
        if asks and not any(part in path for part in _CONFIGURES):
            return asks[0]
    looks_up = next((one for one in (*_CALLERS, *_STARTED) if one in line), "")
    if not looks_up or not any(word in line for word in _TEST_WORDS):
        return ""
    from re import search

    return looks_up if search(_DECIDES, line) else ""


def list_signs(lines: "Iterable[tuple[int, str]]", path: str = "") -> list[tuple[int, str]]:
    """
    Lines of a change that ask whether a test is running, with what they ask; in one line, or with a look at the
    callers or the surroundings and a decision in the lines below it. A name that is put together is read whole.
    """
    from re import sub

    known = [(number, sub(_PARTED, "", line)) for number, line in lines]
    found = []
    for place, (number, line) in enumerate(known):
        below = [
            text
            for one, text in known[place : place + _REACH + 1]
            if one <= number + _REACH and text.strip()
        ]
        said = find_sign(line, path) or _find_look(line, below)
        found += [(number, said)] if said else []
    return found


def _find_look(line: str, below: "list[str]") -> str:
    """A look whose answer the lines below decide on: the name of a caller, or a runner that is there."""
    from re import search

    deciding = [one for one in below if search(_DECIDES, one)]
    caller = next((one for one in _CALLERS if one in line), "")
    if caller and deciding and search(_NAMES, "\n".join(below)):
        return caller
    around = next((one for one in (*_STARTED, *_LOADED) if one in line), "")
    if around and any(word in one for one in deciding for word in _RUNNERS):
        return around
    return ""


# Modules that tests take their examples, their clock and their comparing from.
_COMPARED_WITH = ("random", "time", "builtins", "math", "secrets", "operator", "statistics")
_REPLACES = r"^\s*(?:(\w+)\.(\w+)\s*=(?!=)|setattr\(\s*(\w+)\s*,\s*[\"'](\w+))"
_RENAMES = r"^\s*import\s+(\w+)\s+as\s+(\w+)"
_NO_ASSERTIONS = r"^\s*#\s*define\s+(NDEBUG)\b"


def list_replaced(lines: "Iterable[tuple[int, str]]") -> list[tuple[int, str]]:
    """Lines by which code sets something of the language for all that runs with it, with what it sets."""
    from importlib import import_module
    from re import match

    known = list(lines)
    renames = (match(_RENAMES, line) for _, line in known)
    modules = {one: one for one in _COMPARED_WITH}
    modules |= {one[2]: one[1] for one in renames if one and one[1] in modules}
    found = []
    for number, line in known:
        off = match(_NO_ASSERTIONS, line)
        sets = match(_REPLACES, line)
        module, name = (sets[1] or sets[3], sets[2] or sets[4]) if sets else ("", "")
        if off:
            found.append((number, off[1]))
        elif module in modules and hasattr(import_module(modules[module]), name):
            found.append((number, f"{modules[module]}.{name}"))
    return found


_EQUALITY = r"(?:def __eq__|\bequals|\bEquals|\bfn eq|operator\s*==|func\s*==|def ==)\s*\(|__eq__\s*=\s*lambda"
_TRUE = r"(?:^|[:{;>]|\)\s*=)\s*(?:return\s+)?[tT]rue\s*;?\s*\}?\s*$"


def list_blind_equalities(lines: "Iterable[tuple[int, str]]") -> list[int]:
    """Numbers of lines that make something equal to everything: what a test compares with it proves nothing."""
    from re import search

    found, opened = [], 0
    for number, line in lines:
        if opened and line.strip():
            found += [opened] if search(_TRUE, line) else []
            opened = 0
        if search(_EQUALITY, line):
            found += [number] if search(_TRUE, line) else []
            opened = 0 if search(_TRUE, line) else number
    return found


# Code that speaks of these may reach into the runner: then it is worth a run to see whether it does.
RUNNER_WORDS = (
    "pytest", "unittest", "TestCase", "AssertionError", "exit(", "exitCode", "os.Exit", "execv",
    "atexit", "builtins", "sys.modules", "settrace", "jest", "vitest", "mocha", "node:test",
    "node:assert", 'require("assert")', "require('assert')", "globalThis", "testing.",
)  # fmt: skip


# Every test speaks of its runner; one that sets something in it, or ends the program, reaches into it.
_IN_TESTS = (
    "_pytest", "exit(", "exitCode", "os.Exit", "execv", "atexit", "builtins", "sys.modules", "settrace", "setattr(",
    "globalThis", "TestMain", "runtest",
)  # fmt: skip
_SETS = r"\b(?:pytest|unittest|TestCase|assert|expect|jest|vi|testing)\.[\w.]+\s*=(?![=>])|patch[\w.]*\(\s*[\"']?(?:unittest|pytest)"


def may_reach_runner(lines: "Iterable[str]", *, in_tests: bool = False) -> bool:
    from re import search, sub

    words = _IN_TESTS if in_tests else RUNNER_WORDS
    whole = [sub(_PARTED, "", line) for line in lines]
    if any(word in line for line in whole for word in words):
        return True
    return in_tests and any(search(_SETS, line) for line in whole)


_ENDS_WELL = (
    r"\b(?:_?exit|_Exit|quick_exit|os\.Exit|process\.exit)\s*\(\s*(?:0|EXIT_SUCCESS)\s*\)|\batexit\s*\("
    r"|__attribute__\s*\(\(\s*(?:de|con)structor"
)


def may_end_well(lines: "Iterable[str]") -> bool:
    """Whether code can end the program that tests it as if all were well."""
    from re import search

    return any(search(_ENDS_WELL, line) for line in lines)


def report_ending(gate: str, path: str, *, receipt: int | None) -> Finding:
    """Where no test is named, the end of the program is all that its gate knows."""
    return Finding(
        rule="planted-unseen",
        level=NOTE,
        gate=gate,
        what=f"{gate} names no test, and {path} can end its program as if all were well",
        where=path,
        receipt=receipt,
        clears="let the tests be named, or the code not end the program",
        doubt=True,
    )


_IMPORTS = (
    r"(?m)^[ \t]*(?:import\s+(\w+)|from\s+\S+\s+import\s+(\w+)|(?:const|let|var)\s+(\w+)\s*=\s*(?:await\s+import|require)\b)"
    r"|\bas\s+(\w+)"
)
_SETS_MEMBER = (
    r"^\s*(?:(\w+)(?:\.\w+)*\.\w+\s*=(?![=>])|setattr\(\s*(\w+))"
    r"|^\s*require\([^)]*\)\.\w+\s*=(?![=>])|\bpatch[\w.]*\(.*\)\.start\(\)"
)


def may_patch_imports(text: str, lines: "Iterable[str]") -> bool:
    """Whether lines of a file of tests set something in what it imports: other tests meet it too."""
    from re import findall, search

    imported = {name for names in findall(_IMPORTS, text) for name in names if name}
    for line in lines:
        found = search(_SETS_MEMBER, line)
        if found and (not any(found.groups()) or imported.intersection(found.groups())):
            return True
    return False


def has_planted_passed(
    outcomes: "Iterable[str | None]", now: "TestReport | None", planted: "TestReport | None"
) -> bool:
    """
    Whether one of the planted tests was run and passed: by name where the runner tells all names,
    else by number, as far more tests ran than failed.
    """
    if now is None or planted is None:
        return False
    if planted.complete:
        return PASSED in outcomes
    if now.ran is None or planted.ran is None:
        return False
    more = planted.ran - now.ran
    return more > 0 and (planted.failed_count or 0) - (now.failed_count or 0) < more


def report_unseen(gate: str, *, receipt: int | None) -> Finding:
    """Code that speaks of the runner, and a planted test that nobody ran: it may be left out by name."""
    return Finding(
        rule="planted-unseen",
        level=NOTE,
        gate=gate,
        what=f"{gate} stays green over a planted test that must fail; the change speaks of its runner",
        receipt=receipt,
        clears="let the code leave the test runner alone",
        doubt=True,
    )


def report_blind(gate: str, *, receipt: int | None) -> Finding:
    return Finding(
        rule="gate-blind",
        level=STRONG,
        gate=gate,
        what=f"{gate} lets a planted test pass that must fail",
        receipt=receipt,
        clears=f"take out what makes the tests of {gate} pass by themselves",
    )
