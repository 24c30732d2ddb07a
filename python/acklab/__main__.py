"""`acklab` and `python -m acklab`: from its first line on, Ctrl-C ends it quietly."""

import os
import signal

INTERRUPTED = 130


def main() -> None:
    """Runs the command line."""
    # A shell that starts it in the background may have asked that Ctrl-C be ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    from acklab.cli import main as command_line

    command_line()


def _end(*_: object) -> None:
    """Ends what is importing and has begun nothing; half-imported modules are not asked."""
    os.write(2, b"interrupted; nothing was written\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
