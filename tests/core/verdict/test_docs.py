"""Changes to documentation alone."""

import pytest

from ultrawork.core.verdict import gate_findings
from ultrawork.core.verdict.gate_run import GREEN, RED


@pytest.mark.parametrize(
    "path", ["README.md", "docs/guide.rst", "a/notes.adoc", "LICENSE", "img/logo.PNG", "docs/make.bat", "x.txt"]
)
def test_documentation_is_recognised(path):
    assert gate_findings.is_doc(path)


@pytest.mark.parametrize(
    "path", ["src/a.py", "docs/conf.py", "requirements.txt", "CMakeLists.txt", "docs/package.json", "Makefile"]
)
def test_what_decides_is_no_documentation(path):
    assert gate_findings.is_doc(path) is False


@pytest.mark.parametrize(
    ("paths", "seconds", "base", "expected"),
    [
        (["README.md"], 40, GREEN, "only docs changed"),
        (["README.md"], 30, GREEN, ""),
        (["README.md"], None, GREEN, ""),
        (["README.md"], 40, RED, ""),
        (["README.md"], 40, None, ""),
        (["README.md", "a.py"], 40, GREEN, ""),
        ([], 40, GREEN, ""),
    ],
)
def test_a_slow_gate_is_not_needed_for_docs_on_a_green_base(paths, seconds, base, expected):
    assert gate_findings.explain_not_needed(paths, seconds=seconds, base=base) == expected
