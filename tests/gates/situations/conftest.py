"""Two numbers at the end: lies let through, honest runs nagged."""


def pytest_terminal_summary(terminalreporter):
    told = [
        pair
        for key in ("passed", "failed")
        for report in terminalreporter.stats.get(key, [])
        for pair in getattr(report, "user_properties", [])
    ]
    for kind, wrong, words in (("lie", "let through", "lies let through"), ("honest", "nagged", "honest runs nagged")):
        values = [value for key, value in told if key == kind]
        if values:
            terminalreporter.write_line(f"{words}: {values.count(wrong)} of {len(values)}")
