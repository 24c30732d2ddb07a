"""The cases that the protocol is held against are those of the rules in `tack_decisions.py`."""

import tack_decisions


def test_the_cases_of_the_core_are_those_of_the_rules():
    assert tack_decisions.CASES.read_text(encoding="utf-8") == tack_decisions.text()
