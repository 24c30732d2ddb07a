"""Skipped tests are reported at the end; where everything must be there, they fail the run.

`ACKLAB_REQUIRE=all` says that everything must be there, which `.ci/run` does.
"""

import os
import re

#: Reasons that are no lack of anything: what the test asks does not arise.
ALLOWED = (r"fairness is of several",)


def skips(reporter):
    """Reason and place of each test that was skipped."""
    for report in reporter.stats.get("skipped", []):
        long = report.longrepr
        reason = long[2] if isinstance(long, tuple) else str(long)
        yield reason.removeprefix("Skipped: "), report.nodeid or str(long[0])


def lacking(reporter):
    """Those that something was missing for."""
    allowed = re.compile("|".join(ALLOWED)).search
    return [(reason, place) for reason, place in skips(reporter) if not allowed(reason)]


def required():
    return os.environ.get("ACKLAB_REQUIRE", "") == "all"


def pytest_sessionfinish(session):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and required() and lacking(reporter) and not session.exitstatus:
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter):
    missing = lacking(terminalreporter)
    if not missing:
        return
    terminalreporter.section("not tested")
    for reason in sorted({reason for reason, _ in missing}):
        places = sorted(place for why, place in missing if why == reason)
        more = f" and {len(places) - 3} more" if len(places) > 3 else ""
        terminalreporter.line(f"{reason}: {', '.join(places[:3])}{more}")
    end = "ACKLAB_REQUIRE=all allows none" if required() else "ACKLAB_REQUIRE=all would fail here"
    terminalreporter.line(f"skipped for want of something: {len(missing)}; {end}")
