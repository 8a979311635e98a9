"""A table at the end: what was said of the attacks, by class."""

from support import tally


def pytest_terminal_summary(terminalreporter):
    found = list(tally.told(terminalreporter, "attack"))
    # A limit that is said or written down is no lie that was let through.
    seen = [[kind, outcome if letter != "D" else f"{outcome} (D)"] for kind, letter, outcome, _ in found]  # fmt: skip
    for line in tally.lines(seen, ("PASS", "silent", "sprung"), "lies let through"):
        terminalreporter.write_line(line)
