"""Reports: one HTML page that stands alone.

from acklab import report

page = report.build(
    "ACK aggregation",
    claims=[report.Claim("1", "CUBIC collapses.", "4.1", "not", "It does not.", "The timer.")],
    sections=[report.Section("Table 1", table=frame)],
    meta={"seeds": "10"},
)
report.save(page, folder / "report.html")
"""

from acklab.report.build import build, save
from acklab.report.interactive import Bars, Chart, HeatMap, Line
from acklab.report.parts import Claim, Picture, Section

__all__ = ["Bars", "Chart", "Claim", "HeatMap", "Line", "Picture", "Section", "build", "save"]
