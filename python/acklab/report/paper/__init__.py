"""The page of a study: tables and figures in the paper's layout, claims, and how they were judged.

One module per part of the page; `acklab.studies.kit.page` puts them together.
"""
