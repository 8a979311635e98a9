"""New lines of product code that ask whether a test is running."""

from ..core.findings import NOTE, Finding
from ..core.sniffs import sign
from . import tests as testfiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..system.git import Change
    from .source import Source


def aware_of_tests(
    source: "Source", base: str, tree: str, changes: "Sequence[Change]"
) -> list[Finding]:
    """A doubt, not a refusal: it may be honest, but then nothing here proves what users will see."""
    return [
        _finding(change.path, number, said)
        for change in changes
        if change.status != "D" and not change.binary and not _is_for_tests(change.path)
        for number, line in source.added(base, tree, change.path)
        if (said := sign(line))
    ]


def _is_for_tests(path: str) -> bool:
    return testfiles.is_test_path(path) or testfiles.is_support_path(path)


def _finding(path: str, number: int, said: str) -> Finding:
    return Finding(
        rule="test-aware",
        level=NOTE,
        what=f"{path} asks whether a test is running ({said}); what it does otherwise is not checked",
        where=f"{path}:{number}",
        clears="let the code do the same with and without a test runner",
        doubt=True,
    )
