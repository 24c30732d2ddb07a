"""Whether a disturbance of an equilibrium dies away: any system with one delay, linearised.

y' = f(y(t), y(t - delay)) near an equilibrium is y' = A y(t) + B y(t - delay). Its characteristic
roots are the eigenvalues of an operator, which Chebyshev collocation makes a matrix (D. Breda, S.
Maset, R. Vermiglio, *Pseudospectral differencing methods for characteristic roots of delay
differential equations*, SIAM J. Sci. Comput. 27(2), 2005). The rightmost root decides: it swings,
or comes back, at that rate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root

from acklab.fluid.domain import NoSolutionError, Symbols, count, from_zero, real

Floats = NDArray[np.float64]
#: Values now, and one delay ago, to the change of values.
Field = Callable[[Floats, Floats], Any]
#: Points of the collocation; roots of loops with a few delays of swing are exact to many digits.
POINTS = 24
#: A root this much nearer to 0 than the system is fast decides nothing: further terms do.
NEUTRAL = 1e-6

equation = Symbols(
    guess=real("", [1.0], name="the guess"),
    at=real("", np.array([1.0]), name="the equilibrium"),
    a=real("1/s", np.array([[-1.0]]), name="A"),
    b=real("1/s", np.array([[-0.5]]), name="B"),
    delay=from_zero("s", 0.1, name="the delay"),
    points=count(24, 2, name="the points of the collocation"),
)


@dataclass(frozen=True)
class Verdict:
    """The rightmost characteristic root."""

    #: 1/s, above 0 where it grows; and rad/s, 0 where it does not swing.
    growth: float
    frequency: float
    #: Whether the root is 0: then the linear part decides nothing.
    neutral: bool = False

    @property
    def stable(self) -> bool:
        """Whether a small disturbance dies away."""
        return self.growth < 0 and not self.neutral

    @property
    def period(self) -> float | None:
        """Seconds of a swing near the equilibrium, or `None` if it does not swing."""
        return 2 * np.pi / self.frequency if self.frequency > 0 else None


@equation("the steady state", None)
def steady_state(field: Field, guess: Sequence[float], name: str) -> Floats:
    """Where nothing changes, near `guess`; `name` is of the equations, for the error."""
    start = np.asarray(guess, np.float64)
    scale = np.where(start == 0, 1.0, np.abs(start))

    def scaled(z: Floats) -> Floats:
        y = z * scale
        return np.asarray(field(y, y), np.float64)

    found = root(scaled, start / scale, tol=1e-13)
    y: Floats = found.x * scale
    off = np.abs(scaled(found.x))
    left = off.max()
    if not np.isfinite(y).all() or left > 1e-6 * max(1.0, np.abs(scaled(start / scale)).max()):
        raise NoSolutionError(
            f"{name}: no steady state near {start.tolist()}"
            f" (unknown {int(np.argmax(off))} changes most there, and {left:.3g} is left of it)\n"
            "  help: a guess nearer to where nothing changes; some loops have no such place"
        )
    return y


@equation("the linearisation", None)
def linearised(field: Field, at: Floats) -> tuple[Floats, Floats]:
    """The matrices A and B of y' = A y(t) + B y(t - delay), by central differences of the `field`
    around the equilibrium `at`: columns are the unknowns in their order, elements are changes in
    a second for each unit of an unknown."""
    n = len(at)
    a, b = np.empty((n, n)), np.empty((n, n))
    for j in range(n):
        h = 1e-6 * max(abs(at[j]), 1e-6)
        up, down = at.copy(), at.copy()
        up[j] += h
        down[j] -= h
        a[:, j] = (np.asarray(field(up, at)) - np.asarray(field(down, at))) / (2 * h)
        b[:, j] = (np.asarray(field(at, up)) - np.asarray(field(at, down))) / (2 * h)
    return a, b


@equation("the linearisation", None)
def roots(a: Floats, b: Floats, delay: float, points: int = POINTS) -> NDArray[np.complex128]:
    """The characteristic roots that the collocation resolves, the rightmost first."""
    n = len(a)
    if delay == 0:
        found = np.linalg.eigvals(a + b)
    else:
        d = _derivative(points) * 2 / delay
        whole = np.kron(d, np.eye(n))
        # At the newest point the equation holds itself.
        whole[:n] = 0
        whole[:n, :n] = a
        whole[:n, -n:] = b
        found = np.linalg.eigvals(whole)
    order = np.argsort(-found.real, kind="stable")
    return np.asarray(found[order], np.complex128)


@equation("the linearisation", None)
def verdict(field: Field, at: Floats, delay: float) -> Verdict:
    """The rightmost root at an equilibrium."""
    a, b = linearised(field, at)
    first = roots(a, b, delay)[0]
    fast = float(np.abs(a).max() + np.abs(b).max())
    return Verdict(
        float(first.real), abs(float(first.imag)), neutral=abs(first.real) <= NEUTRAL * fast
    )


def _derivative(n: int) -> Floats:
    """Differentiation at Chebyshev's points from 1 to -1 (L. N. Trefethen, *Spectral Methods in
    MATLAB*, SIAM 2000, chapter 6)."""
    x = np.cos(np.pi * np.arange(n + 1) / n)
    c = np.where((np.arange(n + 1) == 0) | (np.arange(n + 1) == n), 2.0, 1.0)
    c *= (-1.0) ** np.arange(n + 1)
    apart = x[:, None] - x[None, :] + np.eye(n + 1)
    d: Floats = np.outer(c, 1 / c) / apart
    return d - np.diag(d.sum(1))
