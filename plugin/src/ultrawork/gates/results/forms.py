"""How the output of each runner is recognized: the form that its reader reads. A reader is loaded for its form alone."""

import re

_PYTEST = r"passed|failed|skipped|xfailed|xpassed|errors?|deselected|warnings?|rerun|subtests? \w+"
_TEXTS = {
    "bun": r"^Ran \d+ tests? across \d+ files?\.",
    "cargo": r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored",
    "ctest": r"^\d+% tests passed, \d+ tests? failed out of \d+",
    "dart": r"^\d\d:\d\d \+\d+(?: ~\d+)?(?: -\d+)?: ",
    "deno": r"^(?:ok|FAILED) \| (?:\d+ \w+ (?:\(\d+ steps?\) )?\| )*\d+ \w+",
    "go": r'^(?:ok|FAIL|\?) +\t\S+|^(?:ok|FAIL|\?)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[)|^\{"(?:Time|Action)":',
    "jest": r"^Tests: +(.*\d+ total)$",
    "json_report": r'^\{\s*"(?:num\w+Tests?|stats|results|version|reportFormat|success)"',
    "junit": r"<testsuites?\b[^>]*>",
    "meson": r"^Ok: +\d+",
    "mocha": r"^ +(\d+) passing\b",
    "node": r"^\u2139 tests (\d+)$",
    "prove": r"^Files=\d+, Tests=\d+,",
    "pytest": rf"^(?:=+ )?((?:\d+ (?:{_PYTEST})(?:, )?)+|no tests ran) in [\d.]+s",
    "swift": r"^Test Case '|^. Test run with \d+ tests?",
    "tap": r"^TAP version \d+$|^1\.\.\d+$",
    "unittest": r"^Ran (\d+) tests? in ",
    "vitest": r"^ +Test Files  +\S|^No test files found",
}
FORMS = {name: re.compile(text, re.MULTILINE) for name, text in _TEXTS.items()}
