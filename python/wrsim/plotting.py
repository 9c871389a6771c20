"""Plots of results with matplotlib."""

from __future__ import annotations

import os
from typing import Any

from . import errors
from .results import Result, SignalNames


def plot(result: Result, patterns: SignalNames = "*", *, file: str | os.PathLike[str] | None = None, reference: Result | None = None) -> Any:
    """Plots signals over time, with their values at events, in one diagram per unit. Returns the matplotlib.figure.Figure.

    patterns: a name, a pattern such as "cyl*.p", or a list of these.
    file: also writes the figure to this file, .png, .svg or .pdf. Equal results make equal files.
    reference: further results; their signals of the same names are dashed lines. Raises ArgumentError if such a signal has another unit.
    Raises ImportError without matplotlib.
    """
    import matplotlib # type: ignore[import] # optional
    from matplotlib.figure import Figure # type: ignore[import]

    for given in (result, reference):
        if given is not None and not isinstance(given, Result):
            raise errors.argument(f"plot: expected a Result, got {type(given).__name__} {given!r:.80}; wrsim.read() reads a file")
    names = result.match(patterns)
    if not names:
        raise errors.argument("plot: the list of signals is empty; give at least one name")
    curves, dashed = result.curves(names), {}
    if not any(len(time) for time, _ in curves.values()):
        raise errors.argument(f"plot: no value of {', '.join(names):.100} is recorded; repeat the run with output.points = true")
    if reference is not None:
        common = [name for name in names if name in reference]
        for name in common:
            own, other = result.unit(name), reference.unit(name)
            if own and other and own != other:
                raise errors.argument(f"plot: {name!r:.100} has the unit {own}, but {other} in the reference; convert a file, or plot other "
                                      "signals")
        dashed = reference.curves(common)
    units = list(dict.fromkeys(result.unit(name) for name in names))
    figure = Figure(figsize=(8.0, 1.0 + 2.2 * len(units)), layout="constrained")
    diagrams = figure.subplots(len(units), 1, sharex=True, squeeze=False)[:, 0]
    for unit, diagram in zip(units, diagrams):
        for name in (name for name in names if result.unit(name) == unit):
            line, = diagram.plot(*curves[name], label=name, gid=name)
            if name in dashed:
                diagram.plot(*dashed[name], "--", color=line.get_color(), alpha=0.6, label=f"{name}, reference")
        diagram.set_ylabel(f"[{unit}]" if unit else "")
        diagram.grid(alpha=0.3)
        diagram.legend(loc="upper right", fontsize="small")
    diagrams[-1].set_xlabel("t [s]")
    if file is not None:
        date = {".svg": "Date", ".pdf": "CreationDate"}.get(os.path.splitext(file)[1].lower())
        with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "wrsim", "axes.unicode_minus": False}):
            figure.savefig(file, metadata={date: None} if date else None)
    return figure
