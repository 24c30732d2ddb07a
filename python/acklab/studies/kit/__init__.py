"""The kit that studies are made of.

A study is a folder: `study.toml`, `cells.py` (what is run), `quantities.py` (what is measured of a
run), `claims/*.toml` (what the paper says and when it holds), `text/*.md`, and perhaps `rules.py`.
`acklab study new NAME` writes one that runs.
"""
