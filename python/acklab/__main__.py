"""`acklab` and `python -m acklab`: from its first line on, Ctrl-C and SIGTERM end it quietly."""

import os
import signal

WORDS = {signal.SIGINT: b"interrupted", signal.SIGTERM: b"terminated"}


def main() -> None:
    """Runs the command line."""
    # A shell that starts it in the background may have asked that Ctrl-C be ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _end)
    from acklab.cli import main as command_line

    command_line()


def _end(number: int, _: object) -> None:
    """Ends what is importing and has begun nothing; half-imported modules are not asked."""
    os.write(2, WORDS[signal.Signals(number)] + b"; nothing was written\n")
    os._exit(128 + number)


if __name__ == "__main__":
    main()
