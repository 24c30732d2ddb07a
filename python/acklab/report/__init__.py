"""Reports: one Markdown page, and the same as HTML that stands alone."""

from acklab.report.page import write_report

__all__ = ["write_report"]
