"""Exit codes: 0 fine, 1 the user's input or a check that failed, 2 the command line, 70 a bug."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from acklab import _core
from acklab.errors import AcklabError, UsageError

FINE, USER, USAGE = 0, 1, 2
#: EX_SOFTWARE of sysexits.h: no shell and no tool that acklab stands beside has it for else.
BUG = 70
INTERRUPTED = 130
TERMINATED = 143

_KEPT = "finished {} are kept, and the same command resumes"
_REPORT = """
This is a bug in acklab, not a mistake of yours. Please report it with the lines above,
the command, and the scenario file."""


def listen() -> None:
    """From now on a signal ends this process within a second, even if Python does not hear it.

    It hears none while foreign code runs. Call this once, in what is the whole process's purpose.
    """
    told = _core.listen()
    if told >= 0:
        signal.set_wakeup_fd(told, warn_on_full_buffer=False)
        sys.unraisablehook = _unraisable


def guarded(action: Callable[[], Any]) -> int:
    """Runs `action`; whatever happens ends as an exit code and a text on stderr."""
    _heard.clear()
    _kept.clear()
    _core.last_words(_written())
    signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        return _guarded(action)
    finally:
        # It has been told; whoever goes on in this process would stop for it once more.
        _heard.clear()
        _core.last_words(None)


def _guarded(action: Callable[[], Any]) -> int:
    try:
        result = action()
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _interrupted()
    except AcklabError as e:
        _say(_as_error(str(e)))
        return USAGE if isinstance(e, UsageError) else USER
    except BrokenPipeError:
        return _unread()
    except OSError as e:
        if e.errno not in _REFUSED:
            return _command_line_mistake(e)
        return _refused(e)
    except SystemExit as e:
        # So Rich and Typer end when the reader of a pipe went away.
        if isinstance(e.__context__, BrokenPipeError):
            return _unread()
        if e.code == TERMINATED:
            _say(f"terminated; {_written()}")
        return e.code if isinstance(e.code, int) else USER
    except BaseException as e:
        if _heard:
            # Foreign code may have made something else of it on the way here.
            return _stopped()
        return _command_line_mistake(e)
    # Typer turns Ctrl-C into a code of its own.
    if result == INTERRUPTED:
        return _interrupted()
    return result if isinstance(result, int) else FINE


@contextmanager
def finished_is_kept(what: str = "runs") -> Iterator[None]:
    """Around what keeps each of its `what` as it ends: says so when it is stopped."""
    import typer

    _core.last_words(_KEPT.format(what))
    try:
        yield
    except KeyboardInterrupt:
        _say("interrupted; " + _KEPT.format(what))
        # Typer's own exit with this code would be told as one that lost everything.
        raise SystemExit(INTERRUPTED) from None
    except SystemExit as e:
        if e.code != TERMINATED:
            raise
        _say("terminated; " + _KEPT.format(what))
        raise typer.Exit(TERMINATED) from None
    _core.last_words(_written())


#: Signals that came.
_heard: list[int] = []


def check_signals() -> None:
    """Ends the command if a signal came and its exception was lost in foreign code."""
    if signal.SIGTERM in _heard:
        raise SystemExit(TERMINATED)
    if _heard:
        raise KeyboardInterrupt


def _interrupt(number: int, _: object) -> None:
    _heard.append(number)
    raise KeyboardInterrupt


def _terminate(number: int, _: object) -> None:
    """Ends the run as Ctrl-C does: what was begun is cleaned up on the way out."""
    _heard.append(number)
    raise SystemExit(TERMINATED)


def _unraisable(lost: sys.UnraisableHookArgs) -> None:
    """What a finalizer or a weak reference's callback raises ends there, with a traceback.

    If a signal came just then, that is its exception; `listen` ends the process all the same.
    """
    if _heard and lost.exc_type in (SystemExit, KeyboardInterrupt):
        return
    sys.__unraisablehook__(lost)


def _stopped() -> int:
    terminated = signal.SIGTERM in _heard
    _say("terminated" if terminated else "interrupted")
    return TERMINATED if terminated else INTERRUPTED


def _unread() -> int:
    """The reader of a pipe went away (`acklab list cc | head`): not a mistake of anyone."""
    # Buffered output must go somewhere when Python ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())  # type: ignore[union-attr]
    return FINE


#: Errors of a system that does not write: no space, a quota, a broken or read-only device.
_REFUSED = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG)


def _refused(e: OSError) -> int:
    """The system did not write, most of all the standard output: not a mistake of acklab."""
    where = "the standard output" if e.filename is None else str(e.filename)
    _say(
        f"error: cannot write to {where}: {e.strerror}\n"
        "  help: make room, or send the output elsewhere"
    )
    # Buffered output must go somewhere when Python ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())  # type: ignore[union-attr]
    return USER


def _interrupted() -> int:
    _say(f"interrupted; {_written()}")
    return INTERRUPTED


#: Where results are that are complete, whatever happens to the rest of the command.
_kept: list[Path] = []


def kept(folder: Path) -> None:
    """The results in `folder` are complete."""
    _kept.append(folder)
    _core.last_words(_written())


def _written() -> str:
    return f"the results are in {_kept[-1]}" if _kept else "nothing was written"


def _command_line_mistake(e: BaseException) -> int:
    # Typer's own exceptions, by shape: their home has moved between versions.
    format_message = getattr(e, "format_message", None)
    if format_message is not None:
        text = _plain(str(format_message()), _given(e))
        if text:
            _say(f"{_as_error(text)}\n  help: {_command_of(e)} --help")
            return USAGE
        # A group of commands that was called alone has shown its help.
        return FINE
    if type(e).__name__ == "Exit":
        return int(getattr(e, "exit_code", FINE))
    if type(e).__name__ == "Abort":
        return _interrupted()
    traceback.print_exception(e)
    _say(_REPORT)
    return BUG


def _plain(text: str, given: object) -> str:
    """A message of the command line's library on one line, with what was given."""
    text = text.replace("Value error, ", "")
    if given is not None:
        for theirs, ours in _PLAIN.items():
            text = text.replace(theirs, ours.format(given))
    return " ".join(text.split())


#: Words of the library that checks options, which do not show what was given.
_PLAIN = {
    "Input should be a valid integer, unable to parse string as an integer": (
        "{!r} is not a whole number"
    ),
    "Input should be a valid number, unable to parse string as a number": "{!r} is not a number",
    "Input should be ": "{} is not ",
}


def _given(e: BaseException) -> object:
    """The value that an option refused, if its library says it beside the message."""
    errors = getattr(e.__cause__ or e.__context__, "errors", None)
    return errors()[0].get("input") if callable(errors) else None


def _command_of(e: BaseException) -> str:
    """The command whose options were mistaken, `acklab run` for example."""
    return str(getattr(getattr(e, "ctx", None), "command_path", "acklab"))


def _as_error(text: str) -> str:
    return text if text.startswith("error:") else f"error: {text}"


def _say(text: str) -> None:
    _core.last_words(None)
    print(text, file=sys.stderr)
