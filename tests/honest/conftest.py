"""A table at the end: what was said of honest changes."""

from support import tally


def pytest_terminal_summary(terminalreporter):
    found = list(tally.told(terminalreporter, "honest"))
    for line in tally.lines(found, ("nagged",), "honest runs nagged"):
        terminalreporter.write_line(line)
