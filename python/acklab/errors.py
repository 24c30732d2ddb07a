"""Whose fault it is."""


class AcklabError(Exception):
    """A mistake in what the user gave. Its text is all that the user needs to see."""


class UsageError(AcklabError):
    """Options or arguments that cannot be read, that nobody knows, or that do not go together."""


class ScenarioError(AcklabError):
    """A scenario that cannot be run; every mistake with its key and a hint."""


class OverrideError(ScenarioError, UsageError):
    """A change of a scenario that names no key and value."""


class ControllerError(AcklabError):
    """A congestion controller written in Python raised; the text has the line."""


class OutputError(AcklabError):
    """The results cannot be written where they should go."""


class NotRecordedError(AcklabError):
    """A table or column is needed that the run did not keep; the text says how to keep it."""

    def __init__(self, scenario: str, missing: list[str]) -> None:
        keys = {"series": 'every = "10 ms"', "packets": "packets = true"}
        lines = ", ".join(keys.get(m, f"{m} = true") for m in missing)
        super().__init__(
            f"the run of {scenario!r} did not record {' and '.join(missing)}\n"
            f"  help: add record = {{ {lines} }} to the scenario,"
            f" or run it with --record {','.join(missing)}"
        )
