"""Whose fault it is."""


class AcklabError(Exception):
    """A mistake in what the user gave. Its text is all that the user needs to see."""


class ScenarioError(AcklabError):
    """A scenario that cannot be run; every mistake with its key and a hint."""


class ControllerError(AcklabError):
    """A congestion controller written in Python raised; the text has the line."""


class OutputError(AcklabError):
    """The results cannot be written where they should go."""
