"""Scenarios to begin with; `{name}` and `{file}` are filled in by `acklab new`."""
