"""A study to test with: the template's, with a second table and figure, a set-up that explains."""

from acklab.studies.kit import new

SETUP = """[[setup]]
name = "plain"
title = "without SACK"
role = "explains"

[axis.ratio]"""
SHOWN = """[[table]]
id = "table2"
title = "Round-trip time by controller"
group = "main"
quantity = "rtt"
rows = "cc"
columns = "ratio"

[[table]]
id = "table3"
title = "Without SACK"
group = "main"
quantity = "goodput"
rows = "cc"
columns = "ratio"
keys = { setup = "plain" }

[[figure]]
id = "fig0"
title = "Throughput as bars"
group = "main"
quantity = "goodput"
x = "ratio"
panels = "cc"
kind = "bars"

[[figure]]"""
CLAIM = """[[claim]]
id = "F1 rtt"
says = "The <b>round-trip time</b> hardly depends on the ratio"
holds = "all(rtt > 1, over=[cc, ratio])"
by_design = true
shown = "fig1"
because.reproduced = "It is {rtt(cc=cubic, ratio=1)} at 1:1."
"""
PLAIN = 'tcp={"profile": setup} if setup != "plain" else {"profile": "linux", "sack": False}'


def write(folder):
    """Writes the study below `folder`; its runs last 2 s."""
    path = new.write_new("thinned", folder)
    change(path / "study.toml", "[axis.ratio]", SETUP)
    change(path / "study.toml", "[[figure]]", SHOWN)
    change(path / "cells.py", '("linux", "ns3")', '("linux", "ns3", "plain")')
    change(path / "cells.py", 'tcp={"profile": setup}', PLAIN)
    change(path / "cells.py", '"5 s"', '"2 s"')
    (path / "claims" / "more.toml").write_text(CLAIM)
    with (path / "paper.csv").open("a") as file:
        file.write("main,rtt,cubic,1,85\nmain,rtt,cubic,16,140\n")
    return path


def change(path, what, to):
    """Replaces the first `what` of a file, which must be there."""
    text = path.read_text()
    assert what in text, (path, what)
    path.write_text(text.replace(what, to, 1))
