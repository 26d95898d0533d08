"""What pytest reports of the suites beside their own output: how many checks, and the figures."""


def pytest_itemcollected(item):
    item.add_marker("vm")


def pytest_terminal_summary(terminalreporter):
    properties = [
        pair
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        for pair in report.user_properties
    ]

    def total(name: str) -> int:
        return sum(value for key, value in properties if key == name)

    terminalreporter.section("checks")
    terminalreporter.line("Figures of an emulated machine:")
    for name, value in properties:
        if name == "figure":
            terminalreporter.line(value)
    terminalreporter.line(f"{total('good')} checks passed, {total('bad')} failed")
