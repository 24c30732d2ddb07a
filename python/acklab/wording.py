"""Words that messages share."""


def many(n: int, what: str) -> str:
    """A number of things, such as "1 seed", "1,200 runs" or "3 studies"."""
    if n == 1:
        return f"1 {what}"
    return f"{n:,} {what[:-1]}ies" if what.endswith("y") else f"{n:,} {what}s"
