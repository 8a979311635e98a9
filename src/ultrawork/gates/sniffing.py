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
    found = []
    for change in changes:
        if change.status == "D" or change.binary or testfiles.is_test_path(change.path, ()):
            continue
        if testfiles.is_support_path(change.path):
            continue
        before = set((source.read(base, change.path) or "").splitlines())
        text = source.read(tree, change.path) or ""
        for number, line in enumerate(text.splitlines(), 1):
            said = sign(line) if line not in before else ""
            if said:
                found.append(_finding(change.path, number, said))
    return found


def _finding(path: str, number: int, said: str) -> Finding:
    return Finding(
        rule="test-aware",
        level=NOTE,
        what=f"{path} asks whether a test is running ({said}); what it does otherwise is not checked",
        where=f"{path}:{number}",
        clears="let the code do the same with and without a test runner",
        doubt=True,
    )
