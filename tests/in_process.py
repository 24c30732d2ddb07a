"""`acklab` as a user runs it, in this process: to start another takes longer than most commands.

That each command works as a process of its own is what `test_output` and `test_walked` show.
"""

import contextlib
import io
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping

from typer.main import get_command

from acklab.cli import app
from acklab.cli.guard import guarded

#: The command line, made once: `app` makes it anew for each call.
COMMAND = get_command(app)
#: How wide a terminal is, and that it shows no colours.
TERMINAL = {"COLUMNS": "160", "NO_COLOR": "1"}


def acklab(
    args: tuple[object, ...], cwd: os.PathLike, terminal: Mapping[str, str] = TERMINAL
) -> subprocess.CompletedProcess:
    """Runs the command line in the folder `cwd`; exit code and output, as of a process."""
    words = [str(a) for a in args]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(cwd))
        stack.enter_context(_environment(terminal))
        stack.enter_context(_of_a_process(words))
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        stack.enter_context(_warnings())
        code = guarded(lambda: COMMAND(words, standalone_mode=False, prog_name="acklab"))
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def _environment(more: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(more)
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


@contextlib.contextmanager
def _of_a_process(words: list[str]) -> Iterator[None]:
    """Arguments, an empty input, handlers of signals, and no Python file of a study read yet."""
    for name in [n for n in sys.modules if n.startswith("_acklab_study_")]:
        del sys.modules[name]
    argv, stdin = sys.argv, sys.stdin
    handlers = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)}
    with open(os.devnull, encoding="utf-8") as nothing:
        sys.argv, sys.stdin = ["acklab", *words], nothing
        try:
            yield
        finally:
            sys.argv, sys.stdin = argv, stdin
            for number, handler in handlers.items():
                signal.signal(number, handler)


@contextlib.contextmanager
def _warnings() -> Iterator[None]:
    """Warnings go to standard error, with the interpreter's own filters."""

    def show(message, category, filename, lineno, file=None, line=None):
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))

    with warnings.catch_warnings():
        warnings.resetwarnings()
        for ignored in (
            DeprecationWarning,
            PendingDeprecationWarning,
            ImportWarning,
            ResourceWarning,
        ):
            warnings.simplefilter("ignore", ignored)
        warnings.showwarning = show
        yield
