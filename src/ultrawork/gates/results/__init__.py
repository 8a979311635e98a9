"""Which tests a run of a gate ran, read from what its runner wrote."""

from .reading import guess_runners, has_refused_report, make_report_environment, read_report

__all__ = ["guess_runners", "has_refused_report", "make_report_environment", "read_report"]
